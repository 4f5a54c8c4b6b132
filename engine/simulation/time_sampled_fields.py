"""Fields that follow the time samples of a scene."""

import numpy as np

from ..scene import Scene, TimeSamples
from .field import View
from .field_access import FieldAccess
from .fields import Fields


class TimeSampledFields:
    """The fields that a scene's time samples set, before every step.

    Args:
        scene: the scene with time samples.
        fields: the fields of its simulation.
    """

    def __init__(self, scene: Scene, fields: FieldAccess):
        self._fields = fields
        self._signals: dict[str, list[tuple[TimeSamples, int]]] = {}  # by field, each with its column
        columns = fields.columns
        for signal in scene.signals:
            prefix, names = (
                ("maximal_", columns.maximal_dof) if signal.dof in columns.maximal_dof else ("", columns.dof)
            )
            self._signals.setdefault(prefix + signal.parameter, []).append((signal, names.index(signal.dof)))

    def __bool__(self) -> bool:
        """Return whether any field is time-sampled."""
        return bool(self._signals)

    @property
    def names(self) -> set[str]:
        """Names of the time-sampled fields."""
        return set(self._signals)

    def apply(self, step: int) -> None:
        """Set the fields at the start of a step."""
        for name, signals in self._signals.items():
            values = [np.interp(step * self._fields.clock.dt, signal.times, signal.values) for signal, _ in signals]
            columns = [at for _, at in signals]
            rows = self._fields.read(name)[:, columns]
            if (rows != np.array(values, rows.dtype)).any():  # a write wakes
                View(self._fields, Fields.quantity(name))[:, columns] = values
