"""Playing of policies: worlds run closed loop, and what is measured meanwhile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from ..errors import InputError
from .env import Env
from .mdp.commands import UniformVelocityCommand
from .task import Task

SETTLED = 1.0
"""Time after a change of a command from which its error counts [s]."""

TRACKED: tuple[str, ...] = ("v_x [m/s]", "v_y [m/s]", "w_z [rad/s]")
"""Numbers of a velocity command."""

Commands = Sequence[tuple[float, tuple[float, ...]]]
"""Times [s] and the values that hold from then on."""


@dataclass
class Played:
    """T control steps of W worlds."""

    dt: float
    survived: np.ndarray  # (W,) of bool
    pose: np.ndarray  # (T, W, 7) of the root
    joint_pos: np.ndarray  # (T, W, D)
    actions: np.ndarray  # (T, W, A)
    reward: np.ndarray  # (W,) mean, per second
    errors: np.ndarray  # (W, 3) mean |command - value| of a velocity command, NaN without a settled one; or (W, 0)

    @property
    def error(self) -> dict[str, np.ndarray]:
        """Errors of the worlds in which a command settled, by the name of the number; empty if there are none."""
        settled = self.errors[~np.isnan(self.errors).any(1)]
        return dict(zip(TRACKED, settled.T, strict=False)) if len(settled) else {}

    @property
    def path_length(self) -> float:
        """Mean length of the paths of the roots in the ground plane [m]."""
        return float(np.linalg.norm(np.diff(self.pose[..., :2], axis=0), axis=-1).sum(0).mean())


def join(runs: Sequence[Played]) -> Played:
    """Return the worlds of several runs side by side."""
    along = {"survived": 0, "pose": 1, "joint_pos": 1, "actions": 1, "reward": 0, "errors": 0}
    arrays = {name: np.concatenate([getattr(run, name) for run in runs], axis) for name, axis in along.items()}
    return Played(runs[0].dt, **arrays)


def nominal(task: Task) -> Task:
    """Return a task that starts from the scene's state, without events; its episodes do not end by time."""
    return replace(task, startup={}, resets={}, intervals={}, episode_seconds=1e9)


def play(
    env: Env,
    policy: Callable[[np.ndarray], np.ndarray],
    steps: int,
    commands: Commands = (),
    watch: Callable[[], None] = lambda: None,
) -> Played:
    """Run a policy in all worlds; one that ends goes on, but did not survive, and its errors no longer count.

    Args:
        env: environment with autoreset "disabled".
        policy: observations (W, K) to actions (W, A), float32.
        steps: number of control steps.
        commands: values of the first command over time; the task's own if there are none.
        watch: called after every control step.

    Raises:
        InputError: the task has no command, or its command has another length.
    """
    command = next((c for c in env.task.commands.values() if isinstance(c, UniformVelocityCommand)), None)
    if commands and (command is None or any(len(value) != 3 for _, value in commands)):
        raise InputError(f"command = {commands[0][1]}: must be three numbers, of a task with a velocity as its command")
    alive = torch.ones(env.worlds, dtype=torch.bool, device=env.device)
    poses, joints, given = [], [], []
    total, counted, settled = (torch.zeros(env.worlds, device=env.device) for _ in range(3))
    errors = torch.zeros(env.worlds, 0 if command is None else len(TRACKED), device=env.device)
    before = None
    for k in range(steps):
        now = [value for start, value in commands if k * env.dt >= start - 1e-9]
        if command is not None and now:
            command.value[:] = torch.tensor(now[-1], device=env.device)
        if command is not None:
            changed = before is None or (command.value != before).any(1)
            settled = torch.where(torch.as_tensor(changed), 0.0, settled + env.dt)
            before = command.value.clone()
            counts = alive & (settled > SETTLED)
            errors[counts] += (command.value - _velocity(env)).abs()[counts]
            counted += counts
        poses.append(env.robot.root_pose_w.cpu().numpy().copy())
        joints.append(env.robot.joint_pos.cpu().numpy().copy())
        action = policy(env.observe()["policy"].cpu().numpy())
        given.append(action)
        found = env.step(torch.from_numpy(action).to(env.device))
        total += found.reward / env.dt
        alive &= ~found.terminated
        watch()
    rows = (np.array(rows) for rows in (poses, joints, given))
    means = (each.cpu().numpy() for each in (total / steps, errors / counted[:, None]))
    return Played(env.dt, alive.cpu().numpy(), *rows, *means)


def _velocity(env: Env) -> torch.Tensor:
    """Return the velocities that a command commands, (W, 3)."""
    return torch.cat([env.robot.root_lin_vel_b[:, :2], env.robot.root_ang_vel_b[:, 2:]], 1)
