"""Triangles of boxes, bodies of revolution and rectangles, about the origin."""

import numpy as np

AROUND = 32  # points around an axis
ALONG = 16  # rings of a sphere

Triangles = tuple[np.ndarray, np.ndarray]  # points (P, 3), triangles (F, 3)


def box_triangles(edges: np.ndarray) -> Triangles:
    """Return a box with edges (3,)."""
    half = np.asarray(edges, float) / 2.0
    points = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]) * half
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return points, np.concatenate([quads[:, (0, 1, 2)], quads[:, (0, 2, 3)]])


def sphere_triangles(radius: float) -> Triangles:
    """Return a sphere."""
    angle = np.linspace(-np.pi / 2.0, np.pi / 2.0, ALONG + 1)
    return revolve(radius * np.cos(angle), radius * np.sin(angle))


def cylinder_triangles(radius: float, height: float) -> Triangles:
    """Return a cylinder along z."""
    return revolve(np.array([0.0, radius, radius, 0.0]), np.array([-1.0, -1.0, 1.0, 1.0]) * height / 2.0)


def cone_triangles(radius: float, height: float) -> Triangles:
    """Return a cone along z, its tip at height / 2."""
    return revolve(np.array([0.0, radius, 0.0]), np.array([-1.0, -1.0, 1.0]) * height / 2.0)


def capsule_triangles(radius: float, height: float) -> Triangles:
    """Return a capsule along z; the height is that between the centres of its ends."""
    angle = np.linspace(0.0, np.pi / 2.0, ALONG // 2 + 1)
    rise = np.concatenate([-height / 2.0 - radius * np.sin(angle[::-1]), height / 2.0 + radius * np.sin(angle)])
    return revolve(radius * np.cos(np.concatenate([angle[::-1], angle])), rise)


def rectangle_triangles(width: float, length: float) -> Triangles:
    """Return a rectangle in the plane of x and y, facing +z."""
    points = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    return points * (width / 2.0, length / 2.0, 1.0), np.array([(0, 1, 2), (0, 2, 3)])


def revolve(radius: np.ndarray, rise: np.ndarray) -> Triangles:
    """Return a profile (N,), from bottom to top, revolved about z."""
    angle = np.arange(AROUND) * (2.0 * np.pi / AROUND)
    rings = len(radius)
    x, y = np.outer(np.cos(angle), radius), np.outer(np.sin(angle), radius)
    points = np.stack([x, y, np.broadcast_to(rise, x.shape)], axis=-1).reshape(-1, 3)
    i, j = (grid.reshape(-1) for grid in np.meshgrid(np.arange(AROUND), np.arange(rings - 1), indexing="ij"))
    a, b = i * rings + j, (i + 1) % AROUND * rings + j
    triangles = np.concatenate([np.stack([a, b, b + 1], axis=1), np.stack([a, b + 1, a + 1], axis=1)])
    points[np.abs(points) < 1e-9 * max(np.abs(points).max(), 1e-30)] = 0.0  # points of the axis are one point
    return points, triangles
