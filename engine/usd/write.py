"""Writes a recording over its scene: a layer of time samples above the source, which stays as it is.

out.usda       sublayers the animation and the source, and holds the stage's metadata
out.anim.usdc  overs: transforms of the links that move, relative to their parent prims, and joint states
out.clips      in place of the time samples in out.anim.usdc where there are more than fit in memory at ease
"""

import os
from collections.abc import Sequence
from pathlib import Path

from pxr import Sdf, Tf, Usd, UsdUtils

from ..atomic_write import OutputError, commit, staging_directory
from ..recording.recorder import Recording
from .layers import animation_file, clip_folder, write_layers
from .stage import open_stage

SUFFIXES = (".usda", ".usdc", ".usd")


def check_output(source: str | Path, path: str | Path, flatten: bool = False) -> None:
    """Find out before a simulation whether its motion can be written after it.

    Raises:
        InvalidScene: the source is not a USD file.
        OutputError: unknown suffix, a folder that does not take files, or a layer that the source is made of.
    """
    _check(open_stage(source)[0], Path(path), flatten)


def write(
    recording: Recording, path: str | Path, worlds: Sequence[int] = (0,), flatten: bool = False
) -> tuple[Path, ...]:
    """Write a recording's motion over its scene, whole or not at all; return the files, the one to open first.

    Args:
        recording: what was simulated; its scene names the source file.
        path: .usda, .usdc or .usd; .usdz as well if flattened.
        worlds: the index of the world whose motion is shown; exactly one.
        flatten: write one self-contained file, which is put together in memory, in place of layers over the source.

    Raises:
        InvalidScene: the source is not a USD file any more.
        OutputError: unknown suffix, full disk, a folder that does not take files, or a layer of the source.
        ValueError: other than one world.
    """
    if len(worlds) != 1:
        raise ValueError(f"worlds = {tuple(worlds)}: a stage shows one world; give one index")
    path, source = Path(path), Path(recording.scene.source)
    stage, _ = open_stage(source)
    _check(stage, path, flatten)
    said = UsdUtils.CoalescingDiagnosticDelegate()  # keeps USD's own lines off the terminal; errors are still raised
    with staging_directory(path) as folder:
        try:
            if flatten:
                files = (_flatten(recording.world(worlds[0]), stage, folder / path.name),)
            else:
                name = relative(source, path.parent)
                files = write_layers(recording.world(worlds[0]), stage, folder / path.name, name)
            for file in files:
                commit(file, path.with_name(file.name))
        except Tf.ErrorException:  # it does not say why
            raise OutputError.of(path, OSError("is the disk full?")) from None
        except OSError as error:
            raise OutputError.of(path, error) from None
    del said
    written = tuple(path.with_name(file.name) for file in reversed(files))
    for file in written:
        if layer := Sdf.Layer.Find(str(file)):
            layer.Reload(force=True)  # whoever has the former file open would go on seeing it
    return written


def _check(stage: Usd.Stage, path: Path, flatten: bool) -> None:
    allowed = (*SUFFIXES, ".usdz") if flatten else SUFFIXES
    if path.suffix not in allowed:
        mend = "add --flatten" if path.suffix == ".usdz" else "choose one of these suffixes"
        raise OutputError(f"{path}: a motion is written as {', '.join(allowed)}; {mend}")
    used = {Path(layer.realPath).resolve() for layer in stage.GetUsedLayers() if layer.realPath}
    for file in (path,) if flatten else (path, animation_file(path)):
        if file.resolve() in used:
            raise OutputError(f"{file}: is a layer of the source, which is never overwritten; choose another name")
    clips = clip_folder(path)
    if clips.is_dir() and any(file.suffix != ".usdc" for file in clips.iterdir()):
        raise OutputError(f"{clips}: holds other files than clips; choose another name")
    with staging_directory(path):
        pass


def _flatten(recording: Recording, stage: Usd.Stage, file: Path) -> Path:
    """Put the layers of a motion and the source into one file."""
    layers = file.with_name("layers")
    layers.mkdir()
    source = relative(Path(recording.scene.source), layers)
    *_, root = write_layers(recording, stage, layers / "motion.usda", source)
    flat = Usd.Stage.Open(str(root)).Flatten(addSourceFileComment=False)
    single = file if file.suffix != ".usdz" else file.with_suffix(".usdc")
    flat.Export(str(single))
    if single != file and not UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(single)), str(file)):
        raise OSError("USD does not pack it as .usdz")
    return file


def relative(source: Path, folder: Path) -> str:
    """The path by which a layer in a folder names the source."""
    path = Path(os.path.relpath(source.resolve(), folder.resolve())).as_posix()
    return path if path.startswith("..") else f"./{path}"
