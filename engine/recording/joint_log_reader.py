"""Reading of joint logs, of fajin or of others, as .npz, .csv, .parquet or .mcap.

    log = read_joint_log("real.csv", LogOptions("stamp [ms]", "deg", {"j1": "elbow"}))
    log.time, log.dof, log.values["q"]  # seconds, names, radians or metres

A column is "q elbow [rad]" as fajin writes it, "elbow/velocity" or "arm.elbow.position" as tools around ROS write it,
or any other name, which is a position then. Units in brackets count; `LogOptions.unit` is that of angles without any.
An .npz file has arrays (T, D) by quantity, names `dof` or `name`, and a time. Times in ms, us or ns become seconds;
those of a clock start at 0. A column without numbers is left out, and a cell that is not a number is NaN.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np

from ..errors import InputError
from .log_columns import TIME, read_columns

LOG_QUANTITIES = ("q", "target_q", "error", "qd", "target_qd", "effort", "residual")
"""Quantities in the order of plots; error is target_q - q."""

FAJIN = re.compile(rf"({'|'.join(LOG_QUANTITIES)}) (.+)")
ROS = re.compile(r"(.+)[./_ ](position|velocity|effort)")
OF_ROS = {"position": "q", "velocity": "qd", "effort": "effort"}
UNIT = re.compile(r"(.*?)\s*\[([^\]]*)\]")
SCALES = {"deg": pi / 180.0, "deg/s": pi / 180.0, "°": pi / 180.0, "°/s": pi / 180.0, "mm": 1e-3, "mm/s": 1e-3}
LINEAR = {"m", "m/s", "N", "mm", "mm/s"}
CLOCK = 1e6  # [s] a time that starts later is that of a clock
ANGLES = {"q", "target_q", "error", "qd", "target_qd"}


@dataclass(frozen=True, eq=False)
class JointLog:
    """Quantities of D degrees of freedom at T times, and poses of links where the log has them."""

    name: str  # of the file
    time: np.ndarray  # (T,) [s]
    dof: tuple[str, ...]  # names in the log, or those that options have for them
    unit: tuple[str, ...]  # of q, "rad" or "m"; "rad" where the log does not say
    values: dict[str, np.ndarray]  # {one of LOG_QUANTITIES: (T, D)}; NaN where the log has no value
    link: tuple[str, ...] = ()  # prims of the L links
    pose: np.ndarray | None = None  # (T, L, 7)
    complete: bool = True  # False if the simulation ended early


@dataclass(frozen=True)
class LogOptions:
    """Facts about a log that it does not hold itself."""

    time_column: str | None = None
    unit: str = "rad"  # of angles without a unit: "rad" or "deg"
    renamed: Mapping[str, str] | None = None  # {name in the log: name}


def read_joint_log(path: str | Path, options: LogOptions | None = None) -> JointLog:
    """Read a joint log.

    Raises:
        InputError: the suffix is unknown, a package is missing, or the file has no times or joints.
    """
    path, options = Path(path), options or LogOptions()
    found = read_columns(path)
    columns = dict(found.numbers)
    heading = _time_heading(path, list(columns), options.time_column)
    time = _scaled_time(path, heading, columns.pop(heading))
    quantities, units = _quantities(columns, options)
    dof = tuple(dict.fromkeys(joint for joints in quantities.values() for joint in joints))
    if not dof and found.pose is None:
        raise InputError(f"{path}: must have a column of numbers beside {heading}; record joint positions")
    none = np.full(len(time), np.nan)
    values = {
        quantity: np.stack([joints.get(name, none) for name in dof], axis=1) for quantity, joints in quantities.items()
    }
    unit = tuple(units[name] for name in dof)
    return JointLog(path.name, time, dof, unit, values, found.link, found.pose, found.complete)


def _quantities(
    columns: Mapping[str, np.ndarray], options: LogOptions
) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, str]]:
    """Return {quantity: {joint: values in SI}}, and the unit of each joint's position."""
    found: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    units: dict[str, str] = {}
    for text, values in columns.items():
        quantity, joint, unit = parse_heading(text)
        if len(values) and not np.isfinite(values).any():
            continue
        joint = (options.renamed or {}).get(joint, joint)
        angular = unit == "" and quantity in ANGLES and options.unit == "deg"
        found[quantity][joint] = values * (SCALES["deg"] if angular else SCALES.get(unit, 1.0))
        units[joint] = "m" if unit in LINEAR else units.get(joint, "rad")
    return found, units


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
