"""Parameter sweeps: grids, tables and random numbers, as columns with one value per world.

World w is at point w modulo the number of points. Points are the rows of the table times the product of the grids; the
last grid varies fastest. Random numbers depend on the world only (`distributions`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TypeVar

import numpy as np

from ...simulation import Simulation
from .. import InvalidJob
from .distributions import Distribution
from .parameter_ref import NamedColumns, ParameterRef
from .posterior import Posterior
from .table import read_table

Value = TypeVar("Value")

RANGES = {"linspace": np.linspace, "geomspace": np.geomspace}


@dataclass(frozen=True, eq=False)
class Sweep:
    """A sweep of grids, random numbers and a table.

    Args:
        names: object with `dof`, `link` and `articulation`: a simulation or ColumnNames.
        table: {setting: one value per row}.
        grid: {setting: values}; a value applies to all matching columns.
        random: {setting: distribution}; every matching column gets its own random numbers.
        seed: seed of the random numbers.
        posterior: values from a fit.

    Raises:
        InvalidJob: a setting matches nothing, or a value is invalid.
    """

    names: NamedColumns
    table: Mapping[str, np.ndarray]
    grid: Mapping[str, np.ndarray]
    random: Mapping[str, Distribution]
    seed: int = 0
    posterior: Posterior | None = None

    def __post_init__(self):
        every = [*self.table, *self.grid, *(setting.text for setting, _ in self.draws()), *self.fitted]
        twice = {text for text in every if every.count(text) > 1}
        if twice:
            raise InvalidJob(f"{min(twice)}: must be varied once; remove one of its definitions")
        for kind, columns in (("table", self.table), ("grid", self.grid)):
            for text, values in columns.items():
                setting = ParameterRef.parse(text)
                setting.columns(self.names)
                setting.check(values, kind)

    @property
    def points(self) -> int:
        """Number of combinations of table rows and grid values."""
        return self._rows * prod(map(len, self.grid.values()))

    @property
    def _rows(self) -> int:
        return len(next(iter(self.table.values()))) if self.table else 1

    @property
    def fitted(self) -> tuple[str, ...]:
        """Settings that get values from a fit."""
        return self.posterior.settings if self.posterior else ()

    def draws(self) -> Iterator[tuple[ParameterRef, Distribution]]:
        """Yield every column with random numbers, and its distribution."""
        for text, distribution in self.random.items():
            for setting in ParameterRef.parse(text).each(self.names):
                yield setting, distribution

    def columns(self, worlds: np.ndarray) -> dict[str, np.ndarray]:
        """Return {setting: one value per world} for ascending indices of worlds.

        Raises:
            InvalidJob: a random value is invalid for its setting.
        """
        return dict(_columns(self, worlds.astype(np.int64).tobytes()))


@lru_cache(maxsize=1)
def _columns(sweep: Sweep, indices: bytes) -> dict[str, np.ndarray]:
    """Return the columns of some worlds; cached because a shard needs them for checks, for setting and for output."""
    worlds = np.frombuffer(indices, np.int64)
    point = worlds % sweep.points
    found = {}
    for text, values in reversed(tuple(sweep.grid.items())):
        found[text], point = values[point % len(values)], point // len(values)
    found = {text: values[point] for text, values in sweep.table.items()} | dict(reversed(found.items()))
    for setting, distribution in sweep.draws():
        values = distribution.draw(sweep.seed, setting.text, worlds)
        setting.check(values, f"random {distribution}")
        found[setting.text] = values
    return found | (sweep.posterior.columns(sweep.seed, worlds) if sweep.posterior else {})


def values_of(text: str) -> np.ndarray:
    """Parse "10,100,1000", "linspace(0,1,11)" or "geomspace(1,1000,7)"; the last argument is the count.

    Raises:
        InvalidJob: invalid text.
    """
    name, bracket, rest = text.partition("(")
    try:
        if not bracket:
            return np.array([float(number) for number in text.split(",")])
        start, stop, count = rest.removesuffix(")").split(",")
        return RANGES[name.strip()](float(start), float(stop), max(1, int(count)))
    except (ValueError, KeyError):
        raise InvalidJob(
            f"{text}: must be numbers such as 10,100,1000, or linspace(from,to,count), or geomspace(from,to,count)"
        ) from None


def apply(sim: Simulation, columns: Mapping[str, np.ndarray]) -> None:
    """Set the values of every world of a simulation, column by column. A link's inertia scales with its mass.

    Raises:
        InvalidJob: a lower limit is above its upper limit, or a sum or a product is against the rule of its quantity.
    """
    settings = {text: ParameterRef.parse(text) for text in columns}
    names = dict.fromkeys(setting.quantity for setting in settings.values())
    if "mass" in names:
        names["inertia"] = None
    arrays = {name: np.array(sim.read(name), np.float64) for name in names}
    for text in sorted(columns, key=lambda text: settings[text].quantity == "inertia"):  # after the masses
        setting = settings[text]
        before = arrays["mass"].copy() if setting.quantity == "mass" else None
        setting.put(arrays[setting.quantity], np.asarray(columns[text], np.float64), sim)
        if before is not None:
            arrays["inertia"] *= (arrays["mass"] / np.where(before > 0.0, before, arrays["mass"]))[..., None]
    try:
        sim._fields.write_together(arrays)
    except ValueError as error:
        raise InvalidJob(str(error)) from None


def parse_terms(texts: Sequence[str], option: str, read: Callable[[str], Value]) -> dict[str, Value]:
    """Return {setting: value parsed by `read`} of texts "SETTING=…"; "*=" and "+=" belong to the setting.

    Raises:
        InvalidJob: a text lacks "=", or a setting is repeated.
    """
    found = {}
    for text in texts:
        name, equals, rest = text.rpartition("=")
        if not equals:
            raise InvalidJob(f"{option} {text}: must be NAME:quantity=…")
        if name in found:
            raise InvalidJob(f"{option} {text}: must set {name} once; remove one of its definitions")
        try:
            found[name] = read(rest)
        except InvalidJob as error:
            raise InvalidJob(f"{option} {name}={error}") from None
    return found


def points(grid: Sequence[str], table: Path | None, random: Sequence[str]) -> int:
    """Return the number of worlds of a job without --worlds.

    Raises:
        InvalidJob: only random numbers are given, or a grid or the table is invalid.
    """
    values = parse_terms(grid, "--grid", values_of)
    if random and not grid and not table:
        raise InvalidJob("--random: does not define the number of worlds; add --worlds")
    rows = len(next(iter(read_table(table).values()))) if table else 1
    return rows * prod(map(len, values.values()))


def check_worlds(worlds: int, sweep: Sweep, name: str = "--worlds") -> None:
    """Raise InvalidJob if the number of worlds, an option or argument of that name, is not a multiple of the points."""
    if worlds < 1:
        raise InvalidJob(f"{name} {worlds}: must be at least 1")
    if worlds % sweep.points:
        raise InvalidJob(
            f"{name} {worlds}: must be a multiple of the {sweep.points} points of grid and table; "
            f"use {-(-worlds // sweep.points) * sweep.points}"
        )
