"""Mapping files: how names, units, signs and offsets of a log become those of a scene.

    time_column = "stamp"
    unit = "deg"                  # of all positions and speeds without a unit

    [joint.FL_hip_joint]          # the scene's name
    name = "motor_0"              # the log's name
    unit = "rev"                  # rad, deg, rev, m or mm
    sign = -1
    scale = 1.0                   # such as 1/gear ratio
    offset = 0.1                  # [rad | m], added last: q = sign · scale · unit · q_log + offset
    q = "motor 0 position"        # names of columns, where a heading does not say what it is
    target_q = "motor 0 command"
    effort_unit = "A"             # N·m, mN·m, N or A
    effort_scale = 0.11           # N·m per A

The effort keeps the power: it is multiplied by the sign and by effort_scale.
"""

from dataclasses import dataclass, field
from math import isfinite, pi
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..input_file import UnreadableFile, read_toml
from ..recording.joint_log_reader import JointLog, parse_heading

UNITS = {"rad": 1.0, "deg": pi / 180.0, "rev": 2.0 * pi, "m": 1.0, "mm": 1e-3}
EFFORT_UNITS = {"N·m": 1.0, "Nm": 1.0, "mN·m": 1e-3, "mNm": 1e-3, "N": 1.0, "A": 1.0}
KEYS = {"name": str, "unit": str, "sign": float, "scale": float, "offset": float}
KEYS |= {"effort_unit": str, "effort_scale": float}
COLUMNS = ("q", "target_q", "qd", "target_qd", "effort")
POSITIONS = ("q", "target_q")


@dataclass(frozen=True)
class JointMapping:
    """Mapping of one joint: q = sign · scale · unit · q_log + offset."""

    name: str = ""  # in the log; "" for the scene's name
    unit: str = ""
    sign: float = 1.0
    scale: float = 1.0
    offset: float = 0.0  # [rad | m]
    effort_unit: str = "N·m"
    effort_scale: float = 1.0
    columns: dict[str, str] = field(default_factory=dict)  # {quantity: heading}


@dataclass(frozen=True)
class LogMapping:
    """Mapping of a log."""

    time_column: str | None = None
    unit: str = "rad"
    joints: dict[str, JointMapping] = field(default_factory=dict)  # {name in the scene: mapping}


def read_mapping(path: str | Path) -> LogMapping:
    """Read a mapping file.

    Raises:
        InputError: it is not TOML, or a key or value is unknown.
    """
    said = _toml(Path(path))
    joints = said.pop("joint", {})
    unit, column = said.pop("unit", "rad"), said.pop("time_column", None)
    if said:
        raise InputError(f"{path}: {', '.join(said)} must be time_column, unit or [joint.NAME]; rename it")
    if unit not in ("rad", "deg"):
        raise InputError(f"{path}: unit = {unit}: must be rad or deg; other units belong to a joint")
    if not isinstance(joints, dict):
        raise InputError(f"{path}: joint must be tables [joint.NAME]; write one per joint")
    return LogMapping(column, unit, {name: _joint(path, name, words) for name, words in joints.items()})


def _toml(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except ImportError:
        raise InputError(f"{path}: needs Python 3.11 or tomli; pip install tomli") from None
    except UnreadableFile as error:
        fix = "correct it" if error.found else "check the path"
        raise InputError(f"{path}: must be {error.rule}; {fix}") from None


def _joint(path: str | Path, name: str, words: Any) -> JointMapping:
    """Return the mapping of one joint."""
    place = f"{path}: joint.{name}"
    if not isinstance(words, dict):
        raise InputError(f"{place} = {words}: must be a table; write [joint.{name}]")
    values: dict[str, Any] = {}
    for key, value in words.items():
        if key in COLUMNS:
            values.setdefault("columns", {})[key] = str(value)
        elif key in KEYS and isinstance(value, int | float | str) and isinstance(value, str) == (KEYS[key] is str):
            values[key] = KEYS[key](value)
        else:
            raise InputError(f"{place}.{key} = {value}: must be one of {', '.join((*KEYS, *COLUMNS))}; rename it")
    if values.get("unit", "rad") not in UNITS:
        raise InputError(f"{place}.unit = {values['unit']}: must be one of {', '.join(UNITS)}; choose one")
    if values.get("effort_unit", "N") not in EFFORT_UNITS:
        raise InputError(f"{place}.effort_unit = {values['effort_unit']}: must be one of {', '.join(EFFORT_UNITS)}")
    if values.get("effort_unit") == "A" and "effort_scale" not in values:
        raise InputError(f"{place}.effort_unit = A: must have effort_scale, the N·m per A; add it")
    if values.get("sign", 1.0) not in (-1.0, 1.0):
        raise InputError(f"{place}.sign = {values['sign']:g}: must be 1 or -1; put factors into scale")
    for key in ("scale", "offset", "effort_scale"):
        if not isfinite(values.get(key, 1.0)) or (key != "offset" and values.get(key, 1.0) == 0.0):
            raise InputError(f"{place}.{key} = {values[key]:g}: must be finite{'' if key == 'offset' else ', not 0'}")
    return JointMapping(**values)


def map_log(log: JointLog, said: LogMapping) -> JointLog:
    """Return the log with the scene's names, units, signs and offsets.

    Raises:
        InputError: a joint or column of the mapping is not in the log.
    """
    if not said.joints:
        return log
    named = {m.name or scene for scene, m in said.joints.items()}
    for scene, m in said.joints.items():
        _check_names(log, scene, m)
    taken = {parse_heading(text)[1] for m in said.joints.values() for text in m.columns.values()}
    rest = [i for i, name in enumerate(log.dof) if name not in named and name not in taken]
    values: dict[str, list[np.ndarray]] = {}
    count = len(log.time)
    for quantity in COLUMNS:
        none = np.full(count, np.nan)
        old = log.values.get(quantity)
        columns = [_mapped(log, quantity, scene, m) for scene, m in said.joints.items()]
        values[quantity] = [*columns, *((none if old is None else old[:, i]) for i in rest)]
    units = [("m" if m.unit in ("m", "mm") else _unit(log, scene, m)) for scene, m in said.joints.items()]
    arrays = {name: np.stack(columns, axis=1) for name, columns in values.items()}
    kept = {name: array for name, array in arrays.items() if np.isfinite(array).any()}
    dof = (*said.joints, *(log.dof[i] for i in rest))
    return JointLog(log.name, log.time, dof, (*units, *(log.unit[i] for i in rest)), kept)


def _check_names(log: JointLog, scene: str, m: JointMapping) -> None:
    if not m.columns and (m.name or scene) not in log.dof:
        raise InputError(
            f"{log.name}: joint.{scene}.name = {m.name or scene}: must be one of {', '.join(log.dof[:12])}"
        )
    for quantity, text in m.columns.items():
        kind, name, _ = parse_heading(text)
        if name not in log.dof or kind not in log.values:
            raise InputError(f"{log.name}: joint.{scene}.{quantity} = {text}: must be a column of the log")


def _unit(log: JointLog, scene: str, m: JointMapping) -> str:
    name = m.name or scene
    return log.unit[log.dof.index(name)] if name in log.dof else "rad"


def _mapped(log: JointLog, quantity: str, scene: str, m: JointMapping) -> np.ndarray:
    """Return one quantity of one joint in the scene's unit and sense; NaN where the log lacks it."""
    kind, name = quantity, m.name or scene
    if quantity in m.columns:
        kind, name, _ = parse_heading(m.columns[quantity])
    if kind not in log.values or name not in log.dof:
        return np.full(len(log.time), np.nan)
    values = log.values[kind][:, log.dof.index(name)]
    if quantity == "effort":
        return values * m.sign * m.effort_scale * EFFORT_UNITS[m.effort_unit]
    factor = m.sign * m.scale * UNITS[m.unit or "rad"]
    return values * factor + (m.offset if quantity in POSITIONS else 0.0)
