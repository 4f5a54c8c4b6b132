"""Recordings of a simulation, frame by frame: in memory, or on disk while they grow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..html import count, html_table
from ..scene import Mimic, Scene
from ..selection import short_names, suggestion

UNITS = {"rad": {"q": "rad", "qd": "rad/s", "effort": "N·m"}, "m": {"q": "m", "qd": "m/s", "effort": "N"}}
FRAME_QUANTITIES = ("q", "qd", "effort", "pose")
"""Quantities of a recording, of which some may be left out."""

FIELDS = ("time", *FRAME_QUANTITIES)


@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """T frames of W worlds; the axis of worlds is there for one world, too.

    A quantity that was not recorded, given as None, is missing: reading it raises AttributeError.
    """

    scene: Scene
    dof: tuple[str, ...]  # D names: joint path and axis token, "/robot/elbow:rotX"
    unit: tuple[str, ...]  # of q, "rad" or "m"
    link: tuple[str, ...]  # L prim paths
    time: np.ndarray  # (T,) [s]
    q: np.ndarray  # (T, W, D) [rad | m]
    qd: np.ndarray  # (T, W, D) [rad/s | m/s]
    effort: np.ndarray  # (T, W, D) [N·m | N]
    pose: np.ndarray  # (T, W, L, 7) world frame of each link's prim: xyz [m], quaternion xyzw
    complete: bool = True  # False if the simulation ended early

    def __post_init__(self) -> None:
        """Remove the quantities that were not recorded."""
        for name in FRAME_QUANTITIES:
            if vars(self)[name] is None:
                object.__delattr__(self, name)

    if not TYPE_CHECKING:  # a type checker that sees this takes any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; Python calls this for missing attributes only."""
            if name in FRAME_QUANTITIES:
                raise AttributeError(f"recording.{name}: must be recorded to be read; add {name!r} to record")
            near = suggestion(name, [other for other in dir(type(self)) if not other.startswith("_")])
            raise AttributeError(f"Recording has no {name!r}{near}")

    @property
    def quantities(self) -> tuple[str, ...]:
        """Return the names of the recorded quantities."""
        return tuple(name for name in FRAME_QUANTITIES if name in vars(self))

    @property
    def worlds(self) -> int:
        """Return the number of worlds, W."""
        return getattr(self, self.quantities[0]).shape[1]

    def _parts(self, part: Callable[[np.ndarray], np.ndarray]) -> dict[str, np.ndarray | None]:
        """Return a part of every quantity; None for those that were not recorded."""
        return {name: part(getattr(self, name)) if name in vars(self) else None for name in FRAME_QUANTITIES}

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    def __repr__(self) -> str:
        """Return one line: frames, times and sizes."""
        span = f", {self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self) else ""
        worlds = f", {count(self.worlds, 'world')}"
        dofs, links = count(len(self.dof), "degree of freedom", "degrees of freedom"), count(len(self.link), "link")
        end = "" if self.complete else ", incomplete"
        return f"<Recording of {count(len(self), 'frame')}{span}{worlds}, {dofs}, {links}{end}>"

    def _repr_html_(self) -> str:
        """Return a table of the degrees of freedom for notebooks: ranges of q, qd and effort over all worlds."""
        if not {"q", "qd", "effort"} <= set(self.quantities):
            return html_table(repr(self), ("recorded", *self.quantities), ())
        header = ("joint", "unit", "q first", "q min", "q max", "q last", "|qd| max", "|effort| max")
        names = short_names(self.dof) if len(self) else ()
        return html_table(repr(self), header, ((name, *self._summary(i)) for i, name in enumerate(names)))

    def _summary(self, column: int) -> tuple[object, ...]:
        """Return unit, range of q (first and last of world 0), and largest |qd| and |effort| of a degree of freedom."""
        q = self.q[..., column].reshape(len(self), -1)
        largest = (float(np.abs(values[..., column]).max()) for values in (self.qd, self.effort))
        ends = float(q[0, 0]), float(q.min()), float(q.max()), float(q[-1, 0])
        return self.unit[column], *ends, *largest

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of q, qd and effort, one row per frame and world.

        Columns have the levels quantity and joint (the shortest unique name), the index has the levels time [s] and
        world. `attrs["units"]` gives the unit of each column.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame needs pandas; run pip install pandas") from None

        fields = [field for field in ("q", "qd", "effort") if field in self.quantities]
        columns = [(field, name) for field in fields for name in short_names(self.dof)]
        values = np.concatenate([getattr(self, field) for field in fields], axis=-1).reshape(-1, len(columns))
        index = pandas.MultiIndex.from_product([self.time, range(self.worlds)], names=["time", "world"])
        frame = pandas.DataFrame(values, index, pandas.MultiIndex.from_tuples(columns, names=["quantity", "joint"]))
        units = [UNITS[unit][field] for field in fields for unit in self.unit]
        frame.attrs["units"] = dict(zip(columns, units, strict=True))
        return frame

    @property
    def mimics(self) -> dict[str, Mimic]:
        """Return the M mimic joints by the name of their follower, in the order of `dof`."""
        joints = [joint for articulation in self.scene.articulations for joint in articulation.joints]
        bound = {f"{joint.path}:{axis.token}": axis.mimic for joint in joints for axis in joint.axes if axis.mimic}
        return {name: bound[name] for name in self.dof if name in bound}

    @property
    def residual(self) -> np.ndarray:
        """Return the error q + Σ gearing q_reference + offset of every mimic joint, (T, W, M) [rad | m]."""
        mimics = self.mimics
        errors = np.empty((*self.q.shape[:-1], len(mimics)), self.q.dtype)
        for i, (name, mimic) in enumerate(mimics.items()):
            c = np.asarray(self.q[..., self.dof.index(name)], np.float64)
            for reference, gearing in mimic.references:
                c = c + gearing * self.q[..., self.dof.index(reference)].astype(np.float64)
            errors[..., i] = c + mimic.offset
        return errors

    def thinned(self, every: int) -> "Recording":
        """Return every `every`-th frame, and the last one."""
        frames = np.append(np.arange(0, len(self) - 1, every), len(self) - 1) if len(self) else slice(0)
        return self[::every] if (len(self) - 1) % every == 0 else self[frames]

    def __getitem__(self, frames: "slice | np.ndarray") -> "Recording":
        """Return the frames of a slice, without a copy, or those of an array of indices."""
        return replace(self, time=self.time[frames], **self._parts(lambda values: values[frames]))  # pyright: ignore[reportArgumentType]  # None: not recorded

    def world(self, index: int) -> "Recording":
        """Return a recording of one world, without a copy.

        Raises:
            IndexError: the world does not exist.
        """
        if not -self.worlds <= index < self.worlds:
            raise IndexError(f"world = {index}: must be from 0 to {self.worlds - 1}")
        if self.worlds == 1:
            return self
        first = index % self.worlds
        return replace(self, **self._parts(lambda values: values[:, first : first + 1]))  # pyright: ignore[reportArgumentType]  # None: not recorded


def concatenate(pieces: Sequence[Recording]) -> Recording:
    """Concatenate consecutive pieces of a simulation; the result is complete if the last piece is."""
    joined = dict.fromkeys(FRAME_QUANTITIES) | {
        field: np.concatenate([getattr(piece, field) for piece in pieces]) for field in ("time", *pieces[0].quantities)
    }
    return replace(pieces[-1], **joined)  # pyright: ignore[reportArgumentType]  # None: not recorded


class Spool:
    """A recording that grows on disk: any number of frames in constant memory, one raw file per field.

    A frame counts once its piece is written, so a full disk loses no earlier frame.
    """

    ROWS = 4096  # frames in memory while a spool moves

    def __init__(self, folder: Path):
        self._files = {field: (folder / f"{field}.raw").open("w+b", buffering=0) for field in FIELDS}
        self._piece: Recording | None = None
        self._frames = 0

    def __len__(self) -> int:
        """Return the number of complete frames."""
        return self._frames

    @property
    def end(self) -> float:
        """Return the time of the last frame [s]."""
        return float(self.recording().time[-1]) if self._frames else 0.0

    def append(self, piece: Recording) -> None:
        """Append consecutive frames.

        Raises:
            OSError: the disk is full.
        """
        if self._piece is None:
            self._piece = piece[:0]
        for field, file in self._files.items():
            _write(file, np.ascontiguousarray(getattr(piece, field)))
        self._frames += len(piece)

    def recording(self, complete: bool = True) -> Recording:
        """Return all frames so far; arrays are read from disk on access."""
        if self._piece is None:
            raise ValueError("spool: must have a piece; append one before its recording is read")
        return replace(self._piece, complete=complete, **{field: self._array(field) for field in FIELDS})

    def _array(self, field: str) -> np.ndarray:
        empty = getattr(self._piece, field)
        shape = (self._frames, *empty.shape[1:])
        if 0 in shape:
            return np.empty(shape, empty.dtype)
        return np.memmap(self._files[field], empty.dtype, "r", shape=shape)

    def moved(self, folder: Path) -> "Spool":
        """Move the frames to another folder; return the new spool. This one is removed.

        Raises:
            OSError: the other disk is full; this spool is unchanged.
        """
        other = Spool(folder)
        for start in range(0, len(self), self.ROWS):
            other.append(self.recording()[start : start + self.ROWS])
        self.close()
        return other

    def close(self) -> None:
        """Remove the files from disk."""
        for file in self._files.values():
            file.close()
            Path(file.name).unlink(missing_ok=True)


def _write(file: FileIO, array: np.ndarray) -> None:
    rest = memoryview(array.reshape(-1).view(np.uint8).data)
    while rest:  # an unbuffered write may be partial; the next write reports the error
        rest = rest[file.write(rest) :]
