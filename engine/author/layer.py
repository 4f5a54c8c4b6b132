"""Edit layers: files over a scene that contain only authored opinions; deleting the file undoes the edits."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pxr import Sdf, Tf, Usd

from ..atomic_write import OutputError, check_name, commit, make_folder, staging_directory
from ..scene import InvalidScene
from ..usd.read.reader import read_stage
from ..usd.stage.open_stage import open_stage
from ..usd.stage.prescan import prescan
from ..usd.write.output_files import SUFFIXES, relative, unwritten
from .confined_edits import survive

OF_A_LAYER = ("subLayers", "subLayerOffsets", "primChildren", "primOrder", "layerRelocates", "comment", "documentation")


@contextmanager
def layer(scene: str | Path, output: str | Path | None = None, trusted: bool = False) -> Iterator[Usd.Stage]:
    """Yield the stage of a scene for edits; write them atomically when the block ends, or nothing if it raises.

    with layer("arm.usda", "arm.drives.usda") as stage: ...  # arm.usda stays as it is; open arm.drives.usda

    Args:
        scene: the file to edit.
        output: the layer that receives the edits and sublayers the scene; an existing edit layer is extended. None:
            write to the scene itself.
        trusted: False: a child process with limits opens the files first, and this process only what it survives.

    Raises:
        InvalidScene: the file does not exist, is not USD, exceeds a limit, or the edits make a valid scene invalid.
        OutputError: the suffix is unknown, the file exists and is not an edit layer, or the file cannot be written.
    """
    scene, path = Path(scene), Path(scene if output is None else output)
    if not trusted:
        survive(scene, [path] if output is not None and path.exists() else [])
    source, _ = open_stage(scene)  # the stage keeps its layer alive
    check(scene, path, output is None)
    edits = source.GetRootLayer() if output is None else open_edit_layer(source.GetRootLayer(), scene, path)
    if edits.dirty and not edits.anonymous:
        raise OutputError(f"{path}: has unsaved changes in this process; save or reload it first")
    stage = Usd.Stage.Open(edits)
    sound = is_sound(stage)
    try:
        yield stage
        if sound:
            read_stage(stage)
        save(edits, path)
    finally:
        if lying := Sdf.Layer.Find(str(path.resolve())):
            lying.Reload(force=True)  # open stages must show the written content


def is_sound(stage: Usd.Stage) -> bool:
    """Return whether the scene can be simulated."""
    try:
        read_stage(stage)
    except InvalidScene:
        return False
    return True


def check(scene: Path, path: Path, in_place: bool) -> None:
    """Raise OutputError if the edits could not be written afterwards."""
    check_name(path)
    if path.suffix not in SUFFIXES:
        raise OutputError(f"{path}: the suffix must be one of {', '.join(SUFFIXES)}; choose one of these suffixes")
    if not in_place and path.resolve() == scene.resolve():
        raise OutputError(f"{path}: must not be the scene itself; choose another name, or edit in place")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path}: is not a regular file; choose another name")
    if path.exists() and not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK)):
        raise OutputError(f"{path}: is read-only; choose another name or allow writing")
    make_folder(path)
    with staging_directory(path):
        pass


def open_edit_layer(source: Sdf.Layer, scene: Path, path: Path) -> Sdf.Layer:
    """Return the edit layer: the existing one, or a new one, not yet on disk, with the scene's metadata."""
    if path.exists():
        with suppress(Tf.ErrorException):
            prescan(path)
            edits = Sdf.Layer.FindOrOpen(str(path))
            below = [Path(edits.ComputeAbsolutePath(name)).resolve() for name in edits.subLayerPaths]
            if scene.resolve() in below:
                return edits
        raise OutputError(f"{path}: exists and is not a layer over {scene}; choose another name or delete it")
    edits = Sdf.Layer.CreateAnonymous(path.suffix)
    for key in source.pseudoRoot.ListInfoKeys():
        if key not in OF_A_LAYER:
            edits.pseudoRoot.SetInfo(key, source.pseudoRoot.GetInfo(key))
    edits.comment = f"What fajin authored over {scene.name}; delete this file to undo it."
    edits.subLayerPaths[:] = [str(scene.resolve())]  # absolute until the layer is saved
    return edits


def save(edits: Sdf.Layer, path: Path) -> None:
    """Save the edits at their path; a new layer gets a relative path to its scene."""
    if edits.anonymous:
        placed = Sdf.Layer.CreateAnonymous(path.suffix)
        placed.TransferContent(edits)
        placed.subLayerPaths[:] = [relative(Path(name), path.parent) for name in edits.subLayerPaths]
        edits = placed
    with staging_directory(path) as folder:
        file = folder / path.name
        try:
            written = edits.Export(str(file))
        except Tf.ErrorException as error:
            raise unwritten(path, error) from None
        if not written:
            raise unwritten(path, None)
        try:
            commit(file, path)
        except OSError as error:
            raise OutputError.of(path, error) from None
