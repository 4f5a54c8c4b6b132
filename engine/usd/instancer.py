"""Many worlds in one stage: a point instancer over the source, whose prototypes are the links of the source.

The source is a sublayer, its own robot hidden; a prototype is an internal reference to a link, so that its materials
stay within reach. Worlds stand side by side on a square grid.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pxr import Gf, Sdf, UsdGeom, UsdPhysics, Vt

from ..atomic import UnwritableOutput, publish, workspace
from ..scene import Scene
from .stage import START, open_stage
from .write import relative

ROOT = Sdf.Path("/Worlds")


class Instancer:
    """A layer that grows by frames.

    Args:
        scene: what was simulated.
        links: prim paths of the links, L.
        worlds: their number, W.
        spacing: from a world to the next [m].
        fps: frames a second.
    """

    def __init__(self, scene: Scene, links: Sequence[str], worlds: int, spacing: float, fps: float):
        self._source, self._metres = Path(scene.source), scene.meters_per_unit
        self._stage, _ = open_stage(self._source)
        self._layer = Sdf.Layer.CreateAnonymous(".usdc")
        self._fps = fps
        self._frames = 0
        self._offsets = grid(worlds, spacing, UsdGeom.GetStageUpAxis(self._stage))
        self._poses: np.ndarray | None = None
        self._declare(links, worlds)

    def add(self, poses: np.ndarray) -> None:
        """Add a frame: world poses (W, L, 7). What is not finite stays where it was."""
        kept = poses if self._poses is None else self._poses
        self._poses = poses = np.where(np.isfinite(poses).all(-1, keepdims=True), poses, kept)
        places = ((poses[..., :3] + self._offsets[:, None]) / self._metres).reshape(-1, 3)
        turns = poses[..., 3:].reshape(-1, 4)
        time = float(self._frames)
        self._layer.SetTimeSample(ROOT.AppendProperty("positions"), time, Vt.Vec3fArray.FromNumpy(places.astype("f4")))
        self._layer.SetTimeSample(
            ROOT.AppendProperty("orientations"), time, Vt.QuathArray.FromNumpy(turns.astype(np.float16))
        )
        self._frames += 1

    def write(self, path: Path) -> Path:
        """Write the layer, whole or not at all.

        Raises:
            UnwritableOutput: it cannot be written.
        """
        layer = self._layer
        layer.startTimeCode, layer.endTimeCode = 0.0, float(max(0, self._frames - 1))
        layer.timeCodesPerSecond = layer.framesPerSecond = self._fps
        layer.subLayerPaths = [relative(self._source, path.parent)]
        with workspace(path) as folder:
            draft = folder / path.name
            if not layer.Export(str(draft)):
                raise UnwritableOutput(f"{path}: cannot be written; make room or choose another folder")
            publish(draft, path)
        return path

    def _declare(self, links: Sequence[str], worlds: int) -> None:
        """Everything but the frames."""
        layer, stage = self._layer, self._stage
        if stage.GetRootLayer().HasDefaultPrim():
            layer.defaultPrim = stage.GetRootLayer().defaultPrim
        layer.pseudoRoot.SetInfo("upAxis", UsdGeom.GetStageUpAxis(stage))
        layer.pseudoRoot.SetInfo("metersPerUnit", UsdGeom.GetStageMetersPerUnit(stage))
        layer.pseudoRoot.SetInfo("kilogramsPerUnit", UsdPhysics.GetStageKilogramsPerUnit(stage))
        instancer = Sdf.CreatePrimInLayer(layer, ROOT)
        instancer.specifier, instancer.typeName = Sdf.SpecifierDef, "PointInstancer"
        holder = Sdf.PrimSpec(instancer, "Prototypes", Sdf.SpecifierDef, "Scope")
        prototypes = [self._prototype(holder, links, i) for i in range(len(links))]
        for path in links:
            if not any(path.startswith(f"{other}/") for other in links):
                _set(Sdf.CreatePrimInLayer(layer, path), "visibility", Sdf.ValueTypeNames.Token, "invisible")
        targets = Sdf.RelationshipSpec(instancer, "prototypes", custom=False)
        targets.targetPathList.explicitItems = [prim.path for prim in prototypes]
        indices = np.tile(np.arange(len(links), dtype=np.int32), worlds)
        _set(instancer, "protoIndices", Sdf.ValueTypeNames.IntArray, Vt.IntArray.FromNumpy(indices))
        for name, kind in (("positions", "Point3fArray"), ("orientations", "QuathArray")):
            Sdf.AttributeSpec(instancer, name, getattr(Sdf.ValueTypeNames, kind))

    def _prototype(self, holder: Sdf.PrimSpec, links: Sequence[str], i: int) -> Sdf.PrimSpec:
        """A link by itself at the origin: without links below it, and no body of its own."""
        prim = Sdf.PrimSpec(holder, f"link{i}", Sdf.SpecifierDef)
        prim.referenceList.prependedItems = [Sdf.Reference(primPath=links[i])]
        _set(prim, "visibility", Sdf.ValueTypeNames.Token, "inherited")
        _set(prim, "physics:rigidBodyEnabled", Sdf.ValueTypeNames.Bool, False)
        world = UsdGeom.XformCache(START).GetLocalToWorldTransform(self._stage.GetPrimAtPath(links[i]))
        scale = world * world.RemoveScaleShear().GetInverse()
        size = Gf.Vec3d(*(scale[k, k] for k in range(3)))
        ops = [] if Gf.IsClose(size, Gf.Vec3d(1), 1e-6) else ["xformOp:scale"]
        for name in ops:
            given = self._stage.GetPrimAtPath(links[i]).GetAttribute(name)
            kind = given.GetTypeName() if given else Sdf.ValueTypeNames.Double3
            _set(prim, name, kind, size if "double" in str(kind) else Gf.Vec3f(size))
        order = Sdf.AttributeSpec(prim, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform)
        order.default = Vt.TokenArray(ops)
        for path in links:
            if path.startswith(f"{links[i]}/"):
                below = Sdf.Path(path).ReplacePrefix(Sdf.Path(links[i]), prim.path)
                Sdf.CreatePrimInLayer(self._layer, below).SetInfo("active", False)
        return prim


def grid(worlds: int, spacing: float, up: str) -> np.ndarray:
    """Where each world stands, (W, 3) [m]: rows of a square around the origin."""
    side = int(np.ceil(np.sqrt(worlds)))
    rows, columns = np.divmod(np.arange(worlds), side)
    across = (np.stack([columns, rows], 1) - (side - 1) / 2.0) * spacing
    offsets = np.zeros((worlds, 3))
    offsets[:, [axis for axis in range(3) if "XYZ"[axis] != up]] = across
    return offsets


def _set(prim: Sdf.PrimSpec, name: str, kind: Sdf.ValueTypeName, value) -> None:
    Sdf.AttributeSpec(prim, name, kind).default = value
