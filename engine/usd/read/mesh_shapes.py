"""Shapes of mesh colliders, by their approximation."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from pxr import Gf, Usd

from ...geometry.convex_hull import cook_hull
from ...geometry.mesh_parts import connected_parts
from ...scene import ShapeKind
from ..attributes import MESH_COLLISION
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader
from .meshes import is_left_handed, read_mesh

HERE = Gf.Matrix4d(1.0)
MOST_TRIANGLES = 1_000_000
TRIANGLES = ("none", "meshSimplification", "sdf")
Shape = tuple[Gf.Matrix4d, dict[str, Any]]  # offset from the prim's frame, fields of the `Collider`


def read_mesh_shapes(source: StageReader, prim: Usd.Prim, static: bool, scale: np.ndarray) -> Iterator[Shape]:
    """Yield the shapes of a mesh collider: a triangle mesh if it is static, hulls, a box or a sphere."""
    approximation = source.values(prim, MESH_COLLISION)["approximation"]
    points, triangles = read_mesh(source, prim)
    if not len(points):
        source.report(prim, "PhysicsCollisionAPI", Reason("shape-without-size", kind="Mesh"))
    elif static and approximation in TRIANGLES:
        if len(triangles) > MOST_TRIANGLES:
            source.report(prim, "points", Reason("mesh-too-large", count=len(triangles), most=MOST_TRIANGLES))
        else:
            yield HERE, triangle_mesh(points * scale, triangles[:, ::-1] if is_left_handed(source, prim) else triangles)
    else:
        parts = connected_parts(points, triangles) if approximation == "convexDecomposition" else [points]
        for part in parts:
            yield from hull_shapes(source, prim, part, scale)


def triangle_mesh(points: np.ndarray, triangles: np.ndarray) -> dict[str, Any]:
    """Return the fields of a triangle mesh."""
    vertices, faces = (tuple(map(tuple, array.tolist())) for array in (points, triangles))
    return {"kind": ShapeKind.TRIANGLE_MESH, "points": vertices, "faces": faces}


def hull_shapes(source: StageReader, prim: Usd.Prim, points: np.ndarray, scale: np.ndarray) -> Iterator[Shape]:
    """Yield the convex hull of points; none, and a diagnostic, if they do not span a volume."""
    limit = source.values(prim, MESH_COLLISION)["vertex_limit"]
    hull = cook_hull(points, limit)
    if hull is None:
        source.report(prim, "points", Reason("hull-without-volume"))
        return
    if hull.cut:
        source.report(prim, "points", Reason("hull-vertex-limit", limit=limit))
    vertices = tuple(map(tuple, (points[list(hull.vertices)] * scale).tolist()))
    yield HERE, {"kind": ShapeKind.CONVEX_HULL, "points": vertices, "faces": hull.faces}
