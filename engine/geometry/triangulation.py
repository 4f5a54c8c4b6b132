"""Triangles of polygons: fans of convex faces, ears of concave ones."""

import numpy as np

CONVEX = -1e-6
"""Least sine of the angle at a corner of a convex face; round-off of flat corners stays above it."""


def fan_corners(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split faces into fans about their first corners, in the order of the faces.

    Args:
        counts: (N,) number of corners of each face.

    Returns:
        Places of the corners (F, 3) in the list of all corners, and the face (F,) of each triangle.
    """
    triangles = np.maximum(counts - 2, 0)
    faces = np.repeat(np.arange(len(counts)), triangles)
    starts = (np.cumsum(counts) - counts)[faces]
    second = 1 + np.arange(len(faces)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.stack([starts, starts + second, starts + second + 1], axis=1), faces


def triangulate(points: np.ndarray, counts: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split faces into triangles that stay inside them, in the order of the faces.

    Args:
        points: (P, 3).
        counts: (N,) number of corners of each face.
        indices: (sum of counts,) point of each corner.

    Returns:
        As `fan_corners`.
    """
    corners, faces = fan_corners(counts)
    starts, concave = np.cumsum(counts) - counts, []
    for n in np.unique(counts[counts > 3]):
        candidates = np.flatnonzero(counts == n)
        polygons = points[indices[starts[candidates][:, None] + np.arange(n)]]
        concave += candidates[~are_convex(polygons)].tolist()
    if not concave:
        return corners, faces
    kept = ~np.isin(faces, concave)
    parts, owners = [corners[kept]], [faces[kept]]
    for face in concave:
        loop = int(starts[face]) + np.arange(int(counts[face]))
        parts.append(loop[clip_ears(points[indices[loop]])])
        owners.append(np.full(len(parts[-1]), face))
    corners, faces = np.concatenate(parts), np.concatenate(owners)
    order = np.argsort(faces, kind="stable")
    return corners[order], faces[order]


def polygon_normals(polygons: np.ndarray) -> np.ndarray:
    """Return the normals (..., 3) of polygons (..., n, 3); their length is twice the area."""
    arms = polygons - polygons[..., :1, :]
    return np.cross(arms, np.roll(arms, -1, axis=-2)).sum(axis=-2)


def are_convex(polygons: np.ndarray) -> np.ndarray:
    """Return whether polygons (N, n, 3) turn the same way at all corners."""
    normals = polygon_normals(polygons)
    edges = np.roll(polygons, -1, axis=1) - polygons
    turns = np.einsum("fni,fi->fn", np.cross(np.roll(edges, 1, axis=1), edges), normals)
    lengths = np.linalg.norm(edges, axis=-1)
    sizes = np.roll(lengths, 1, axis=1) * lengths * np.linalg.norm(normals, axis=-1, keepdims=True)
    return (turns >= CONVEX * sizes).all(axis=1)


def clip_ears(polygon: np.ndarray) -> np.ndarray:
    """Return triangles (n - 2, 3) of a simple polygon (n, 3): corners that hold no other corner are cut off in turn."""
    flat = flattened(polygon)
    loop, triangles = list(range(len(flat))), []
    while len(loop) > 3:
        for k in range(len(loop)):
            ear = loop[k - 1], loop[k], loop[(k + 1) % len(loop)]
            if is_ear(flat, ear, loop):
                break
        else:  # a polygon that crosses itself has none; any corner will do
            k, ear = 0, (loop[-1], loop[0], loop[1])
        triangles.append(ear)
        del loop[k]
    return np.array([*triangles, loop])


def flattened(polygon: np.ndarray) -> np.ndarray:
    """Return a polygon (n, 3) in its plane, (n, 2), counterclockwise."""
    normal = polygon_normals(polygon)
    axis = int(np.abs(normal).argmax())
    flat = np.delete(polygon, axis, axis=1)
    flips = (normal[axis] < 0.0) != (axis == 1)
    return flat[:, ::-1] if flips else flat


def is_ear(flat: np.ndarray, ear: tuple[int, int, int], loop: list[int]) -> bool:
    """Return whether a corner is convex and its triangle holds no other point of the loop."""
    a, b, c = flat[list(ear)]
    if turn(a, b, c[None])[0] <= 0.0:
        return False
    others = flat[[i for i in loop if i not in ear]]
    others = others[~(others[:, None] == flat[list(ear)]).all(axis=2).any(axis=1)]  # a loop may pass a point twice
    inside = (turn(a, b, others) >= 0.0) & (turn(b, c, others) >= 0.0) & (turn(c, a, others) >= 0.0)
    return not inside.any()


def turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return twice the area of triangles a, b, c (N, 2); negative if they are clockwise."""
    return (b[0] - a[0]) * (c[:, 1] - a[1]) - (b[1] - a[1]) * (c[:, 0] - a[0])
