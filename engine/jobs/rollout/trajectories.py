"""Trajectories of selected worlds, as a zarr group (version 3) with arrays (T, W, D) chunked by time."""

from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np

from ...simulation import Simulation
from .. import InvalidJob

QUANTITIES = {"q": "q", "qd": "qd", "effort": "applied_effort"}
CHUNK = 256  # frames
LEAST = (3, 1)
"""The first version of zarr whose `create_array` takes data."""


def zarr() -> ModuleType:
    """Return the module zarr.

    Raises:
        InvalidJob: zarr is not installed, or older than version 3.1.
    """
    least = ".".join(map(str, LEAST))
    try:
        import zarr
    except ImportError:
        raise InvalidJob(
            f"--record: zarr must be installed; pip install 'zarr>={least}' on Python 3.11 or later"
        ) from None
    if tuple(map(int, zarr.__version__.split(".")[:2])) < LEAST:
        raise InvalidJob(f"--record: zarr = {zarr.__version__}: must be {least} or later; pip install 'zarr>={least}'")
    return zarr


class WorldRange(Protocol):
    """Worlds to record, [first, last)."""

    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...


class Trajectories:
    """Frames of some worlds of a simulation, recorded while it runs."""

    def __init__(self, sim: Simulation, worlds: np.ndarray, chosen: np.ndarray):
        self._sim, self._chosen, self.worlds = sim, chosen, worlds[chosen]
        self._start = sim.steps
        self._time: list[float] = []
        self._frames: dict[str, list[np.ndarray]] = {name: [] for name in (*QUANTITIES, "root_pose")}

    @classmethod
    def of(cls, record: WorldRange | None, sim: Simulation, worlds: np.ndarray) -> "Trajectories | None":
        """Return empty trajectories, or None if none of these worlds is recorded."""
        if record is None:
            return None
        chosen = np.flatnonzero((worlds >= record.first) & (worlds < record.last))
        return cls(sim, worlds, chosen) if len(chosen) else None

    def take(self) -> None:
        """Record the present state, once per time."""
        time = (self._sim.steps - self._start) * self._sim.dt
        if self._time and self._time[-1] == time:
            return
        self._time.append(time)
        for name, frames in self._frames.items():
            frames.append(self._sim.read(QUANTITIES.get(name, name), worlds=self._chosen))

    def arrays(self) -> dict[str, np.ndarray]:
        """Return time (T,), world (W,), q, qd, effort (T, W, D), root_pose (T, W, A, 7)."""
        frames = {name: np.stack(frames) for name, frames in self._frames.items()}
        return {"time": np.array(self._time), "world": self.worlds, **frames}

    def write(self, folder: Path) -> None:
        """Write a zarr group."""
        group = zarr().open_group(folder, mode="w", zarr_format=3)
        sim = self._sim
        group.attrs.update(
            {"dof": sim.dof, "unit": sim.unit, "articulation": sim.articulation, "scene": sim.scene.source}
        )
        for name, array in self.arrays().items():
            chunks = (min(CHUNK, len(array)), *array.shape[1:])
            group.create_array(name, data=array, chunks=tuple(max(1, n) for n in chunks))
