"""Edit layers: a file over a scene that holds what was authored and nothing else, undone by deleting it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pxr import Sdf, Tf, Usd

from ..atomic_write import OutputError, commit, staging_directory
from ..scene import InvalidScene
from ..usd.read import read_stage
from ..usd.stage import open_stage
from ..usd.write import SUFFIXES, relative

OF_A_LAYER = ("subLayers", "subLayerOffsets", "primChildren", "primOrder", "layerRelocates", "comment", "documentation")


@contextmanager
def layer(scene: str | Path, output: str | Path | None = None) -> Iterator[Usd.Stage]:
    """The stage of a scene, open for edits, which are written when the block ends: whole, or not at all if it raises.

    with layer("arm.usda", "arm.drives.usda") as stage: ...  # arm.usda stays as it is; open arm.drives.usda

    Args:
        scene: the file to edit.
        output: the layer that takes the edits and sublayers the scene; one that does so already is added to. None: the
            scene itself.

    Raises:
        InvalidScene: no such file, not USD, or edits that make a scene unsound that could be simulated before.
        OutputError: unknown suffix, a file that is something else, or one that cannot be written.
    """
    scene, path = Path(scene), Path(scene if output is None else output)
    source, _ = open_stage(scene)  # a layer lives as long as its stage
    check(scene, path, output is None)
    edits = source.GetRootLayer() if output is None else open_edit_layer(source.GetRootLayer(), scene, path)
    if edits.dirty and not edits.anonymous:
        raise OutputError(f"{path}: has changes in this process that are not saved; save or reload it first")
    stage = Usd.Stage.Open(edits)
    sound = is_sound(stage)
    try:
        yield stage
        if sound:
            read_stage(stage)
        save(edits, path)
    finally:
        if lying := Sdf.Layer.Find(str(path.resolve())):
            lying.Reload(force=True)  # whoever has the file open sees what it says now


def is_sound(stage: Usd.Stage) -> bool:
    """Whether the scene can be simulated."""
    try:
        read_stage(stage)
    except InvalidScene:
        return False
    return True


def check(scene: Path, path: Path, in_place: bool) -> None:
    """Raise OutputError where the edits could not be written after it."""
    if path.suffix not in SUFFIXES:
        raise OutputError(f"{path}: edits are written as {', '.join(SUFFIXES)}; choose one of these suffixes")
    if not in_place and path.resolve() == scene.resolve():
        raise OutputError(f"{path}: is the scene itself; choose another name, or ask for an edit in place")
    if path.exists() and not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK)):
        raise OutputError(f"{path}: is read-only; choose another name or allow writing")
    with staging_directory(path):
        pass


def open_edit_layer(source: Sdf.Layer, scene: Path, path: Path) -> Sdf.Layer:
    """The layer of edits: the one that lies there, or a new one, not on disk yet, with the metadata of the scene."""
    if path.exists():
        try:
            edits = Sdf.Layer.FindOrOpen(str(path))
            below = [Path(edits.ComputeAbsolutePath(name)).resolve() for name in edits.subLayerPaths]
        except Tf.ErrorException:
            below = []
        if scene.resolve() not in below:
            raise OutputError(f"{path}: exists and is no layer over {scene}; choose another name or delete it")
        return edits
    edits = Sdf.Layer.CreateAnonymous(path.suffix)
    for key in source.pseudoRoot.ListInfoKeys():
        if key not in OF_A_LAYER:
            edits.pseudoRoot.SetInfo(key, source.pseudoRoot.GetInfo(key))
    edits.comment = f"What fajin authored over {scene.name}; delete this file to undo it."
    edits.subLayerPaths = [str(scene.resolve())]  # as long as it has no place
    return edits


def save(edits: Sdf.Layer, path: Path) -> None:
    """Put the edits in their place, where a new layer names its scene from."""
    if edits.anonymous:
        placed = Sdf.Layer.CreateAnonymous(path.suffix)
        placed.TransferContent(edits)
        placed.subLayerPaths = [relative(Path(name), path.parent) for name in edits.subLayerPaths]
        edits = placed
    with staging_directory(path) as folder:
        file = folder / path.name
        try:
            written = edits.Export(str(file))
        except Tf.ErrorException:
            written = False
        if not written:
            raise OutputError.of(path, OSError("is the disk full?"))
        try:
            commit(file, path)
        except OSError as error:
            raise OutputError.of(path, error) from None
