"""Writer of recordings over their scene: a layer of time samples above the source; the source does not change.

out.usda       sublayers the animation and the source, and holds the stage's metadata
out.anim.usdc  overs: transforms of the links that move, relative to their parent prims, and joint states
out.clips      value clips, instead of time samples in out.anim.usdc if these exceed the memory limit

The functions are those that a child process calls: their arguments are plain values, and they write into one folder.
"""

from pathlib import Path
from typing import Any

import numpy as np
from pxr import Sdf, Tf, Usd, UsdUtils

from ...atomic_write import OutputError
from ...recording.recorder import Recording
from ...scene import Scene
from ...scene.serialization import from_plain
from ..read import plain_scene
from ..stage.open_stage import open_stage
from .instancer import Instancer
from .layers import time_codes, write_layers
from .output_files import check_layers, relative, unwritten


def prepare() -> None:
    """Load what writing needs."""
    plain_scene.prepare()


def list_layers(path: str, root: str) -> list[str]:
    """Return the files of the layers of a stage.

    Raises:
        InvalidScene: the file is not USD.
    """
    stage, _ = open_stage(path, root)
    return [layer.realPath for layer in stage.GetUsedLayers()]


def write_motion(path: str, recording: dict[str, Any], output: str, folder: str, flatten: bool, root: str) -> list[str]:
    """Write a motion into a folder; return the names of its files, the root layer last.

    Args:
        path: the source.
        recording: fields of the recording; arrays as of `array_of`.
        output: path to which the root layer will be moved.
        folder: folder for the files.
        flatten: True to write one self-contained file, assembled in memory, instead of layers over the source.
        root: folder that must contain all layers.

    Raises:
        InvalidScene: the source is not USD.
        OutputError: full disk, or a layer of the source.
    """
    stage, _ = open_stage(path, root)
    check_layers([layer.realPath for layer in stage.GetUsedLayers()], Path(output), flatten)
    motion, file, source = recording_of(path, recording), Path(folder) / Path(output).name, Path(path)
    said = UsdUtils.CoalescingDiagnosticDelegate()  # keeps USD's messages off the terminal; errors are still raised
    try:
        if flatten:
            files = (_flatten(motion, stage, file),)
        else:
            files = write_layers(motion, stage, file, relative(source, Path(output).parent))
    except Tf.ErrorException as error:
        raise unwritten(Path(output), error) from None
    except OSError as error:
        raise OutputError.of(Path(output), error) from None
    del said
    return [file.name for file in files]


def write_instances(
    path: str, crowd: dict[str, Any], poses: dict[str, Any], output: str, folder: str, root: str
) -> str:
    """Write worlds side by side into a folder; return the name of the file.

    Args:
        path: the source.
        crowd: `links`, `worlds` and `spacing` of an `Instancer`, and the `time` of each frame and the step `dt` [s].
        poses: world poses of all links, (T, W, L, 7), as of `array_of`.
        output: path to which the file will be moved.
        folder: folder for the file.
        root: folder that must contain all layers.

    Raises:
        InvalidScene: the source is not USD.
        OutputError: the disk is full.
    """
    stage, _ = open_stage(path, root)
    fps, codes = time_codes(np.array(crowd["time"]), crowd["dt"])
    instancer = Instancer(stage, tuple(crowd["links"]), crowd["worlds"], crowd["spacing"], fps)
    for code, frame in zip(codes.tolist(), array_of(poses), strict=True):
        instancer.add(frame, code)
    file = Path(folder) / Path(output).name
    try:
        written = instancer.write(file, relative(Path(path), Path(output).parent))
    except Tf.ErrorException as error:
        raise unwritten(Path(output), error) from None
    if not written:
        raise unwritten(Path(output), None)
    return file.name


def reload_layers(files: list[Path]) -> None:
    """Reload layers that this process has open, which would otherwise keep the former content."""
    for file in files:
        if layer := Sdf.Layer.Find(str(file)):
            layer.Reload(force=True)


def recording_of(source: str, plain: dict[str, Any]) -> Recording:
    """Return the recording of plain fields, with the arrays that they have."""
    names = {name: tuple(plain[name]) for name in ("dof", "unit", "link")}
    arrays = {name: array_of(about) for name, about in plain["arrays"].items()}
    missing = {name: None for name in ("q", "qd", "effort", "pose") if name not in arrays}
    scene = from_plain(Scene, {**plain["scene"], "source": source})
    return Recording(scene=scene, complete=plain["complete"], **names, **arrays, **missing)  # pyright: ignore[reportArgumentType]  # None: not recorded


def array_of(about: dict[str, Any]) -> np.ndarray:
    """Return the numbers of a raw file: `file`, `type`, `shape` and `offset`."""
    shape = tuple(about["shape"])
    if 0 in shape:
        return np.empty(shape, about["type"])
    return np.memmap(about["file"], about["type"], "r", about["offset"], shape)


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
