"""Shapes made of vertices, as tables and parameters: convex hulls, and triangle meshes with trees of bounding boxes."""

import numpy as np

from ..geometry.hull_features import hull_features
from ..geometry.mesh_tree import convex_edges, neighbours, visiting_order
from ..scene import Collider, ShapeKind
from .builder import Builder

LEAF = 2
"""Most triangles in a bounding box that is not divided."""
MIDDLE = 4
"""Most triangles that are divided in the middle, which takes no time."""
BOX_FACES = ((0, 3, 2, 1), (1, 2, 6, 5), (5, 6, 7, 4), (4, 7, 3, 0), (3, 7, 6, 2), (4, 0, 1, 5))
"""Vertices of the faces of a box, in PhysX's order."""


def add_hull(b: Builder, collider: Collider) -> int:
    """Append the convex hull of a hull or box, or find the same one; return its index."""
    points, faces = hull_of(collider)
    known = b.__dict__.setdefault("hulls", {})
    key = points.tobytes(), faces, collider.vertex_scale
    if key in known:
        return known[key]
    features = hull_features(points, faces, collider.vertex_scale)
    first, face, edge = len(b.rows["VERTEX"]) // 3, len(b.tables["HULL_FACES"]), len(b.tables["HULL_EDGES"])
    for corners in faces:
        start = len(b.tables["HULL_CORNERS"])
        for corner in corners:
            b.add("HULL_CORNERS", VERTEX=first + corner)
        b.add("HULL_FACES", CORNER=start, CORNER_END=len(b.tables["HULL_CORNERS"]))
    for one, two in features.edges.tolist():
        b.add("HULL_EDGES", FACE0=face + one, FACE1=face + two)
    inner = collider.half_extents if collider.kind == ShapeKind.BOX else features.inner
    rows = {
        "VERTEX": points, "FACE_NORMAL": features.normals, "FACE_OFFSET": features.offsets,
        "UNSCALED_NORMAL": features.unscaled_normals, "FACE_SHRINKAGE": features.shrinkages,
        "HULL_SCALE": np.array(collider.vertex_scale),
        "HULL_CENTRE": features.centre, "HULL_INNER": np.array(inner),
    }  # fmt: skip
    for name, values in rows.items():
        b.rows[name].extend(values.ravel().tolist())
    known[key] = b.add(
        "HULLS", VERTEX=first, VERTEX_END=first + len(points), FACE=face, FACE_END=len(b.tables["HULL_FACES"]),
        EDGE=edge, EDGE_END=len(b.tables["HULL_EDGES"]),
    )  # fmt: skip
    return known[key]


def hull_of(collider: Collider) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """Return vertices (V, 3) and faces of a convex hull or box."""
    if collider.kind == ShapeKind.CONVEX_HULL:
        return np.array(collider.points, float), collider.faces
    corners = [(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return np.array(corners, float) * collider.half_extents, BOX_FACES


def add_tree(b: Builder, collider: Collider, centre: np.ndarray) -> int:
    """Append the triangles of a mesh about its centre and the tree of their bounding boxes; return its root.

    PhysX orders triangles, and tells which edges are convex, before it scales them.
    """
    points, faces = np.array(collider.points, float), np.array(collider.faces, int)
    unscaled, mirrored = points / collider.vertex_scale, np.prod(collider.vertex_scale) < 0.0
    before = faces[:, (0, 2, 1)] if mirrored else faces
    first, root = len(b.rows["VERTEX"]) // 3, len(b.tables["BOUNDS"])
    b.rows["VERTEX"].extend((points - centre).ravel().tolist())
    order = visiting_order(unscaled, before)
    convex = convex_edges(unscaled, before)[order] @ ((4, 2, 1) if mirrored else (1, 2, 4))
    corners = (points - centre)[faces[order]]
    _add_bound(b, range(len(faces)), (corners.min(axis=1), corners.max(axis=1)), len(b.tables["TRIANGLES"]))
    beyond = neighbours(faces[order])
    beyond = np.where(beyond >= 0, beyond + len(b.tables["TRIANGLES"]), -1)
    b.tables["TRIANGLES"] += np.column_stack([faces[order] + first, convex, beyond]).tolist()
    return root


def _add_bound(b: Builder, mine: range, bounds: tuple[np.ndarray, np.ndarray], start: int) -> None:
    """Append the bounding box of some consecutive triangles and those of its parts.

    Args:
        b: the model in the making.
        mine: places of the triangles in the order in which they are visited.
        bounds: lower and upper corners of all triangles' boxes.
        start: the mesh's first triangle.
    """
    part = slice(mine.start, mine.stop)
    b.rows["BOUND_LOW"].extend(bounds[0][part].min(axis=0).tolist())
    b.rows["BOUND_HIGH"].extend(bounds[1][part].max(axis=0).tolist())
    leaf = len(mine) <= LEAF
    end = mine.stop if leaf else mine.start
    index = b.add("BOUNDS", SKIP=0, TRIANGLE=start + mine.start, TRIANGLE_END=start + end)
    if not leaf:
        middle = _place_of_split(bounds[0][part], bounds[1][part])
        for some in (mine[:middle], mine[middle:]):
            _add_bound(b, some, bounds, start)
    b.tables["BOUNDS"][index][0] = len(b.tables["BOUNDS"])


def _place_of_split(low: np.ndarray, high: np.ndarray) -> int:
    """Return the number of triangles of the first of two parts, by their boxes, (F, 3): what is searched least.

    A part is searched as often as its box has area. It has a quarter of the triangles or more, so no tree is deep.
    """
    count = len(low)
    if count <= MIDDLE:
        return count // 2
    first = np.maximum.accumulate(high)[:-1] - np.minimum.accumulate(low)[:-1]
    second = (np.maximum.accumulate(high[::-1]) - np.minimum.accumulate(low[::-1]))[-2::-1]
    numbers = np.arange(1, count)
    cost = numbers * _area(first) + (count - numbers) * _area(second)
    least = -(-count // 4)
    return least + int(cost[least - 1 : count - least].argmin())


def _area(sides: np.ndarray) -> np.ndarray:
    """Return half the surface of boxes, by their sides (F, 3)."""
    return sides[:, 0] * sides[:, 1] + sides[:, 1] * sides[:, 2] + sides[:, 2] * sides[:, 0]
