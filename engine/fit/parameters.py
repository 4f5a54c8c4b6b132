"""Parameters of a fit, by the grammar of `fajin batch`: "elbow:armature", "link3:mass", "delay".

Every parameter has a coordinate x = value / scale, in which a fit takes steps and differences. Coordinates are linear,
because delay, damping and armature trade along a straight valley that logarithms would bend.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ..errors import InputError
from ..log_cholesky import SHAPE, matrix_of, shape_of
from ..model.mass_matrix import diagonal_inertia
from ..model.model import Model
from ..selection import match_columns, short_names
from .link_inertia import CENTRE, GROUPS, check_movable
from .motion_log import MotionLog

FIELDS = {
    "stiffness": "stiffness",
    "damping": "damping",
    "armature": "armature",
    "viscous": "viscous_friction",
    "max_force": "max_force",
    "max_actuator_velocity": "max_actuator_velocity",
    "velocity_dependent_resistance": "velocity_dependent_resistance",
    "speed_effort_gradient": "speed_effort_gradient",
}
"""Quantities of a degree of freedom that are one field of a simulation."""

OF_DOF = (*FIELDS, "coulomb", "static_ratio", "bias")
OF_LINK = ("mass", "payload", *CENTRE, *SHAPE)
OF_LOG = ("delay",)
KINKED = ("static_ratio",)
"""Quantities whose derivatives say little, so that they are profiled."""

BIAS_SCALE = 0.05  # [rad | m]
DELAY_ROWS = (-2.0, 20.0)
MOST_RATIO = 5.0
PAYLOAD = 0.05  # scale of a payload, as a fraction of the mass of the robot
START_OF_MAX = 0.05  # Coulomb friction at the start, as a fraction of the largest effort
PARAMETER_UNITS = {
    "stiffness": ("N·m/rad", "N/m"), "damping": ("N·m·s/rad", "N·s/m"), "viscous": ("N·m·s/rad", "N·s/m"),
    "armature": ("kg·m²", "kg"), "coulomb": ("N·m", "N"), "max_force": ("N·m", "N"), "bias": ("rad", "m"),
    "max_actuator_velocity": ("rad/s", "m/s"), "velocity_dependent_resistance": ("N·m·s/rad", "N·s/m"),
    "speed_effort_gradient": ("rad/s/(N·m)", "m/s/N"), "static_ratio": ("", ""),
    "mass": ("kg", "kg"), "payload": ("kg", "kg"), "delay": ("s", "s"),
    **dict.fromkeys((*CENTRE, *SHAPE[3:]), ("m", "m")), **dict.fromkeys(SHAPE[:3], ("", "")),
}  # fmt: skip


@dataclass(frozen=True)
class FitParameter:
    """One number that is fitted."""

    name: str  # "elbow:armature"
    quantity: str
    column: int  # degree of freedom or link; -1 for the log
    start: float
    scale: float
    low: float
    high: float
    unit: str
    prior: tuple[float, float] | None = None  # mean and standard deviation

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the bounds of the coordinate."""
        return self.low / self.scale, self.high / self.scale


def parse_parameters(
    model: Model, logs: Sequence[MotionLog], texts: Sequence[str], joint: str = ".*"
) -> list[FitParameter]:
    """Return the parameters of texts such as "armature", "elbow:armature" or "link.*:mass".

    Args:
        model: the compiled scene.
        logs: the logs; a quantity without a name is that of each joint in them which moves.
        texts: the parameters.
        joint: regular expression; selects the joints of quantities without a name.

    Raises:
        InputError: a quantity is unknown, a name matches nothing, or a parameter is named twice.
    """
    there = sorted({column for log in logs for column in log.column})
    chosen = [i for i in _columns(joint, model.dof, "dof") if i in there]
    if not chosen:
        raise InputError(f"--joint {joint}: must match a joint of the logs; they have {_shown(model.dof, there)}")
    start = StartValues(model, logs)
    found: list[FitParameter] = []
    for text in texts:
        pattern, _, quantity = text.strip().rpartition(":")
        if quantity in OF_LOG and not pattern:
            found.append(start.delay())
        elif quantity in OF_DOF:
            columns = _columns(pattern, model.dof, "dof") if pattern else chosen
            found += [start.of_dof(quantity, column) for column in columns]
        elif quantity in (*OF_LINK, *GROUPS) and pattern:
            links = tuple(filter(None, model.link))
            columns = _columns(pattern, links, "link")
            found += [start.of_link(one, column) for column in columns for one in GROUPS.get(quantity, (quantity,))]
        else:
            every = ", ".join((*OF_DOF, *(f"LINK:{name}" for name in (*OF_LINK[:2], *GROUPS)), *OF_LOG))
            raise InputError(f"--parameters {text}: must be one of {every}, with or without a joint's name before it")
    names = [one.name for one in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InputError(f"--parameters {min(twice)}: must be named once; remove one of them")
    return found


def parse_fixed(model: Model, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return {quantity: {degree of freedom: value}} of texts such as "wrist.*:armature=0.1".

    Raises:
        InputError: a text does not have this form, a quantity is unknown, or a name matches nothing.
    """
    found: dict[str, dict[str, float]] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        pattern, _, quantity = name.rpartition(":")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not pattern or not 0.0 <= value < inf or quantity not in (*FIELDS, "coulomb"):
            every = ", ".join((*FIELDS, "coulomb"))
            raise InputError(f"--fix {text}: must be JOINT:quantity=number from 0, with a quantity of {every}")
        for column in _columns(pattern, model.dof, "dof"):
            found.setdefault(quantity, {})[model.dof[column]] = value
    return found


def _columns(pattern: str, columns: Sequence[str], of: str) -> list[int]:
    try:
        return match_columns(pattern, columns, of)
    except KeyError as error:
        raise InputError(f"--parameters {pattern}: {error.args[0]}; name one of these") from None


def _shown(dof: Sequence[str], columns: Sequence[int]) -> str:
    return ", ".join(short_name(dof, i) for i in columns)


def short_name(names: Sequence[str], i: int) -> str:
    """Return the shortest unique name of a column."""
    return short_names(names)[i]


class StartValues:
    """Start, scale and bounds of parameters, from the scene and the logs."""

    def __init__(self, model: Model, logs: Sequence[MotionLog]):
        self.model, self.logs = model, logs
        inertia = diagonal_inertia(model)
        self.inertia = np.array([inertia.get(name, 1.0) for name in model.dof])
        self.links = tuple(filter(None, model.link))

    def of_dof(self, quantity: str, column: int) -> FitParameter:
        """Return a parameter of a degree of freedom."""
        parameters = self.model.parameters
        value = float(parameters[FIELDS[quantity].upper()][column]) if quantity in FIELDS else 0.0
        most = float(parameters["MAX_FORCE"][column])
        limited = 0.0 < most < 1e9  # a joint without a drive, such as that of a mimic, has 0
        effort = most if limited else 100.0 * float(self.inertia[column])
        low, high, scale = 0.0, inf, value or 1.0
        if quantity in ("stiffness", "damping"):
            high = 100.0 * value if value else inf
        elif quantity == "armature":
            scale = 0.1 * float(self.inertia[column])
            value = value or scale
        elif quantity == "coulomb":
            value = float(parameters["DYNAMIC_FRICTION"][column]) or START_OF_MAX * effort
            high, scale = effort if limited else inf, value
        elif quantity == "viscous":
            value = value or START_OF_MAX * effort / self._speed(column)
            scale = value
        elif quantity == "static_ratio":
            dynamic = float(parameters["DYNAMIC_FRICTION"][column])
            ratio = float(parameters["STATIC_FRICTION"][column]) / dynamic if dynamic else 1.0
            value, low, high, scale = max(1.1, ratio), 1.0, MOST_RATIO, 1.0
        elif quantity == "bias":
            low, high, scale = -10.0 * BIAS_SCALE, 10.0 * BIAS_SCALE, BIAS_SCALE
        name = f"{short_name(self.model.dof, column)}:{quantity}"
        return FitParameter(name, quantity, column, value, scale, low, high, self._unit(quantity, column))

    def of_link(self, quantity: str, column: int) -> FitParameter:
        """Return the mass of a link, a mass added at its centre, or a number of its centre of mass or inertia."""
        row = self.model.link.index(self.links[column])
        mass = float(self.model.parameters["MASS"][row])
        name = f"{short_name(self.links, column)}:{quantity}"
        if quantity == "mass":
            return FitParameter(name, quantity, column, mass, mass, 1e-3 * mass, 100.0 * mass, "kg")
        if quantity in (*CENTRE, *SHAPE):
            return self._of_body(name, quantity, column, row)
        scale = PAYLOAD * float(self.model.parameters["MASS"].sum())
        return FitParameter(name, quantity, column, 0.5 * scale, scale, 0.0, inf, "kg")

    def _of_body(self, name: str, quantity: str, column: int, row: int) -> FitParameter:
        """Return a number of a link's centre of mass or inertia; lengths have the scale of the link."""
        mass = float(self.model.parameters["MASS"][row])
        shape = shape_of(matrix_of(self.model.parameters["INERTIA"].reshape(-1, 6)[row]), mass)
        size = float(np.exp(shape[:3].max()))
        if quantity in CENTRE:
            check_movable(self.model, name)
            value, scale, reach = float(self.model.coms[row][CENTRE.index(quantity)]), size, 10.0 * size
        elif quantity in SHAPE[:3]:
            value, scale, reach = float(shape[SHAPE.index(quantity)]), 1.0, 5.0
        else:
            value, scale, reach = float(shape[SHAPE.index(quantity)]), size, 10.0 * size
        unit = PARAMETER_UNITS[quantity][0]
        return FitParameter(name, quantity, column, value, scale, value - reach, value + reach, unit)

    def delay(self) -> FitParameter:
        """Return the delay of commands."""
        period = max(log.period for log in self.logs)
        low, high = (rows * period for rows in DELAY_ROWS)
        return FitParameter("delay", "delay", -1, period, period, low, high, "s")

    def _speed(self, column: int) -> float:
        """Return the largest speed of a joint in the logs."""
        speeds = [1e-3]
        for log in self.logs:
            if column in log.column:
                q = log.q[:, log.column.index(column)]
                speeds.append(float(np.percentile(np.abs(np.gradient(q, log.time)), 95)))
        return max(speeds)

    def _unit(self, quantity: str, column: int) -> str:
        return PARAMETER_UNITS[quantity][self.model.unit[column] == "m"]
