"""Physics materials of parts of a mesh: `GeomSubset`s of a triangle mesh that have one of their own.

Each part is a mesh of its own, beside the faces that no such subset has. A body across the border of two parts touches
two meshes, where PhysX has one with friction patches by material.
"""

from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from ...scene import ShapeKind
from ..attributes.kinds import INDICES
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from ..stage.targets import targets_of
from .meshes import read_mesh

BINDINGS = "material:binding:physics", "material:binding"
Part = tuple[Usd.Prim, dict[str, Any]]  # prim whose material it has, fields of the `Collider`


def parts_with_materials(source: StageReader, prim: Usd.Prim, fields: dict[str, Any]) -> list[Part]:
    """Return the shape of a prim, or a triangle mesh as one mesh per material."""
    subsets = [child for child in prim.GetChildren() if has_own_material(source, child)]
    if fields["kind"] is not ShapeKind.TRIANGLE_MESH or not subsets:
        return [(prim, fields)]
    face = read_mesh(source, prim)[2]
    owner = np.full(int(face.max(initial=-1)) + 1, -1)
    for i, subset in reversed([*enumerate(subsets)]):
        chosen = source.typed(subset, "indices", INDICES)
        chosen = np.zeros(0, int) if chosen is None else chosen
        owner[chosen[(chosen >= 0) & (chosen < len(owner))]] = i
    part = owner[face]
    source.report(prim, "", Reason("subset-border"))
    found = [(prim if i < 0 else subsets[i], taken(fields, part == i)) for i in range(-1, len(subsets))]
    return [(each, mesh) for each, mesh in found if mesh["faces"]]


def has_own_material(source: StageReader, prim: Usd.Prim) -> bool:
    """Return whether a prim is a subset of faces to which a physics material is bound."""
    subset = UsdGeom.Subset(prim)
    if not subset or subset.GetElementTypeAttr().Get() != UsdGeom.Tokens.face:
        return False
    bound = [source.prim(path) for name in BINDINGS for path in targets_of(prim, name) or ()]
    return any(material and "PhysicsMaterialAPI" in schemas(material) for material in bound)


def taken(fields: dict[str, Any], chosen: np.ndarray) -> dict[str, Any]:
    """Return the fields of a triangle mesh with some of its faces, and the points that these have."""
    faces = np.array(fields["faces"], int).reshape(-1, 3)[chosen]
    used, numbers = np.unique(faces, return_inverse=True)
    points = tuple(fields["points"][i] for i in used.tolist())
    return fields | {"points": points, "faces": tuple(map(tuple, numbers.reshape(-1, 3).tolist()))}
