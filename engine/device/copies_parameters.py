"""Parameters of a scene whose copies lie in columns of their templates."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..tables.layout import FOLLOWERS
from . import dlpack
from .buffer import Rows
from .copies import Copies
from .dlpack import Adopted
from .parameters import Parameters


class CopiesParameters:
    """The parameters of a scene, with the interface of `Parameters`.

    A template's parameter is shared by all its columns if copies and worlds have equal rows; else each column has rows.

    Args:
        parts: parameters and copies of each template.
        worlds: number of worlds.
        sizes: number of rows of each parameter.
    """

    def __init__(self, parts: Sequence[tuple[Parameters, Copies]], worlds: int, sizes: dict[str, int]):
        self._parts, self._worlds, self._sizes = parts, worlds, sizes
        self._varying: set[str] = set()  # whose rows may differ between worlds
        self._rows: dict[str, list[np.ndarray]] = {}  # of the scene, per template: (C, rows)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the rows of a parameter, (1, rows) or (worlds, rows); read-only."""
        worlds = self._worlds if name in self._varying else 1
        found = np.zeros((worlds, self._sizes[name]))
        for (parameters, _), rows in zip(self._parts, self._scene_rows(name), strict=True):
            numbers = parameters[name]
            if len(numbers) > 1:
                numbers = numbers.reshape(self._worlds, *rows.shape)[:worlds]
            found[:, rows] = numbers
        return found

    def __setitem__(self, name: str, rows: np.ndarray) -> None:
        """Replace a parameter: (1, rows) shared by all worlds, or (worlds, rows)."""
        names = {name, FOLLOWERS.get(name, name)}
        self._varying = self._varying | names if len(rows) > 1 else self._varying - names
        for (parameters, copies), mine in zip(self._parts, self._scene_rows(name), strict=True):
            numbers = rows[:, mine]
            if (numbers == numbers[:1, :1]).all():
                parameters[name] = numbers[0, :1]
            else:
                columns = np.broadcast_to(numbers, (self._worlds, *mine.shape))
                parameters[name] = columns.reshape(self._worlds * copies.count, -1)

    def varies(self, name: str) -> bool:
        """Return whether every world has its own rows of a parameter."""
        return name in self._varying

    def device_buffer(self, name: str) -> "WorldParameter":
        """Return the rows of a parameter of all worlds for writing on the device; not for `STRUCTURAL` parameters."""
        self.mark_varying((name,))
        return WorldParameter(self, name)

    def mark_varying(self, names: Iterable[str]) -> None:
        """Mark parameters as ones that every world has rows of."""
        if self._worlds > 1:
            self._varying.update(names)

    def write_worlds(self, name: str, values: np.ndarray, worlds: np.ndarray | None) -> None:
        """Replace the rows of a parameter in worlds (None: all) on the device."""
        chosen = np.arange(self._worlds) if worlds is None else worlds
        for (parameters, copies), mine in zip(self._parts, self._scene_rows(name), strict=True):
            numbers = values[:, mine].reshape(len(chosen) * copies.count, -1)
            columns = (chosen[:, None] * copies.count + np.arange(copies.count)).ravel()
            buffer = parameters.device_buffer(name)
            buffer.write(numbers, slice(0, mine.shape[1]), None if worlds is None else columns)

    def upload(self) -> None:
        """Copy changed parameters to the device."""
        for parameters, _ in self._parts:
            parameters.upload()

    def _scene_rows(self, name: str) -> list[np.ndarray]:
        if name not in self._rows:
            self._rows[name] = [copies.parameter_rows(name) for _, copies in self._parts]
        return self._rows[name]


class WorldParameter:
    """Rows of one parameter of all worlds, for writing."""

    def __init__(self, parameters: CopiesParameters, name: str):
        self._parameters, self._name = parameters, name

    def write(self, values: Adopted, _: Rows, worlds: np.ndarray | None = None) -> None:
        """Replace all rows by the values of an array of shape (worlds, rows)."""
        self._parameters.write_worlds(self._name, dlpack.on_host(values), worlds)
