"""Fields of a simulation whose worlds have sets of parameters, one set each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..log_cholesky import SHAPE, inertia_of, matrix_of, shape_of
from ..model.model import Model
from .link_inertia import CENTRE
from .parameters import FIELDS, FitParameter


def values_of(parameters: Sequence[FitParameter], values: np.ndarray | None, quantity: str) -> dict[int, np.ndarray]:
    """Return {column: one value per set} of a quantity, of sets of parameters (V, P)."""
    if values is None:
        return {}
    return {p.column: values[:, i] for i, p in enumerate(parameters) if p.quantity == quantity}


@dataclass(eq=False)
class WorldFields:
    """Fields that parameters set.

    Args:
        model: the compiled scene.
        parameters: the parameters, in the order of the columns of values.
        base: {field: values of the scene with the fixed ones}, (C,) or (C, n).
    """

    model: Model
    parameters: Sequence[FitParameter]
    base: Mapping[str, np.ndarray]

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """Fields of a simulation that the parameters set."""
        quantities = {p.quantity for p in self.parameters}
        names = {FIELDS[quantity] for quantity in quantities & set(FIELDS)}
        names |= {"static_friction", "dynamic_friction"} if quantities & {"coulomb", "static_ratio"} else set()
        names |= {"mass"} if quantities & {"mass", "payload"} else set()
        return tuple(sorted(names | ({"inertia"} if quantities & {"mass", *SHAPE} else set())))

    def of(self, values: np.ndarray | None) -> dict[str, np.ndarray]:
        """Return the fields that parameters set, (V, C) or (V, C, n) each, for sets of parameters (None: the base)."""
        found = {
            name: np.repeat(self.base[name][None], 1 if values is None else len(values), axis=0)
            for name in self.changed
        }
        for quantity, name in FIELDS.items():
            for column, numbers in values_of(self.parameters, values, quantity).items():
                found[name][:, column] = numbers
        if values is not None:
            self._set_friction(found, values)
        for column, numbers in values_of(self.parameters, values, "mass").items():
            found["inertia"][:, column] *= (numbers / self.base["mass"][column])[:, None]
            found["mass"][:, column] = numbers
        if values is not None:
            self._set_shapes(found, values)
        for column, numbers in values_of(self.parameters, values, "payload").items():
            found["mass"][:, column] += numbers
        return found

    def _set_shapes(self, found: dict[str, np.ndarray], values: np.ndarray) -> None:
        """Set the inertias of links in log-Cholesky coordinates, for their masses without payloads."""
        places = {name: values_of(self.parameters, values, name) for name in SHAPE}
        for column in {column for some in places.values() for column in some}:
            base = float(self.base["mass"][column])
            shape = np.tile(shape_of(matrix_of(self.base["inertia"][column]), base), (len(values), 1))
            for i, some in enumerate(places.values()):
                shape[:, i] = some.get(column, shape[:, i])
            masses = found["mass"][:, column] if "mass" in found else np.full(len(values), base)
            found["inertia"][:, column] = inertia_of(shape, masses)

    def centres(self, values: np.ndarray | None) -> dict[int, np.ndarray]:
        """Return {row of the model: shift of the centre of mass (V, 3)} of links whose centre is fitted."""
        model, links = self.model, tuple(filter(None, self.model.link))
        found: dict[int, np.ndarray] = {}
        for i, name in enumerate(CENTRE):
            for column, numbers in values_of(self.parameters, values, name).items():
                row = model.link.index(links[column])
                found.setdefault(row, np.zeros((len(numbers), 3)))[:, i] = numbers - model.coms[row][i]
        return found

    def _set_friction(self, found: dict[str, np.ndarray], values: np.ndarray) -> None:
        """Set static and dynamic friction from Coulomb friction and the ratio of both."""
        ratios = values_of(self.parameters, values, "static_ratio")
        coulomb = values_of(self.parameters, values, "coulomb")
        dynamic, static = self.base["dynamic_friction"], self.base["static_friction"]
        for column in {*ratios, *coulomb}:
            slides = coulomb.get(column, np.full(len(values), dynamic[column]))
            authored = static[column] / dynamic[column] if dynamic[column] > 0.0 else 1.0
            found["dynamic_friction"][:, column] = slides
            found["static_friction"][:, column] = slides * ratios.get(column, np.full(len(values), authored))
