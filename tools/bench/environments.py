"""The environment of `fajin bench env`: a Go2 that walks, the physics within, and resets of two worlds."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .models import DATA, joints

if TYPE_CHECKING:
    from fajin import Simulation

TASK = "VelocityFlatGo2-v0"


class TimedSimulation:
    """A simulation whose steps add up their time.

    Args:
        sim: the simulation.
        clock: returns seconds.
    """

    def __init__(self, sim: "Simulation", clock: Callable[[], float]):
        self._sim, self._clock, self.seconds = sim, clock, 0.0

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the simulation."""
        return getattr(self._sim, name)

    def step(self, n: int = 1) -> None:
        """Advance by n steps."""
        begin = self._clock()
        self._sim.step(n)
        self.seconds += self._clock() - begin


def advances(case: dict, clock: Callable[[], float]) -> dict[str, Callable[[int], object]]:
    """Return what advances the worlds of a case: a loop of control steps, and resets of two worlds.

    The robots walk as the package's policy has them. The loop returns the seconds of the environment, without those of
    the policy, and those of physics within.
    """
    import torch

    from fajin.envs import make
    from fajin.envs.policy import Policy
    from fajin.envs.tasks import POLICIES

    torch.set_num_threads(1)
    env, policy = make(TASK, case["worlds"], threads=case["threads"]), Policy(POLICIES / "go2.onnx")
    env.final_observations = False  # as for rsl_rl
    physics = env.sim = TimedSimulation(env.sim, clock)  # pyright: ignore[reportAttributeAccessIssue]  # in its place
    now = env.reset()
    env.episode_length.copy_(torch.arange(env.worlds) % env.max_episode_length)  # so that some worlds always end
    two = torch.arange(min(2, env.worlds)) * (env.worlds // 2)

    def loop(steps: int) -> dict[str, float]:
        nonlocal now
        seconds = physics.seconds = 0.0
        for _ in range(steps):
            actions = torch.from_numpy(policy(now["policy"].numpy()))
            begin = clock()
            now = env.step(actions).observations
            seconds += clock() - begin
        return {"loop": seconds, "physics": physics.seconds}

    def reset(steps: int) -> None:
        for _ in range(steps):
            env.start_episodes(two)

    loop(60)
    return {"loop": loop, "reset": reset}


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
