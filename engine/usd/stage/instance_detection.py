"""Detection of copies: prims that a stage holds several times, by composition arcs or written out.

USD composes a thousand robots that reference one file a thousand times, although only their transforms differ. Two
prims are alike if their composition arcs are the same (or USD itself shares their prototype), and if the layers of the
stage add the same opinions to both. Transforms may differ, and nothing may be authored below the prims. Siblings
without arcs are alike if all their specs are equal.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from pxr import Gf, Sdf, Tf, Usd, UsdGeom

from .instancer_expansion import is_instance
from .marked_prims import is_part_of_body, marked_above
from .targets import targets_of
from .unsupported import NAMESPACES
from .written_copies import written_keys

COMPARED_FIELDS = (
    "typeName",
    "specifier",
    "comment",
    "documentation",
    "references",
    "payload",
    "inheritPaths",
    "specializes",
)
INSTANCERS = "PointInstancer", "PhysxPhysicsJointInstancer"
"""Types of prims whose descendants are prototypes: PhysX does not read them as prims of their own."""
RIGID = 1e-6
"""Maximum difference of two copies in scale or shear."""


def find_copies(stage: Usd.Stage) -> dict[Sdf.Path, Sdf.Path]:
    """Return {path of a copy: path of the original prim}, in stage order; outermost prims only."""
    frames = UsdGeom.XformCache(0.0)
    alike, written = defaultdict(list), written_keys(stage.GetPseudoRoot(), frames)
    prims = iter(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
    for prim in prims:
        if is_prototype(prim):
            prims.PruneChildren()
            continue
        key = written.get(prim.GetPath()) or instance_key(prim)
        if key is None:
            written |= written_keys(prim, frames)
        else:
            alike[key].append(prim)
            prims.PruneChildren()
    several = {prim.GetPath() for group in alike.values() if len(group) > 1 for prim in group}
    if not several:
        return {}
    tied = set(named_from_outside(stage, several))
    copies = {}
    for group in alike.values():
        first, *others = [prim for prim in group if prim.GetPath() not in tied] or [None]
        if others and closed(first):
            copies |= {prim.GetPath(): first.GetPath() for prim in others if moved_rigidly(first, prim, frames)}
    return copies


def walk(stage: Usd.Stage, closed: Collection[Sdf.Path]) -> Iterator[Usd.Prim]:
    """Yield all prims in stage order, except prims below the closed paths and prototypes below instancers."""
    prims = iter(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
    for prim in prims:
        if is_prototype(prim):
            prims.PruneChildren()
            continue
        if prim.GetPath() in closed:
            prims.PruneChildren()
        yield prim


def is_prototype(prim: Usd.Prim) -> bool:
    """Return whether a prim is below an instancer and not one of its expanded instances."""
    return is_instancer(prim.GetParent()) and not is_instance(prim)


def is_instancer(prim: Usd.Prim) -> bool:
    """Return whether the prims below a prim are prototypes of its instances."""
    return prim.GetTypeName() in INSTANCERS


def instance_key(prim: Usd.Prim) -> tuple | None:
    """Return a key that is equal for copies; None if the prim has no arcs or local overrides, or is part of a body."""
    arcs = prim.GetPrimIndex().rootNode.children
    if not arcs or any(arc.IsDueToAncestor() for arc in arcs):
        return None
    if is_part_of_body(prim):
        return None
    said = [spec for layer in prim.GetStage().GetLayerStack() if (spec := layer.GetPrimAtPath(prim.GetPath()))]
    if any(spec.nameChildren or spec.variantSets for spec in said):
        return None
    sources = tuple((arc.arcType.name, layer_of(arc), str(arc.path), str(arc.mapToParent.timeOffset)) for arc in arcs)
    return sources, tuple(filter(None, map(authored_opinions, said))), tuple(marked_above(prim))


def layer_of(arc: Any) -> str:
    """Return the root layer's file of a composition arc."""
    return arc.layerStack.identifier.rootLayer.identifier


def authored_opinions(spec: Sdf.PrimSpec) -> tuple:
    """Return all opinions of a layer about a prim itself, except its transform and its composition arcs."""
    keys = sorted(set(spec.ListInfoKeys()) - set(COMPARED_FIELDS))
    said: list[tuple[str, ...]] = [(key, str(spec.GetInfo(key))) for key in keys]
    for item in spec.properties:
        if not item.name.startswith("xformOp"):
            said.append((item.name, *(str(item.GetInfo(key)) for key in sorted(item.ListInfoKeys()))))
    return tuple(said)


def named_from_outside(stage: Usd.Stage, several: set[Sdf.Path]) -> Iterator[Sdf.Path]:
    """Yield those candidates that a physics relationship outside of them targets."""
    for prim in walk(stage, several):
        for target in () if prim.GetPath() in several else physics_targets(prim):
            yield from (prefix for prefix in target.GetPrefixes() if prefix in several)


def physics_targets(prim: Usd.Prim) -> Iterator[Sdf.Path]:
    """Yield the targets of a prim's physics relationships."""
    for relationship in prim.GetAuthoredRelationships():
        if relationship.GetName().startswith(NAMESPACES) and relationship.GetName() != "physics:simulationOwner":
            yield from targets_of(prim, relationship.GetName()) or ()


def closed(prim: Usd.Prim) -> bool:
    """Return whether all physics relationships at or below a prim target prims at or below it."""
    below = Usd.PrimRange(prim, Usd.TraverseInstanceProxies())
    return all(target.HasPrefix(prim.GetPath()) for p in below for target in physics_targets(p))


def moved_rigidly(original: Usd.Prim, copy: Usd.Prim, frames: UsdGeom.XformCache) -> bool:
    """Return whether a copy differs from the original by a rigid transform only."""
    try:
        there, here = (frames.GetLocalToWorldTransform(prim) for prim in (original, copy))
    except Tf.ErrorException:  # neither prim has a valid transform
        return False
    if not there.GetDeterminant() or not here.GetDeterminant():
        return False
    turn = (there.GetInverse() * here).ExtractRotationMatrix()
    return Gf.IsClose(turn * turn.GetTranspose(), Gf.Matrix3d(1.0), RIGID) and turn.GetDeterminant() > 0.0
