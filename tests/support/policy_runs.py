"""Robots that walk closed loop, in fajin and in PhysX: what tests compare, and what PhysX recorded.

`python tests/support/policy_runs.py PYTHON` records the logs again with an interpreter that has ovphysx.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from paths import ROOT, TESTS

from fajin import envs
from fajin.envs import mdp
from fajin.envs.physx import TOGETHER, in_physx
from fajin.envs.playing import Commands, Played, join, nominal, play
from fajin.envs.policy import Policy
from fajin.envs.tasks.velocity import COMMAND
from fajin.envs.tasks.velocity_rough_go2 import ORIGINS

FOLDER = TESTS / "recorded" / "policies"
WALK = ROOT / "engine" / "envs" / "policies" / "go2.onnx"
"""Policy of Go2 on flat ground, which the package has."""
GO2, ANYMAL, ROUGH = "VelocityFlatGo2-v0", "VelocityFlatAnymalC-v0", "VelocityRoughGo2-v0"
STAIRS = FOLDER / "go2_stairs.usda"
PLAYED = {"autoreset": "disabled", "noise": False, "threads": 1}
CLIMB: Commands = [(0, (0, 0, 0)), (0.5, (0.8, 0, 0)), (6.5, (0, 0, 0))]
"""Commands of 8 s, out of a pit of seven steps."""
WORLDS, MINUTE = 100, 3000
"""Worlds with random commands, and the control steps of a minute."""
TWINS = (1e-7, -1e-7, 3e-7, -3e-7)
"""Offsets of the joints of twins at the start [rad]."""
SCRIPT: Commands = [
    (0, (0, 0, 0)), (1, (0.5, 0, 0)), (4, (0.9, 0, 0)), (7, (0.5, 0, 0.6)), (10, (0.4, 0.25, 0)), (13, (0, 0, 0)),
]  # fmt: skip
"""Commands of 14 s: start, two speeds, turn, sidestep and stop."""
TROT: Commands = [(0, (0, 0, 0)), (1, (0.3, 0, 0)), (4, (0.5, 0, 0)), (7, (0.3, 0, 0.3)), (10, (0.2, 0.15, 0))]
"""Commands of ANYmal's trot."""


class Trot:
    """A trot of ANYmal C: its feet step to where its velocity and its command want them, and it keeps its trunk level.

    Observations (W, 48) of the task to actions (W, 12), float32; a call is a control step of 0.02 s.
    """

    def __init__(self):
        self.steps = 0

    def __call__(self, observed: np.ndarray) -> np.ndarray:
        velocity, gravity, command = observed[:, 0:3], observed[:, 6:9], observed[:, 9:12]
        fore, left = np.array([1, -1, 1, -1]), np.array([1, 1, -1, -1])  # LF, LH, RF, RH
        period, time = 0.5, 0.02 * self.steps
        self.steps += 1
        phase = (time / period + np.array([0.0, 0.5, 0.5, 0.0])) % 1.0
        stands = phase < 0.5
        lift = np.where(stands, 0.0, -0.22 * np.sin(2.0 * np.pi * phase)) * min(1.0, 2.0 * time)
        place = np.where(stands, 0.5 - 2.0 * phase, 0.5 * np.cos(2.0 * np.pi * phase))  # of the foot in its stride
        late = (velocity - command)[:, :2] * [0.06, 0.1]
        ahead = (command[:, :1] - command[:, 2:] * left * 0.25) * period * place + late[:, :1] * ~stands
        aside = 0.75 * (command[:, 1:2] + command[:, 2:] * fore * 0.35) * period * place + late[:, 1:] * ~stands
        hip = 2.0 * aside + 0.3 * gravity[:, 1:2] * stands
        thigh = -2.0 * ahead + fore * lift - 0.3 * gravity[:, :1] * stands
        shank = np.zeros_like(thigh) - 2.0 * fore * lift
        return (2.0 * np.concatenate([hip, thigh, shank], 1)).astype(np.float32)


def walk(task: str, policy: Callable, steps: int, commands: Commands = (), **options) -> Played:
    """Play a policy from the scene's state; without commands each world has its random ones.

    Options are `nudges`, offsets of the joints of each world at the start [rad], as many as there are worlds; `python`,
    an interpreter that has ovphysx, for PhysX; `scene`, another scene of the task; and those of `Env`.
    """
    nudges, python = np.array(options.pop("nudges", (0.0,))), options.pop("python", None)
    found = nominal(envs.find_task(task))
    found.scene = options.pop("scene", found.scene)
    env = envs.make(found, len(nudges), **{**PLAYED, **options})
    if nudges.any():
        env.sim.q += nudges[:, None]
    with in_physx(env, python) if python else nullcontext():
        env.sim.step(1)  # PhysX has a state after a first step only
        env.robot.change()
        return play(env, policy, steps, commands)


def collapse(python: str = "") -> dict[str, np.ndarray]:
    """Let ANYmal fold its legs by more and more from world to world, the first one not at all, for 1.2 s.

    Returns:
        Which worlds a contact of the trunk `ends` in each control step, (60, W), and the `peak` forces on the shapes of
        trunk and feet [N], (60, W, C).
    """
    folds = np.array([0.0, 0.3, 0.8, 1.2], np.float32)
    env = envs.make(nominal(envs.find_task(ANYMAL)), len(folds), **PLAYED)
    turned = env.robot.default_joint_pos[0].sign().numpy()
    turned[env.robot.find_joints(".*HAA").numpy()] = 0.0
    actions = torch.from_numpy(folds[:, None] * turned / 0.5)  # the scale of its actions
    ends, peak = [], []
    env.reset()
    with in_physx(env, python) if python else nullcontext():
        env.sim.step(1)  # PhysX has a state after a first step only
        env.robot.change()
        for _ in range(60):
            found = env.step(actions)
            ends.append(found.terminated.numpy().copy())
            groups = env.contacts(".*/base/[^/]*"), env.contacts(".*_FOOT")
            peak.append(torch.cat([group.peak_force for group in groups], 1).numpy())
    return {"ends": np.array(ends), "peak": np.array(peak)}


def climb(policy: Callable, level: int, speed: float, worlds: int = 64) -> np.ndarray:
    """Return which worlds come out of the pits of a level within 12 s without a fall, (worlds,) of bool.

    Each world has its own friction, mass, place, heading within 17 degrees and joints at the start; no pushes.
    """
    task = envs.find_task(ROUGH)
    onward = mdp.UniformVelocityCommand((speed, speed), (0.0, 0.0), (-0.8, 0.8), 1e6, 0.0, heading=(0.0, 0.0))
    task = replace(task, intervals={}, commands={COMMAND: onward}, episode_seconds=1e6)
    start = task.resets["base"].parameters
    pit = ORIGINS[level][1]
    start["origins"], start["pose_range"]["yaw"] = ((pit,),), (-0.3, 0.3)
    env = envs.make(task, worlds, seed=5, **PLAYED)
    env.reset()
    alive, out = torch.ones(worlds, dtype=torch.bool), torch.zeros(worlds, dtype=torch.bool)
    for _ in range(600):
        found = env.step(torch.from_numpy(policy(env.observe()["policy"].numpy())))
        alive &= ~found.terminated
        out |= alive & (env.robot.root_pose_w[:, 0] - pit[0] > 3.2)  # its hind feet are above the last step
    return out.numpy()


def replay(actions: Sequence[np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a policy that repeats actions of one world, (T, A)."""
    rows = iter(actions)
    return lambda observed: np.repeat(next(rows)[None], len(observed), 0)


def twins_of_physx(actions: np.ndarray, pose: np.ndarray, commands: Commands, python: str) -> np.ndarray:
    """Return how far ANYmal comes from its poses (T, 7) in PhysX where targets of the first control step differ [m]."""
    found = []
    for offset in TWINS:
        nudged = actions.copy()
        nudged[0] += np.float32(offset / 0.5)  # the scale of its actions
        twin = walk(ANYMAL, replay(nudged), len(pose), commands, python=python).pose[:, 0]
        found.append(np.linalg.norm((twin - pose)[:, :3], axis=1).max())
    return np.array(found)


def record(python: str) -> None:
    """Write the logs of PhysX."""
    torch.set_num_threads(1)
    policy = Policy(FOLDER / "anymal_c.onnx")
    for name, controller, commands in (("anymal_c", lambda: policy, SCRIPT), ("anymal_c_trot", Trot, TROT)):
        closed = walk(ANYMAL, controller(), 700, commands, python=python)
        actions = walk(ANYMAL, controller(), 700, commands).actions[:, 0]
        replayed = walk(ANYMAL, replay(actions), 700, commands, python=python).pose[:, 0]
        np.savez_compressed(
            FOLDER / f"{name}_physx.npz", pose=closed.pose[:, 0], error=closed.errors[0], actions=actions,
            replayed_pose=replayed, twins=twins_of_physx(actions, replayed, commands, python),
        )  # fmt: skip
    np.savez_compressed(FOLDER / "anymal_c_falls_physx.npz", **collapse(python))
    stairs = walk(ROUGH, Policy(FOLDER / "go2_stairs.onnx"), 400, CLIMB, python=python, scene=STAIRS)
    np.savez_compressed(FOLDER / "go2_stairs_physx.npz", pose=stairs.pose[:, 0], error=stairs.errors[0])
    for task, name in ((GO2, "go2"), (ANYMAL, "anymal_c")):
        np.savez_compressed(FOLDER / f"{name}_minute_physx.npz", **minute_log(task, name, python))


def policy_of(name: str) -> Policy:
    """Return a policy by its name."""
    return Policy(WALK if name == WALK.stem else FOLDER / f"{name}.onnx")


def minute(task: str, name: str, nudge: float = 0.0, **options) -> Played:
    """Play a policy in all worlds over a minute of random commands."""
    return walk(task, policy_of(name), MINUTE, nudges=np.full(WORLDS, nudge), **options)


def minute_log(task: str, name: str, python: str) -> dict[str, np.ndarray]:
    """Return which worlds fell in PhysX, their errors, places every 10 s, and how far fajin is from twins of itself."""
    policy, own = policy_of(name), minute(task, name)
    batches = [np.zeros(len(part)) for part in np.split(np.arange(WORLDS), WORLDS // TOGETHER)]
    runs = [
        walk(task, policy, MINUTE, nudges=b, first_world=i * TOGETHER, python=python) for i, b in enumerate(batches)
    ]
    physx = join(runs)
    twins = [np.median(np.abs(minute(task, name, nudge).errors - own.errors), 0) for nudge in TWINS]
    return {"fell": fell(physx), "errors": physx.errors, "position": physx.pose[::500, :, :3], "twins": np.array(twins)}


def fell(played: Played) -> np.ndarray:
    """Return which worlds' roots sink below half their height, (W,) of bool."""
    heights = played.pose[..., 2]
    return heights.min(0) < 0.5 * heights[0]


if __name__ == "__main__":
    record(str(Path(sys.argv[1])))
