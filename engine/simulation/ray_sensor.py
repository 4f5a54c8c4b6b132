"""A sensor of rays from a link to the ground and to all else that stands still, in Isaac Lab's words."""

import re

import numpy as np
from numpy.typing import ArrayLike

from ..device.ray_casting import RayCaster
from ..errors import InputError
from ..html import count
from ..model.ray_targets import ray_targets
from ..scene import WORLD, Collider, Scene
from ..selection import resolve_key
from ..tables.rays import ALIGNMENTS
from .simulation import Simulation
from .world_indices import Worlds, world_indices


def grid_pattern(resolution: float, size: tuple[float, float], direction: ArrayLike = (0.0, 0.0, -1.0)) -> np.ndarray:
    """Return parallel rays of a grid about the origin, (R, 6): starts and directions; x runs first.

    Args:
        resolution: distance of neighbouring rays [m].
        size: length along x and along y [m].
        direction: direction of the rays.

    Raises:
        InputError: `resolution` is not above 0, or a size is negative.
    """
    check_positive("resolution", resolution)
    if not all(0.0 <= length < np.inf for length in size):
        raise InputError(f"size = {size}: must be two finite lengths of 0 or more [m]")
    x, y = (np.arange(round(length / resolution - 0.5 + 1e-6) + 1) * resolution - length / 2.0 for length in size)
    starts = np.stack([*np.meshgrid(x, y), np.zeros((len(y), len(x)))], -1).reshape(-1, 3)
    return np.concatenate([starts, np.broadcast_to(np.asarray(direction, float), starts.shape)], 1)


class RaySensor:
    """Rays that start at a link and end where they meet a static collider: a height scan, a lidar; R rays.

    Rays meet planes, boxes, spheres, capsules, cylinders, cones, hulls and triangle meshes that stand still, from
    either side. They are those of Isaac Lab's ray caster: with the alignment "base", starts and directions turn with
    the link; with "yaw", starts turn about the world's z axis only, and directions do not; with "world", neither turns.
    `update` casts the rays of all worlds on the device of the simulation, in a tree of the triangles; vertical ones in
    a grid.

    Args:
        simulation: simulation to read from.
        link: name, path or index of the link in `Simulation.link`.
        pattern: starts [m] and directions of the rays in the link's prim, (R, 6), as `grid_pattern` returns them.
        ray_alignment: base | yaw | world.
        position: added to the starts [m].
        max_distance: distance beyond which nothing is met [m].
        colliders: regular expression of the paths of the colliders that rays meet.

    Raises:
        KeyError: no such link.
        InputError: a value is against its rule, or no static collider matches.
    """

    def __init__(
        self,
        simulation: Simulation,
        link: str | int,
        pattern: ArrayLike,
        ray_alignment: str = "base",
        *,
        position: ArrayLike = (0.0, 0.0, 0.0),
        max_distance: float = 1e6,
        colliders: str = ".*",
    ):
        if ray_alignment not in ALIGNMENTS:
            raise InputError(f"ray_alignment = {ray_alignment!r}: must be one of {', '.join(ALIGNMENTS)}")
        check_positive("max_distance", max_distance)
        rays = checked_rays(pattern, position)
        self.simulation, self.ray_alignment = simulation, ray_alignment
        self._column = int(np.arange(len(simulation.link))[resolve_key(link, simulation.link, "link")])
        self.link = simulation.link[self._column]
        """Prim path of the link."""
        chosen = chosen_colliders(simulation.scene, colliders)
        self.colliders: tuple[str, ...] = tuple(collider.path for collider in chosen)
        """Prim paths of the colliders that rays meet."""
        state = simulation._synced_state()
        self._caster = RayCaster(state.device, ray_targets(chosen), rays, ALIGNMENTS[ray_alignment], max_distance)
        shape = simulation.worlds, len(rays)
        self.pos_w: np.ndarray = np.zeros((shape[0], 3), state.float)
        """Position of the link at the last update, world axes [m], (W, 3)."""
        self.ray_hits_w: np.ndarray = np.full((*shape, 3), np.inf, state.float)
        """Hits of the rays, world axes [m], infinite where there is none, (W, R, 3)."""
        self.ray_distance: np.ndarray = np.full(shape, np.inf, state.float)
        """Distances from starts to hits [m], infinite where there is none, (W, R)."""

    def __repr__(self) -> str:
        """Return one line: sizes and alignment."""
        rays = count(self.ray_distance.shape[1], "ray")
        return f"<RaySensor of {rays} from {self.link}, {self.ray_alignment}, {count(len(self.colliders), 'collider')}>"

    def update(self, worlds: Worlds = None) -> None:
        """Cast the rays of worlds (None: all) from the present pose of the link.

        Raises:
            IndexError: no such world.
        """
        chosen = world_indices(worlds, self.simulation.worlds)
        rows = slice(None) if chosen is None else chosen
        poses = self.simulation.read("link_pose", worlds=chosen)[:, self._column]
        found = self._caster.cast(poses)
        self.pos_w[rows], self.ray_hits_w[rows], self.ray_distance[rows] = poses[:, :3], found[..., :3], found[..., 3]


def check_positive(name: str, value: float) -> None:
    """Raise InputError unless a length is above 0 and finite."""
    if not 0.0 < value < np.inf:
        raise InputError(f"{name} = {value}: must be above 0 and finite [m]")


def checked_rays(pattern: ArrayLike, position: ArrayLike) -> np.ndarray:
    """Return rays (R, 6) with unit directions, moved by a position.

    Raises:
        InputError: another shape, a number that is not finite, or a direction without length.
    """
    rays, place = np.array(pattern, float), np.asarray(position, float)
    if rays.ndim != 2 or rays.shape[1] != 6 or not len(rays):
        raise InputError(f"pattern = {rays.shape}: must be (R, 6), start and direction of each ray")
    if place.shape != (3,):
        raise InputError(f"position = {place.shape}: must be (3,) [m]")
    long = np.linalg.norm(rays[:, 3:], axis=1, keepdims=True)
    if not (np.isfinite(rays).all() and np.isfinite(place).all() and (long > 0.0).all()):
        raise InputError("pattern, position: must be finite numbers, and directions not 0")
    return np.concatenate([rays[:, :3] + place, rays[:, 3:] / long], 1)


def chosen_colliders(scene: Scene, pattern: str) -> list[Collider]:
    """Return the static colliders whose path matches a regular expression.

    Raises:
        InputError: none matches, or `pattern` is not a regular expression.
    """
    try:
        fits = re.compile(pattern).fullmatch
    except re.error as error:
        raise InputError(f"colliders = {pattern!r}: must be a regular expression; {error}") from None
    static = [collider for collider in scene.colliders if collider.body == WORLD]
    found = [collider for collider in static if fits(collider.path)]
    if not found:
        names = ", ".join(collider.path for collider in static[:20]) or "none; author a ground"
        raise InputError(f"colliders = {pattern!r}: must match a static collider: {names}")
    return found
