"""Detection of written copies: siblings whose specs are equal, except for their own transforms.

A flattened stage, and one whose environments were copied spec by spec, holds a robot as often as it stands there. Two
prims are alike if every layer of the stage holds the same below both. Paths below a prim are compared relative to it.

So are bodies without prims below them, as boxes of a pile, if they are turned and scaled by the same bits: then all
numbers but their places have equal bits.
"""

from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
from pxr import Sdf, Tf, Usd, UsdGeom, Vt

from .marked_prims import RIGID_BODY_API, is_part_of_body, marked_above

LONG = 64
"""Length from which arrays, as points of meshes, are compared by their bytes and not as text."""
POINT_BASED = (
    "Mesh",
    "Points",
    "BasisCurves",
    "NurbsCurves",
    "NurbsPatch",
    "TetMesh",
    "HermiteCurves",
    "PointInstancer",
)
"""Types of prims whose arrays may be that long."""
COPY = Sdf.Path("/copy")


def written_keys(parent: Usd.Prim, frames: UsdGeom.XformCache) -> dict[Sdf.Path, tuple]:
    """Return keys, equal for copies, of those children of a prim that have a written copy beside them.

    Children without prims below them are left out unless they are bodies: reading them takes no longer than comparing
    them.
    """
    children = parent.GetChildren()
    if not children or is_part_of_body(children[0]):
        return {}
    alike = defaultdict(list)
    for prim in children:
        if is_written(prim) and (prim.GetChildren() or moves_freely(prim)):
            alike[signature(prim)].append(prim)
    found, layers, above = defaultdict(list), parent.GetStage().GetLayerStack(), tuple(marked_above(children[0]))
    for (*_, below), group in alike.items():
        for prim in group if len(group) > 1 else ():
            key = digest(prim) if below else opinions(prim, layers, frames)
            found[key, above].append(prim.GetPath())
    return {path: key for key, paths in found.items() if len(paths) > 1 for path in paths}


def moves_freely(prim: Usd.Prim) -> bool:
    """Return whether a prim is a rigid body that is neither switched off nor kinematic."""
    if RIGID_BODY_API not in prim.GetPrimTypeInfo().GetAppliedAPISchemas():
        return False
    kinematic, enabled = (prim.GetAttribute(f"physics:{name}Enabled") for name in ("kinematic", "rigidBody"))
    return not (kinematic and kinematic.Get(0.0)) and not (enabled and enabled.Get(0.0) is False)


def opinions(prim: Usd.Prim, layers: list[Sdf.Layer], frames: UsdGeom.XformCache) -> tuple:
    """Return all that layers hold of a prim without prims below it, except its own place."""
    try:
        matrix = np.array(frames.GetLocalToWorldTransform(prim))
    except Tf.ErrorException:  # no transform, so no copy
        return (prim.GetPath(),)
    specs = (layer.GetPrimAtPath(prim.GetPath()) for layer in layers)
    return prim.GetParent().GetPath(), matrix[:3, :3].tobytes(), tuple([spec and texts_of(spec) for spec in specs])


def texts_of(spec: Sdf.PrimSpec) -> tuple[str, ...]:
    """Return the fields and properties of a spec as texts, except its own transform."""
    fields = [f"{key}={spec.GetInfo(key)}" for key in spec.ListInfoKeys()]
    return *fields, *[item.GetAsText() for item in spec.properties if not is_transform(item)]


def is_transform(item: Sdf.PropertySpec) -> bool:
    """Return whether a property is a transform, or the order of transforms, and stands still."""
    return item.name.startswith("xformOp") and not item.HasInfo("timeSamples")


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
    spec = layer.GetPrimAtPath(path)
    text = None if holds_points(spec) else text_of(spec)
    yield from parts_of(layer, path) if text is None else [text.encode()]


def holds_points(spec: Sdf.PrimSpec) -> bool:
    """Return whether a spec, or one below it, has a type with arrays of points, which are long as text."""
    todo = [spec]
    while todo:
        each = todo.pop()
        if each.typeName in POINT_BASED:
            return True
        below = each.nameChildren
        todo += [below[i] for i in range(len(below))]  # iterating over the view takes a hundred times as long
    return False


def text_of(spec: Sdf.PrimSpec) -> str | None:
    """Return a spec and all below it as text, without its name and its own transform, and with paths relative to it.

    USD writes this text in a third of the time that it takes to copy specs. What is cut from it is the first line of
    this content, so where a comment holds that line, too, texts differ. None if a transform has several lines.
    """
    text, path = spec.GetAsText().replace(f'"{spec.name}"', "", 1), str(spec.path)
    for item in filter(is_transform, spec.properties):
        line = f"    {item.GetAsText()}"
        if line.count("\n") > 1:
            return None
        text = text.replace(line, "", 1)
    for after in (">", "/", "."):
        text = text.replace(f"<{path}{after}", f"<{COPY}{after}")
    return text


def parts_of(layer: Sdf.Layer, path: Sdf.Path) -> Iterator[bytes]:
    """Yield what a layer holds at and below a prim in parts: long arrays, and the rest as text."""
    part = Sdf.Layer.CreateAnonymous(".usda")
    Sdf.CopySpec(layer, path, part, COPY)
    spec = part.GetPrimAtPath(COPY)
    for item in list(filter(is_transform, spec.properties)):
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
