"""Wheels and feet: the ends of a robot that carry it on a ground."""

from dataclasses import dataclass, replace
from itertools import combinations
from math import inf

import numpy as np

from .extents import Shape, lowest
from .polygon import margin
from .tree import Placement, Tree

SECTORS = 8  # about the axis of a wheel
ROUNDNESS = 0.9  # smallest radius of a wheel in a sector, relative to the largest one
SQUARE = 0.69  # smallest distance of a plane along the axis that touches a wheel, likewise: a square's is 0.707
SPOKED = 0.3  # the smallest radius of what turns about an axis without limits and is not a leg, likewise
LEAN = 0.5  # cosine of the angle between a wheel's axis and the up axis, at most
NEAR = 0.2  # height of a foot above the lowest one, at most, relative to the height of the centre of mass
SOLE = 1e-3  # [m] height of the points of a sole above the lowest one
TOUCH = 3e-3  # [m] height above the lowest point at which an underside carries the robot, too
POINT = 5e-4  # [m] height of the points on which another foot or a wheel stands
FLAT = 0.02  # [m] extent of a sole in its second direction, at least
SLANT = 0.4  # [rad] between a sole in the initial pose and the ground, at most
NEARLY = 0.02  # [rad] of the sole of one of many feet
DIRECTIONS, RINGS = 36, 8  # of the directions in which a foot is looked at from below


@dataclass(frozen=True, eq=False)
class Support:
    """Links, rigid together, at the end of a chain of joints, that touch the ground."""

    link: int
    dofs: tuple[int, ...]  # that move it, outward
    points: np.ndarray  # (n, 3) of its shapes, in the frame of the link
    radii: np.ndarray  # (n,) about the points [m]
    wheel: float = 0.0  # radius of a wheel, which the last of `dofs` turns [m]; 0 for a foot
    normal: np.ndarray | None = None  # (3,) up in the frame of the link where a flat sole is level
    slides: bool = False  # True for a caster, a skid or the underside of a base

    def lowest(self, placement: Placement, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the points (n, 3) in the world and the heights (n,) of the surface below them [m]."""
        points = placement.points(self.link, self.points)
        return points, points @ up - self.radii

    def sole(self, placement: Placement, up: np.ndarray) -> np.ndarray:
        """Return the points that touch a level ground, (n, 3)."""
        return self.touching(placement, up)[0]

    def touching(self, placement: Placement, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the points that touch a level ground, (n, 3), and the radii (n,) about them [m]."""
        points, heights = self.lowest(placement, up)
        if self.normal is None:
            low = heights < heights.min() + POINT
            return points[low], self.radii[low]
        depths = self.points @ self.normal - self.radii  # of the foot, which may lean
        low = depths < depths.min() + SOLE
        return points[low], self.radii[low]


def find_supports(tree: Tree, shapes: dict[int, list[Shape]], placement: Placement, up: np.ndarray) -> list[Support]:
    """Return the wheels of a robot and what slides beside them; without wheels, its feet; without feet, its underside.

    A wheel turns without limits about a level axis, moves no further joint, is round or square about the axis, as boxes
    that stand for wheels are, and ends within its radius of the robot's lowest point. Feet are at least two ends that
    are lower than all else.
    """
    ends = ends_of(tree, shapes, placement)
    heights = {id(end): float(end.lowest(placement, up)[1].min()) for end in ends}
    floor = min(
        (lowest(shape, placement.frame(link), up) for link, many in shapes.items() for shape in many), default=inf
    )
    wheels = []
    for end in ends:
        radius = _wheel_radius(tree, end, placement, up)
        if radius and heights[id(end)] - floor <= radius:
            wheels.append(Support(end.link, end.dofs, end.points, end.radii, radius))
    reach = NEAR * max(float(tree.com(placement) @ up) - floor, 0.0)
    feet = [end for end in ends if heights[id(end)] - floor <= reach and not _surrounds(tree, end, placement, up)]
    if len(feet) > 1 and not wheels:
        slant = SLANT if len(feet) == 2 else NEARLY  # three points stand without soles
        return [_with_sole(end, placement, up, slant) for end in feet]
    links = {end.link for end in wheels}
    under = [_end(tree, group, shapes, placement) for group in _groups(tree) if group[0] not in links]
    low = [end for end in under if end and end.lowest(placement, up)[1].min() < floor + TOUCH]
    return wheels + [replace(end, slides=True) for end in low]


def ends_of(tree: Tree, shapes: dict[int, list[Shape]], placement: Placement) -> list[Support]:
    """Return the ends of a tree that have colliders."""
    ends = [_end(tree, links, shapes, placement) for links in _leaves(tree)]
    return [end for end in ends if end is not None]


def _groups(tree: Tree) -> list[list[int]]:
    """Return the links of a tree in groups that are rigid together."""
    groups: dict[bytes, list[int]] = {}
    for link, row in enumerate(tree.moves):
        groups.setdefault(row.tobytes(), []).append(link)
    return list(groups.values())


def _leaves(tree: Tree) -> list[list[int]]:
    """Return the links, rigid together, that no further joint leaves, for each end of the tree."""
    groups = _groups(tree)
    rows = [tree.moves[links[0]] for links in groups]
    return [
        links
        for row, links in zip(rows, groups, strict=True)
        if row.any() and not any((other & row == row).all() and (other != row).any() for other in rows)
    ]


def _end(tree: Tree, links: list[int], shapes: dict[int, list[Shape]], placement: Placement) -> Support | None:
    """Return the end that these links form; None without colliders."""
    points, radii = [], []
    for link in links:
        for shape in shapes.get(link, ()):
            points.append(placement.local(links[0], shape.world_points(placement.frame(link))))
            radii.append(np.full(len(points[-1]), shape.radius + shape.rest))
    if not points:
        return None
    dofs = tuple(int(dof) for dof in np.flatnonzero(tree.moves[links[0]]))
    return Support(links[0], dofs, np.concatenate(points), np.concatenate(radii))


def _is_endless(tree: Tree, end: Support, placement: Placement, up: np.ndarray) -> bool:
    """Return whether an end turns without limits about a level axis."""
    dof = end.dofs[-1]
    axis = tree.axes[dof]
    return axis.rotational and axis.lower == -inf and axis.upper == inf and abs(placement.axes[dof] @ up) < LEAN


def _surrounds(tree: Tree, end: Support, placement: Placement, up: np.ndarray) -> bool:
    """Return whether an end turns without limits and lies about its axis: not a leg, which is to one side of it."""
    least, largest = _radii(tree, end, placement) if _is_endless(tree, end, placement, up) else (0.0, 1.0)
    return least > SPOKED * largest


def _wheel_radius(tree: Tree, end: Support, placement: Placement, up: np.ndarray) -> float:
    """Return the radius of an end that is round or square about its last axis [m]; 0 if it is not a wheel."""
    if not _is_endless(tree, end, placement, up):
        return 0.0
    least, largest = _radii(tree, end, placement)
    if least > ROUNDNESS * largest:
        return largest
    least, largest = _distances(tree, end, placement)
    return least if least > SQUARE * largest else 0.0


def _distances(tree: Tree, end: Support, placement: Placement) -> tuple[float, float]:
    """Return the least and the largest distance [m] of planes along an end's last axis that touch it on one side."""
    side, other = _across(placement.axes[end.dofs[-1]])
    angle = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
    arms = placement.points(end.link, end.points) - placement.pivots[end.dofs[-1]]
    rims = arms @ (np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * other).T + end.radii[:, None]
    distances = rims.max(0)
    return float(distances.min()), float(distances.max())


def _across(along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two directions across an axis, at right angles."""
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    return side, np.cross(along, side)


def _radii(tree: Tree, end: Support, placement: Placement) -> tuple[float, float]:
    """Return the least and the largest radius [m] of an end in the sectors about its last axis."""
    dof = end.dofs[-1]
    side, other = _across(placement.axes[dof])
    angle = np.linspace(0.0, 2.0 * np.pi, 2 * SECTORS, endpoint=False)
    rings = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * other
    points = placement.points(end.link, end.points)[:, None] + end.radii[:, None, None] * rings - placement.pivots[dof]
    x, y = (points @ side).ravel(), (points @ other).ravel()
    sector = np.floor(np.arctan2(y, x) / (2.0 * np.pi) * SECTORS).astype(int) % SECTORS
    largest = np.zeros(SECTORS)
    np.maximum.at(largest, sector, np.hypot(x, y))
    return float(largest.min()), float(largest.max())


def _with_sole(end: Support, placement: Placement, up: np.ndarray, slant: float) -> Support:
    """Return a foot with the direction in which its flat sole is level, if it has one: the most level one.

    The axis of the leg's last joint passes above the sole.
    """
    pivot, axis = placement.pivots[end.dofs[-1]], placement.axes[end.dofs[-1]]
    low = placement.points(end.link, end.points) - end.radii[:, None] * up
    for normal in _facets(low, up, slant):
        sole = low[low @ normal < (low @ normal).min() + SOLE]
        level = sole - np.outer(sole @ normal, normal)
        if margin(sole, pivot + axis * ((sole.mean(0) - pivot) @ axis), normal) < 0.0:
            continue
        if np.linalg.svd(level - level.mean(0), compute_uv=False)[1] >= FLAT / 2.0 * max(1.0, np.sqrt(len(sole))):
            raised = placement.positions[end.link] + normal
            return Support(end.link, end.dofs, end.points, end.radii, normal=placement.local(end.link, raised))
    return end


def _facets(points: np.ndarray, up: np.ndarray, slant: float) -> list[np.ndarray]:
    """Return the upward normals of planes below points (n, 3) that three of them define, the most level one first."""
    side, other = _across(up)
    angle = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
    rim = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * other
    leans = np.tan(np.linspace(0.0, slant, RINGS))
    lowest = np.unique(np.argmin(points @ (up + leans[:, None, None] * rim).reshape(-1, 3).T, axis=0))
    corners = points[lowest]
    found = []
    for a, b, c in combinations(corners, 3):
        normal = np.cross(b - a, c - a)
        size = np.linalg.norm(normal)
        normal *= np.sign(normal @ up) / (size or 1.0)
        if normal @ up > np.cos(slant) and ((points - a) @ normal).min() > -SOLE:
            found.append(normal)
    return sorted(found, key=lambda normal: -normal @ up)
