"""Commands: what a policy shall do, drawn anew from time to time."""

from collections.abc import Mapping
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from ...errors import InputError
from ..host_rows import set_rows
from ..rotations import from_euler, yaw_roll

if TYPE_CHECKING:
    from ..environment import Environment

Range = tuple[float, float]
POSE_NAMES = ("x", "y", "z", "roll", "pitch", "yaw")


def pose_bounds(ranges: Mapping[str, Range]) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper bounds of the six names, (6,) each, 0 without a range.

    Raises:
        InputError: another name.
    """
    return _pose_bounds(_pairs(ranges))


def six_ranges(ranges: Mapping[str, Range]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the numbers of `pose_bounds` as tuples."""
    return _six_ranges(_pairs(ranges))


def _pairs(ranges: Mapping[str, Range]) -> tuple[tuple[str, Range], ...]:
    return tuple((name, as_range(pair)) for name, pair in ranges.items())


@cache
def _six_ranges(ranges: tuple[tuple[str, Range], ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    low, high = _pose_bounds(ranges)
    return tuple(low.tolist()), tuple(high.tolist())


@cache
def _pose_bounds(ranges: tuple[tuple[str, Range], ...]) -> tuple[np.ndarray, np.ndarray]:
    for name, _ in ranges:
        if name not in POSE_NAMES:
            raise InputError(f"range = {name!r}: must be among {', '.join(POSE_NAMES)}")
    return bounds(*(dict(ranges).get(name, (0.0, 0.0)) for name in POSE_NAMES))


def bounds(*ranges: Range) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper bounds of ranges, (len(ranges),) each.

    Raises:
        InputError: as of `as_range`.
    """
    return _bounds(*(as_range(pair) for pair in ranges))


@cache
def _bounds(*ranges: Range) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(ranges, np.float32).T
    return low, high


def as_range(pair: Any) -> Range:
    """Return a range, a tuple or a list, as a tuple.

    Raises:
        InputError: it is not two finite numbers, the lower one first.
    """
    numbers = isinstance(pair, tuple | list) and all(isinstance(x, float | int | np.number) for x in pair)
    if not numbers or len(pair) != 2 or not -inf < pair[0] <= pair[1] < inf:
        raise InputError(f"range = {pair!r}: must be two finite numbers, the lower one first")
    return pair[0], pair[1]


class CommandTerm(Protocol):
    """A command of an environment."""

    value: torch.Tensor
    """The command, (W, K)."""

    def start(self, env: "Environment") -> None:
        """Find the names in a new environment, and make the first command."""

    def resample(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Draw new commands in worlds."""

    def advance(self, env: "Environment") -> None:
        """Advance by one control step."""


class ResampledCommand:
    """A command that is drawn anew after a time.

    Args:
        resampling_time: time between two commands [s].
    """

    value: torch.Tensor

    def __init__(self, resampling_time: float):
        self.resampling_time = resampling_time

    def resample(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Draw new commands in worlds."""
        raise NotImplementedError

    def advance(self, env: "Environment") -> None:
        """Draw new commands in the worlds whose time has come."""
        due = env.due(self.resampling_time)
        if len(due):
            self.resample(env, due)


class UniformVelocityCommand(ResampledCommand):
    """Linear velocity along x and y [m/s] and angular velocity about z [rad/s] of the root, (W, 3).

    Args:
        lin_vel_x: range of the velocity along x.
        lin_vel_y: range of the velocity along y.
        ang_vel_z: range of the velocity about z.
        resampling_time: time between two commands [s].
        rel_standing_envs: share of the commands that are 0.
        heading: range of the heading that a command commands instead, from -π to π [rad]: its angular velocity is
            HEADING_GAIN times the angle to the heading, within the range `ang_vel_z`.
    """

    HEADING_GAIN = 0.5  # [1/s], Isaac Lab's

    def __init__(
        self,
        lin_vel_x: Range,
        lin_vel_y: Range,
        ang_vel_z: Range,
        resampling_time: float = 10.0,
        rel_standing_envs: float = 0.02,
        heading: Range | None = None,
    ):
        super().__init__(resampling_time)
        self.ranges, self.rel_standing_envs = (lin_vel_x, lin_vel_y, ang_vel_z), rel_standing_envs
        self.heading = heading

    def start(self, env: "Environment") -> None:
        """Make the first command, 0."""
        self.value = torch.zeros(env.worlds, 3, device=env.device)
        self._bounds = bounds(*self.ranges, (0.0, 1.0), *([self.heading] if self.heading else []))
        self._headings = torch.zeros(env.worlds, device=env.device)
        self._turns = torch.zeros(env.worlds, dtype=torch.bool, device=env.device)  # whether the heading is commanded

    def resample(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Draw new commands in worlds."""
        drawn = env.random.uniform_on_host(*self._bounds, len(self._bounds[0]), worlds)
        stands = drawn[:, 3] < self.rel_standing_envs
        drawn[stands] = 0.0
        set_rows(self.value, worlds, drawn[:, :3])
        if self.heading:
            set_rows(self._headings, worlds, drawn[:, 4])
            set_rows(self._turns, worlds, ~stands)

    def advance(self, env: "Environment") -> None:
        """Draw new commands in the worlds whose time has come, and turn towards the headings."""
        super().advance(env)
        if self.heading:
            ahead = self._headings - yaw_roll(env.robot.root_pose_w[:, 3:])[:, 0]
            angle = torch.remainder(ahead + torch.pi, 2.0 * torch.pi) - torch.pi
            speed = (self.HEADING_GAIN * angle).clamp(*self.ranges[2])
            self.value[:, 2] = torch.where(self._turns, speed, self.value[:, 2])


class UniformPoseCommand(ResampledCommand):
    """Position [m] and quaternion (x, y, z, w) of a body in the root's frame, (W, 7).

    Args:
        ranges: ranges of x, y, z [m], roll, pitch and yaw [rad]; 0 without a range.
        resampling_time: time between two commands [s].
    """

    def __init__(self, ranges: Mapping[str, Range], resampling_time: float = 4.0):
        super().__init__(resampling_time)
        self.ranges = dict(ranges)

    def start(self, env: "Environment") -> None:
        """Make the first command, the pose 0."""
        self.value = torch.zeros(env.worlds, 7, device=env.device)
        self.value[:, 6] = 1.0
        self._bounds = pose_bounds(self.ranges)

    def resample(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Draw new poses in worlds."""
        drawn = env.random.uniform_on_host(*self._bounds, 6, worlds)
        poses = np.concatenate([drawn[:, :3], from_euler(drawn[:, 3:])], 1)
        set_rows(self.value, worlds, poses)
