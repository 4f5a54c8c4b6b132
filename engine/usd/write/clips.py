"""Value clips: time samples in one file per time range, of which a stage loads only the current one."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from pxr import Sdf, Vt

from ...recording.recorder import Recording
from .animated_attributes import AnimatedAttributes
from .animation_layer import write_attributes, write_samples


def write_clips(
    root: Sdf.Layer, folder: Path, moving: list[AnimatedAttributes], pieces: Iterable[tuple[Recording, np.ndarray]]
) -> None:
    """Write one clip per piece, with one piece in memory at a time, and reference the clips in the root layer.

    Args:
        root: layer that shows the clips; their values are weaker than its own and stronger than those of its sublayers.
        folder: folder of the clips; the root layer refers to it by its name.
        moving: the animated attributes that move.
        pieces: frames and their time codes; each piece ends with the first frame of the next.
    """
    folder.mkdir()
    manifest = Sdf.Layer.CreateAnonymous(".usdc")
    for track in moving:
        write_attributes(manifest, track)
    _export(manifest, folder / "manifest.usdc")
    starts, names, end = [], [], 0.0
    for index, (piece, codes) in enumerate(pieces):
        clip = Sdf.Layer.CreateAnonymous(".usdc")
        clip.timeCodesPerSecond = clip.framesPerSecond = root.timeCodesPerSecond
        clip.startTimeCode, clip.endTimeCode = codes[0], codes[-1]
        with Sdf.ChangeBlock():
            write_samples(clip, moving, piece, codes)
        names.append(f"{index:05d}.usdc")
        _export(clip, folder / names[-1])
        starts.append(float(codes[0]))
        end = float(codes[-1])
    for top in {track.path.GetPrefixes()[0] for track in moving}:
        clips = {
            "primPath": str(top),
            "assetPaths": Sdf.AssetPathArray([Sdf.AssetPath(f"./{folder.name}/{name}") for name in names]),
            "manifestAssetPath": Sdf.AssetPath(f"./{folder.name}/manifest.usdc"),
            "active": Vt.Vec2dArray([(start, index) for index, start in enumerate(starts)]),
            "times": Vt.Vec2dArray([(starts[0], starts[0]), (end, end)]),
        }
        Sdf.CreatePrimInLayer(root, top).SetInfo("clips", {"default": clips})


def _export(layer: Sdf.Layer, file: Path) -> None:
    if not layer.Export(str(file)):
        raise OSError(f"{file}: could not be written")
