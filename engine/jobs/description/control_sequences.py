"""Controls of a job: events for all worlds, or rows of targets and efforts from an .npz file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ...input_file import UnreadableFile
from ...npz import load_arrays
from ...simulation import Simulation
from ...simulation.control_events import Control, ControlTarget
from ...simulation.control_file import read_controls
from .. import InvalidJob
from ..rollout.rollout import StepCallback
from .validation import shown

ROWS = ("target_q", "target_qd", "effort")


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of controls: row t of an array is set before step t · every; the last row persists."""

    quantity: str
    values: np.ndarray  # (T, D) for all worlds, or (W, T, D)
    every: int

    def table(self, worlds: np.ndarray, count: int) -> np.ndarray:
        """Return `count` rows for these worlds of the job: (count, D), or (worlds, count, D); the last one repeats."""
        rows = np.minimum(np.arange(count), self.values.shape[-2] - 1)
        return self.values[rows] if self.values.ndim == 2 else self.values[worlds[:, None], rows]


def read_control_file(path: Path, target: ControlTarget, worlds: int) -> tuple[tuple[Control, ...], tuple[Rows, ...]]:
    """Read events of a file, or rows of an .npz file: target_q, target_qd, effort, and every (steps per row; 1).

    Raises:
        InvalidScene, InvalidJob: the file is missing, or the shape of an array does not match worlds and dofs.
    """
    if path.suffix != ".npz":
        return read_controls(path, target), ()
    dofs = target.dofs
    if not path.is_file():
        raise InvalidJob(f"{path}: does not exist; pass events in .json, .csv or .parquet, or rows in .npz")
    arrays = _arrays(path)
    every = _steps(path, arrays.pop("every", np.array(1)))
    for name, values in arrays.items():
        if values.ndim not in (2, 3) or values.shape[-1] != len(dofs) or (values.ndim == 3 and len(values) != worlds):
            raise InvalidJob(
                f"{path}, {name}.shape = {values.shape}: must be (rows, {len(dofs)}) or ({worlds}, rows, {len(dofs)})"
            )
        if not values.shape[-2]:
            raise InvalidJob(f"{path}, {name}.shape = {values.shape}: must have at least one row")
        if values.dtype.kind not in "fiu" or not np.isfinite(values).all():
            raise InvalidJob(f"{path}, {name}: must be finite numbers")
    return (), tuple(Rows(name, values, every) for name, values in arrays.items())


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of an .npz file of controls; raise InvalidJob for unknown arrays."""
    try:
        arrays = load_arrays(path)
    except UnreadableFile as error:
        raise InvalidJob(f"{path}: must be {error.rule}; write it with numpy.savez") from None
    names = set(arrays)
    if not names & set(ROWS) or names - {*ROWS, "every"}:
        raise InvalidJob(f"{path}: must contain at least one of {', '.join(ROWS)}, optionally every, and nothing else")
    return arrays


def _steps(path: Path, every: np.ndarray) -> int:
    if every.shape or every.dtype.kind not in "iu" or every < 1:
        raise InvalidJob(f"{path}, every = {shown(every.tolist())}: must be a whole number of steps, at least 1")
    return int(every)


def apply_controls(
    sim: Simulation, worlds: np.ndarray, events: Sequence[Control], rows: Sequence[Rows]
) -> list[StepCallback]:
    """Let a simulation of these worlds of the job follow the controls; return callbacks for those it cannot follow."""
    start = sim.steps
    if rows:
        count = max(row.values.shape[-2] for row in rows)
        sim.schedule({row.quantity: row.table(worlds, count) for row in rows}, every=rows[0].every)

    others = sim._play([replace(control, step=start + control.step) for control in events])
    return [StepCallback(partial(_set, sim, control), control.step - start) for control in others]


def _set(sim: Simulation, control: Control) -> None:
    getattr(sim, control.parameter)[:, control.dof] = control.value
