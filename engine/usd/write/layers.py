"""Layers of an animation: the root, the overs above the source, and value clips for long recordings."""

from pathlib import Path

import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from ...recording.recorder import Recording
from .animated_attributes import AnimatedAttributes, Bounds, tracks
from .animation_layer import write_attributes, write_defaults, write_samples, write_static
from .clips import write_clips
from .instanced_bodies import instancer_tracks
from .output_files import animation_file, clip_folder

SAMPLES = 400_000  # values in memory at once: about 100 MB as time samples


def write_layers(recording: Recording, stage: Usd.Stage, root: Path, source: str) -> tuple[Path, ...]:
    """Write the layers of one world's motion; return them with the root last.

    Args:
        recording: T frames of one world.
        stage: the source, composed.
        root: file to write; the other files are written beside it.
        source: path of the source as written in the root layer.
    """
    fps, codes = time_codes(np.array(recording.time, float), recording.scene.dt)
    over, top = Sdf.Layer.CreateAnonymous(".usdc"), Sdf.Layer.CreateAnonymous(root.suffix)
    for layer in (over, top):
        write_metadata(layer, stage, fps)
        layer.startTimeCode, layer.endTimeCode = codes[0], codes[-1]
    top.customLayerData = {"fajin": {"complete": recording.complete}}

    files = [animation_file(root)]
    moving = _write_overs(over, stage, recording)
    frames = max(2, SAMPLES // (sum(track.count for track in moving) or 1))
    if len(recording) <= frames:
        with Sdf.ChangeBlock():
            write_samples(over, moving, recording, codes)
    else:
        for track in moving:
            write_attributes(over, track)  # clips provide values for attributes, but do not create attributes
        files.append(clip_folder(root))
        write_clips(top, files[-1], moving, _pieces(recording, codes, frames))
    top.subLayerPaths[:] = [f"./{files[0].name}", source]
    for layer, file in ((over, files[0]), (top, root)):
        if not layer.Export(str(file)):
            raise OSError(f"{file}: could not be written")
    return (*files, root)


def time_codes(time: np.ndarray, dt: float) -> tuple[float, np.ndarray]:
    """Return frames per second, and each frame's time code (T,): integers if the frames are evenly spaced.

    Args:
        time: of each frame [s].
        dt: step [s], which gives the rate of a single frame.
    """
    fps = 1.0 / (time[1] - time[0] if len(time) > 1 else dt)
    fps = round(fps) if abs(fps - round(fps)) < 1e-6 * fps else fps
    whole = np.round(time * fps)
    return float(fps), np.where(np.abs(time * fps - whole) < 1e-3, whole, time * fps)


def write_metadata(layer: Sdf.Layer, stage: Usd.Stage, fps: float) -> None:
    """Write units, default prim and frames per second; a stage reads them from its root layer only."""
    layer.timeCodesPerSecond = layer.framesPerSecond = fps  # USD rescales samples of a layer with another rate
    if stage.GetRootLayer().HasDefaultPrim():
        layer.defaultPrim = stage.GetRootLayer().defaultPrim
    layer.pseudoRoot.SetInfo("upAxis", UsdGeom.GetStageUpAxis(stage))
    layer.pseudoRoot.SetInfo("metersPerUnit", UsdGeom.GetStageMetersPerUnit(stage))
    layer.pseudoRoot.SetInfo("kilogramsPerUnit", UsdPhysics.GetStageKilogramsPerUnit(stage))


def _write_overs(layer: Sdf.Layer, stage: Usd.Stage, recording: Recording) -> list[AnimatedAttributes]:
    """Author all opinions except time samples; return the attributes that move.

    Attributes that keep the file's value get no opinion. Attributes that keep another value get a default value.
    """
    found = tracks(stage, recording) + instancer_tracks(stage, recording)
    bounds = _bounds(found, recording)
    moving = []
    with Sdf.ChangeBlock():
        for track, bound in zip(found, bounds, strict=True):
            if not bound.still:
                write_static(layer, stage, track)
                moving.append(track)
            elif track.animated or not bound.including(*track.authored).still:
                write_static(layer, stage, track)
                write_defaults(layer, track, recording[:1])
    return moving


def _bounds(found: list[AnimatedAttributes], recording: Recording) -> list[Bounds]:
    """Return minimum and maximum of all animated attributes over the recording."""
    bounds = [Bounds.of(track.values(recording[:1])) for track in found]
    rows = max(1, SAMPLES // max(1, sum(track.count for track in found)))
    for start in range(0, len(recording), rows):
        piece = recording[start : start + rows]
        bounds = [bound.including(*track.values(piece)) for bound, track in zip(bounds, found, strict=True)]
    return bounds


def _pieces(recording: Recording, codes: np.ndarray, frames: int):
    """Yield consecutive pieces with their time codes; each ends with the first frame of the next, for interpolation."""
    for start in range(0, len(recording) - 1, frames):
        end = start + frames + 1
        yield recording[start:end], codes[start:end]
