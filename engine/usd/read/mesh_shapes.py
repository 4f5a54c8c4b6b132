"""Shapes of mesh colliders, by their approximation."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from pxr import Gf, Usd

from ...geometry.bounding_box import bounding_box
from ...geometry.bounding_sphere import bounding_sphere
from ...geometry.convex_decomposition import Decomposition
from ...geometry.convex_hull import HullLimits, cook_hull
from ...geometry.hull_cleaning import clean_points, thicken_sheet
from ...geometry.mesh_parts import connected_parts
from ...scene import ShapeKind
from ..attributes import MESH_COLLISION
from ..attributes.contact import LEAST_THICKNESS, MOST_VERTICES
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .collision_shapes import CollisionShape
from .mesh_pieces import convex_parts
from .meshes import is_left_handed, read_mesh

MOST_TRIANGLES = 1_000_000
TRIANGLES = ("none", "meshSimplification", "sdf")
BOUNDING = {"boundingSphere": bounding_sphere, "boundingCube": bounding_box}
DECOMPOSITION = "PhysxConvexDecompositionCollisionAPI"
WITHOUT_SCHEMA = (
    ("physxConvexDecompositionCollision:maxConvexHulls", "parts", 16),
    ("physxConvexDecompositionCollision:voxelResolution", "voxels", 100_000),
)
"""Attributes whose defaults differ on a collider to which the schema of decompositions is not applied."""
Shape = tuple[Gf.Matrix4d, dict[str, Any]]  # offset from the prim's frame, fields of the `Collider`


def read_mesh_shapes(source: StageReader, mesh: CollisionShape, static: bool) -> list[Shape]:
    """Return the shapes of a mesh collider [m]: a triangle mesh if it is static, hulls, a box or a sphere."""
    key = mesh.prim.GetPath(), mesh.collider.GetPath(), static
    if key not in source.mesh_shapes:
        source.mesh_shapes[key] = list(checked_shapes(source, mesh, static))
    return source.mesh_shapes[key]


def checked_shapes(source: StageReader, mesh: CollisionShape, static: bool) -> Iterator[Shape]:
    """Yield the shapes of a mesh collider; none, and a diagnostic, if it is invalid."""
    prim, values = mesh.prim, source.values(mesh.collider, MESH_COLLISION)
    points, triangles, _ = read_mesh(source, prim)
    scale = source.scale_of(prim) * source.metres  # metres per unit of the mesh; negative if it is mirrored
    if not len(triangles) or not np.isfinite(points * scale).all():
        source.report(prim, "PhysicsCollisionAPI", Reason("shape-without-size", kind="Mesh"))
        return
    approximation = values["approximation"]
    if static and approximation in TRIANGLES:
        if len(triangles) > MOST_TRIANGLES:
            source.report(prim, "points", Reason("mesh-too-large", count=len(triangles), most=MOST_TRIANGLES))
            return
        if approximation == "meshSimplification":
            source.report(prim, "physics:approximation", Reason("mesh-simplification"), approximation)
        fields = triangle_mesh(points * scale, triangles, is_left_handed(source, prim) != (scale.prod() < 0.0))
        yield Gf.Matrix4d(1.0), fields | scaled_by(source, scale)
    elif approximation in BOUNDING:
        yield from bounding_shape(source, prim, approximation, points.astype(np.float32) * unit_scale(source, scale))
    else:
        parts, limit = convex_points(source, mesh, values, points, triangles, np.sign(scale))
        for part in parts:
            yield from hull_shapes(source, prim, part, scale, limit)


def convex_points(
    source: StageReader,
    mesh: CollisionShape,
    values: dict[str, Any],
    points: np.ndarray,
    triangles: np.ndarray,
    signs: np.ndarray,
) -> tuple[list[np.ndarray], int]:
    """Return the points of the convex parts of a mesh, and most vertices of each; `signs` (3,): -1 where mirrored."""
    approximation = values["approximation"]
    if approximation == "sdf":
        source.report(mesh.prim, "physics:approximation", Reason("distance-field"), approximation)
    if approximation in ("convexDecomposition", "sdf"):
        wanted = wanted_parts(source, mesh.collider, values)
        parts = convex_parts(points * signs, triangles, wanted)
        if parts:
            return [part * signs for part in parts], wanted.vertices
    if approximation in ("convexDecomposition", "sdf", "sphereFill"):
        source.report(mesh.collider, "physics:approximation", Reason("hull-of-parts"), approximation)
        return connected_parts(points, triangles), MOST_VERTICES
    authored = values["min_thickness"] / source.metres
    sheet = thicken_sheet(points, triangles, authored if authored >= 0.0 else LEAST_THICKNESS)
    return [sheet], values["vertex_limit"] if values["vertex_limit"] > 0 else MOST_VERTICES


def wanted_parts(source: StageReader, prim: Usd.Prim, values: dict[str, Any]) -> Decomposition:
    """Return the parameters of a decomposition; in the place of a signed distance field they are fajin's.

    As in PhysX, a collider without the schema has defaults of its own, in the place of those of the schema.
    """
    if values["approximation"] == "sdf":
        return Decomposition(shrinks=True)
    if DECOMPOSITION not in schemas(prim):
        values = values | {
            field: default for name, field, default in WITHOUT_SCHEMA if source.authored(prim, name) is None
        }
    return Decomposition(
        values["parts"], values["part_vertices"], values["voxels"], values["volume_error"], values["shrink_wrap"]
    ).within()


def triangle_mesh(points: np.ndarray, triangles: np.ndarray, reverse: bool) -> dict[str, Any]:
    """Return the fields of a triangle mesh."""
    faces = triangles[:, (0, 2, 1)] if reverse else triangles
    return {"kind": ShapeKind.TRIANGLE_MESH, "points": rows_of(points), "faces": rows_of(faces)}


def scaled_by(source: StageReader, scale: np.ndarray) -> dict[str, Any]:
    """Return the field of a hull or mesh with the scale of its vertices; `scale`: metres per unit of the mesh."""
    return {"vertex_scale": tuple((scale / source.metres).tolist())}


def rows_of(array: np.ndarray) -> tuple[tuple, ...]:
    """Return the rows of an array as tuples."""
    return tuple(map(tuple, array.tolist()))


def unit_scale(source: StageReader, scale: np.ndarray) -> np.ndarray:
    """Return a scale (3,), in metres per unit of the mesh, in stage units per unit of the mesh, single precision."""
    return (scale / source.metres).astype(np.float32)


def bounding_shape(source: StageReader, prim: Usd.Prim, approximation: str, points: np.ndarray) -> Iterator[Shape]:
    """Yield the sphere or box around points (N, 3) [stage units]; none, and a diagnostic, if they span no volume."""
    found = BOUNDING[approximation](clean_points(points, 1.0 / source.metres))
    if found is None:
        source.report(prim, "points", Reason("hull-without-volume"))
    elif len(found) == 2:
        centre, radius = found
        yield placed(centre), {"kind": ShapeKind.SPHERE, "radius": float(radius) * source.metres}
    else:
        half, centre, rotation = found
        extents = tuple((half.astype(float) * source.metres).tolist())
        yield placed(centre, rotation), {"kind": ShapeKind.BOX, "half_extents": extents}


def placed(centre: np.ndarray, rotation: Sequence[float] = (0.0, 0.0, 0.0, 1.0)) -> Gf.Matrix4d:
    """Return the frame at a point (3,) [stage units], rotated by a quaternion (x, y, z, w)."""
    x, y, z, w = map(float, rotation)
    return Gf.Matrix4d(Gf.Rotation(Gf.Quatd(w, x, y, z)), Gf.Vec3d(*map(float, centre)))


def hull_shapes(
    source: StageReader, prim: Usd.Prim, points: np.ndarray, scale: np.ndarray, limit: int
) -> Iterator[Shape]:
    """Yield the convex hull of points; none, and a diagnostic, if they do not span a volume."""
    hull = cook_hull(clean_points(points * np.sign(scale), 1.0 / source.metres), HullLimits(limit))
    if hull is None:
        source.report(prim, "points", Reason("hull-without-volume"))
        return
    if hull.cut:
        source.report(prim, "points", Reason("hull-reduced", limit=limit))
    vertices = rows_of(hull.points * np.abs(scale))
    fields = {"kind": ShapeKind.CONVEX_HULL, "points": vertices, "faces": hull.faces}
    yield Gf.Matrix4d(1.0), fields | scaled_by(source, np.abs(scale))
