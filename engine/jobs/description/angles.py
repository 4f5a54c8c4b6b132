"""Settings whose values are given in degrees."""

from dataclasses import replace
from math import radians
from typing import TypeVar

import numpy as np

from .. import InvalidJob
from .column_units import unit_of
from .distributions import Distribution
from .parameter_ref import NamedColumns, ParameterRef

Values = TypeVar("Values", np.ndarray, Distribution)


def to_radians(terms: dict[str, Values], names: NamedColumns) -> dict[str, Values]:
    """Return {setting: values} with those of angles and their rates in radians.

    Raises:
        InvalidJob: a setting selects rotations and translations.
    """
    return {text: _scaled(values, angle_scale(ParameterRef.parse(text), names)) for text, values in terms.items()}


def angle_scale(setting: ParameterRef, names: NamedColumns) -> float:
    """Return radians per degree for an angle or its rate that is set or added, else 1.

    Raises:
        InvalidJob: the setting selects rotations and translations.
    """
    turns = setting.component[:1] == "w" if setting.components else unit_of(setting.quantity).startswith("rad")
    if not turns or setting.change == "*":
        return 1.0
    if setting.of not in ("dof", "maximal_dof", "actuator", "bound_point"):
        return radians(1.0)
    columns = getattr(names, setting.of)
    kinds = {columns[i].rpartition(":")[2].startswith("rot") for i in setting.columns(names)}
    if len(kinds) > 1:
        raise InvalidJob(
            f"{setting.text}: must select rotations alone, or translations alone, with --degrees; name the axes"
        )
    return radians(1.0) if kinds == {True} else 1.0


def _scaled(values: Values, scale: float) -> Values:
    if isinstance(values, Distribution):
        return replace(values, numbers=tuple(scale * number for number in values.numbers))
    return values * scale
