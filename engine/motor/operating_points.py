"""Operating points, (velocity, effort) of one joint, from a joint log or from measurements in a csv file.

A csv file has a head with units: "velocity [rpm], effort [mNm]", or speed or qd, and torque or force.
"""

import csv
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..npz import NOT_AN_ARCHIVE
from ..selection import column
from .envelope_fit import InvalidPoints
from .units import KINDS, unit

UNREADABLE = (*NOT_AN_ARCHIVE, KeyError, IndexError, NotImplementedError, MemoryError, zlib.error, csv.Error)
"""What readers raise for files of other kinds, and for damaged ones."""

NAMES = {"velocity": ("velocity", "speed", "qd"), "effort": ("effort", "torque", "force")}
UNITS = {"velocity": ("speed", "linear speed"), "effort": ("torque", "force")}
LOGGED = re.compile(r"(qd|effort) (\S+) \[(.*)\]")
HEADED = re.compile(r"\s*(\w+)\s*(?:[\[(](.*)[\])])?\s*")


@dataclass(frozen=True)
class OperatingPoints:
    """What a joint did, or a motor."""

    velocity: np.ndarray  # (N,) [rad/s | m/s]
    effort: np.ndarray  # (N,) [N·m | N]
    rotational: bool
    name: str = ""  # of the degree of freedom, if a log says it


def read_points(path: str | Path, joint: str | None = None) -> OperatingPoints:
    """The operating points of a joint in a log (.npz, .csv, .parquet), or of a csv file with velocity and effort.

    Args:
        path: the file.
        joint: whose, by full name, path or prim name; may be left out where the log holds one degree of freedom.

    Raises:
        InvalidPoints: the file is no such file, has no such joint, or no units.
    """
    path = Path(path)
    readers = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
    if path.suffix not in readers:
        raise InvalidPoints(f"{path}: operating points are read from {', '.join(readers)}; choose one of these")
    try:
        return readers[path.suffix](path, joint)
    except InvalidPoints:
        raise
    except OSError as error:
        raise InvalidPoints(f"{path}: cannot be read ({error.strerror or error}); give a joint log or csv") from None
    except UNREADABLE as error:
        reason = " ".join(str(error).split())[:120]
        raise InvalidPoints(
            f"{path}: is no joint log ({reason}); write one by fajin simulate --joints, or a csv with units"
        ) from None


def _npz(path: Path, joint: str | None) -> OperatingPoints:
    with np.load(path, allow_pickle=False) as log:
        dofs, units = log["dof"].tolist(), log["unit"].tolist()
        at = _dof(path, dofs, joint)
        return OperatingPoints(log["qd"][1:, at], log["effort"][1:, at], units[at] == "rad", dofs[at])


def _parquet(path: Path, joint: str | None) -> OperatingPoints:
    try:
        import pyarrow.parquet
    except ImportError:
        raise InvalidPoints(f"{path}: parquet needs pyarrow; run pip install 'fajin[parquet]'") from None
    log = pyarrow.parquet.read_table(path)
    about = json.loads((log.schema.metadata or {}).get(b"fajin", b"{}"))
    if "dof" not in about:
        raise InvalidPoints(f"{path}: is no joint log; write one by fajin simulate --joints")
    return _logged(path, {name: log[name].to_numpy() for name in log.column_names}, joint)


def _csv(path: Path, joint: str | None) -> OperatingPoints:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [(i, row) for i, row in enumerate(csv.reader(file), 1) if row and not row[0].startswith("#")]
    if len(rows) < 2:
        raise InvalidPoints(f"{path}: holds no points; it needs a head with units and rows of numbers")
    (_, head), *body = rows
    for i, row in body:
        if len(row) != len(head):
            raise InvalidPoints(f"{path}, line {i}: has {len(row)} columns, and the head {len(head)}")
    columns = dict(zip(head, zip(*(row for _, row in body), strict=True), strict=True))
    lines = [i for i, _ in body]
    wanted = [name for name in columns if LOGGED.fullmatch(name)]
    if wanted:
        return _logged(path, {name: _numbers(path, name, columns[name], lines) for name in wanted}, joint)
    found, scales, kinds = {}, {}, {}
    for quantity, names in NAMES.items():
        name = next((n for n in columns if (m := HEADED.fullmatch(n)) and m[1].lower() in names), None)
        if name is None:
            raise InvalidPoints(
                f"{path}: has no column {quantity}; head it as {quantity} [unit], with others beside it"
            )
        scales[quantity], kinds[quantity] = _unit(f"{path}, column {name}", quantity, HEADED.fullmatch(name)[2])
        found[quantity] = _numbers(path, name, columns[name], lines) * scales[quantity]
    if (kinds["velocity"] == "speed") != (kinds["effort"] == "torque"):
        raise InvalidPoints(
            f"{path}: a {kinds['velocity']} and a {kinds['effort']} are not of one joint; check the units"
        )
    return OperatingPoints(found["velocity"], found["effort"], kinds["velocity"] == "speed")


def _logged(path: Path, columns: dict[str, np.ndarray], joint: str | None) -> OperatingPoints:
    """The points of a joint log's columns, without the initial state, which no effort led to."""
    named = {LOGGED.fullmatch(name).group(1, 2): name for name in columns if LOGGED.fullmatch(name)}
    dofs = [dof for field, dof in named if field == "qd"]
    dof = dofs[_dof(path, dofs, joint)]
    speed = named["qd", dof]
    rotational = LOGGED.fullmatch(speed)[3] == "rad/s"
    return OperatingPoints(columns[speed][1:], columns[named["effort", dof]][1:], rotational, dof)


def _dof(path: Path, dofs: list[str], joint: str | None) -> int:
    """Which of the degrees of freedom of a log is meant."""
    if joint is None:
        if len(dofs) == 1:
            return 0
        raise InvalidPoints(f"{path}: holds {len(dofs)} degrees of freedom; name one of {', '.join(dofs)}")
    try:
        return column(joint, dofs)
    except KeyError as error:
        raise InvalidPoints(f"{path}: {error.args[0]}") from None


def _unit(place: str, quantity: str, words: str | None) -> tuple[float, str]:
    """What one of a column's unit is in SI, and the kind of it."""
    usual = " or ".join(KINDS[kind][0] for kind in UNITS[quantity])
    if not words:
        raise InvalidPoints(f"{place}: has no unit; head it as {quantity} [{KINDS[UNITS[quantity][0]][0].split()[0]}]")
    scale, dimension = unit(place, words)
    kind = next((kind for kind in UNITS[quantity] if KINDS[kind][1] == dimension), None)
    if kind is None:
        raise InvalidPoints(f"{place}: {words} is no unit of {quantity}; give one like {usual}")
    return scale, kind


def _numbers(path: Path, name: str, values: tuple[str, ...], lines: list[int]) -> np.ndarray:
    """A column as finite numbers."""
    for i, value in zip(lines, values, strict=True):
        try:
            known = np.isfinite(float(value))
        except ValueError:
            known = False
        if not known:
            raise InvalidPoints(f"{path}, line {i}, {name} = {value}: must be a finite number")
    return np.array(values, float)
