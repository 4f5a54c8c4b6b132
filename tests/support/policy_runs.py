"""Robots that walk closed loop, in fajin and in PhysX: what tests compare, and what PhysX recorded.

`python tests/support/policy_runs.py PYTHON` records the logs again with an interpreter that has ovphysx.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
from paths import TESTS

from fajin import envs
from fajin.envs.physx import in_physx
from fajin.envs.playing import Commands, Played, join, nominal, play
from fajin.envs.policy import Policy

FOLDER = TESTS / "recorded" / "policies"
GO2, ANYMAL = "VelocityFlatGo2-v0", "VelocityFlatAnymalC-v0"
WORLDS, MINUTE = 8, 3000
"""Worlds with random commands, and the control steps of a minute."""
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
    an interpreter that has ovphysx, for one world in PhysX; and those of `Env`.
    """
    nudges, python = np.array(options.pop("nudges", (0.0,))), options.pop("python", None)
    made = {"autoreset": "disabled", "noise": False, "threads": 1, **options}
    env = envs.make(nominal(envs.find_task(task)), len(nudges), **made)
    if nudges.any():
        env.sim.q += nudges[:, None]
    with in_physx(env, python) if python else nullcontext():
        env.sim.step(1)  # PhysX has a state after a first step only
        env.robot.change()
        return play(env, policy, steps, commands)


def replay(actions: Sequence[np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a policy that repeats actions of one world, (T, A)."""
    rows = iter(actions)
    return lambda observed: np.repeat(next(rows)[None], len(observed), 0)


def record(python: str) -> None:
    """Write the logs of PhysX."""
    torch.set_num_threads(1)
    policy = Policy(FOLDER / "anymal_c.onnx")
    for name, controller, commands in (("anymal_c", lambda: policy, SCRIPT), ("anymal_c_trot", Trot, TROT)):
        closed = walk(ANYMAL, controller(), 700, commands, python=python)
        actions = walk(ANYMAL, controller(), 700, commands).actions[:, 0]
        replayed = walk(ANYMAL, replay(actions), 700, commands, python=python)
        np.savez_compressed(
            FOLDER / f"{name}_physx.npz", pose=closed.pose[:, 0], error=closed.errors[0], actions=actions,
            replayed_pose=replayed.pose[:, 0],
        )  # fmt: skip
    for task, name in ((GO2, "go2"), (ANYMAL, "anymal_c")):
        policy = Policy(FOLDER / f"{name}.onnx")
        minute = join([walk(task, policy, MINUTE, first_world=i, python=python) for i in range(WORLDS)])
        log = {"survived": minute.survived, "errors": minute.errors, "position": minute.pose[::50, :, :3]}
        np.savez_compressed(FOLDER / f"{name}_minute_physx.npz", **log)


if __name__ == "__main__":
    record(str(Path(sys.argv[1])))
