"""Lowest points of colliders, and the points on which a collider can stand."""

from collections.abc import Sequence

import numpy as np

from ..quaternion import rotate
from ..scene import Collider, ShapeKind
from .tree import Frame, Placement, Tree, as_frame, compose

ROUND = 24
"""Points that stand for the rim of a cylinder or cone."""


class Shape:
    """A collider as points with a radius: the hull of spheres about its points."""

    def __init__(self, collider: Collider):
        self.collider, self.rest = collider, collider.rest_offset
        self.pose = as_frame(collider.pose)
        self.points, self.radius = _points(collider)
        self.body_points = compose_points(self.pose, self.points)

    def world_points(self, frame: Frame) -> np.ndarray:
        """Return the points (n, 3) for the frame of its body."""
        return compose_points(frame, self.body_points)


def compose_points(frame: Frame, points: np.ndarray) -> np.ndarray:
    """Return points (n, 3) of a frame in the axes of its parent."""
    return frame[0] + rotate(frame[1], points)


def _points(collider: Collider) -> tuple[np.ndarray, float]:
    """Return points (n, 3) in the frame of the shape, and the radius about them [m]."""
    kind, h, r = collider.kind, collider.half_height, collider.radius
    if kind is ShapeKind.SPHERE:
        return np.zeros((1, 3)), r
    if kind is ShapeKind.CAPSULE:
        return np.array(((h, 0.0, 0.0), (-h, 0.0, 0.0))), r
    if kind is ShapeKind.BOX:
        return np.stack(np.meshgrid(*((-1.0, 1.0),) * 3), -1).reshape(-1, 3) * collider.half_extents, 0.0
    if kind in (ShapeKind.CYLINDER, ShapeKind.CONE):
        angle = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)
        rim = np.stack([np.full(ROUND, -h), r * np.cos(angle), r * np.sin(angle)], -1)
        tip = np.array(((h, 0.0, 0.0),))
        return np.concatenate([rim, rim * (-1.0, 1.0, 1.0) if kind is ShapeKind.CYLINDER else tip]), 0.0
    return np.array(collider.points).reshape(-1, 3), 0.0


def lowest(shape: Shape, frame: Frame, up: np.ndarray) -> float:
    """Return the height at which the surface of a shape, with its rest offset, ends below [m]."""
    collider, place = shape.collider, compose(frame, shape.pose)
    if collider.kind in (ShapeKind.CYLINDER, ShapeKind.CONE):  # exact, where the points are a polygon
        lean = float(rotate(place[1], np.array((1.0, 0.0, 0.0))) @ up)
        rim = collider.radius * np.sqrt(max(0.0, 1.0 - lean**2))
        ends = [-collider.half_height * lean - rim, collider.half_height * lean]
        ends[1] -= rim if collider.kind is ShapeKind.CYLINDER else 0.0
        return float(place[0] @ up + min(ends)) - shape.rest
    return float((shape.world_points(frame) @ up).min()) - shape.radius - shape.rest


def shapes_of(tree: Tree, colliders: Sequence[Collider]) -> dict[int, list[Shape]]:
    """Return the shapes of the links of a tree, by link."""
    found: dict[int, list[Shape]] = {}
    for collider in colliders:
        if collider.body in tree.links and collider.kind is not ShapeKind.PLANE:
            found.setdefault(tree.links[collider.body], []).append(Shape(collider))
    return found


def lowest_of(shapes: dict[int, list[Shape]], placement: Placement, up: np.ndarray) -> float:
    """Return the height of the lowest collider of a tree [m]; infinity without colliders."""
    frames = zip(placement.positions, placement.rotations, strict=True)
    return min(
        (lowest(shape, frame, up) for link, frame in enumerate(frames) for shape in shapes.get(link, ())),
        default=float("inf"),
    )
