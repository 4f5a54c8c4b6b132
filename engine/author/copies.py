"""Stages of many copies of a scene, side by side: references, and collision groups that keep them apart."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from pxr import Sdf, Tf, Usd, UsdGeom

from ..atomic_write import OutputError
from ..scene import InvalidScene, Scene
from ..scene.replication import check_copies, level_axis
from ..usd.read.reader import read_stage
from ..usd.stage.open_stage import open_stage
from ..usd.stage.prescan import PRIMS
from ..usd.write.output_files import check_layers
from .confined_edits import write_layer
from .copied_layer import COMMENT, copied_layer, planes_of
from .layer import check, save


def copies(
    scene: str | Path, output: str | Path, count: int, spacing: float = 2.0, filtered: bool = True
) -> tuple[float, float]:
    """Write a stage with copies of a scene by reference, side by side, which reads as the scene of `fajin.replicate`.

    The copy of a prim PATH is /World/envs/env_I/PATH, with I from 0. Physics scene and planes stand once, below
    /World/shared; copies are in collision groups below /World/collisions, as Isaac Lab writes them.

    Args:
        scene: the file to copy; the stage refers to it.
        output: the new stage; a file with such copies is replaced.
        count: number of copies.
        spacing: distance between neighbours [m]; 0 for filtered copies at one place.
        filtered: keep copies from colliding with each other.

    Returns:
        Extent of the colliders of a copy along both directions of the grid [m]; copies overlap below it.

    Raises:
        InvalidScene: as of `fajin.read` and `fajin.replicate`; the copies have too many prims, or a relationship leads
            from one root prim to another.
        OutputError: the file exists and has other content, or cannot be written.
        TypeError, ValueError: as of `fajin.replicate`.
    """
    asked = {"count": count, "spacing": spacing, "filtered": filtered}
    along, across = write_layer(f"{__name__}:write_copies", scene, output, asked)
    return along, across


def write_copies(path: str, output: str, count: int, spacing: float, filtered: bool, root: str) -> list[float]:
    """Write the stage of copies; see `copies`. `root`: folder that must contain all layers."""
    stage, _ = open_stage(path, root)
    target = Path(output)
    check_layers([layer.realPath for layer in stage.GetUsedLayers()], target, True)
    check(Path(path), target, False)
    _check_content(target)
    scene = read_stage(stage)
    check_copies(scene, count, spacing, filtered)
    _check_prims(stage, count)
    save(copied_layer(stage, scene, target, (count, spacing), filtered), target)
    return _extent(stage, scene)


def _check_content(path: Path) -> None:
    """Raise OutputError if a file exists that is not a stage of copies."""
    if path.exists():
        with suppress(Tf.ErrorException):
            layer = Sdf.Layer.FindOrOpen(str(path))
            if layer and layer.comment.startswith(COMMENT):
                return
        raise OutputError(f"{path}: exists and is not a stage of copies; choose another name or delete it")


def _check_prims(stage: Usd.Stage, count: int) -> None:
    """Raise InvalidScene if the stage of copies would have too many prims to be read."""
    prims = 2 + sum(1 for _ in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))
    most = PRIMS // prims - 2
    if count > most:
        rule = f"at most {max(most, 0):,} for scenes of {prims} prims"
        raise InvalidScene("", "copies", f"{count:,}", rule, "use worlds: fajin.Simulation(scene, worlds=n)")


def _extent(stage: Usd.Stage, scene: Scene) -> list[float]:
    """Return the extent of all colliders but planes along both directions of the grid [m]."""
    purposes = [getattr(UsdGeom.Tokens, name) for name in ("default_", "render", "proxy", "guide")]
    cache, planes = UsdGeom.BBoxCache(Usd.TimeCode.Default(), purposes), planes_of(scene)
    box: Any = None
    for collider in scene.colliders:
        prim = stage.GetPrimAtPath(Sdf.Path(collider.path))
        if prim and collider.path not in planes:
            found = cache.ComputeWorldBound(prim).ComputeAlignedRange()
            box = found if box is None else box.UnionWith(found)
    size = [0.0] * 3 if box is None or box.IsEmpty() else [x * scene.meters_per_unit for x in box.GetSize()]
    return [size[0], size[level_axis(scene)]]
