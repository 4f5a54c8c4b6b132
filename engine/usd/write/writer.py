"""Writer of recordings over their scene: a layer of time samples above the source; the source does not change.

out.usda       sublayers the animation and the source, and holds the stage's metadata
out.anim.usdc  overs: transforms of the links that move, relative to their parent prims, and joint states
out.clips      value clips, instead of time samples in out.anim.usdc if these exceed the memory limit
"""

import os
from collections.abc import Sequence
from pathlib import Path

from pxr import Sdf, Tf, Usd, UsdUtils

from ...atomic_write import OutputError, commit, staging_directory
from ...recording.recorder import Recording
from ..stage.stage import open_stage
from .layers import animation_file, clip_folder, write_layers

SUFFIXES = (".usda", ".usdc", ".usd")


def check_output(source: str | Path, path: str | Path, flatten: bool = False) -> None:
    """Check before a simulation that its motion can be written afterwards.

    Raises:
        InvalidScene: the source is not a USD file.
        OutputError: unknown suffix, a folder that is not writable, or a layer of the source.
    """
    _check(open_stage(source)[0], Path(path), flatten)


def write(
    recording: Recording, path: str | Path, worlds: Sequence[int] = (0,), flatten: bool = False
) -> tuple[Path, ...]:
    """Write a recording's motion over its scene atomically; return the files, the root layer first.

    Args:
        recording: the frames; its scene contains the path of the source file.
        path: .usda, .usdc or .usd; with `flatten` also .usdz.
        worlds: the index of the world to show; exactly one.
        flatten: True to write one self-contained file, assembled in memory, instead of layers over the source.

    Raises:
        InvalidScene: the source is no longer a USD file.
        OutputError: unknown suffix, full disk, a folder that is not writable, or a layer of the source.
        ValueError: `worlds` does not contain exactly one world.
    """
    if len(worlds) != 1:
        raise ValueError(f"worlds = {tuple(worlds)}: must be one world; give one index")
    path, source = Path(path), Path(recording.scene.source)
    stage, _ = open_stage(source)
    _check(stage, path, flatten)
    said = UsdUtils.CoalescingDiagnosticDelegate()  # keeps USD's messages off the terminal; errors are still raised
    with staging_directory(path) as folder:
        try:
            if flatten:
                files = (_flatten(recording.world(worlds[0]), stage, folder / path.name),)
            else:
                name = relative(source, path.parent)
                files = write_layers(recording.world(worlds[0]), stage, folder / path.name, name)
            for file in files:
                commit(file, path.with_name(file.name))
        except Tf.ErrorException:  # USD does not report the cause
            raise OutputError.of(path, OSError("is the disk full?")) from None
        except OSError as error:
            raise OutputError.of(path, error) from None
    del said
    written = tuple(path.with_name(file.name) for file in reversed(files))
    for file in written:
        if layer := Sdf.Layer.Find(str(file)):
            layer.Reload(force=True)  # open stages would otherwise keep the former content
    return written


def _check(stage: Usd.Stage, path: Path, flatten: bool) -> None:
    allowed = (*SUFFIXES, ".usdz") if flatten else SUFFIXES
    if path.suffix not in allowed:
        mend = "add --flatten" if path.suffix == ".usdz" else "choose one of these suffixes"
        raise OutputError(f"{path}: the suffix of a motion must be one of {', '.join(allowed)}; {mend}")
    used = {Path(layer.realPath).resolve() for layer in stage.GetUsedLayers() if layer.realPath}
    for file in (path,) if flatten else (path, animation_file(path)):
        if file.resolve() in used:
            raise OutputError(f"{file}: must not be a layer of the source; choose another name")
    clips = clip_folder(path)
    if clips.is_dir() and any(file.suffix != ".usdc" for file in clips.iterdir()):
        raise OutputError(f"{clips}: contains files that are not clips; choose another name")
    with staging_directory(path):
        pass


def _flatten(recording: Recording, stage: Usd.Stage, file: Path) -> Path:
    """Write the layers of a motion and the source into one file."""
    layers = file.with_name("layers")
    layers.mkdir()
    source = relative(Path(recording.scene.source), layers)
    *_, root = write_layers(recording, stage, layers / "motion.usda", source)
    flat = Usd.Stage.Open(str(root)).Flatten(addSourceFileComment=False)
    single = file if file.suffix != ".usdz" else file.with_suffix(".usdc")
    flat.Export(str(single))
    if single != file and not UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(single)), str(file)):
        raise OSError("USD cannot pack it as .usdz")
    return file


def relative(source: Path, folder: Path) -> str:
    """Return the path by which a layer in a folder refers to the source."""
    path = Path(os.path.relpath(source.resolve(), folder.resolve())).as_posix()
    return path if path.startswith("..") else f"./{path}"
