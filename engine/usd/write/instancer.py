"""Many worlds, or many copies, in one stage: a PointInstancer over the source; its prototypes are the links.

The source is a sublayer. Its links become classes, which are not drawn, and the prototypes inherit the classes.
Prototypes include geometry and materials, but exclude the links and joints below, and physics schemas. Links that are
composed of the same specs, as those of robots that reference one file, share a prototype.
"""

from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, Vt

from ..stage.stage import START, schemas
from ..stage.transforms import rigid_frame
from .animation_layer import value_type
from .layers import write_metadata

WORLDS_PATH = Sdf.Path("/Worlds")
PHYSICS = ("Physics", "Physx", "Newton", "Fajin", "State")
SPREAD = 1.5
"""Default distance of neighbouring worlds, relative to the size of a world's geometry."""


class Instancer:
    """Motion of W worlds of a scene with L links each, collected frame by frame.

    Args:
        stage: the scene.
        links: prim paths, (L,).
        worlds: number of worlds, W; they are placed on a grid.
        spacing: distance of neighbours [m]; None: one and a half times the size of a world's geometry.
        fps: frames per second.
    """

    def __init__(self, stage: Usd.Stage, links: tuple[str, ...], worlds: int, spacing: float | None, fps: float):
        self._stage = stage
        self._metres = UsdGeom.GetStageMetersPerUnit(self._stage)
        prims = [self._stage.GetPrimAtPath(path) for path in links]
        self._drawn = [i for i, prim in enumerate(prims) if _is_drawn(prim, set(links))]
        alike: dict[Any, list[Usd.Prim]] = {}
        for i in self._drawn:
            alike.setdefault(_look(prims[i], set(links)), []).append(prims[i])
        number = {prim: kind for kind, equal in enumerate(alike.values()) for prim in equal}
        self._layer = Sdf.Layer.CreateAnonymous(".usdc")
        write_metadata(self._layer, self._stage, fps)
        with Sdf.ChangeBlock():
            _withdraw(self._layer, self._stage, links)
            self._define([equal[0] for equal in alike.values()], set(links))
        kinds = np.array([number[prims[i]] for i in self._drawn], np.int32)
        self._root.attributes["protoIndices"].default = Vt.IntArray.FromNumpy(np.tile(kinds, worlds))
        spacing = self._spread(prims) if spacing is None else spacing
        self._places = grid(worlds, spacing, UsdGeom.GetStageUpAxis(self._stage))
        self._last: np.ndarray | None = None
        self._codes: list[float] = []

    def add(self, poses: np.ndarray, code: float) -> None:
        """Append a frame at a time code: world poses of all links, (W, L, 7); one that is not finite keeps the last."""
        poses = poses[:, self._drawn].astype(np.float64)
        if self._last is not None:
            poses = np.where(np.isfinite(poses).all((1, 2), keepdims=True), poses, self._last)
        self._last = poses
        positions = (poses[..., :3] + self._places[:, None]) / self._metres
        for name, array, values in (
            ("positions", Vt.Vec3fArray, positions.astype("f4").reshape(-1, 3)),
            ("orientations", Vt.QuathArray, poses[..., 3:].astype("f2").reshape(-1, 4)),
        ):
            self._layer.SetTimeSample(WORLDS_PATH.AppendProperty(name), code, array.FromNumpy(values))
        self._codes.append(code)

    def write(self, file: Path, source: str) -> bool:
        """Write the layer over a source, given by its path in the layer; return whether it is written."""
        self._layer.startTimeCode, self._layer.endTimeCode = self._codes[0], self._codes[-1]
        self._layer.subLayerPaths[:] = [source]
        return self._layer.Export(str(file))

    @property
    def _root(self) -> Sdf.PrimSpec:
        return self._layer.GetPrimAtPath(WORLDS_PATH)

    def _define(self, prims: list[Usd.Prim], links: set[str]) -> None:
        """Define the instancer and its prototypes, without instances."""
        root = Sdf.CreatePrimInLayer(self._layer, WORLDS_PATH)
        root.specifier, root.typeName = Sdf.SpecifierDef, "PointInstancer"
        root.SetInfo("kind", "group")
        for name, kind in (("protoIndices", "int[]"), ("positions", "point3f[]"), ("orientations", "quath[]")):
            Sdf.AttributeSpec(root, name, value_type(kind))
        folder = Sdf.CreatePrimInLayer(self._layer, WORLDS_PATH.AppendChild("Prototypes"))
        folder.specifier, folder.typeName = Sdf.SpecifierDef, "Scope"
        targets = Sdf.RelationshipSpec(root, "prototypes", custom=False).targetPathList
        for i, prim in enumerate(prims):
            path = folder.path.AppendChild(f"{prim.GetName()}_{i}")
            _prototype(self._layer, path, prim, links)
            targets.explicitItems.append(path)

    def _spread(self, prims: list[Usd.Prim]) -> float:
        cache = UsdGeom.BBoxCache(START, [UsdGeom.Tokens.default_, UsdGeom.Tokens.render, UsdGeom.Tokens.proxy])
        box = Gf.Range3d()
        for prim in prims:
            box.UnionWith(cache.ComputeWorldBound(prim).ComputeAlignedRange())
        return SPREAD * float(np.max(np.array(box.GetSize()))) * self._metres if not box.IsEmpty() else 1.0


def grid(worlds: int, spacing: float, up: str) -> np.ndarray:
    """Return the position of each world, (W, 3) [m]: rows of a square around the origin."""
    side = int(np.ceil(np.sqrt(worlds)))
    rows, columns = np.divmod(np.arange(worlds), side)
    across = (np.stack([columns, rows], 1) - (side - 1) / 2.0) * spacing
    offsets = np.zeros((worlds, 3))
    offsets[:, [axis for axis in range(3) if "XYZ"[axis] != up]] = across
    return offsets


def _is_drawn(prim: Usd.Prim, links: set[str]) -> bool:
    """Return whether a link has geometry that does not belong to another link."""
    prims = iter(Usd.PrimRange(prim, Usd.TraverseInstanceProxies()))
    for below in prims:
        if below != prim and str(below.GetPath()) in links:
            prims.PruneChildren()
        elif below.IsA("Gprim"):
            return True
    return False


def _look(prim: Usd.Prim, links: set[str]) -> Any:
    """Return what equals that of another link if both look alike: specs, scale, visibility and material."""
    specs: list[Any] = []
    prims = iter(Usd.PrimRange(prim, Usd.TraverseInstanceProxies()))
    for below in prims:
        if below != prim and str(below.GetPath()) in links:
            prims.PruneChildren()
            continue
        specs += [(spec.layer.identifier, spec.path) for spec in below.GetPrimStack()]
    world = UsdGeom.XformCache(START).GetLocalToWorldTransform(prim)
    scale = np.round(np.array(world * rigid_frame(world).GetInverse()), 9)
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    bound = material.GetPath() if material else None
    return tuple(specs), scale.tobytes(), UsdGeom.Imageable(prim).ComputeVisibility(), bound


def _withdraw(layer: Sdf.Layer, stage: Usd.Stage, links: tuple[str, ...]) -> None:
    """Change links and joints of the source to classes, so that they are not drawn but can be inherited."""
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        if str(prim.GetPath()) in links:
            Sdf.CreatePrimInLayer(layer, prim.GetPath()).specifier = Sdf.SpecifierClass
        elif prim.IsA("PhysicsJoint"):
            Sdf.CreatePrimInLayer(layer, prim.GetPath()).active = False
        elif _physics(prim) and prim.HasAPI("PhysicsArticulationRootAPI"):
            _strip(Sdf.CreatePrimInLayer(layer, prim.GetPath()), prim)
        else:
            continue
        for path in prim.GetPath().GetPrefixes()[:-1]:
            if stage.GetPrimAtPath(path).IsInstance():
                Sdf.CreatePrimInLayer(layer, path).SetInfo("instanceable", False)


def _prototype(layer: Sdf.Layer, path: Sdf.Path, prim: Usd.Prim, links: set[str]) -> None:
    """Create a prim with a link's geometry in the link's own frame, scale included."""
    spec = Sdf.CreatePrimInLayer(layer, path)
    spec.specifier, spec.typeName = Sdf.SpecifierDef, prim.GetTypeName()
    spec.inheritPathList.explicitItems.append(prim.GetPath())
    _strip(spec, prim)
    world = UsdGeom.XformCache(START).GetLocalToWorldTransform(prim)
    scale = world * rigid_frame(world).GetInverse()
    order = Sdf.AttributeSpec(spec, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform)
    order.default = Vt.TokenArray([])
    if not Gf.IsClose(scale, Gf.Matrix4d(1.0), 1e-9):
        order.default = Vt.TokenArray(["xformOp:transform:scale"])
        Sdf.AttributeSpec(spec, "xformOp:transform:scale", Sdf.ValueTypeNames.Matrix4d).default = scale
    material, binding = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    if material and binding.GetPrim() != prim:  # bound above the link
        Sdf.RelationshipSpec(spec, "material:binding", custom=False).targetPathList.explicitItems.append(
            material.GetPath()
        )
        applied = [*spec.GetInfo("apiSchemas").explicitItems, "MaterialBindingAPI"]
        spec.SetInfo("apiSchemas", Sdf.TokenListOp.CreateExplicit(list(dict.fromkeys(applied))))
    for below in Usd.PrimRange(prim):
        inside = path.AppendPath(below.GetPath().MakeRelativePath(prim.GetPath()))
        if below != prim and str(below.GetPath()) in links:
            Sdf.CreatePrimInLayer(layer, inside).active = False
        elif below != prim and _physics(below) and not below.IsA("PhysicsJoint"):
            _strip(Sdf.CreatePrimInLayer(layer, inside), below)


def _physics(prim: Usd.Prim) -> list[str]:
    return [name for name in schemas(prim) if name.startswith(PHYSICS)]


def _strip(spec: Sdf.PrimSpec, prim: Usd.Prim) -> None:
    """Remove all physics schemas from a prim."""
    rest = [name for name in schemas(prim) if not name.startswith(PHYSICS)]
    spec.SetInfo("apiSchemas", Sdf.TokenListOp.CreateExplicit(rest))
