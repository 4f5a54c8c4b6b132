"""The environment of `fajin bench env`: a Go2's velocity task, its physics alone, and resets of two worlds."""

from collections.abc import Callable
from typing import Any

from .models import DATA, joints

TASK = "VelocityFlatGo2-v0"
SPREAD = 0.3
"""Standard deviation of the actions: the robots sway and step on the spot."""


def advances(case: dict) -> dict[str, Callable[[int], object]]:
    """Return what advances the worlds of a case by control steps: with and without the environment, and resets."""
    import torch

    from fajin.envs import make

    torch.set_num_threads(1)
    env = make(TASK, case["worlds"], threads=case["threads"])
    env.final_observations = False  # as for rsl_rl
    env.reset()
    env.episode_length.copy_(torch.arange(env.worlds) % env.max_episode_length)  # so that some worlds always end
    actions = SPREAD * torch.randn(16, env.worlds, env.num_actions, generator=torch.Generator().manual_seed(0))
    two = torch.arange(min(2, env.worlds)) * (env.worlds // 2)

    def loop(steps: int) -> None:
        for k in range(steps):
            env.step(actions[k % len(actions)])

    def physics(steps: int) -> None:
        for _ in range(steps):
            env.sim.step(env.task.decimation)

    def reset(steps: int) -> None:
        for _ in range(steps):
            env.start_episodes(two)

    loop(30)
    return {"loop": loop, "physics": physics, "reset": reset}


def case_of_mujoco(case: dict) -> dict[str, Any]:
    """Return the case of the same robot, standing, in MuJoCo; a step is a physics step."""
    import fajin
    from fajin.envs import find_task

    scene = fajin.read(find_task(TASK).scene)
    return {**case, "robot": str(DATA / "go2.usda"), "joints": joints(scene), "dt": scene.dt, "contacts": True}


def decimation() -> int:
    """Return the physics steps of a control step."""
    from fajin.envs import find_task

    return find_task(TASK).decimation
