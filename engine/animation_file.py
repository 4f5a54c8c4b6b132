"""Writing of motions over the USD file of their scene, by a child process with limits that writes into one folder."""

import mmap
import stat
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .atomic_write import OutputError, commit, staging_directory
from .recording.recorder import Recording
from .sandbox.limits import current_limits
from .sandbox.request import Request
from .scene.serialization import as_plain
from .usd.write.output_files import animation_file, check_layers, check_place, clip_folder

WRITER = "fajin.usd.write.writer"
READ = ("q", "qd", "pose")
"""Quantities of a recording that the writer reads."""

FRAMES = 4096
"""Frames whose poses are checked at once."""

VALUES_PER_SECOND = 10_000
"""Numbers that a child writes per second at the least; its limits of time are longer by this."""


def check_output(source: str | Path, path: str | Path, flatten: bool = False) -> None:
    """Check before a simulation that its motion can be written afterwards.

    Raises:
        InvalidScene: the source is not a USD file, or exceeds a limit.
        OutputError: unknown suffix, a folder that is not writable, or a layer of the source.
    """
    path = Path(path)
    check_place(path, flatten)
    check_layers(map(str, _ask("list_layers", source, {})), path, flatten)


def write(
    recording: Recording,
    path: str | Path,
    worlds: int | Sequence[int] = 0,
    flatten: bool = False,
    instancer: bool = False,
) -> tuple[Path, ...]:
    """Write a recording's motion over its scene atomically; return the files, the root layer first.

    Args:
        recording: the frames; its scene contains the path of the source file.
        path: .usda, .usdc or .usd; with `flatten` also .usdz.
        worlds: the index of the world to show, also as a sequence of one index; with `instancer` of several, which
            stand side by side.
        flatten: True to write one self-contained file, assembled in memory, instead of layers over the source.
        instancer: True to draw all links as instances of one USD point instancer: of a stage with thousands of copies,
            those that reference one file share a prototype. Joint states are not written.

    Raises:
        InvalidScene: the source has changed: it is not a USD file, or exceeds a limit.
        OutputError: unknown suffix, full disk, a folder that is not writable, or a layer of the source.
        ValueError: `worlds` does not contain exactly one world, poses were not recorded, or one is not finite;
            `flatten` and `instancer` are both True.
        IndexError: the world does not exist.
    """
    path = Path(path)
    if instancer:
        if flatten:
            raise ValueError("flatten, instancer = True: must not be combined; choose one of them")
        return (_write_crowd([recording.world(i) for i in np.atleast_1d(worlds).tolist()], path),)
    motion = _chosen(recording, worlds)
    check_place(path, flatten)
    _check_poses(motion)
    with staging_directory(path) as folder:
        try:
            arrays = {
                "time": motion.time,
                **{name: getattr(motion, name) for name in READ if name in motion.quantities},
            }
            plain = {name: list(getattr(motion, name)) for name in ("dof", "unit", "link")}
            plain |= {"scene": {**as_plain(motion.scene), "reports": []}, "complete": motion.complete}
            plain["arrays"] = {name: _raw(values, folder / f"{name}.raw") for name, values in arrays.items()}
        except OSError as error:
            raise OutputError.of(path, error) from None
        asked = {"recording": plain, "output": str(path), "folder": str(folder), "flatten": flatten}
        size = sum(values.size for values in arrays.values())
        names = _ask("write_motion", motion.scene.source, asked, folder, size)
        return _committed(names, path, folder)


def _write_crowd(motions: list[Recording], path: Path) -> Path:
    """Write the motions of worlds side by side as one point instancer; return the file."""
    check_place(path, flatten=False)
    for motion in motions:
        _check_poses(motion)
    first = motions[0]
    spacing = 0.0 if len(motions) == 1 else None
    crowd = {"links": list(first.link), "worlds": len(motions), "spacing": spacing}
    crowd |= {"time": first.time.tolist(), "dt": first.scene.dt}
    shape = (len(first), len(motions), len(first.link), 7)
    with staging_directory(path) as staged:
        poses = staged / "poses.raw"
        try:
            with poses.open("wb") as file:
                for frame in range(len(first)):
                    file.write(np.stack([motion.pose[frame, 0] for motion in motions]).astype("<f8").tobytes())
        except OSError as error:
            raise OutputError.of(path, error) from None
        return write_instances(Path(first.scene.source), path, crowd, poses, shape)


def _chosen(recording: Recording, worlds: int | Sequence[int]) -> Recording:
    """Return the world of a recording to write."""
    indices = np.atleast_1d(worlds).tolist()
    if len(indices) != 1:
        raise ValueError(f"worlds = {tuple(indices)}: must be one world; write a file per world")
    return recording.world(indices[0])


def _check_poses(motion: Recording) -> None:
    """Raise ValueError if poses were not recorded, or for the first one that is not finite."""
    if "pose" not in motion.quantities:
        names = ", ".join(motion.quantities)
        raise ValueError(f"recording = {names}: must have pose to be written as a motion; add 'pose' to record")
    for start in range(0, len(motion), FRAMES):
        piece = motion.pose[start : start + FRAMES, 0]
        if not np.isfinite(piece).all():
            frame, link = np.argwhere(~np.isfinite(piece).all(-1))[0].tolist()
            at = start + frame
            place = f"recording, frame {at} at {motion.time[at]:.6g} s, pose of {motion.link[link]}"
            fix = f"write recording[:{at}]" if at else "find what made the first state non-finite"
            raise ValueError(f"{place} = {piece[frame, link].tolist()}: must be finite; {fix}")


def write_instances(source: Path, path: Path, crowd: dict[str, Any], poses: Path, shape: tuple[int, ...]) -> Path:
    """Write worlds side by side as one point instancer over a scene, atomically; return the file.

    Args:
        source: the scene.
        path: the file.
        crowd: links, worlds, spacing (None: from the bounds of the drawn geometry) time of each frame and dt [s].
        poses: raw file of poses in double precision, removed by the caller.
        shape: (T, W, L, 7).

    Raises:
        InvalidScene: the source has changed: it is not a USD file, or exceeds a limit.
        OutputError: the file cannot be written.
    """
    with staging_directory(path) as folder:
        about = {"file": str(poses.absolute()), "type": "<f8", "shape": list(shape), "offset": 0}
        asked = {"crowd": crowd, "poses": about, "output": str(path), "folder": str(folder)}
        name = _ask("write_instances", source, asked, folder, int(np.prod(shape)))
        return _committed([name], path, folder)[0]


def _ask(function: str, path: str | Path, arguments: dict[str, Any], writable: str | Path = "", size: int = 0) -> Any:
    """Return the value of a function of the writer, called in a child process, unless there are no limits.

    Args:
        function: its name.
        path: the source.
        arguments: further arguments.
        writable: folder below which the child may write.
        size: numbers to write, on which limits of time and memory depend.
    """
    limits = current_limits()
    if limits is None:
        return getattr(import_module(WRITER), function)(str(path), **arguments, root="")
    more, memory = size / VALUES_PER_SECOND, 16e-9 * size
    longer = replace(limits, cpu=limits.cpu + more, wall=limits.wall + 5.0 * more, memory=limits.memory + memory)
    return Request(f"{WRITER}:{function}", path, {**arguments, "root": limits.root}, longer, writable).answer()


def _raw(values: np.ndarray, file: Path) -> dict[str, Any]:
    """Return place, type and shape of an array on disk, which is written to a file unless it comes from one."""
    values = np.asarray(values) if not isinstance(values, np.memmap) else values
    about = {"type": values.dtype.str, "shape": list(values.shape)}
    if isinstance(values, np.memmap) and isinstance(values.base, mmap.mmap) and values.filename:
        return {**about, "file": str(values.filename), "offset": int(values.offset)}
    with file.open("wb") as raw:
        raw.write(np.ascontiguousarray(values).data)
    return {**about, "file": str(file.absolute()), "offset": 0}


def _committed(names: Any, path: Path, folder: Path) -> tuple[Path, ...]:
    """Move the files that a child has written to their places; return these, the root layer first.

    Raises:
        OutputError: a name or a file is not one that was asked for; or it cannot be moved.
    """
    expected = {path.name, animation_file(path).name, clip_folder(path).name}
    found = [folder / name for name in names if name in expected]
    within = [file for name in found for file in (name, *name.rglob("*"))]
    regular = all(stat.S_ISREG(file.lstat().st_mode) or stat.S_ISDIR(file.lstat().st_mode) for file in within)
    if len(found) != len(names) or not found or not regular:
        raise OutputError(f"{path}: was not written as it should be; report it with the scene")
    try:
        for file in found:
            commit(file, path.with_name(file.name))
    except OSError as error:
        raise OutputError.of(path, error) from None
    written = [path.with_name(file.name) for file in reversed(found)]
    if "pxr" in sys.modules:
        import_module(WRITER).reload_layers(written)
    return tuple(written)
