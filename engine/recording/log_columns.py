"""Columns of numbers in the files of joint logs: .npz, .csv, .parquet and .mcap, of fajin or of others."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..input_file import UnreadableFile, read_lines, read_parquet, split_rows
from ..npz import load_arrays
from .mcap_log import JointState, read_joint_states

TIME = ("time", "t", "stamp", "timestamp", "__time", "seconds")


@dataclass(frozen=True, eq=False)
class LogColumns:
    """Columns of a log by heading, and what a table has no column for."""

    numbers: dict[str, np.ndarray]  # {heading: (T,)}; NaN where a cell is not a number
    link: tuple[str, ...] = ()  # prims of the L links
    pose: np.ndarray | None = None  # (T, L, 7)
    complete: bool = True  # False if the simulation ended early


def read_columns(path: Path) -> LogColumns:
    """Return the columns of a log.

    Raises:
        InputError: the suffix is unknown, the file is missing or damaged, or a package is missing.
    """
    if path.suffix not in READERS:
        raise InputError(f"{path}: must be a log of type {', '.join(READERS)}; name such a file")
    if not path.is_file():
        raise InputError(f"{path}: must be a file that can be read; check the path")
    try:
        return READERS[path.suffix](path)
    except UnreadableFile as error:
        raise InputError(f"{path}: must be {error.rule}; write it again") from None


def _npz(path: Path) -> LogColumns:
    """Return the columns of arrays: (T, D) of names `dof` or `name`, or (T,)."""
    arrays = load_arrays(path)
    names = [str(name) for name in next((arrays[key] for key in ("dof", "name", "names") if key in arrays), [])]
    units = [str(unit) for unit in arrays.get("unit", [])]
    mimics = [str(name) for name in arrays.get("mimic", [])]
    pose = arrays.pop("pose", None)
    complete = bool(np.all(arrays.pop("complete", True)))
    columns = {}
    for key, values in arrays.items():
        if values.dtype.kind not in "fiub":
            continue
        if values.ndim == 2:
            heads = mimics if key == "residual" else names or [f"joint{i}" for i in range(values.shape[1])]
            _check_width(path, key, values, heads)
            for i, name in enumerate(heads):
                linear = key != "residual" and len(units) > i and units[i] == "m"
                columns[f"{key} {name}{' [m]' if linear else ' [rad]' if units else ''}"] = values[:, i].astype(float)
        elif values.ndim == 1:
            columns[key] = values.astype(float)
    length = max((len(values) for key, values in columns.items() if key in TIME), default=0)
    link = tuple(map(str, arrays.get("link", ())))
    if pose is not None and pose.shape != (length, len(link), 7):
        raise InputError(
            f"{path}.pose: must have the shape {(length, len(link), 7)}, but has {pose.shape}; write the log again"
        )
    return LogColumns({key: one for key, one in columns.items() if len(one) == length}, link, pose, complete)


def _check_width(path: Path, key: str, values: np.ndarray, names: Sequence[str]) -> None:
    """Raise InputError if a quantity does not have a column per name."""
    if values.shape[1] != len(names):
        raise InputError(
            f"{path}.{key}: must have a column for each of {len(names)} names, but has {values.shape[1]}; "
            "write the log again"
        )


def _csv(path: Path) -> LogColumns:
    lines = [line for line in read_lines(path) if line.strip()]
    if not lines:
        raise InputError(f"{path}: must have a line of headings; write it again")
    mark = max(",;\t", key=lines[0].count)
    headings = [cell.strip() for cell in split_rows(path, lines[:1], mark)[0]]
    rows = [line for line in lines[1:] if not line.startswith("#")]
    try:
        values = np.loadtxt(rows, delimiter=mark, ndmin=2) if rows else np.empty((0, len(headings)))
    except ValueError:
        values = np.array([_numbers(row, len(headings)) for row in split_rows(path, rows, mark)])
    if values.shape[1] != len(headings):
        raise InputError(
            f"{path}: must have {len(headings)} columns in each row, as headings; it has {values.shape[1]}"
        )
    return LogColumns(dict(zip(headings, values.T, strict=True)), complete=len(rows) == len(lines) - 1)


def _numbers(row: Sequence[str], count: int) -> list[float]:
    """Return `count` numbers of a row; NaN for what is not a number."""
    numbers = []
    for cell in [*row, *[""] * (count - len(row))][:count]:
        try:
            numbers.append(float(cell))
        except ValueError:
            numbers.append(np.nan)
    return numbers


def _parquet(path: Path) -> LogColumns:
    try:
        import pyarrow

        table = read_parquet(path)
    except ImportError:
        raise InputError(f"{path}: needs pyarrow; pip install pyarrow") from None
    types = {name: table.schema.field(name).type for name in table.column_names}
    numeric = [n for n, kind in types.items() if pyarrow.types.is_floating(kind) or pyarrow.types.is_integer(kind)]
    about = (table.schema.metadata or {}).get(b"fajin", b"")
    numbers = {name: np.asarray(table[name].to_numpy(), float) for name in numeric}
    return LogColumns(numbers, complete=b'"complete": false' not in about)


def _mcap(path: Path) -> LogColumns:
    """Return the columns of joint states; a joint that a message does not name has NaN there.

    A command holds until the next one; before the first there is NaN.
    """
    every = sorted(read_joint_states(path), key=lambda state: state.time)
    states, commands = ([state for state in every if state.command == command] for command in (False, True))
    columns = {"time [s]": np.array([state.time for state in states])}
    for quantity, (name, values) in _values_of(states, ("q", "qd", "effort")):
        columns[f"{quantity} {name}"] = values
    last = np.searchsorted([state.time for state in commands], columns["time [s]"], side="right") - 1
    for quantity, (name, values) in _values_of(commands, ("target_q", "target_qd")):
        columns[f"{quantity} {name}"] = np.where(last >= 0, values[last], np.nan)
    return LogColumns(columns)


def _values_of(states: Sequence[JointState], quantities: Sequence[str]) -> Iterator[tuple[str, tuple[str, np.ndarray]]]:
    """Yield quantity, joint and values (T,) of messages; a joint that a message does not name has NaN there."""
    names = list(dict.fromkeys(name for state in states for name in state.name))
    column = {name: i for i, name in enumerate(names)}
    values = np.full((len(quantities), len(states), len(names)), np.nan)
    for row, state in enumerate(states):
        places = [column[name] for name in state.name]
        for i, numbers in enumerate(state.values[: len(quantities)]):
            if len(numbers) == len(places):
                values[i, row, places] = numbers
    for i, quantity in enumerate(quantities):
        yield from ((quantity, (name, values[i, :, j])) for name, j in column.items())


READERS: dict[str, Callable[[Path], LogColumns]] = {".npz": _npz, ".csv": _csv, ".parquet": _parquet, ".mcap": _mcap}
