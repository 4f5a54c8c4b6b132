"""The layer of a stage of copies: a class with the references, environments that refer to it, what all share, groups.

    /_copy                    class: each root prim of the scene by reference, without what stands once
    /World/shared             what stands once, by reference: physics scene, planes and their materials
    /World/envs/env_I         references to /_copy, at their places
    /World/collisions         a collision group per copy, and one of what is shared

Environments have no other opinions than their places, so a reader finds that they are copies.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pxr import Gf, Sdf, Usd, UsdShade

from ..scene import WORLD, InvalidScene, Scene, ShapeKind
from ..scene.replication import ENVS, GROUPS, SHARED, places_of_copies
from ..usd.stage.targets import targets_of
from ..usd.stage.unsupported import NAMESPACES
from ..usd.write.output_files import relative
from .layer import OF_A_LAYER

COMMENT = "Copies by fajin of "
COPY = Sdf.Path("/_copy")
OWNER = "physics:simulationOwner"
"""Relationship without an effect where a stage has one physics scene."""


def copied_layer(stage: Usd.Stage, scene: Scene, path: Path, grid: tuple[int, float], filtered: bool) -> Sdf.Layer:
    """Return the layer of copies of a stage, for a path.

    Args:
        stage: the stage to copy.
        scene: its scene.
        path: the path of the layer, to which references are relative.
        grid: number of copies, and their distance [m].
        filtered: keep copies from colliding with each other.

    Raises:
        InvalidScene: a relationship leads from one root prim to another, or what stands once lies in an instance.
    """
    _check_targets(stage)
    once = _standing_once(stage, scene)
    source, layer = stage.GetRootLayer(), Sdf.Layer.CreateAnonymous(path.suffix)
    for key in source.pseudoRoot.ListInfoKeys():
        if key not in OF_A_LAYER:
            layer.pseudoRoot.SetInfo(key, source.pseudoRoot.GetInfo(key))
    layer.comment = f"{COMMENT}{Path(source.identifier).name}."
    layer.defaultPrim = "World"
    asset = relative(Path(source.realPath), path.parent)
    with Sdf.ChangeBlock():
        _define(layer, "/World", "Xform")
        _add_shared(layer, stage, once, asset)
        _add_class(layer, stage, once, asset)
        _add_environments(layer, scene, grid)
        if filtered and scene.colliders:
            _add_groups(layer, stage, grid[0])
    return layer


def planes_of(scene: Scene) -> set[str]:
    """Return the paths of the planes of the world."""
    return {c.path for c in scene.colliders if c.body == WORLD and c.kind == ShapeKind.PLANE}


def _check_targets(stage: Usd.Stage) -> None:
    """Raise InvalidScene for a relationship from one root prim to another, which a reference would drop."""
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        for relationship in prim.GetAuthoredRelationships():
            name = relationship.GetName()
            if name.startswith((*NAMESPACES, "material:binding")) and name != OWNER:
                for target in targets_of(prim, name) or ():
                    if target.GetPrefixes()[:1] != prim.GetPath().GetPrefixes()[:1]:
                        rule = f"a prim below {prim.GetPath().GetPrefixes()[0]}, else references drop it"
                        raise InvalidScene(str(prim.GetPath()), name, str(target), rule, "move both below one prim")


def _standing_once(stage: Usd.Stage, scene: Scene) -> list[Sdf.Path]:
    """Return the prims that all copies share: physics scenes and planes, in stage order."""
    planes = planes_of(scene)
    found = [
        prim
        for prim in stage.Traverse(Usd.TraverseInstanceProxies())
        if str(prim.GetPath()) in planes or prim.GetTypeName() == "PhysicsScene"
    ]
    for prim in found:
        if prim.IsInstanceProxy():
            raise InvalidScene(
                str(prim.GetPath()), rule="outside of instances", fix="set instanceable = false above it"
            )
    return [prim.GetPath() for prim in found]


def _materials(stage: Usd.Stage, paths: Iterable[Sdf.Path]) -> Iterator[Sdf.Path]:
    """Yield the materials of prims."""
    for path in paths:
        for purpose in ("physics", ""):
            material, _ = UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(path)).ComputeBoundMaterial(purpose)
            if material:
                yield material.GetPath()


def _add_shared(layer: Sdf.Layer, stage: Usd.Stage, once: list[Sdf.Path], asset: str) -> None:
    """Add what stands once, by references without all other prims."""
    kept = [*once, *_materials(stage, once)]
    ways = {prefix for path in kept for prefix in path.GetPrefixes()[:-1]} - set(kept)
    _define(layer, SHARED, "Scope")
    for root in dict.fromkeys(path.GetPrefixes()[0] for path in once):
        _refer(layer, _below(Sdf.Path(SHARED), root), asset, root)
    for way in sorted(ways):
        for child in stage.GetPrimAtPath(way).GetAllChildren():
            if child.GetPath() not in ways and child.GetPath() not in kept and not child.IsAbstract():
                _deactivate(layer, _below(Sdf.Path(SHARED), child.GetPath()))


def _add_class(layer: Sdf.Layer, stage: Usd.Stage, once: list[Sdf.Path], asset: str) -> None:
    """Add the class of copies: all root prims by reference, without what stands once."""
    spec = Sdf.CreatePrimInLayer(layer, COPY)
    spec.specifier, spec.typeName = Sdf.SpecifierClass, "Xform"
    for root in stage.GetPseudoRoot().GetChildren():
        if root.GetPath() not in once:
            _refer(layer, _below(COPY, root.GetPath()), asset, root.GetPath())
    for path in once:
        if not path.IsRootPrimPath():
            _deactivate(layer, _below(COPY, path))


def _add_environments(layer: Sdf.Layer, scene: Scene, grid: tuple[int, float]) -> None:
    """Add the environments at their places."""
    _define(layer, ENVS, "Xform")
    for i, place in enumerate(places_of_copies(scene, *grid)):
        spec = _define(layer, f"{ENVS}/env_{i}", "Xform")
        spec.referenceList.prependedItems = [Sdf.Reference("", COPY)]
        move = Sdf.AttributeSpec(spec, "xformOp:translate", Sdf.ValueTypeNames.Double3)
        move.default = Gf.Vec3d(*place) / scene.meters_per_unit
        order = Sdf.AttributeSpec(spec, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform)
        order.default = ["xformOp:translate"]


def _add_groups(layer: Sdf.Layer, stage: Usd.Stage, count: int) -> None:
    """Add a collision group per copy, which collides with itself and with that of what is shared."""
    scenes = [prim.GetPath() for prim in stage.Traverse() if prim.GetTypeName() == "PhysicsScene"]
    spec = (
        Sdf.CreatePrimInLayer(layer, _below(Sdf.Path(SHARED), scenes[0]))
        if scenes
        else _define(layer, "/World/physics", "PhysicsScene")
    )
    spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=["PhysxSceneAPI"]))
    inverted = Sdf.AttributeSpec(
        spec, "physxScene:invertCollisionGroupFilter", Sdf.ValueTypeNames.Bool, Sdf.VariabilityUniform
    )
    inverted.default = True
    _define(layer, GROUPS, "Scope")
    common = f"{GROUPS}/shared"
    _add_group(layer, common, SHARED, [common])
    for i in range(count):
        mine = f"{GROUPS}/group_{i}"
        _add_group(layer, mine, f"{ENVS}/env_{i}", [mine, common])


def _add_group(layer: Sdf.Layer, path: str, member: str, touched: list[str]) -> None:
    spec = _define(layer, path, "PhysicsCollisionGroup")
    spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=["CollectionAPI:colliders"]))
    rule = Sdf.AttributeSpec(
        spec, "collection:colliders:expansionRule", Sdf.ValueTypeNames.Token, Sdf.VariabilityUniform
    )
    rule.default = "expandPrims"
    for name, targets in (("collection:colliders:includes", [member]), ("physics:filteredGroups", touched)):
        relationship = Sdf.RelationshipSpec(spec, name, False)
        relationship.targetPathList.explicitItems = targets


def _below(parent: Sdf.Path, path: Sdf.Path) -> Sdf.Path:
    """Return a path of the scene as one below a prim."""
    return path.ReplacePrefix(Sdf.Path.absoluteRootPath, parent)


def _define(layer: Sdf.Layer, path: str, kind: str) -> Sdf.PrimSpec:
    spec = Sdf.CreatePrimInLayer(layer, path)
    spec.specifier, spec.typeName = Sdf.SpecifierDef, kind
    return spec


def _refer(layer: Sdf.Layer, path: Sdf.Path, asset: str, root: Sdf.Path) -> None:
    spec = Sdf.CreatePrimInLayer(layer, path)
    spec.specifier = Sdf.SpecifierDef
    spec.referenceList.prependedItems = [Sdf.Reference(asset, root)]


def _deactivate(layer: Sdf.Layer, path: Sdf.Path) -> None:
    Sdf.CreatePrimInLayer(layer, path).active = False
