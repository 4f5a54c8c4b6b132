"""What varies from world to world: grids, tables and random numbers, as columns with a value for each world.

World w is at point w modulo the number of points. Points are the rows of the table times the product of the grids; the
grid that was named last varies fastest. Random numbers belong to the world (`draw`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path

import numpy as np

from . import InvalidJob
from .distributions import Distribution
from .parameter_ref import NOT_NEGATIVE, ParameterRef
from .table import read_table

RANGES = {"linspace": np.linspace, "geomspace": np.geomspace}


@dataclass(frozen=True, eq=False)
class Sweep:
    """Grids, random numbers and a table.

    Args:
        names: what has `dof`, `link` and `articulation`: a simulation or a model.
        table: {setting: one value a row}.
        grid: {setting: values}; the value is that of all columns the setting means.
        random: {setting: distribution}; every column the setting means gets a number of its own.
        seed: of the random numbers.

    Raises:
        InvalidJob: a setting means nothing here, or a value is none that it can have.
    """

    names: object
    table: Mapping[str, np.ndarray]
    grid: Mapping[str, np.ndarray]
    random: Mapping[str, Distribution]
    seed: int = 0

    def __post_init__(self):
        every = [*self.table, *self.grid, *(setting.text for setting, _ in self.draws())]
        twice = {text for text in every if every.count(text) > 1}
        if twice:
            raise InvalidJob(f"{min(twice)}: varies twice; give it once")
        for kind, columns in (("table", self.table), ("grid", self.grid)):
            for text, values in columns.items():
                setting = ParameterRef.parse(text)
                setting.columns(self.names)
                setting.check(values, kind)

    @property
    def points(self) -> int:
        """Number of combinations of the table's rows and the grids' values."""
        return self._rows * prod(map(len, self.grid.values()))

    @property
    def _rows(self) -> int:
        return len(next(iter(self.table.values()))) if self.table else 1

    def draws(self) -> Iterator[tuple[ParameterRef, Distribution]]:
        """Every column that has random numbers of its own."""
        for text, distribution in self.random.items():
            for setting in ParameterRef.parse(text).each(self.names):
                yield setting, distribution

    def columns(self, worlds: np.ndarray) -> dict[str, np.ndarray]:
        """{setting: one value for each of the worlds}, which are indices, ascending.

        Raises:
            InvalidJob: a random value is none that the setting can have.
        """
        return dict(_columns(self, worlds.astype(np.int64).tobytes()))


@lru_cache(maxsize=1)
def _columns(sweep: Sweep, indices: bytes) -> dict[str, np.ndarray]:
    """The columns of some worlds; those of a shard are wanted to check, to set and to write."""
    worlds = np.frombuffer(indices, np.int64)
    point = worlds % sweep.points
    found = {}
    for text, values in reversed(sweep.grid.items()):
        found[text], point = values[point % len(values)], point // len(values)
    found = {text: values[point] for text, values in sweep.table.items()} | dict(reversed(found.items()))
    for setting, distribution in sweep.draws():
        values = distribution.draw(sweep.seed, setting.text, worlds)
        setting.check(values, f"random {distribution}")
        found[setting.text] = values
    return found


def values_of(text: str) -> np.ndarray:
    """Read "10,100,1000", "linspace(0,1,11)" or "geomspace(1,1000,7)"; the last number in brackets is how many.

    Raises:
        InvalidJob: it is none of these.
    """
    name, bracket, rest = text.partition("(")
    try:
        if not bracket:
            return np.array([float(number) for number in text.split(",")])
        start, stop, count = rest.removesuffix(")").split(",")
        return RANGES[name.strip()](float(start), float(stop), max(1, int(count)))
    except (ValueError, KeyError):
        raise InvalidJob(f"{text}: must be numbers as 10,100,1000, or linspace(from,to,count), or geomspace") from None


def apply(sim, columns: Mapping[str, np.ndarray]) -> None:
    """Give every world of a simulation its values, in the order of the columns. A link's inertia follows its mass.

    Raises:
        InvalidJob: a limit's lower end lies above its upper one, or a sum is less than 0 where it must not be.
    """
    settings = {text: ParameterRef.parse(text) for text in columns}
    arrays = {setting.quantity: None for setting in settings.values()}
    if "mass" in arrays:
        arrays |= {"inertia": None}
    for name in arrays:
        arrays[name] = np.array(sim.read(name), np.float64)
    for text in sorted(columns, key=lambda text: settings[text].quantity == "inertia"):  # after the masses
        setting = settings[text]
        before = arrays["mass"].copy() if setting.quantity == "mass" else None
        setting.put(arrays[setting.quantity], np.asarray(columns[text], np.float64), sim)
        if before is not None:
            arrays["inertia"] *= (arrays["mass"] / np.where(before > 0.0, before, arrays["mass"]))[..., None]
    _check_signs(sim, arrays)
    _check_limits(sim, arrays)
    for name, array in arrays.items():
        sim.write(name, array)


def _check_signs(sim, arrays: Mapping[str, np.ndarray]) -> None:
    for name in set(arrays) & NOT_NEGATIVE:
        worlds, columns = np.nonzero(arrays[name] < 0.0)
        if len(worlds):
            column = getattr(sim, ParameterRef.parse(f".*:{name}").of)[columns[0]]
            value = arrays[name][worlds[0], columns[0]]
            raise InvalidJob(f"world {worlds[0]}, {column}: {name} = {value:g} must not be negative; add more")


def _check_limits(sim, arrays: Mapping[str, np.ndarray]) -> None:
    if not {"lower", "upper"} & set(arrays):
        return
    lower, upper = (arrays[name] if name in arrays else sim.read(name) for name in ("lower", "upper"))
    worlds, columns = np.nonzero(lower > upper)
    if len(worlds):
        at = worlds[0], columns[0]
        raise InvalidJob(
            f"world {worlds[0]}, {sim.dof[columns[0]]}: lower = {lower[at]:g} is above upper = {upper[at]:g}; swap them"
        )


def parse_terms(texts: Sequence[str], option: str, read) -> dict:
    """{setting: what `read` makes of it} of texts "SETTING=…", where "*=" and "+=" belong to the setting.

    Raises:
        InvalidJob: a text has no "=", or a setting comes twice.
    """
    found = {}
    for text in texts:
        name, equals, rest = text.rpartition("=")
        if not equals:
            raise InvalidJob(f"{option} {text}: must be NAME:quantity=…")
        if name in found:
            raise InvalidJob(f"{option} {text}: {name} is there already; give it once")
        try:
            found[name] = read(rest)
        except InvalidJob as error:
            raise InvalidJob(f"{option} {name}={error}") from None
    return found


def points(grid: Sequence[str], table: Path | None, random: Sequence[str]) -> int:
    """How many worlds a job has that does not say it.

    Raises:
        InvalidJob: random numbers alone do not say it either; or a grid or the table is none.
    """
    values = parse_terms(grid, "--grid", values_of)
    if random and not grid and not table:
        raise InvalidJob("--random: says not how many worlds there are; give --worlds")
    rows = len(next(iter(read_table(table).values()))) if table else 1
    return rows * prod(map(len, values.values()))


def check_worlds(worlds: int, sweep: Sweep) -> None:
    """Raise InvalidJob where worlds and points do not go together."""
    if worlds < 1:
        raise InvalidJob(f"--worlds {worlds}: must be at least 1")
    if worlds % sweep.points:
        raise InvalidJob(
            f"--worlds {worlds}: must be a multiple of the {sweep.points} points of grid and table, "
            f"so that each gets as many worlds; give {-(-worlds // sweep.points) * sweep.points}"
        )
