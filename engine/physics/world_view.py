"""View of a world inside a kernel, and of the topology that all worlds share, by `fajin.tables.topology`.

On a GPU the 32 threads of a warp step the worlds of a tile: they read neighbouring numbers.
"""

import taichi as ti
from taichi.lang import impl

from ..tables.features import Features
from . import LANES, TILE
from .buffer_views import ContactsView, MonitorsView, ResultsView, SleepView, StatisticsView
from .lanes import mask, materialize, traced
from .mimic_response import MimicScratch
from .stored import first_of
from .views import HeaderView, ParameterView, StateView, TableView, View

DEFAULT_FEATURES = Features()


TABLES = {
    "node": "NODES",
    "articulation": "ARTICULATIONS",
    "mimic": "MIMICS",
    "actuator": "ACTUATORS",
    "term": "TERMS",
    "island": "ISLANDS",
    "member": "MEMBERS",
    "joint": "JOINTS",
    "constraint": "CONSTRAINTS",
    "side": "SIDES",
    "path": "PATHS",
    "tendon": "TENDONS",
    "strand": "STRANDS",
    "segment": "SEGMENTS",
    "attachment": "ATTACHMENTS",
    "collider": "COLLIDERS",
    "body": "BODIES",
    "pair": "PAIRS",
    "pair_kind": "PAIR_KINDS",
    "apart": "APART",
    "group": "GROUPS",
    "crowd": "CROWD",
    "active": "ACTIVE",
    "slot": "SLOTS",
    "held": "HELD",
    "contact": "CONTACTS",
    "normal_row": "NORMAL_ROWS",
    "patch": "PATCHES",
    "anchor": "ANCHORS",
    "candidate": "CANDIDATES",
    "direction": "DIRECTIONS",
    "core": "CORES",
    "support": "SUPPORTS",
    "facet": "FACETS",
    "facet_side": "FACET_SIDES",
    "reciprocal": "RECIPROCALS",
    "hull": "HULLS",
    "hull_face": "HULL_FACES",
    "hull_corner": "HULL_CORNERS",
    "hull_edge": "HULL_EDGES",
    "bound": "BOUNDS",
    "triangle": "TRIANGLES",
}
"""Name of a table's view in `WorldView`: `w.node[k]` is an item of NODES."""


CONTACT_COUNTS = ("touching", "pairs", "early_pairs", "early_turns", "top", "spare")
"""Numbers of the contacts of an island that all lanes share."""


@traced
class WorldView:
    """A world (or pack) `index`: views of its numbers by name, see `views`.

    `worker` is the place of its scratch; `features` are the laws that are compiled. With sleeping, `awake` is the mask
    of the lanes of the current island that a step moves, `falls` that of those that it puts to sleep as a whole;
    `falling` is 1 if it puts anything to sleep, `drowsy` if anything sleeps or might fall asleep; `writes` is the mask
    of the lanes in which results are written, `stops` of those in which their owner falls asleep. With contacts,
    `touching` is 1 in the steps in which a pair of the island touches in any lane; `pairs` counts the active ones, of
    which the first `early_pairs` are solved outside the sweeps, in the turns before `early_turns`. `top` and `spare`
    count the slots that were used and those of them that are free again.
    """

    _data_oriented = True
    lane, one_lane = None, False  # of all lanes
    lanes = LANES
    bundled = free_sides = False  # whether lanes are pairs of one world; of bodies that are free or do not move

    def __init__(self, state, parameters, scratch, topology, index, worker, features=DEFAULT_FEATURES):
        self.state_rows, self.parameter_rows, self.scratch, self.topology = state, parameters, scratch, topology
        self.index, self.worker = index, worker
        self.features = features
        self.header, self.param, self.state = HeaderView(topology), ParameterView(self), StateView(self)
        self.mimic_scratch = MimicScratch(self)
        for name, table in TABLES.items():
            setattr(self, name, TableView(self, table))
        if features.contacts:
            for name in CONTACT_COUNTS:
                setattr(self, name, impl.expr_init(0))
        if features.sleeps:
            self.awake, self.falls = mask(True), mask(False)
            self.writes, self.stops = mask(True), mask(False)
            self.drowsy, self.falling = impl.expr_init(0), impl.expr_init(0)
        self.first = first_of(index, self.header.rows)
        self.first_scratch = self.first_island_scratch = first_of(worker, self.header.scratch)

    @traced
    def enter_island(self, island_id):
        """Set the place of the island's own scratch; on a CPU, a worker uses it for one island after the other."""
        if TILE > 1 and self.features.contacts:
            rows = materialize(island_id * self.header.island_scratch)
            self.first_island_scratch = materialize(self.first_scratch + rows * TILE)

    @traced
    def attach(self, results, contacts, sleep=None, statistics=None, monitors=None):
        """Attach the other buffers of a step."""
        self.contacts = ContactsView(self, contacts)
        self.results, self.sleep = ResultsView(self, results), SleepView(self, sleep)
        self.statistics, self.monitors = StatisticsView(self, statistics), MonitorsView(self, monitors)

    @traced
    def set_count(self, name, value):
        """Set a number of `CONTACT_COUNTS`."""
        getattr(self, name)._assign(value)

    @traced
    def set_awake(self, lanes, drowsy):
        """Set which lanes a step moves, and whether any member of the island sleeps or might fall asleep."""
        self.awake._assign(lanes)
        self.drowsy._assign(drowsy)

    @traced
    def set_falls(self, lanes, falling):
        """Set which lanes fall asleep as a whole, and whether any member falls asleep."""
        self.falls._assign(lanes)
        self.falling._assign(falling)

    @traced
    def set_writes(self, lanes, stops):
        """Set in which lanes results are written, and in which of them their owner falls asleep."""
        self.writes._assign(lanes)
        self.stops._assign(stops)


@traced
class LaneView(WorldView):
    """View of one lane of a pack, for code that branches on its data; it belongs to the package of single lanes."""

    one_lane = True

    def __init__(self, w, lane):
        super().__init__(w.state_rows, w.parameter_rows, w.scratch, w.topology, w.index, 0, w.features)
        self.lane = None if w.lanes == 1 else lane
        self.first, self.first_scratch, self.first_island_scratch = w.first, w.first_scratch, w.first_island_scratch
        for name in CONTACT_COUNTS:
            setattr(self, name, getattr(w, name))
        self.contacts, self.results = ContactsView(self, w.contacts.array), ResultsView(self, w.results.array)


class Share(View):
    """Tasks of a worker, one a turn: a task is an island of a world (or pack).

    On a CPU tasks run over all islands, world by world, and a worker takes a run of neighbouring tasks; shares differ
    by at most one. On a GPU neighbouring workers take neighbouring worlds: with W workers per island, worker n of an
    island takes the worlds n, n + W, n + 2 W …, one after the other in the scratch `place` n.
    The product worker · tasks is avoided: it exceeds 32 bits from 46,341 workers with as many tasks on.
    """

    def __init__(self, worker, workers, tasks, islands):
        self.worker, self.workers, self.islands, self.first = worker, workers, islands, 0
        if TILE == 1:
            share, more = materialize(tasks // workers), materialize(tasks % workers)
            self.first = materialize(worker * share + ti.min(worker, more))
            self.end = materialize(self.first + share + ti.cast(worker < more, ti.i32))
        else:
            stride = materialize(workers // islands)
            self.end = materialize((tasks // islands - 1 - worker % stride) // stride + 1)

    @traced
    def task(self, turn):
        """Return world (or pack) and island of a turn, and the place of its scratch."""
        if TILE == 1:
            return turn // self.islands, turn % self.islands, self.worker
        stride = materialize(self.workers // self.islands)  # anew each turn: registers are scarce
        place = materialize(self.worker % stride)
        return place + turn * stride, self.worker // stride, place


@traced
def share_of(worker, workers, tasks, islands=1):
    """Return the tasks of a worker."""
    return Share(worker, workers, tasks, islands)


@traced
def share_of_islands(topology, worker, workers, tasks):
    """Return the tasks of a worker, if there is one for each island of each world."""
    islands = HeaderView(topology).island_count
    return share_of(worker, workers, tasks, materialize(islands) if TILE == 1 else islands)
