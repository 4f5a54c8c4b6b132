"""Points and faces of meshes, checked."""

import numpy as np
from pxr import Usd

from ...geometry.triangulation import fan_corners
from ..attributes.kinds import INDICES, POINTS, TOKEN
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader

NO_POINT = np.zeros((0, 3))
NO_INDEX = np.zeros(0, np.int64)


def read_mesh(source: StageReader, prim: Usd.Prim) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points (N, 3) in units of the prim, triangles (F, 3) and the face (F,) of each.

    An invalid mesh has none, and is reported. A face is split into a fan about its first vertex, unless it is a hole.
    Triangles of a left-handed mesh keep their order.
    """
    if prim.GetPath() not in source.meshes:
        points, counts, indices = read_faces(source, prim)
        corners, faces = fan_corners(counts)
        solid = ~np.isin(faces, read_holes(source, prim))
        source.meshes[prim.GetPath()] = points, indices[corners[solid]], faces[solid]
    return source.meshes[prim.GetPath()]


def read_holes(source: StageReader, prim: Usd.Prim) -> np.ndarray:
    """Return the numbers of the faces of a mesh that are holes."""
    holes = source.typed(prim, "holeIndices", INDICES)
    return NO_INDEX if holes is None else holes


def is_left_handed(source: StageReader, prim: Usd.Prim) -> bool:
    """Return whether the faces of a mesh are clockwise, seen from outside."""
    return source.typed(prim, "orientation", TOKEN) == "leftHanded"


def read_faces(source: StageReader, prim: Usd.Prim) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points (N, 3) of a mesh, and number of corners and points of its faces.

    An invalid mesh has no points and no faces, and is reported.
    """
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
        return NO_POINT, NO_INDEX, NO_INDEX
    return points, counts, indices
