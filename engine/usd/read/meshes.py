"""Points and triangles of meshes, checked."""

import numpy as np
from pxr import Usd

from ..attributes.kinds import INDICES, POINTS, TOKEN
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader

NO_POINT = np.zeros((0, 3))
NO_INDEX = np.zeros(0, np.int64)


def read_mesh(source: StageReader, prim: Usd.Prim) -> tuple[np.ndarray, np.ndarray]:
    """Return points (N, 3) in units of the prim and triangles (F, 3); none, and a diagnostic, if it is invalid.

    A face is split into a fan about its first vertex. Triangles of a left-handed mesh keep their order.
    """
    if prim.GetPath() not in source.meshes:
        source.meshes[prim.GetPath()] = checked_mesh(source, prim)
    return source.meshes[prim.GetPath()]


def is_left_handed(source: StageReader, prim: Usd.Prim) -> bool:
    """Return whether the faces of a mesh are clockwise, seen from outside."""
    return source.typed(prim, "orientation", TOKEN) == "leftHanded"


def checked_mesh(source: StageReader, prim: Usd.Prim) -> tuple[np.ndarray, np.ndarray]:
    """Read points and triangles of a mesh; none, and a diagnostic, if it is invalid."""
    points, counts, indices = (
        empty if (read := source.typed(prim, name, kind)) is None else read
        for name, kind, empty in (
            ("points", POINTS, NO_POINT),
            ("faceVertexCounts", INDICES, NO_INDEX),
            ("faceVertexIndices", INDICES, NO_INDEX),
        )
    )
    name, reason = "", None
    if not np.isfinite(points).all():
        name, reason = "points", Reason("mesh-points-not-finite")
    elif (counts < 0).any() or counts.astype(float).sum() != len(indices):
        name, reason = "faceVertexCounts", Reason("mesh-counts", most=len(indices))
    elif len(indices) and not 0 <= indices.min() <= indices.max() < len(points):
        name, reason = "faceVertexIndices", Reason("mesh-indices", last=len(points) - 1, points=len(points))
    if reason:
        source.report(prim, name, reason)
        return NO_POINT, np.zeros((0, 3), np.int64)
    return points, fans(counts, indices)


def fans(counts: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return the triangles (F, 3) of faces, in the order of the faces."""
    triangles = np.maximum(counts - 2, 0)
    starts = np.repeat(np.cumsum(counts) - counts, triangles)
    second = 1 + np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.stack([indices[starts], indices[starts + second], indices[starts + second + 1]], axis=1)
