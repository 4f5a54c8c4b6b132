"""Reading of joint logs: .npz, .csv, .parquet and .mcap, as `joint_log` writes them."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..npz import NOT_AN_ARCHIVE
from .mcap_log import read_joint_states

COLUMN = re.compile(r"(q|qd|effort) (.+) \[(\S+)\]")
MEND = "pass a log written by fajin simulate --joints"


@dataclass(frozen=True, eq=False)
class JointLog:
    """T frames of the D degrees of freedom of one world; a quantity that a log lacks has the shape (T, 0)."""

    time: np.ndarray  # (T,) [s]
    dof: tuple[str, ...]  # as in recordings
    unit: tuple[str, ...]  # of q, "rad" or "m"
    q: np.ndarray  # (T, D)
    qd: np.ndarray  # (T, D)
    effort: np.ndarray  # (T, D)
    link: tuple[str, ...] = ()  # prims of the L links; none in .csv and .parquet
    pose: np.ndarray | None = None  # (T, L, 7)


def read_joint_log(path: str | Path) -> JointLog:
    """Read a joint log.

    Raises:
        InputError: the file is missing, damaged or not a joint log.
    """
    path = Path(path)
    if path.suffix not in READERS:
        raise InputError(f"{path}: must be {', '.join(READERS)}; {MEND}")
    if not path.is_file():
        raise InputError(f"{path}: must be an existing file; {MEND}")
    return READERS[path.suffix](path)


def _npz(path: Path) -> JointLog:
    try:
        with np.load(path, allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive.files}
        names = {name: tuple(map(str, found[name])) for name in ("dof", "unit", "link")}
        numbers = {name: np.asarray(found[name], float) for name in ("time", "q", "qd", "effort", "pose")}
    except NOT_AN_ARCHIVE:
        raise InputError(f"{path}: must be a joint log; {MEND}") from None
    frames = len(numbers["time"])
    shapes: dict[str, tuple[int, ...]] = {name: (frames, len(names["dof"])) for name in ("q", "qd", "effort")}
    shapes["pose"] = (frames, len(names["link"]), 7)
    for name, shape in shapes.items():
        if numbers[name].shape != shape:
            raise InputError(f"{path}.{name}: must have the shape {shape}, but has {numbers[name].shape}; {MEND}")
    return JointLog(dof=names["dof"], unit=names["unit"], link=names["link"], **numbers)


def _csv(path: Path) -> JointLog:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        names = rows[0]
        values = np.array([row for row in rows[1:] if row], float).reshape(-1, len(names))
    except (OSError, ValueError, IndexError, csv.Error):
        raise InputError(f"{path}: must be a joint log, a table of numbers under names; {MEND}") from None
    return _of_columns(path, dict(zip(names, values.T, strict=True)))


def _parquet(path: Path) -> JointLog:
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{path}: parquet needs pyarrow; pip install 'fajin[parquet]'") from None
    try:
        table = pyarrow.parquet.read_table(path)
        columns = {name: np.asarray(table[name], float) for name in table.column_names}
    except (OSError, ValueError, pyarrow.ArrowException):
        raise InputError(f"{path}: must be a joint log; {MEND}") from None
    return _of_columns(path, columns)


def _of_columns(path: Path, columns: dict[str, np.ndarray]) -> JointLog:
    """Return the log of a table's columns by name."""
    named = [(name, match) for name in columns if (match := COLUMN.fullmatch(name))]
    units = {match[2]: match[3] for _, match in named if match[1] == "q"}
    if "time [s]" not in columns or not units:
        raise InputError(f'{path}: must have the columns "time [s]" and "q NAME [UNIT]"; {MEND}')
    time = columns["time [s]"]
    series = {}
    for quantity in ("q", "qd", "effort"):
        found = {match[2]: columns[name] for name, match in named if match[1] == quantity}
        whole = set(found) >= set(units)
        series[quantity] = np.stack([found[dof] for dof in units], axis=1) if whole else np.zeros((len(time), 0))
    return JointLog(time, tuple(units), tuple(units.values()), **series)


def _mcap(path: Path) -> JointLog:
    states = sorted(read_joint_states(path), key=lambda state: state.time)
    dof = states[0].name
    if any(state.name != dof or len(state.values[0]) != len(dof) for state in states):
        raise InputError(f"{path}: must have positions of the same joints in all messages; {MEND}")
    time = np.array([state.time for state in states])
    values = [[state.values[i] for state in states] for i in range(3)]
    q, qd, effort = (
        np.array(rows) if all(len(row) == len(dof) for row in rows) else np.empty((len(time), 0)) for rows in values
    )
    return JointLog(time, dof, ("rad",) * len(dof), q, qd, effort)  # a message has no units; the scene has


READERS = {".npz": _npz, ".csv": _csv, ".parquet": _parquet, ".mcap": _mcap}
