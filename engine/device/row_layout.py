"""Row layout of a model: rows of its buffers and of the scratch of a step, and the words by which kernels find them."""

from collections.abc import Mapping

from ..model import Model
from ..tables.bundles import BUNDLE_NUMBERS
from ..tables.contacts import CONTACT_STATE
from ..tables.layout import LINKS, PARAMETERS, SLEEP, STATE, STATISTICS, STEP_RESULTS
from ..tables.monitors import MONITORS
from ..tables.scratch import SCRATCHES, is_of_island, rows_of
from ..tables.topology import ARTICULATION, HEADER, TABLES
from .contact_slots import ContactSlots

BUFFERS = {
    "state": STATE, "results": STEP_RESULTS, "sleep": SLEEP, "links": LINKS, "contacts": CONTACT_STATE,
    "monitors": MONITORS,
}  # fmt: skip
"""Buffers with rows per world, and the table that names the rows of each buffer."""

ON_REQUEST = ("monitors",)
"""Buffers that a simulation has only after a request."""

STATISTIC_WIDTHS = {owner: sum(width for _, of, width, _ in STATISTICS if of == owner) for owner in "ADL"}
"""Rows of the statistics of one articulation, degree of freedom or link, which lie in this order."""


class RowLayout:
    """Rows of one world.

    Args:
        model: the compiled scene.
        slots: slots of its pairs of colliders.
        backup: whether scratch keeps a copy of the state, for lanes that sleep.
        at_once: whether the islands of a world are stepped at the same time, as on a GPU.
    """

    def __init__(self, model: Model, slots: ContactSlots, backup: bool, at_once: bool):
        self._model, self._slots = model, slots
        counts = {"D": len(model.dof), "L": len(model.link)}
        owners = ("ARTICULATIONS", "MIMICS", "JOINTS", "TENDONS", "ISLANDS", "COLLIDERS")
        counts |= {table[0]: len(model.tables[table]) for table in owners}
        actuators = model.tables["ACTUATORS"]
        counts |= {"a": len(actuators), "c": int(actuators[:, TABLES["ACTUATORS"]["COMMAND_END"]].max(initial=0))}
        counts |= slots.owned
        self.counts = counts
        """Items per world by the letter of their owner."""
        self.sizes: dict[str, int] = {}  # rows of a buffer
        self.places: dict[str, tuple[str, slice]] = {}  # name → (buffer, rows in it)
        for buffer, table in BUFFERS.items():
            first = 0
            for name, owner, width, _ in table:
                self.places[name] = buffer, slice(first, first + width * counts[owner])
                first += width * counts[owner]
            self.sizes[buffer] = first
        self.rows = {name: self.places[name][1] for name, *_ in STATE}
        self._place_scratch(backup)
        self._place_island_scratch(at_once)

    def _place_scratch(self, backup: bool) -> None:
        articulations, mimics = self._model.tables["ARTICULATIONS"], self._model.tables["MIMICS"]
        most = articulations[:, ARTICULATION["MIMIC_END"]] - articulations[:, ARTICULATION["MIMIC"]]
        self._coupled = 2 + int(most.max(initial=0))  # rows of one mimic joint: rate, pace, responses on its robot
        self._scratch: dict[str, int] = {}  # first scratch row of every table that has any
        self._couplings = self._place_tables(0, False)
        self._backup = self._couplings + len(mimics) * self._coupled
        self.scratch_rows = self._backup + (self.sizes["state"] if backup else 0)

    def _place_island_scratch(self, at_once: bool) -> None:
        """Place the rows of an island by itself after those of all islands, once or per island."""
        first = self._place_tables(self.scratch_rows, True)
        self._working: dict[str, int] = {}  # first scratch row of what is kept of contacts, where pairs share slots
        for name, owner, width, _ in CONTACT_STATE:
            self._working[name] = first
            first += self._slots.working.get(owner, 0) * width
        self._turns = first
        self._bundles = first + self._slots.turns
        rows = self._bundles + self._slots.bundles * BUNDLE_NUMBERS - self.scratch_rows
        self._island_rows = rows if at_once else 0
        self.scratch_rows += rows * (len(self._model.tables["ISLANDS"]) if at_once else 1)

    def _place_tables(self, first: int, of_island: bool) -> int:
        """Place the rows of tables from a row on, of islands by themselves or of all; return the row after the last."""
        for name in SCRATCHES:
            if is_of_island(name, self._slots.shared) == of_island:
                self._scratch[name] = first
                first += self._slots.scratch.get(name, len(self._model.tables[name])) * rows_of(name)
        return first

    def header(self) -> list[int]:
        """Return the words of the topology before its tables."""
        tables, owned = self._model.tables, self._slots.owned
        first, at = len(HEADER) + 2 * len(PARAMETERS), {}
        for name, table in tables.items():
            at[name], first = first, first + table.size
        words = {name: rows.start for name, rows in self.rows.items()} | at
        words |= self._working | {f"STORED_{name}": self.places[name][1].start for name, *_ in CONTACT_STATE}
        words |= {f"{name}_SCRATCH": first for name, first in self._scratch.items()} | {
            "ROWS": self.sizes["state"],
            "TURNS": self._turns,
            "BUNDLES": self._bundles,
            "BUNDLE_COUNT": self._slots.bundles,
            "CONTACT_ROWS": self.sizes["contacts"],
            "SCRATCH": self.scratch_rows,
            "ISLAND_SCRATCH": self._island_rows,
            "MIMIC_RESPONSES": self._couplings,
            "MIMIC_RESPONSE_STRIDE": self._coupled,
            "SLEEP_BACKUP": self._backup,
            "ISLAND_COUNT": len(tables["ISLANDS"]),
            "DOF_COUNT": len(self._model.dof),
            "LINK_COUNT": len(self._model.link),
            "MAXIMAL_JOINT_COUNT": len(tables["JOINTS"]),
            "TENDON_COUNT": len(tables["TENDONS"]),
            "SLOT_COUNT": owned["W"],
            "SHARED_SLOT_COUNT": owned["w"],
            "CONTACT_COUNT": owned["Z"],
            "COLLIDER_COUNT": len(tables["COLLIDERS"]),
            "PATCHES_PER_SLOT": self._slots.patches,
            "MANIFOLDS_PER_SLOT": self._slots.manifolds,
            "ARTICULATION_COUNT": len(tables["ARTICULATIONS"]),
        }
        return [words[name] for name in HEADER]


def statistic_rows(counts: Mapping[str, int], contacts: bool) -> list[slice]:
    """Return the rows of statistics of each owner of `STATISTIC_WIDTHS`, item after item; links' with contacts only."""
    rows, first = [], 0
    for owner, width in STATISTIC_WIDTHS.items():
        count = counts[owner] if contacts or owner != "L" else 0
        rows.append(slice(first, first := first + width * count))
    return rows
