"""Read-outs: chosen quantities of all worlds in one array, which one launch fills after a step."""

import re
from collections.abc import Callable

import numpy as np

from ..device.buffer import as_input, new_array
from ..device.dlpack import Adopted, let_wait, wait_for_producer
from ..device.state import State
from ..tables.length_units import length_powers
from ..tables.monitors import DERIVED, MONITORS, OPERATIONS
from ..tables.topology import TABLES
from .root_poses import SWAPPED
from .simulation import Simulation
from .world_indices import Worlds, world_indices

FIELDS = {
    "q": ("state", "Q"), "qd": ("state", "QD"), "applied_effort": ("state", "APPLIED_EFFORT"),
    "root_velocity": ("state", "ROOT_VELOCITY"), "qdd": ("results", "QDD"),
}  # fmt: skip
"""Fields that a read-out copies: buffer and row."""

MONITORED = {name.lower(): (owner, width) for name, owner, width, _ in MONITORS if name != "FORCE_THRESHOLD"}
"""Quantities that steps add up for a read-out, see `tables.monitors`: owner and width."""

QUANTITIES = (*FIELDS, *(name.lower() for name in DERIVED), *MONITORED)
"""Names of all quantities of a read-out."""


class Readout:
    """Quantities of all worlds side by side, K numbers for each of W worlds, filled by one launch.

    Quantities are the fields q, qd, qdd, applied_effort and root_velocity; per articulation root_pose, root_velocity_b
    (linear and angular velocity, axes of the root) and projected_gravity_b (the direction -z in these axes); and what
    steps add up from the first `add` of such a quantity on: squared_effort and absolute_power per joint, sums over the
    steps of the last call of `step`; finite per articulation, 1 or 0; net_force per collider in the last step,
    peak_force, the largest |net force| over those steps, and current_air_time, last_air_time, current_contact_time and
    last_contact_time, in the words of Isaac Lab's contact sensor, to the step.

    Args:
        simulation: simulation to read from.
        force_threshold: net force above which a collider is in contact [N].
        new_memory: returns a tensor of so many numbers on the GPU of the simulation, of its precision, in which the
            quantities then stay; None: they are in memory of the host.

    Raises:
        ValueError: force_threshold is negative or not finite, or the simulation keeps copies of robots in lanes.
    """

    def __init__(
        self, simulation: Simulation, force_threshold: float = 1.0, new_memory: Callable[[int], Adopted] | None = None
    ):
        if not 0.0 <= force_threshold < np.inf:
            raise ValueError(f"force_threshold = {force_threshold}: must be finite and not negative [N]")
        state = simulation._synced_state()
        if not isinstance(state, State):
            raise ValueError("simulation: must not keep copies of robots in lanes; pass copies=False to Simulation")
        self.simulation, self.force_threshold = simulation, force_threshold
        self._state, self._columns = state, simulation._fields.columns
        self._words = np.zeros((0, 4), np.int32)
        self._links = False  # whether poses of links that joints move are among the quantities
        self._units = np.zeros(0, state.float)  # SI numbers of the units of the rows on the device
        self._size, self._stride = 0, self._state.batch.packs | 1  # odd: rows a power of 2 apart share a cache set
        self._memory: Adopted = np.zeros((0, 0))
        self._new_memory = new_memory
        trees = zip(self._columns.roots, self._columns.tree_roots, strict=True)
        self.hinged: tuple[int, ...] = tuple(a for a, (link, tree) in enumerate(trees) if link != tree)
        """Columns of articulations that a joint ties to the world: root velocities are those of their fixed base, 0."""
        whole = state.model.tables["COLLIDERS"][:, TABLES["COLLIDERS"]["WHOLE"]]
        moves = state.model.tables["COLLIDERS"][:, TABLES["COLLIDERS"]["ARTICULATION"]] >= 0
        self._collider_rows = np.flatnonzero(moves & (whole == np.arange(len(whole))))
        self.collider: tuple[str, ...] = tuple(state.model.collider[row] for row in self._collider_rows)
        """Prim paths of the colliders of bodies that may touch another one, columns of the quantities of contacts."""

    def colliders(self, pattern: str) -> np.ndarray:
        """Return the columns of colliders whose path, or its last name, matches a regular expression.

        Raises:
            KeyError: none matches; the message lists them.
            ValueError: not a regular expression.
        """
        try:
            fits = re.compile(pattern).fullmatch
        except re.error as error:
            raise ValueError(f"colliders = {pattern!r}: must be a regular expression; {error}") from None
        found = [i for i, path in enumerate(self.collider) if fits(path) or fits(path.rpartition("/")[2])]
        if not found:
            names = ", ".join(self.collider) or "none"
            raise KeyError(f"colliders = {pattern!r}: must match a collider of a body: {names}")
        return np.array(found)

    def add(self, name: str, columns: np.ndarray | None = None) -> slice:
        """Add a quantity; return its rows in `values`, which are filled by the next `update`.

        Args:
            name: name of the quantity.
            columns: columns of the quantity in the order of the rows, None for all.

        Raises:
            KeyError: no such quantity.
            IndexError: no such column.
        """
        if name not in QUANTITIES:
            raise KeyError(f"no quantity {name!r}; must be one of {', '.join(QUANTITIES)}")
        words = self._words_of(name, columns)
        width, _ = DERIVED.get(name.upper(), (1, ""))
        rows = slice(self._size, self._size + len(words) * width)
        words[:, 3] = np.arange(rows.start, rows.stop, width)
        self._units = as_input(np.concatenate([self._units, self._units_of(name, words)]).astype(self._state.float))
        self._words, self._size = as_input(np.concatenate([self._words, words.astype(np.int32)])), rows.stop
        device = self._state.device
        number = f"f{device.bits // 8}"
        if device.packed:
            self._memory = new_array(device, (self._size * self._state.batch.packs * device.lanes,), number)
        else:
            new = self._new_memory or (lambda count: np.zeros(count, number))
            self._memory = new(self._size * self._stride)
        return rows

    @property
    def _strides(self) -> tuple[int, int]:
        """Numbers from a row to the next one, and from a world to the next one."""
        return (1, self._size) if self._state.device.packed else (self._stride, 1)

    def _words_of(self, name: str, columns: np.ndarray | None) -> np.ndarray:
        """Return the words of a quantity for `readout_kernel`, (n, 4)."""
        links = np.array(self._columns.roots)
        if name.upper() in DERIVED:
            chosen = np.arange(len(links)) if columns is None else np.arange(len(links))[columns]
            self._links |= not set(self.hinged).isdisjoint(chosen.tolist())
            return np.stack([np.full_like(chosen, OPERATIONS[name.upper()]), chosen, links[chosen], chosen], 1)
        if name in FIELDS:
            source, row = FIELDS[name]
            owner, width = ("A", 6) if name == "root_velocity" else ("D", 1)
        else:
            source, row, (owner, width) = "monitors", name.upper(), MONITORED[name]
            self._start_monitors()
        rows = self._rows_of(row, owner, width, columns)
        return np.stack([np.full_like(rows, OPERATIONS[source]), rows, rows, rows], 1)

    def _rows_of(self, row: str, owner: str, width: int, columns: np.ndarray | None) -> np.ndarray:
        """Return the rows of columns (None: all) of a quantity in its buffer."""
        counts = {"A": len(self._columns.roots), "D": len(self._columns.dof)}
        items = self._collider_rows if owner == "C" else np.arange(counts[owner])
        items = items if columns is None else items[columns]
        within = SWAPPED if width == 6 else np.arange(width)
        return self._state.layout.places[row][1].start + (items[:, None] * width + within).ravel()

    def write_monitored(self, name: str, columns: np.ndarray, values: np.ndarray) -> None:
        """Set columns of a monitored quantity in all worlds, (W, columns * width), which steps then go on from."""
        self._start_monitors()
        owner, width = MONITORED[name]
        rows = self._rows_of(name.upper(), owner, width, columns)
        self._state.buffer("monitors").write(np.ascontiguousarray(values, self._state.float), rows)

    def _units_of(self, name: str, words: np.ndarray) -> np.ndarray:
        """Return the SI numbers of the units of the rows of a quantity on the device."""
        if name.upper() in DERIVED:
            width, meaning = DERIVED[name.upper()]
            powers = np.array(length_powers(meaning, width)[0], float)
            return np.tile(self._state.model.scene.meters_per_unit**powers, len(words))
        source = FIELDS[name][0] if name in FIELDS else "monitors"
        return self._state.units.buffers[source][words[:, 1]] if self._state.units else np.ones(len(words))

    def _start_monitors(self) -> None:
        """Let steps add up the monitored quantities from now on."""
        if "monitors" not in self._state._arrays:
            self.reset()

    @property
    def values(self) -> Adopted:
        """Quantities after the last `update`, (K, W), a view; a tensor if `new_memory` was given for a GPU.

        On a CPU the numbers of a world lie side by side, on a GPU those of a quantity.
        """
        if self._state.device.packed:
            assert isinstance(self._memory, np.ndarray)  # a tensor is on a GPU
            return self._memory.reshape(-1, max(self._size, 1))[: self.simulation.worlds, : self._size].T
        return self._memory.reshape(self._size, -1)[:, : self.simulation.worlds]

    def update(self, worlds: Worlds = None) -> None:
        """Fill `values` from the present state and the last step, in worlds (None: all) and those beside them.

        The streams of tensors and of the simulation wait for each other, and the host does not.

        Raises:
            IndexError: no such world.
        """
        chosen, batch = world_indices(worlds, self.simulation.worlds), self._state.batch
        lanes, places = self._state.device.lanes, range(batch.packs)
        if chosen is not None:
            places = sorted({world // lanes for world in chosen.tolist()})
        if not (len(places) and self._size):
            return
        if not isinstance(self._memory, np.ndarray):
            wait_for_producer(self._memory)
        if self._links:
            self._state.sync_poses()
        self._state.read_out(self._words, self._units, self._memory, self._strides, np.array(places, np.int32))
        if not isinstance(self._memory, np.ndarray):
            let_wait(self._memory)

    def reset(self, worlds: Worlds = None) -> None:
        """Set sums, forces and times of worlds (None: all) to 0; call it after `Simulation.reset` or `load`.

        Raises:
            IndexError: no such world.
        """
        chosen, size = world_indices(worlds, self.simulation.worlds), self._state.layout.sizes["monitors"]
        count = self.simulation.worlds if chosen is None else len(chosen)
        rows = np.zeros((count, size), self._state.float)
        rows[:, self._state.layout.places["FORCE_THRESHOLD"][1]] = self.force_threshold
        rows[:, self._state.layout.places["FINITE"][1]] = 1.0
        self._state.buffer("monitors").write(rows, slice(0, size), chosen)
