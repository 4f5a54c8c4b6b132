"""Faces of a polyhedron as loops of half edges, in single precision, as PhysX's convex hulls are built."""

from collections.abc import Iterator
from enum import IntEnum

import numpy as np


class MergeFailure(ArithmeticError):
    """Two faces that touch all round: the points do not span a volume in single precision."""


class FaceState(IntEnum):
    """State of a face while a hull grows."""

    VISIBLE = 0
    DELETED = 1
    NOT_CONVEX = 2


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a · b along the last axis, summed from the left without fused operations."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a × b."""
    (ax, ay, az), (bx, by, bz) = a, b
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


class HalfEdge:
    """A half edge: the vertex at its end, its neighbours in the loop of its face, and its opposite."""

    __slots__ = ("face", "next", "prev", "tail", "twin")
    next: "HalfEdge"
    prev: "HalfEdge"
    twin: "HalfEdge"

    def __init__(self, face: "Face", tail: int):
        self.face, self.tail = face, tail

    def pair(self, other: "HalfEdge") -> None:
        """Make two half edges opposite."""
        self.twin, other.twin = other, self


class Face:
    """A convex polygon with its plane, and the points in front of it that wait, the farthest last."""

    def __init__(self, points: np.ndarray, vertices: list[int]):
        self.points, self.waiting, self.state = points, [], FaceState.VISIBLE
        edges = [HalfEdge(self, vertex) for vertex in vertices]
        for i, edge in enumerate(edges):
            edge.next, edge.prev = edges[(i + 1) % len(edges)], edges[i - 1]
        self.edge = edges[0]
        self.find_plane()

    def at(self, place: int) -> HalfEdge:
        """Return a half edge by its place in the loop."""
        edge = self.edge
        for _ in range(place):
            edge = edge.next
        return edge

    def loop(self) -> Iterator[HalfEdge]:
        """Yield the half edges of the face, the first one first."""
        edge = self.edge
        while True:
            yield edge
            edge = edge.next
            if edge is self.edge:
                return

    def find_plane(self) -> None:
        """Compute the centroid, and normal and area from the longest of the first three edges.

        As in PhysX, that edge is a side of all triangles, also where the face has more vertices.
        """
        points, edge, longest, start = self.points, self.edge, -1.0, self.edge
        for _ in range(3):
            along = points[edge.tail] - points[edge.next.tail]
            if (length := dot(along, along)) > longest:
                longest, start = length, edge
            edge = edge.next
        origin, edge = points[start.tail], start.next
        arm, total, normal = points[edge.tail] - origin, origin.copy(), np.zeros(3, points.dtype)
        self.count = 1
        while edge is not start:
            self.count += 1
            total = total + points[edge.tail]
            normal = normal + cross(arm, points[edge.next.tail] - origin)
            edge = edge.next
        self.area = np.sqrt(dot(normal, normal))
        one = points.dtype.type(1.0)  # reciprocals, as in PhysX: a last bit decides between boxes of one volume
        self.normal = normal * (one / self.area) if self.area > 0.0 else normal
        self.centroid = total * (one / points.dtype.type(self.count))
        self.offset = dot(self.normal, self.centroid)

    def distance(self, point: np.ndarray) -> np.ndarray:
        """Return the distance of points (..., 3) in front of the plane."""
        return dot(self.normal, point) - self.offset

    def wait(self, vertex: int, distance: float) -> None:
        """Add a point in front of the face; the farthest one stays last."""
        self.waiting.append((vertex, distance))
        if len(self.waiting) > 1 and self.waiting[-2][1] > distance:
            self.waiting[-2:] = self.waiting[-1], self.waiting[-2]

    def connect(self, before: HalfEdge, edge: HalfEdge) -> "Face | None":
        """Connect two half edges of the loop; return a neighbour that vanishes because two edges became one."""
        vanished = None
        if before.twin.face is not edge.twin.face:
            before.next, edge.prev = edge, before
            return None
        other = edge.twin.face
        if before is self.edge:
            self.edge = edge
        if other.count == 3:
            twin = edge.twin.prev.twin
            other.state = FaceState.DELETED
            vanished = other
        else:
            twin = edge.twin.next
            if other.edge is twin.prev:
                other.edge = twin
            twin.prev = twin.prev.prev
            twin.prev.next = twin
        edge.prev = before.prev
        edge.prev.next = edge
        edge.pair(twin)
        other.find_plane()
        return vanished

    def merge(self, shared: HalfEdge) -> list["Face"]:
        """Merge the neighbour at an edge into the face; return the faces that vanish.

        Raises:
            MergeFailure: the faces touch all round.
        """
        other, opposite = shared.twin.face, shared.twin
        before, after, other_before, other_after = shared.prev, shared.next, opposite.prev, opposite.next
        gone = [other]
        other.state = FaceState.DELETED
        stop = before
        while before.twin.face is other:
            before, other_after = before.prev, other_after.next
            if before is stop:
                raise MergeFailure
        stop = after
        while after.twin.face is other:
            other_before, after = other_before.prev, after.next
            if after is stop:
                raise MergeFailure
        edge = other_after
        while edge is not other_before.next:
            edge.face, edge = self, edge.next
        if shared is self.edge:
            self.edge = after
        for pair in ((other_before, after), (before, other_after)):
            if vanished := self.connect(*pair):
                gone.append(vanished)
        self.find_plane()
        return gone
