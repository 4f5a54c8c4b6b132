"""Hulls cropped from an oriented box by the planes of a finer hull, as PhysX reduces what is too large.

In each turn the plane that cuts off the deepest share of what is left cuts it. PhysX stops before a hull has too many
vertices, corners of a face or half edges. All numbers are in single precision.
"""

from dataclasses import dataclass

import numpy as np

from .half_edges import cross, dot

NEARLY_PARALLEL = np.cos(np.radians(3.0)).astype(np.float32)
MOST_HALF_EDGES = 255
CORNERS_OF_BOX = ((0, 1, 3, 2), (6, 7, 5, 4), (0, 4, 5, 1), (3, 7, 6, 2), (0, 2, 6, 4), (1, 5, 7, 3))
UNDER, WITHIN, OVER = -1, 0, 1


@dataclass(frozen=True)
class Plane:
    """A plane n·x + d = 0."""

    normal: np.ndarray  # (3,)
    d: np.ndarray  # ()

    def heights(self, points: np.ndarray) -> np.ndarray:
        """Return n·x + d of points (..., 3)."""
        return dot(points, self.normal) + self.d

    def equals(self, other: "Plane") -> bool:
        """Return whether two planes have the same numbers."""
        return bool((self.normal == other.normal).all() and self.d == other.d)


@dataclass(frozen=True)
class Polyhedron:
    """A convex polyhedron: vertices (N, 3), corners of its faces counterclockwise from outside, and their planes."""

    points: np.ndarray
    faces: list[list[int]]
    planes: list[Plane]

    def most_corners(self) -> int:
        """Return the most corners of a face as PhysX counts them: without the last face, and one more for the first."""
        most = 0
        for i, face in enumerate(self.faces[:-1]):
            counted = len(face) - (1 if i else 0)
            most = max(most, counted + 1) if counted > most else most
        return most


def box(half: np.ndarray, centre: np.ndarray, axes: np.ndarray) -> Polyhedron:
    """Return a box by half its sides (3,), its centre (3,) and its axes, as rows (3, 3)."""
    x, y, z = axes * half[:, None]
    together, against = y + z, y - z
    corners = -together, -against, against, together  # of a face across the first axis
    points = np.array([centre + end + corner for end in (-x, x) for corner in corners], np.float32)
    faces = [list(face) for face in CORNERS_OF_BOX]
    return Polyhedron(points, faces, [plane_of(points[face[:3]]) for face in faces])


def crop(
    start: Polyhedron, planes: list[Plane], tolerances: tuple[np.float32, np.float32], limits: tuple[int, int]
) -> Polyhedron:
    """Return a box after the planes cut it.

    Args:
        start: the box.
        planes: those of the hull, outward.
        tolerances: distance within which a point lies in a plane, and the least share that a plane cuts off.
        limits: most vertices, most corners of a face.
    """
    thick, share = tolerances
    now = start
    for _ in range(min(256, len(planes))):
        chosen = deepest(now, planes, thick, share)
        cut = slice_by(now, planes[chosen], thick) if chosen >= 0 else None
        if cut is None or not is_intact(cut, thick):
            break
        if len(cut.points) > limits[0] or cut.most_corners() > limits[1]:
            break
        now = cut
    return now


def deepest(hull: Polyhedron, planes: list[Plane], thick: np.float32, share: np.float32) -> int:
    """Return the number of the plane that cuts off the deepest share of a polyhedron; -1 if none cuts off much."""
    found, most = -1, np.float32(0.0)
    for i, plane in enumerate(planes):
        heights = plane.heights(hull.points)
        high, low = max(heights.max(), np.float32(0.0)), min(heights.min(), np.float32(0.0))
        spread = high - low if high - low >= thick else np.float32(1.0)
        if high / spread > most and not is_known(hull, plane, heights):
            found, most = i, high / spread
    return found if most > share else -1


def is_known(hull: Polyhedron, plane: Plane, heights: np.ndarray) -> bool:
    """Return whether a face lies in a plane, or nearly does with a corner below it."""
    for face, other in zip(hull.faces, hull.planes, strict=True):
        if plane.equals(other):
            return True
        if dot(plane.normal, other.normal) > NEARLY_PARALLEL and (heights[face] < 0.0).any():
            return True
    return False


def slice_by(hull: Polyhedron, plane: Plane, thick: np.float32) -> Polyhedron | None:
    """Return the part of a polyhedron below a plane; None if the cut has no border. What lies in the plane stays."""
    heights = plane.heights(hull.points)
    sides = np.where(heights > thick, OVER, np.where(heights < -thick, UNDER, WITHIN)).tolist()
    if OVER not in sides:
        return hull
    cut = Cut(hull, plane, sides)
    faces, planes, border = [], [], []
    for number, face in enumerate(hull.faces):
        ring, crossing = cut.clip(number, face)
        if any(sides[v] == UNDER for v in face):
            faces.append(ring)
            planes.append(hull.planes[number])
        if crossing:
            border.append(crossing)
    for i in range(len(border) - 1):
        after = next((j for j in range(i + 1, len(border)) if border[j][0] == border[i][1]), None)
        if after is None:
            return None
        border[i + 1], border[after] = border[after], border[i + 1]
    if not cut.points or not border:
        return None
    return Polyhedron(np.array(cut.points, np.float32), [*faces, [start for start, _ in border]], [*planes, plane])


class Cut:
    """A cut through a polyhedron by a plane: the points that stay, then new ones in the order of faces."""

    def __init__(self, hull: Polyhedron, plane: Plane, sides: list[int]):
        self.hull, self.plane, self.sides = hull, plane, sides
        kept = [v for v, side in enumerate(sides) if side == UNDER]
        self.points = [hull.points[v] for v in kept]
        self.number: dict[int | tuple[int, int], int] = {v: i for i, v in enumerate(kept)}
        self.owner = {
            (u, v): f for f, face in enumerate(hull.faces) for u, v in zip(face, face[1:] + face[:1], strict=True)
        }

    def clip(self, number: int, face: list[int]) -> tuple[list[int], tuple[int, int] | None]:
        """Return the part of a face that stays, and where the plane enters and leaves it if that is an edge."""
        ring: list[int] = []
        enters = leaves = None
        crossing = False
        for u, v in zip(face, face[1:] + face[:1], strict=True):
            below = self.sides[u] == UNDER, self.sides[v] == UNDER
            if below[0]:
                ring.append(self.number[u])
            if below == (True, False):
                leaves = self.meet(number, u, v)
                if enters is not None and enters != leaves:
                    crossing = True
                    ring.append(leaves)
            elif below == (False, True):
                enters = self.meet(number, v, u)
                if leaves is not None and enters != leaves:
                    crossing = True
                    ring.append(leaves)
                ring.append(enters)
        return ring, (enters, leaves) if crossing and enters is not None and leaves is not None else None

    def meet(self, number: int, below: int, other: int) -> int:
        """Return the number of an edge's point in the plane, from a vertex below it: the other end, or a new one."""
        key = other if self.sides[other] == WITHIN else (min(below, other), max(below, other))
        if key not in self.number:
            self.number[key] = len(self.points)
            if isinstance(key, int):
                self.points.append(self.hull.points[key])
            else:
                beside = self.owner[below, other] + self.owner[other, below] - number
                self.points.append(common_point(self.hull.planes[number], self.hull.planes[beside], self.plane))
        return self.number[key]


def common_point(one: Plane, two: Plane, three: Plane) -> np.ndarray:
    """Return the point of three planes."""
    a, b, c = one.normal, two.normal, three.normal
    d = np.array((one.d, two.d, three.d))
    x, y, z = np.array((a, b, c)).T
    inverse = np.array((cross(b, c), cross(c, a), cross(a, b))).T * (np.float32(1.0) / dot(x, cross(y, z)))
    return -(inverse[:, 0] * d[0] + inverse[:, 1] * d[1] + inverse[:, 2] * d[2])


def is_intact(hull: Polyhedron, thick: np.float32) -> bool:
    """Return whether corners lie in their faces, faces turn one way, and half edges are not too many."""
    if sum(map(len, hull.faces)) > MOST_HALF_EDGES:
        return False
    for face, plane in zip(hull.faces, hull.planes, strict=True):
        points = hull.points[face]
        if (np.abs(plane.heights(points)) > thick).any():
            return False
        if len(face) > 2 and not turns_one_way(points, plane.normal):
            return False
    return True


def turns_one_way(points: np.ndarray, normal: np.ndarray) -> bool:
    """Return whether a face turns counterclockwise at all its corners (N, 3); three in one line count as a turn."""
    along = np.roll(points, -1, axis=0) - points
    for one, two in zip(along, np.roll(along, -1, axis=0), strict=True):
        turn = cross(one, two)
        length = np.sqrt(dot(turn, turn))
        if length > 0.0 and dot(turn * (np.float32(1.0) / length), normal) <= 0.0:
            return False
    return True


def plane_of(points: np.ndarray) -> Plane:
    """Return the plane through three points (3, 3), counterclockwise from outside."""
    normal = cross(points[1] - points[0], points[2] - points[0])
    normal = normal * (np.float32(1.0) / np.sqrt(dot(normal, normal)))
    return Plane(normal, -dot(points[0], normal))
