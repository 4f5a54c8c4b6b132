"""Triangles of drawn prims: meshes with their authored normals, and primitives."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pxr import Usd, UsdGeom

from ...geometry.creases import crease_normals
from ...geometry.primitives import (
    Triangles,
    box_triangles,
    capsule_triangles,
    cone_triangles,
    cylinder_triangles,
    rectangle_triangles,
    sphere_triangles,
)
from ...geometry.triangulation import triangulate
from ...visual.look.scene import Mesh
from ..attributes.attribute import Attribute
from ..attributes.kinds import INDICES, POINTS
from ..attributes.shape import ALONG, SHAPES
from ..read.meshes import is_left_handed, read_faces
from ..stage.stage import START, StageReader

PLANE = (Attribute("width", "width", 2.0), Attribute("length", "length", 2.0), ALONG)
TURNS = ((2, 0, 1), (1, 2, 0), (0, 1, 2))  # columns of a shape along z, by the axis that it is to have
PRIMITIVES: dict[str, Callable[[dict], Triangles]] = {
    "Cube": lambda values: box_triangles(np.full(3, values["size"])),
    "Sphere": lambda values: sphere_triangles(values["radius"]),
    "Cylinder": lambda values: cylinder_triangles(values["radius"], values["height"]),
    "Cone": lambda values: cone_triangles(values["radius"], values["height"]),
    "Capsule": lambda values: capsule_triangles(values["radius"], values["height"]),
}


@dataclass(frozen=True, eq=False)
class Faces:
    """Triangles of a prim in units of the prim, and the face that each triangle is a part of."""

    points: np.ndarray  # (P, 3)
    triangles: np.ndarray  # (F, 3)
    face: np.ndarray  # (F,)
    normals: np.ndarray | None = None  # (F, 3, 3) as authored, of each corner
    uv: np.ndarray | None = None  # (F, 3, 2) texture coordinates of each corner

    def of_faces(self, chosen: np.ndarray) -> "Faces":
        """Return the triangles of the chosen faces (N,), a mask over faces."""
        mask = chosen[self.face]
        normals, uv = (None if one is None else one[mask] for one in (self.normals, self.uv))
        return Faces(self.points, self.triangles[mask], self.face[mask], normals, uv)

    def mesh(self, scale: float) -> Mesh:
        """Return the triangles as a mesh, with points multiplied by `scale`."""
        if self.normals is None:
            points, triangles, normals = crease_normals(self.points * scale, self.triangles)
            if self.uv is None:
                return Mesh(points.astype(np.float32), triangles.astype(np.int32), normals.astype(np.float32))
            corners, turned, uv = (
                points[triangles],
                normals[triangles],
                self.uv[with_area(self.points * scale, self.triangles)],
            )
        else:
            corners, turned, uv = self.points[self.triangles] * scale, self.normals, self.uv
        parts = [corners, turned, *(() if uv is None else (uv,))]
        rows, place = np.unique(np.concatenate(parts, axis=2).reshape(-1, sum(part.shape[2] for part in parts)), axis=0,
                                return_inverse=True)  # fmt: skip
        arrays = rows[:, :3].astype(np.float32), place.reshape(-1, 3).astype(np.int32), rows[:, 3:6].astype(np.float32)
        return Mesh(*arrays, None if uv is None else rows[:, 6:].astype(np.float32))


def with_area(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return whether triangles have an area, as `crease_normals` computes it, (F,)."""
    corners = points[triangles]
    return np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) > 0.0


def primitive_faces(source: StageReader, prim: Usd.Prim) -> Faces | None:
    """Return the triangles of a cube, sphere, cylinder, cone, capsule or plane; None for other types."""
    kind = str(prim.GetTypeName())
    if kind == "Plane":
        values = source.values(prim, PLANE)
        edges = values["width"], values["length"]  # the width is along x, or along z where x is the normal
        points, triangles = rectangle_triangles(*(edges if values["axis"] == 2 else edges[::-1]))
    elif kind in PRIMITIVES:
        values = source.values(prim, SHAPES[kind])
        points, triangles = PRIMITIVES[kind](values)
    else:
        return None
    points = points[:, TURNS[values.get("axis", 2)]]
    return Faces(points, triangles, np.zeros(len(triangles), np.int64))


def mesh_faces(source: StageReader, prim: Usd.Prim) -> tuple[Faces, int]:
    """Return the triangles of a mesh without its holes, and its number of faces."""
    points, counts, indices = read_faces(source, prim)
    corners, face = triangulate(points, counts, indices)
    holes = source.typed(prim, "holeIndices", INDICES)
    if holes is not None and len(holes):
        kept = ~np.isin(face, holes)
        corners, face = corners[kept], face[kept]
    if is_left_handed(source, prim):
        corners = corners[:, ::-1]
    places = CornerPlaces(corners, face, indices)
    normals, uv = corner_normals(source, prim, places), corner_coordinates(prim, places)
    return Faces(points, indices[corners], face, normals, uv), len(counts)


@dataclass(frozen=True, eq=False)
class CornerPlaces:
    """Places of the corners of triangles in the arrays of a mesh."""

    corners: np.ndarray  # (F, 3) among the corners of faces
    face: np.ndarray  # (F,) of each triangle
    indices: np.ndarray  # of the point at each corner of a face

    def rows(self, interpolation: str) -> np.ndarray:
        """Return the rows (F, 3) of a primvar's values at the corners of triangles."""
        if interpolation == "faceVarying":
            return self.corners
        if interpolation == "uniform":
            return np.repeat(self.face[:, None], 3, axis=1)
        return 0 * self.corners if interpolation == "constant" else self.indices[self.corners]


def corner_coordinates(prim: Usd.Prim, places: CornerPlaces) -> np.ndarray | None:
    """Return the texture coordinates (F, 3, 2) of the corners of triangles; None if they are missing or do not fit."""
    api = UsdGeom.PrimvarsAPI(prim)
    primvar = next(
        (one for name in ("st", "UVMap", "st0") if (one := api.FindPrimvarWithInheritance(name)).HasValue()), None
    )
    if primvar is None:
        return None
    values = np.array(primvar.ComputeFlattened(START), np.float32)
    if values.ndim != 2 or values.shape[1] != 2 or not np.isfinite(values).all():
        return None
    rows = places.rows(str(primvar.GetInterpolation()))
    return values[rows] if rows.max(initial=-1) < len(values) else None


def corner_normals(source: StageReader, prim: Usd.Prim, places: CornerPlaces) -> np.ndarray | None:
    """Return the authored normals (F, 3, 3) of the corners of triangles; None if they are missing or do not fit."""
    primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar("normals")
    if primvar and primvar.HasAuthoredValue():
        kind, values = str(primvar.GetInterpolation()), POINTS.read(primvar.ComputeFlattened(START))
    else:
        kind, values = str(UsdGeom.Mesh(prim).GetNormalsInterpolation()), source.typed(prim, "normals", POINTS)
    if values is None or not len(values):
        return None
    rows = places.rows(kind)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    if rows.max(initial=-1) >= len(values) or not np.isfinite(values).all() or not lengths.min() > 0.0:
        return None
    return (values / lengths)[rows]
