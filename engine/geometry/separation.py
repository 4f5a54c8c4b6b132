"""Distance of two convex shapes, negative in penetration.

A convex shape is a core, the hull of points, and a radius around it. Along a unit direction n, cores are separated by

    s(n) = min_b n·b − max_a n·a       distance = max_n s(n) − radius_a − radius_b

The largest s(n) is along a normal of a face or the common normal of two edges; where the cores do not overlap, also
along the shortest way between two corners, or between a corner and an edge; where points or lines lie in one another,
across them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

SHORT = 1e-12
"""Length of a direction, relative to the longest, that counts as zero."""


@dataclass(frozen=True, eq=False)
class Convex:
    """A convex core and a radius around it [m]."""

    points: np.ndarray  # (V, 3) corners
    normals: np.ndarray  # (F, 3) unit normals of its faces
    edges: np.ndarray  # (E, 2) corners of each edge
    radius: float = 0.0

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and the upper corner of its bounding box."""
        return self.points.min(axis=0) - self.radius, self.points.max(axis=0) + self.radius


def distance(a: Convex, b: Convex, least: float = np.inf) -> float:
    """Return the distance of two convex shapes [m], negative in penetration; above `least`, a lower bound of it."""
    radius = a.radius + b.radius
    found = -np.inf
    for directions in _directions(a, b):
        found = max(found, _separation(a, b, directions) - radius)
        if found > least:
            break
    return float(found)


def _directions(a: Convex, b: Convex) -> Iterator[np.ndarray]:
    """Yield the directions among which the largest separation is, cheap ones first, not normalised."""
    yield np.concatenate([a.normals, -b.normals, [b.points.mean(axis=0) - a.points.mean(axis=0)]])
    along = [shape.points[shape.edges[:, 1]] - shape.points[shape.edges[:, 0]] for shape in (a, b)]
    common = np.cross(along[0][:, None], along[1][None]).reshape(-1, 3)
    yield np.concatenate([common, -common])
    yield np.concatenate([_across(a, along[0]), _across(b, along[1])])
    if a.radius + b.radius:
        between = b.points[None] - a.points[:, None]
        yield between.reshape(-1, 3)
        yield _from_edges(a, along[0], b)
        yield -_from_edges(b, along[1], a)


def _across(shape: Convex, along: np.ndarray) -> np.ndarray:
    """Return directions across a core without faces, a point or a line, on which another core may lie."""
    if len(shape.normals):
        return shape.normals[:0]
    return np.cross(along[:, None], np.eye(3)).reshape(-1, 3) if len(along) else np.eye(3)


def _from_edges(a: Convex, along: np.ndarray, b: Convex) -> np.ndarray:
    """Return the shortest ways from the lines of the edges of a to the corners of b, (E · V, 3)."""
    way = b.points[None] - a.points[a.edges[:, 0]][:, None]
    share = (way * along[:, None]).sum(-1, keepdims=True) / np.maximum((along**2).sum(-1), SHORT)[:, None, None]
    return (way - share * along[:, None]).reshape(-1, 3)


def _separation(a: Convex, b: Convex, directions: np.ndarray) -> float:
    """Return the largest separation of the cores along directions from a to b."""
    length = np.linalg.norm(directions, axis=1)
    kept = length > SHORT * length.max(initial=0.0)
    n = directions[kept] / length[kept, None]
    return float(((n @ b.points.T).min(axis=1) - (n @ a.points.T).max(axis=1)).max(initial=-np.inf))
