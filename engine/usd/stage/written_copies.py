"""Detection of written copies: siblings whose specs are equal, except for their own transforms.

A flattened stage, and one whose environments were copied spec by spec, holds a robot as often as it stands there. Two
prims are alike if every layer of the stage holds the same below both. Paths below a prim are compared relative to it.
"""

from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
from pxr import Sdf, Usd, Vt

from .marked_prims import is_part_of_body, marked_above

LONG = 64
"""Length from which arrays, as points of meshes, are compared by their bytes and not as text."""
COPY = Sdf.Path("/copy")


def written_keys(parent: Usd.Prim) -> dict[Sdf.Path, tuple]:
    """Return keys, equal for copies, of those children of a prim that have a written copy beside them.

    Children without prims below them are left out, for reading them takes no longer than comparing them.
    """
    alike = defaultdict(list)
    for prim in parent.GetChildren():
        if prim.GetChildren() and is_written(prim) and not is_part_of_body(prim):
            alike[signature(prim)].append(prim)
    found = defaultdict(list)
    for group in alike.values():
        for prim in group if len(group) > 1 else ():
            found[digest(prim), tuple(marked_above(prim))].append(prim.GetPath())
    return {path: key for key, paths in found.items() if len(paths) > 1 for path in paths}


def is_written(prim: Usd.Prim) -> bool:
    """Return whether the layers of the stage hold all of a prim itself."""
    return not prim.IsInstanceProxy() and not prim.GetPrimIndex().rootNode.children


def signature(prim: Usd.Prim) -> tuple:
    """Return what is compared first: type, schemas, and the names and types of the prims below a prim."""
    children = tuple((child.GetName(), child.GetTypeName()) for child in prim.GetChildren())
    return prim.GetTypeName(), tuple(prim.GetPrimTypeInfo().GetAppliedAPISchemas()), children


def digest(prim: Usd.Prim) -> bytes:
    """Return a digest of all that the layers of the stage hold at and below a prim, except its own transform."""
    content = blake2b()
    for number, layer in enumerate(prim.GetStage().GetLayerStack()):
        if layer.GetPrimAtPath(prim.GetPath()):
            for part in excerpt(layer, prim.GetPath()):
                content.update(b"%d %d " % (number, len(part)))
                content.update(part)
    return content.digest()


def excerpt(layer: Sdf.Layer, path: Sdf.Path) -> Iterator[bytes]:
    """Yield what a layer holds at and below a prim: long arrays, and the rest as text."""
    part = Sdf.Layer.CreateAnonymous(".usda")
    Sdf.CopySpec(layer, path, part, COPY)
    spec = part.GetPrimAtPath(COPY)
    for item in [item for item in spec.properties if item.name.startswith("xformOp")]:
        spec.RemoveProperty(item)
    attributes: list[Sdf.AttributeSpec] = []

    def visit(at: Sdf.Path | str) -> None:
        if (attribute := part.GetAttributeAtPath(at)) and attribute.typeName.isArray:
            attributes.append(attribute)

    part.Traverse(COPY, visit)
    for attribute in attributes:
        value = attribute.default
        if isinstance(value, Vt.Vec3fArray | Vt.IntArray | Vt.Vec2fArray) and len(value) >= LONG:
            yield f"{attribute.path} {attribute.typeName} {len(value)}".encode()
            yield np.asarray(value).tobytes()
            attribute.ClearDefaultValue()
    yield part.ExportToString().encode()
