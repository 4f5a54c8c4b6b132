"""Events, `f(env, worlds, **parameters)`: what changes at startup, at resets and at intervals.

An event writes states by `env.robot`, which knows them then. One that writes to `env.sim` calls `env.robot.change()`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch

from ...errors import InputError
from .commands import Range, as_range, bounds, pose_bounds, six_ranges

if TYPE_CHECKING:
    from ..environment import Environment


Event = TypeVar("Event", bound=Callable[..., Any])


def staged(event: Event) -> Event:
    """Mark an event of a reset that writes states by `env.robot` only, which are set together with all others."""
    event.staged = True  # pyright: ignore[reportFunctionMemberAccess]  # a mark of functions and classes
    return event


def repeats(event: Event) -> Event:
    """Mark a staged event that sets in each reset what it makes of as many numbers, by its parameters only."""
    event.repeats = True  # pyright: ignore[reportFunctionMemberAccess]  # a mark of functions
    return staged(event)


def randomize_rigid_body_material(
    env: "Environment", worlds: torch.Tensor, static_friction_range: Range, dynamic_friction_range: Range | None = None
) -> None:
    """Draw the friction coefficients of all contacts of each world; static friction is at least dynamic friction."""
    ranges = static_friction_range, dynamic_friction_range or static_friction_range
    drawn = env.random.uniform_on_host(*bounds(*ranges), 2, worlds)
    static, dynamic = drawn[:, 0], drawn[:, 1] if dynamic_friction_range else drawn[:, 0]
    for name, values in (("static", static), ("dynamic", np.minimum(static, dynamic))):
        _write(
            env, worlds, f"contact_{name}_friction", lambda rows, new=values: np.broadcast_to(new[:, None], rows.shape)
        )


def randomize_rigid_body_mass(
    env: "Environment", worlds: torch.Tensor, body_names: str, mass_distribution_params: Range, operation: str = "add"
) -> None:
    """Draw masses of bodies in each world: "add" to, "scale", or replace ("abs") those of the scene [kg]."""
    change = {"add": np.add, "scale": np.multiply, "abs": lambda _, new: new}.get(operation)
    if change is None:
        raise InputError(f"operation = {operation!r}: must be one of add, scale, abs")
    columns = env.robot.find_bodies(body_names)
    drawn = env.random.uniform_on_host(*mass_distribution_params, len(columns), worlds)
    masses = env.robot.default_mass[columns].cpu().numpy()
    at = env.robot.links[columns].cpu().numpy()

    def changed(rows: np.ndarray) -> np.ndarray:
        rows[:, at] = change(masses, drawn)
        return rows

    _write(env, worlds, "mass", changed)


@repeats
def reset_joints_by_offset(
    env: "Environment", worlds: torch.Tensor, position_range: Range, velocity_range: Range, joint_names: str = ".*"
) -> None:
    """Draw offsets of joints from their positions and speeds in the scene."""
    _reset_joints(env, worlds, joint_names, (position_range, velocity_range), "add")


@repeats
def reset_joints_by_scale(
    env: "Environment", worlds: torch.Tensor, position_range: Range, velocity_range: Range, joint_names: str = ".*"
) -> None:
    """Draw factors of the positions and speeds of joints in the scene."""
    _reset_joints(env, worlds, joint_names, (position_range, velocity_range), "scale")


@repeats
def reset_root_state_uniform(
    env: "Environment",
    worlds: torch.Tensor,
    pose_range: Mapping[str, Range],
    velocity_range: Mapping[str, Range] | None = None,
) -> None:
    """Draw offsets of the root's pose (x, y, z [m], roll, pitch, yaw [rad]) and velocity from those of the scene."""
    _reset_root(env, worlds, (pose_range, velocity_range or {}))


@staged
class reset_root_state_from_terrain:  # Isaac Lab's name, which is that of a function
    """Starts on terrain that grows harder: an origin moves the root of the scene, offsets are drawn as elsewhere.

    Isaac Lab's curriculum `terrain_levels_vel`. A world's first level, and its column, are drawn. At later starts, it
    has the next level if it came further than a distance, and the one before if it came less than half as far as its
    command asked for; a level is drawn for those that have mastered the last one.

    Args:
        env: environment.
        origins: points of every level [m], (levels, columns, 3).
        distance: from the origin to the end of its terrain [m].
        command_name: name of the velocity command.
        pose_range: offsets of the pose, see `reset_root_state_uniform`.
        velocity_range: offsets of the velocity.
    """

    def __init__(
        self,
        env: "Environment",
        origins: Sequence[Sequence[tuple[float, float, float]]],
        distance: float,
        command_name: str,
        pose_range: Mapping[str, Range],
        velocity_range: Mapping[str, Range] | None = None,
    ):
        self._env, self._distance, self._command = env, distance, command_name
        self._origins, self._ranges = np.array(origins, np.float32), (pose_range, velocity_range or {})
        self._levels = np.full(env.worlds, -1)
        self._columns = np.zeros(env.worlds, int)

    @property
    def levels(self) -> np.ndarray:
        """Level of each world, (W,)."""
        return self._levels

    def __call__(self, worlds: torch.Tensor) -> None:
        """Move worlds to their origins."""
        env, at = self._env, worlds.cpu().numpy()
        count, columns = self._origins.shape[:2]
        drawn = env.random.uniform_on_host(*bounds((0.0, count), (0.0, columns)), 2, worlds).astype(int)
        begin = self._levels[at] < 0
        self._columns[at[begin]] = np.minimum(drawn[begin, 1], columns - 1)
        levels = self._levels[at] + self._steps(worlds)
        fresh = begin | (levels >= count)
        self._levels[at] = np.where(fresh, np.minimum(drawn[:, 0], count - 1), np.maximum(levels, 0))
        _reset_root(env, worlds, self._ranges, self._origins[self._levels[at], self._columns[at]])

    def _steps(self, worlds: torch.Tensor) -> np.ndarray:
        """Return 1 for each world that came far enough, -1 for those that lag behind, else 0."""
        env, at = self._env, worlds.cpu().numpy()
        place = env.robot.root_pose_w[worlds, :2].cpu().numpy()
        came = np.linalg.norm(place - self._origins[self._levels[at], self._columns[at], :2], axis=1)
        speed = env.command(self._command)[worlds, :2].norm(dim=1).cpu().numpy()
        far = came > self._distance
        lags = came < 0.5 * speed * env.episode_length[worlds].cpu().numpy() * env.dt
        return far.astype(int) - (lags & ~far)


def _reset_root(
    env: "Environment",
    worlds: torch.Tensor,
    ranges: tuple[Mapping[str, Range], Mapping[str, Range]],
    origins: np.ndarray | None = None,
) -> None:
    """Draw offsets of the root's pose and velocity from those of the scene, moved to origins."""
    limits = six_ranges(ranges[0]), six_ranges(ranges[1])
    drawn = env.random.take(6, worlds), env.random.take(6, worlds)
    env.robot.draw_root(drawn, worlds, limits, origins)


def push_by_setting_velocity(env: "Environment", worlds: torch.Tensor, velocity_range: Mapping[str, Range]) -> None:
    """Add a drawn velocity (x, y, z [m/s], roll, pitch, yaw [rad/s]) to the root's."""
    drawn = _draw(env, worlds, velocity_range)
    if len(drawn):
        env.robot.write_root("root_velocity", env.robot.root_vel_w_of(worlds) + drawn, worlds)


def _reset_joints(
    env: "Environment", worlds: torch.Tensor, joint_names: str, ranges: tuple[Range, Range], operation: str
) -> None:
    """Draw positions and speeds of joints, and add them to those of the scene or multiply these by them."""
    checked = as_range(ranges[0]), as_range(ranges[1])
    numbers = env.random.take(2 * len(env.robot.dof_columns(joint_names)), worlds)
    env.robot.draw_joints(numbers, worlds, joint_names, checked, operation)


def _draw(env: "Environment", worlds: torch.Tensor, ranges: Mapping[str, Range]) -> np.ndarray:
    """Return numbers of the six names, (worlds, 6), 0 without a range."""
    return env.random.uniform_on_host(*pose_bounds(ranges), 6, worlds)


def _write(env: "Environment", worlds: torch.Tensor, name: str, change: Callable[[np.ndarray], np.ndarray]) -> None:
    """Set a parameter in worlds to what `change` makes of its values."""
    chosen = worlds.cpu().numpy()
    env.sim.write(name, np.ascontiguousarray(change(env.sim.read(name, worlds=chosen)), np.float32), chosen)
