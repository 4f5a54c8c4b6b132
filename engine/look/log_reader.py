"""Reading of logs: fajin's joint logs and those of others, as .npz, .csv, .parquet or .mcap.

A column is "q elbow [rad]" as fajin writes it, "elbow/velocity" or "arm.elbow.position" as tools around ROS write it,
or any other name, which is a position then. Units in brackets count; `unit` is that of columns without any.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..npz import NOT_AN_ARCHIVE
from ..recording.mcap_log import read_joint_states
from ..recording.recorder import Recording
from .series import QUANTITIES, Series

TIME = ("time", "t", "stamp", "timestamp", "__time", "seconds")
FAJIN = re.compile(rf"({'|'.join(QUANTITIES)}) (.+)")
ROS = re.compile(r"(.+)[./_ ](position|velocity|effort)")
OF_ROS = {"position": "q", "velocity": "qd", "effort": "effort"}
UNIT = re.compile(r"(.*?)\s*\[([^\]]*)\]")
SCALES = {"deg": pi / 180.0, "deg/s": pi / 180.0, "°": pi / 180.0, "°/s": pi / 180.0, "mm": 1e-3, "mm/s": 1e-3}
LINEAR = {"m", "m/s", "N", "mm", "mm/s"}
CLOCK = 1e6  # [s] a time that starts later is that of a clock
ANGLES = {"q", "target_q", "error", "qd", "target_qd"}


@dataclass(frozen=True)
class LogOptions:
    """Facts about a log that it does not hold itself."""

    time_column: str | None = None
    unit: str = "rad"  # of angles without a unit: "rad" or "deg"
    renamed: Mapping[str, str] | None = None  # {name in the log: name}


def read_series(path: str | Path, options: LogOptions | None = None) -> Series:
    """Return the quantities of joints in a log.

    Raises:
        InputError: the suffix is unknown, a package is missing, or the file has no times or joints.
    """
    path, options = Path(path), options or LogOptions()
    if path.suffix not in READERS:
        raise InputError(f"{path}: must be a log of type {', '.join(READERS)}; name such a file")
    if not path.is_file():
        raise InputError(f"{path}: must be a file that can be read; check the path")
    columns = READERS[path.suffix](path)
    return _series(path, columns, options)


def _series(path: Path, columns: dict[str, np.ndarray], options: LogOptions) -> Series:
    """Return the series of columns by their headings."""
    heading = _time_heading(path, list(columns), options.time_column)
    time = _scaled_time(path, heading, columns.pop(heading))
    complete = bool(columns.pop("complete", np.array(True)).all())
    found: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    units: dict[str, str] = {}
    for text, values in columns.items():
        quantity, joint, unit = parse_heading(text)
        if not np.isfinite(values).any():
            continue
        joint = (options.renamed or {}).get(joint, joint)
        angular = unit == "" and quantity in ANGLES and options.unit == "deg"
        found[quantity][joint] = values * (SCALES["deg"] if angular else SCALES.get(unit, 1.0))
        units[joint] = "m" if unit in LINEAR else units.get(joint, "rad")
    dof = tuple(dict.fromkeys(joint for joints in found.values() for joint in joints))
    if not dof:
        raise InputError(f"{path}: must have a column of numbers beside {heading}; record joint positions")
    values = {}
    for quantity, joints in found.items():
        none = np.full(len(time), np.nan)
        values[quantity] = np.stack([joints.get(name, none) for name in dof], axis=1)
    if "target_q" in values and "q" in values:
        values["error"] = values["target_q"] - values["q"]
    return Series(path.name, time, dof, tuple(units[name] for name in dof), values, complete=complete)


def series_of(recording: Recording, name: str = "simulation") -> Series:
    """Return the series of a recording of one world."""
    values = {key: np.asarray(getattr(recording, key), float) for key in ("q", "qd", "effort")}
    time = np.asarray(recording.time, float)
    return Series(name, time, recording.dof, recording.unit, values, complete=recording.complete)


def parse_heading(text: str) -> tuple[str, str, str]:
    """Return quantity, joint and unit of a heading: "qd elbow [deg/s]" is ("qd", "elbow", "deg/s")."""
    bracket = UNIT.fullmatch(text.strip())
    name, unit = bracket.groups() if bracket else (text.strip(), "")
    if own := FAJIN.fullmatch(name):
        return own[1], own[2], unit
    if ros := ROS.fullmatch(name):
        return OF_ROS[ros[2]], ros[1], unit
    return "q", name, unit


def _time_heading(path: Path, headings: Sequence[str], named: str | None) -> str:
    """Return the heading of the time."""
    if named is not None:
        if named not in headings:
            raise InputError(f"--time-column {named}: must be one of {', '.join(headings[:12])}; these are in {path}")
        return named
    for heading in headings:
        bracket = UNIT.fullmatch(heading)
        if (bracket[1] if bracket else heading).strip().lower() in TIME:
            return heading
    raise InputError(f"{path}: must have a column {TIME[0]}; name the column of times by --time-column")


def _scaled_time(path: Path, heading: str, values: np.ndarray) -> np.ndarray:
    """Return times [s]; those of a clock start at 0."""
    bracket = UNIT.fullmatch(heading)
    scale = {"ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}.get(bracket[2] if bracket else "", 1.0)
    time = np.asarray(values, float) * scale
    if time.ndim != 1 or len(time) < 1 or not np.isfinite(time).all() or (np.diff(time) < 0.0).any():
        raise InputError(f"{path}: {heading} must hold finite times that do not decrease; sort or mend the rows")
    return time - time[0] if time[0] > CLOCK else time


def _npz(path: Path) -> dict[str, np.ndarray]:
    """Return the columns of arrays: (T, D) of names `dof` or `name`, or (T,)."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, *NOT_AN_ARCHIVE) as error:
        raise InputError(f"{path}: must be an .npz file ({' '.join(str(error).split())}); write it again") from None
    names = [str(name) for name in next((arrays[key] for key in ("dof", "name", "names") if key in arrays), [])]
    units = [str(unit) for unit in arrays.get("unit", [])]
    mimics = [str(name) for name in arrays.get("mimic", [])]
    columns = {}
    for key, values in arrays.items():
        if values.dtype.kind not in "fiub" or key == "pose":
            continue
        if values.ndim == 2:
            heads = mimics if key == "residual" else names or [f"joint{i}" for i in range(values.shape[1])]
            for i, name in enumerate(heads[: values.shape[1]]):
                linear = key != "residual" and len(units) > i and units[i] == "m"
                columns[f"{key} {name}{' [m]' if linear else ' [rad]' if units else ''}"] = values[:, i].astype(float)
        elif values.ndim < 2:
            columns[key] = np.asarray(values, float)
    length = max((len(values) for key, values in columns.items() if values.ndim and key in TIME), default=0)
    return {key: values for key, values in columns.items() if key == "complete" or len(np.atleast_1d(values)) == length}


def _csv(path: Path) -> dict[str, np.ndarray]:
    """Return the columns of numbers; a cell that is not a number is NaN."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in file if line.strip()]
    except UnicodeDecodeError:
        raise InputError(f"{path}: must be text in UTF-8; save it again") from None
    if not lines:
        raise InputError(f"{path}: must have a line of headings; write it again")
    mark = max(",;\t", key=lines[0].count)
    headings = [cell.strip() for cell in next(csv.reader(lines[:1], delimiter=mark))]
    rows = [line for line in lines[1:] if not line.startswith("#")]
    try:
        values = np.loadtxt(rows, delimiter=mark, ndmin=2) if rows else np.empty((0, len(headings)))
    except ValueError:
        values = np.array([_numbers(row, len(headings)) for row in csv.reader(rows, delimiter=mark)])
    if values.shape[1] != len(headings):
        raise InputError(
            f"{path}: must have {len(headings)} columns in each row, as headings; it has {values.shape[1]}"
        )
    columns = dict(zip(headings, values.T, strict=True))
    return columns if len(rows) == len(lines) - 1 else columns | {"complete": np.array(False)}


def _numbers(row: Sequence[str], count: int) -> list[float]:
    """Return `count` numbers of a row; NaN for what is not a number."""
    numbers = []
    for cell in [*row, *[""] * (count - len(row))][:count]:
        try:
            numbers.append(float(cell))
        except ValueError:
            numbers.append(np.nan)
    return numbers


def _parquet(path: Path) -> dict[str, np.ndarray]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(f"{path}: needs pyarrow; pip install 'fajin[parquet]'") from None
    try:
        table = parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: must be a parquet file ({str(error).splitlines()[0]}); write it again") from None
    types = {name: table.schema.field(name).type for name in table.column_names}
    numeric = [n for n, kind in types.items() if pyarrow.types.is_floating(kind) or pyarrow.types.is_integer(kind)]
    columns = {name: np.asarray(table[name].to_numpy(), float) for name in numeric}
    about = (table.schema.metadata or {}).get(b"fajin", b"")
    return columns | ({"complete": np.array(False)} if b'"complete": false' in about else {})


def _mcap(path: Path) -> dict[str, np.ndarray]:
    """Return the columns of joint states; a joint that a message does not name has NaN there."""
    states = sorted(read_joint_states(path), key=lambda state: state.time)
    names = list(dict.fromkeys(name for state in states for name in state.name))
    column = {name: i for i, name in enumerate(names)}
    values = np.full((3, len(states), len(names)), np.nan)
    for row, state in enumerate(states):
        places = [column[name] for name in state.name]
        for i, numbers in enumerate(state.values):
            if len(numbers) == len(places):
                values[i, row, places] = numbers
    columns = {"time [s]": np.array([state.time for state in states])}
    for i, quantity in enumerate(OF_ROS.values()):
        columns |= {f"{quantity} {name}": values[i, :, j] for name, j in column.items()}
    return columns


READERS: dict[str, Callable[[Path], dict[str, np.ndarray]]] = {
    ".npz": _npz,
    ".csv": _csv,
    ".parquet": _parquet,
    ".mcap": _mcap,
}
