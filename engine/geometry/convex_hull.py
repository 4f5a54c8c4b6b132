"""Convex hulls with the vertices, faces and first vertices of faces in PhysX's order: contact rows are solved in it.

A quick hull in single precision: the farthest waiting point is joined to the horizon that it sees, and neighbours that
lie in one plane within a tolerance become one face. It stops before it has more faces than its limit. One with too many
vertices, or too many corners of a face, is cropped from a box instead.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .half_edges import Face, FaceState, HalfEdge, MergeFailure, cross, dot
from .hull_crop import Plane, box, crop
from .hull_simplex import first_simplex, tolerances_of
from .oriented_box import box_around_hull

KEPT = 256
"""Most hulls that are kept."""

NEARLY_FLAT = np.cos(np.radians(3.0))  # cosine between the normals of faces that become one at the end


class HullLimits(NamedTuple):
    """Numbers that a hull does not exceed; the defaults are those of PhysX's hulls for GPUs."""

    vertices: int = 64
    faces: int = 64
    corners: int = 31  # of a face


GPU_LIMITS, CPU_LIMITS = HullLimits(), HullLimits(255, 255, 255)
"""PhysX's limits of hulls that collide, and of those from which it finds bounding shapes."""


@dataclass(frozen=True)
class Hull:
    """A convex hull: its vertices (N, 3), and the numbers of those of each face."""

    points: np.ndarray
    faces: tuple[tuple[int, ...], ...]  # counterclockwise, seen from outside
    cut: bool = False  # True if it differs from the hull of all points because of its limits


def cook_hull(points: np.ndarray, limits: HullLimits = GPU_LIMITS) -> Hull | None:
    """Return the convex hull of points (N, 3) in stage units; None if they do not span a volume.

    Its points are read-only: equal points have one hull, as a mesh often stands in many places of a stage.
    """
    points = np.asarray(points)
    return _cook(points.tobytes(), points.dtype, limits)


@lru_cache(KEPT)
def _cook(content: bytes, kind: np.dtype, limits: HullLimits) -> Hull | None:
    """Return the convex hull of points, given by the bytes of their array."""
    points = np.frombuffer(content, kind).reshape(-1, 3)
    with np.errstate(over="ignore", invalid="ignore"):
        single = np.asarray(points, np.float32)
        simplex = first_simplex(single) if np.isfinite(single).all() else None
        try:
            hull = QuickHull(single, simplex, limits).build(points) if simplex else None
        except MergeFailure:
            return None
    if hull is not None:
        hull.points.flags.writeable = False
    return hull


class QuickHull:
    """A hull that grows from a tetrahedron of four points."""

    def __init__(self, points: np.ndarray, simplex: tuple[int, int, int, int], limits: HullLimits):
        self.points, self.simplex, self.limits = points, simplex, limits
        self.tolerance, self.plane_tolerance = tolerances_of(points)

    def build(self, points: np.ndarray) -> Hull:
        """Return the hull; `points` are the given ones, in any precision."""
        self.faces = self.tetrahedron()
        free = np.ones(len(self.points), bool)
        free[list(self.simplex)] = False
        self.claim(np.flatnonzero(free).tolist(), self.faces)
        count, full = 4, False
        while not full and (face := self.farthest_face()) is not None:
            full = not self.add_point(face)
            count += not full
        if count <= self.limits.vertices:
            for each in self.faces:
                while each.state is FaceState.VISIBLE and self.flatten(each):
                    pass
        planes = [Plane(face.normal, -face.offset) for face in self.faces if face.state is FaceState.VISIBLE]
        number, faces = self.result()
        if count <= self.limits.vertices and max(map(len, faces)) <= self.limits.corners:
            return Hull(points[number], faces, full)
        start = box(*box_around_hull(self.points[number], faces))
        cropped = crop(
            start, planes, (self.plane_tolerance, self.tolerance), (self.limits.vertices, self.limits.corners)
        )
        rings = cropped.faces
        largest = max(range(len(rings)), key=lambda i: (len(rings[i]), -i))
        rings[0], rings[largest] = rings[largest], rings[0]
        return Hull(cropped.points.astype(float), tuple(map(tuple, rings)), True)

    def tetrahedron(self) -> list[Face]:
        """Return the four faces of the first simplex."""
        a, b, c, d = self.simplex
        normal = cross(self.points[b] - self.points[a], self.points[c] - self.points[a])
        if dot(self.points[d] - self.points[a], normal) < 0.0:
            corners, ends, base = ((a, b, c), (d, b, a), (d, c, b), (d, a, c)), (1, 0), (1, 2, 0)
        else:
            corners, ends, base = ((a, c, b), (d, a, b), (d, b, c), (d, c, a)), (0, 1), (0, 2, 1)
        bottom, *sides = (Face(self.points, list(corner)) for corner in corners)
        for i, side in enumerate(sides):
            side.at(ends[0]).pair(sides[(i + 1) % 3].at(ends[1]))
            side.at(2).pair(bottom.at(base[i]))
        return [bottom, *sides]

    def claim(self, vertices: list[int], faces: list[Face]) -> None:
        """Give each point to the face that it is farthest in front of."""
        visible = [face for face in faces if face.state is FaceState.VISIBLE]
        if not vertices or not visible:
            return
        points = self.points[vertices]
        distances = np.stack([face.distance(points) for face in visible])
        best = distances.argmax(axis=0)
        for vertex, face, distance in zip(vertices, best.tolist(), distances.max(axis=0), strict=True):
            if distance > self.tolerance:
                visible[face].wait(vertex, distance)

    def farthest_face(self) -> Face | None:
        """Return the face whose waiting point is the farthest; None if none is outside the tolerance."""
        most, found = self.plane_tolerance, None
        for face in self.faces:
            if face.state is FaceState.VISIBLE and face.waiting and face.waiting[-1][1] > most:
                most, found = face.waiting[-1][1], face
        return found

    def add_point(self, face: Face) -> bool:
        """Replace the faces that the farthest point of a face sees by faces between the point and their horizon.

        Return False, and leave the faces, if they would be too many.
        """
        vertex = face.waiting.pop()[0]
        horizon: list[HalfEdge] = []
        orphans: list[int] = []
        before = [each for each in self.faces if each.state is FaceState.VISIBLE]
        self.find_horizon(self.points[vertex], face, horizon, orphans)
        if sum(each.state is FaceState.VISIBLE for each in before) + len(horizon) > self.limits.faces:
            for each in before:
                each.state = FaceState.VISIBLE
            return False
        new = [Face(self.points, [vertex, edge.twin.tail, edge.tail]) for edge in horizon]
        for i, (one, edge) in enumerate(zip(new, horizon, strict=True)):
            one.at(2).pair(edge.twin)
            one.at(1).pair(new[i - 1].edge)
        self.faces += new
        for one in new:
            while one.state is FaceState.VISIBLE and self.merge_neighbour(one, True, orphans):
                pass
        for one in new:
            if one.state is FaceState.NOT_CONVEX:
                one.state = FaceState.VISIBLE
                while self.merge_neighbour(one, False, orphans):
                    pass
        self.claim(orphans, new)
        return True

    def find_horizon(self, eye: np.ndarray, face: Face, horizon: list[HalfEdge], orphans: list[int]) -> None:
        """Delete the faces that a point sees, depth first; collect the edges around them and the points in front."""
        todo = [(face, face.edge, face.edge, True)]
        self.release(face, None, orphans)
        face.state = FaceState.DELETED
        while todo:
            face, edge, stop, fresh = todo.pop()
            if edge is stop and not fresh:
                continue
            todo.append((face, edge.next, stop, False))
            other = edge.twin.face
            if other.state is not FaceState.VISIBLE:
                continue
            if other.distance(eye) > self.tolerance:
                self.release(other, None, orphans)
                other.state = FaceState.DELETED
                todo.append((other, edge.twin.next, edge.twin, False))
            else:
                horizon.append(edge)

    def release(self, face: Face, into: Face | None, orphans: list[int]) -> None:
        """Hand the waiting points of a face to another face that they are in front of, or to nobody."""
        waiting, face.waiting = face.waiting, []
        for vertex, _ in reversed(waiting):
            distance = float(into.distance(self.points[vertex])) if into else 0.0
            if into and distance > self.tolerance:
                into.wait(vertex, distance)
            else:
                orphans.append(vertex)

    def merge_neighbour(self, face: Face, by_area: bool, orphans: list[int]) -> bool:
        """Merge the first neighbour that is not clearly convex; with `by_area` the larger face decides."""
        convex = True
        for edge in face.loop():
            other = edge.twin.face
            in_front = face.distance(other.centroid) > -self.tolerance, other.distance(face.centroid) > -self.tolerance
            larger, smaller = in_front if face.area > other.area else reversed(in_front)
            if larger or (smaller and not by_area):
                for gone in face.merge(edge):
                    self.release(gone, face, orphans)
                return True
            convex = convex and not smaller
        if not convex:
            face.state = FaceState.NOT_CONVEX
        return False

    def flatten(self, face: Face) -> bool:
        """Merge the first smaller neighbour at nearly the same slope, if all points stay within the tolerance."""
        for edge in face.loop():
            other = edge.twin.face
            flat = dot(face.normal, other.normal) > NEARLY_FLAT and face.area >= other.area
            if flat and self.may_flatten(edge):
                face.merge(edge)
                return True
        return False

    def may_flatten(self, edge: HalfEdge) -> bool:
        """Return whether the two faces at an edge make one convex face that all points are behind."""
        face, other = edge.face, edge.twin.face
        ring = [*vertices_after(edge), *vertices_after(edge.twin)]
        start = ring.index((face.edge if face.edge is not edge else face.edge.next).tail)
        ring = ring[start:] + ring[:start]
        union = Face(self.points, ring)
        if (union.distance(self.points) > self.plane_tolerance).any():
            return False
        for one in union.loop():
            along = self.points[one.next.tail] - self.points[one.tail]
            outward = -cross(union.normal, along / np.sqrt(dot(along, along)))
            if (dot(self.points[ring] - self.points[one.tail], outward) > self.tolerance).any():
                return False
        before, after, other_before, other_after = edge.prev, edge.next, edge.twin.prev, edge.twin.next
        while before.twin.face is other:
            before, other_after = before.prev, other_after.next
        while after.twin.face is other:
            other_before, after = other_before.prev, after.next
        return other_before.twin.face is not after.twin.face and before.twin.face is not other_after.twin.face

    def result(self) -> tuple[list[int], tuple[tuple[int, ...], ...]]:
        """Return numbers of points, in the order in which faces name them, and the faces, the largest first."""
        number: dict[int, int] = {}
        for face in self.faces:
            if face.state is FaceState.VISIBLE:
                for edge in face.loop():
                    number.setdefault(edge.tail, len(number))
        largest = 0
        for i, face in enumerate(self.faces):
            if face.state is FaceState.VISIBLE and face.count > self.faces[largest].count:
                largest = i
        faces = self.faces
        faces[0], faces[largest] = faces[largest], faces[0]
        visible = (face for face in faces if face.state is FaceState.VISIBLE)
        return list(number), tuple(tuple(number[e.tail] for e in face.loop()) for face in visible)


def vertices_after(edge: HalfEdge) -> list[int]:
    """Return the vertices of a face from an edge round to its start."""
    found, each = [], edge.next
    while each is not edge:
        found.append(each.tail)
        each = each.next
    return found
