"""Operating points, (velocity, effort) of one joint, from a joint log or from measurements in a csv file.

A csv file has a header with units: "velocity [rpm], effort [mNm]"; speed, qd, torque and force are also accepted.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import reason_of
from ..input_file import DAMAGED, UnreadableFile, read_parquet, read_rows
from ..npz import load_arrays
from ..selection import column
from .envelope_fit import InvalidPoints
from .units import KINDS, InvalidQuantity, unit

NAMES = {"velocity": ("velocity", "speed", "qd"), "effort": ("effort", "torque", "force")}
UNITS = {"velocity": ("speed", "linear speed"), "effort": ("torque", "force")}
LOGGED = re.compile(r"(qd|effort) (\S+) \[(.*)\]")
HEADED = re.compile(r"\s*(\w+)\s*(?:[\[(](.*)[\])])?\s*")


@dataclass(frozen=True)
class OperatingPoints:
    """Operating points of a joint or motor."""

    velocity: np.ndarray  # (N,) [rad/s | m/s]
    effort: np.ndarray  # (N,) [N·m | N]
    rotational: bool
    name: str = ""  # name of the degree of freedom, if a log contains it


def read_points(path: str | Path, joint: str | None = None) -> OperatingPoints:
    """Read a joint's operating points from a log (.npz, .csv, .parquet), or from a csv file with velocity and effort.

    Args:
        path: the file.
        joint: full name, path or prim name; optional if the log contains one degree of freedom.

    Raises:
        InvalidPoints: the file has another format, does not contain the joint, or has no units.
    """
    path = Path(path)
    readers = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
    if path.suffix not in readers:
        raise InvalidPoints(f"{path}: operating points must be {', '.join(readers)}; choose one of these")
    try:
        return readers[path.suffix](path, joint)
    except InvalidPoints:
        raise
    except InvalidQuantity as error:
        raise InvalidPoints(str(error)) from None
    except UnreadableFile as error:
        fix = "write one by fajin simulate --joints, or a csv with units" if error.found else "give a joint log or csv"
        raise InvalidPoints(f"{path}: must be {error.rule}; {fix}") from None
    except DAMAGED as error:
        fix = "write one by fajin simulate --joints, or a csv with units"
        raise InvalidPoints(f"{path}: is not a joint log ({reason_of(error)}); {fix}") from None


def _npz(path: Path, joint: str | None) -> OperatingPoints:
    log = load_arrays(path)
    dofs, units = log["dof"].tolist(), log["unit"].tolist()
    at = _dof(path, dofs, joint)
    return OperatingPoints(log["qd"][1:, at], log["effort"][1:, at], units[at] == "rad", dofs[at])


def _parquet(path: Path, joint: str | None) -> OperatingPoints:
    try:
        log = read_parquet(path)
    except ImportError:
        raise InvalidPoints(f"{path}: parquet needs pyarrow; run pip install pyarrow") from None
    about = json.loads((log.schema.metadata or {}).get(b"fajin", b"{}"))
    if "dof" not in about:
        raise InvalidPoints(f"{path}: is not a joint log; write one by fajin simulate --joints")
    return _logged(path, {name: log[name].to_numpy() for name in log.column_names}, joint)


def _csv(path: Path, joint: str | None) -> OperatingPoints:
    rows = [(i, row) for i, row in enumerate(read_rows(path), 1) if row and not row[0].startswith("#")]
    if len(rows) < 2:
        raise InvalidPoints(f"{path}: must have a header with units and rows of numbers; add points")
    (_, head), *body = rows
    for i, row in body:
        if len(row) != len(head):
            raise InvalidPoints(f"{path}, line {i}: has {len(row)} columns, but the header has {len(head)}")
    columns = dict(zip(head, zip(*(row for _, row in body), strict=True), strict=True))
    lines = [i for i, _ in body]
    wanted = [name for name in columns if LOGGED.fullmatch(name)]
    if wanted:
        return _logged(path, {name: _numbers(path, name, columns[name], lines) for name in wanted}, joint)
    found, scales, kinds = {}, {}, {}
    for quantity, names in NAMES.items():
        headed = (match for name in columns if (match := HEADED.fullmatch(name)) and match[1].lower() in names)
        match = next(headed, None)
        if match is None:
            raise InvalidPoints(
                f"{path}: must have a column {quantity}; name it {quantity} [unit]; other columns are allowed"
            )
        name = match[0]
        scales[quantity], kinds[quantity] = _unit(f"{path}, column {name}", quantity, match[2])
        found[quantity] = _numbers(path, name, columns[name], lines) * scales[quantity]
    if (kinds["velocity"] == "speed") != (kinds["effort"] == "torque"):
        raise InvalidPoints(
            f"{path}: a {kinds['velocity']} and a {kinds['effort']} must belong to one joint; check the units"
        )
    return OperatingPoints(found["velocity"], found["effort"], kinds["velocity"] == "speed")


def _logged(path: Path, columns: dict[str, np.ndarray], joint: str | None) -> OperatingPoints:
    """Return the points of a joint log's columns, without the initial state, which has no effort."""
    matches = {match.group(1, 2): match for name in columns if (match := LOGGED.fullmatch(name))}
    named = {key: match[0] for key, match in matches.items()}
    dofs = [dof for field, dof in named if field == "qd"]
    dof = dofs[_dof(path, dofs, joint)]
    speed = named["qd", dof]
    rotational = matches["qd", dof][3] == "rad/s"
    return OperatingPoints(columns[speed][1:], columns[named["effort", dof]][1:], rotational, dof)


def _dof(path: Path, dofs: list[str], joint: str | None) -> int:
    """Return the index of the selected degree of freedom of a log."""
    if joint is None:
        if len(dofs) == 1:
            return 0
        raise InvalidPoints(f"{path}: contains {len(dofs)} degrees of freedom; name one of {', '.join(dofs)}")
    try:
        return column(joint, dofs)
    except KeyError as error:
        raise InvalidPoints(f"{path}: {error.args[0]}") from None


def _unit(place: str, quantity: str, words: str | None) -> tuple[float, str]:
    """Return the SI value of a column's unit, and its kind."""
    usual = " or ".join(KINDS[kind][0] for kind in UNITS[quantity])
    if not words:
        raise InvalidPoints(f"{place}: needs a unit; name it {quantity} [{KINDS[UNITS[quantity][0]][0].split()[0]}]")
    scale, dimension = unit(place, words)
    kind = next((kind for kind in UNITS[quantity] if KINDS[kind][1] == dimension), None)
    if kind is None:
        raise InvalidPoints(f"{place}: unit = {words}: must be a unit of {quantity}; give one like {usual}")
    return scale, kind


def _numbers(path: Path, name: str, values: tuple[str, ...], lines: list[int]) -> np.ndarray:
    """Return a column as finite numbers."""
    for i, value in zip(lines, values, strict=True):
        try:
            known = np.isfinite(float(value))
        except ValueError:
            known = False
        if not known:
            raise InvalidPoints(f"{path}, line {i}, {name} = {value}: must be a finite number")
    return np.array(values, float)
