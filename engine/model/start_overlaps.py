"""Overlaps of colliders at the start: of the model's pairs, with their shapes and poses.

A cylinder or cone is the hull of points on its rims, so its overlaps are found at most half a percent of its radius too
shallow. A triangle mesh is as deep in a shape as the deepest of its triangles.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry.hull_features import hull_planes
from ..geometry.separation import Convex, distance
from ..quaternion import cross, multiply, rotate
from ..scene import WORLD, Collider, ShapeKind
from ..tables.topology import NODE
from .joint_responses import tree_bodies
from .model import Model
from .near_pairs import near_pairs
from .shapes import hull_of

AROUND = 32
"""Points on a rim of a cylinder or cone."""
NO_NORMALS, NO_EDGES = np.zeros((0, 3)), np.zeros((0, 2), int)
TRIANGLE = np.array([(0, 1), (1, 2), (2, 0)])


@dataclass(frozen=True)
class Overlap:
    """Two colliders that may touch, and their depth in each other, beyond the sum of their rest offsets."""

    one: Collider
    other: Collider  # the plane or mesh, if there is one
    depth: float  # [m]


def start_overlaps(model: Model, tolerance: float) -> list[Overlap]:
    """Return the pairs that overlap deeper than a tolerance [m] at the start, in the order of the model's pairs."""
    known = {collider.path: collider for collider in model.scene.colliders}
    colliders = [known[path] for path in model.collider]
    links = link_poses(model)
    shapes = [shape_of(collider, links) for collider in colliders]
    low, high = (np.array([shape.bounds[side] for shape in shapes]).reshape(-1, 3) for side in (0, 1))
    rest = np.array([collider.rest_offset for collider in colliders])
    room = (tolerance / 2.0 - rest)[:, None]
    a, b = near_pairs(model.tables, low + room, high - room)
    found = []
    for one, other in zip(a.tolist(), b.tolist(), strict=True):
        offset = rest[one] + rest[other]
        depth = offset - shapes[other].distance(shapes[one], offset - tolerance)
        if depth > tolerance:
            found.append(Overlap(colliders[one], colliders[other], depth))
    return found


def link_poses(model: Model) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return world position [m] and orientation of the prim frame of the world and of every link at the start."""
    poses = {WORLD: (np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0)))}
    for row in model.tables["ARTICULATIONS"]:
        for node, body in tree_bodies(model, int(row[0]), int(row[1])).items():
            link = int(model.nodes[node, NODE["LINK"]])
            if model.link[link] == WORLD:  # between two joints of one pair of bodies
                continue
            position, orientation = body.pose
            poses[model.link[link]] = position - rotate(orientation, model.coms[link]), orientation
    return poses


def shape_of(collider: Collider, links: dict[str, tuple[np.ndarray, np.ndarray]]) -> "Shape":
    """Return the shape of a collider, placed in the world."""
    (origin, turn), (position, orientation) = links[collider.body], (np.array(v) for v in collider.pose)
    origin, turn = origin + rotate(turn, position), multiply(turn, orientation)
    if collider.kind is ShapeKind.PLANE:
        return Plane(origin, rotate(turn, np.array((1.0, 0.0, 0.0))))
    if collider.kind is ShapeKind.TRIANGLE_MESH:
        return Mesh((origin + rotate(turn, np.array(collider.points)))[np.array(collider.faces)])
    core = core_of(collider)
    points, normals = origin + rotate(turn, core.points), rotate(turn, core.normals)
    return Solid(Convex(points, normals, core.edges, core.radius))


def core_of(collider: Collider) -> Convex:
    """Return a convex shape in its own frame."""
    end = np.array((collider.half_height, 0.0, 0.0))
    if collider.kind is ShapeKind.SPHERE:
        return Convex(np.zeros((1, 3)), NO_NORMALS, NO_EDGES, collider.radius)
    if collider.kind is ShapeKind.CAPSULE:
        return Convex(np.array((end, -end)), NO_NORMALS, np.array([(0, 1)]), collider.radius)
    if collider.kind in (ShapeKind.CYLINDER, ShapeKind.CONE):
        return turned_body(collider.radius, end, collider.kind is ShapeKind.CONE)
    points, faces = hull_of(collider)
    edges = {(min(side), max(side)) for face in faces for side in zip(face, (*face[1:], face[0]), strict=True)}
    return Convex(points, hull_planes(points, faces)[0], np.array(sorted(edges)))


def turned_body(radius: float, end: np.ndarray, cone: bool) -> Convex:
    """Return a cylinder, or a cone with its tip at `end`, as the hull of points around the x axis."""
    angles = 2.0 * np.pi / AROUND * np.arange(AROUND)
    around, between = (np.stack([0.0 * a, np.cos(a), np.sin(a)], axis=1) for a in (angles, angles + np.pi / AROUND))
    rim, far = radius * around - end, [end] if cone else radius * around + end
    flank = np.array((radius, 2.0 * end[0], 2.0 * end[0])) / np.hypot(radius, 2.0 * end[0]) if cone else 1.0
    lids = [(-1.0, 0.0, 0.0)] if cone else [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)]
    place = np.arange(AROUND)
    top = np.full(AROUND, AROUND) if cone else place + AROUND
    sides, rims = np.stack([place, top], axis=1), np.stack([place, (place + 1) % AROUND], axis=1)
    edges = [sides, rims] if cone else [sides, rims, rims + AROUND]
    normals = np.concatenate([(between + np.array((cone, 0.0, 0.0))) * flank, lids])
    return Convex(np.concatenate([rim, far]), normals, np.concatenate(edges))


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex shape in the world."""

    convex: Convex

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners of its bounding box."""
        return self.convex.bounds

    def distance(self, other: "Solid", least: float) -> float:
        """Return the distance to a convex shape; beyond `least`, a lower bound."""
        return distance(self.convex, other.convex, least)


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in the world: a point and its normal."""

    origin: np.ndarray
    normal: np.ndarray
    bounds = np.full(3, -np.inf), np.full(3, np.inf)

    def distance(self, other: Solid, least: float) -> float:
        """Return the distance to a convex shape."""
        return float(((other.convex.points - self.origin) @ self.normal).min() - other.convex.radius)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh in the world: corners (F, 3, 3)."""

    triangles: np.ndarray

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners of its bounding box."""
        return self.triangles.min(axis=(0, 1)), self.triangles.max(axis=(0, 1))

    def distance(self, other: Solid, least: float) -> float:
        """Return the distance of the triangle that is deepest in a convex shape; beyond `least`, a lower bound."""
        low, high = other.bounds
        near = (self.triangles.min(axis=1) < high).all(axis=1) & (self.triangles.max(axis=1) > low).all(axis=1)
        found = np.inf
        for corners in self.triangles[near]:
            normal = cross(corners[1] - corners[0], corners[2] - corners[0])
            triangle = Convex(corners, np.array((normal, -normal)), TRIANGLE)
            found = min(found, distance(triangle, other.convex, min(least, found)))
        return float(found)


Shape = Plane | Mesh | Solid
