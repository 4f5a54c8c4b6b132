"""View of a world inside a kernel, and of the topology that all worlds share, by `fajin.tables.topology`.

On a CPU the worlds of a pack are the innermost dimension; on a GPU neighbouring threads read neighbouring worlds.
"""

from types import SimpleNamespace

import taichi as ti
from taichi.lang import impl

from ..tables.features import Features
from ..tables.layout import PARAMETERS
from ..tables.reach import PACKED_ELEMENTS
from ..tables.topology import HEADER, KINDS, TABLES
from . import PACKED
from .lanes import broadcast, materialize, traced

KIND = SimpleNamespace(**KINDS)
HEADER_AT = SimpleNamespace(**{name: i for i, name in enumerate(HEADER)})
NODE_AT = SimpleNamespace(**TABLES["NODES"])

# An index below this bound cannot overflow by adding a row: the compiler sees it in the mask and folds the row into
# the address. Without it every access costs four instructions more.
_SMALL = PACKED_ELEMENTS - 1

PARAMETERS_AT = len(HEADER)
_NODES_AT = PARAMETERS_AT + 3 * len(PARAMETERS)

DEFAULT_FEATURES = Features()


@traced
class WorldView:
    """Buffers and the place of a world (or pack) `index` in them, with the scratch of a CPU's `worker` or of the world.

    `features`: the laws that are compiled. Where sleeping is one, `sleep` is its buffer, and of the current island
    `awake` is 1 in the lanes that a step moves, `mixed` is 1 if others sleep, `falls` is 1 in the lanes that the step
    puts to sleep and `falling` is 1 if there is such a lane.
    """

    _data_oriented = True

    def __init__(self, state, parameters, scratch, topology, index, worker, features=DEFAULT_FEATURES, sleep=None):
        self.state, self.parameters, self.scratch, self.topology = state, parameters, scratch, topology
        self.index = index
        self.features = features
        self.sleep = sleep
        if features.sleeps:
            self.awake, self.falls = broadcast(1.0), broadcast(0.0)
            self.mixed, self.falling = impl.expr_init(0), impl.expr_init(0)
        self.first = materialize(index * header(self, HEADER_AT.ROWS)) if PACKED else index
        self.first_scratch = materialize(worker * header(self, HEADER_AT.SCRATCH)) if PACKED else index

    @traced
    def set_awake(self, lanes, mixed):
        """Set which lanes a step moves, and whether others sleep; any that it moves might fall asleep."""
        self.awake._assign(lanes)
        self.falls._assign(lanes)
        self.mixed._assign(mixed)
        self.falling._assign(1)

    @traced
    def set_falls(self, lanes, falling):
        """Set which lanes fall asleep, and whether any does."""
        self.falls._assign(lanes)
        self.falling._assign(falling)


@traced
def element(array, *indices):
    """Return an element of an array by Taichi's own indexing."""
    return impl.subscript(None, array, *indices)


@traced
def cell(w, array, first, row, offset=0):
    """Return element row + offset of a buffer of rows; the rows of a pack, or a row of all worlds, are contiguous."""
    if PACKED:
        return element(array, ((first + row) & _SMALL) + offset)
    return element(array, first + (row + offset) * header(w, HEADER_AT.WORLD_STRIDE))


@traced
def cells(w, array, first, row, offsets):
    """Return several elements of one item; their place is computed once."""
    if PACKED and len(offsets) > 1:
        at = materialize((first + row) & _SMALL)
        return [element(array, at + i) for i in offsets]
    return [cell(w, array, first, row, i) for i in offsets]


@traced
def header(w, at):
    """Return a word of the topology's header."""
    return element(w.topology, at)


@traced
def node(w, k, at):
    """Return a word of node k."""
    return element(w.topology, (k * len(TABLES["NODES"]) & _SMALL) + (_NODES_AT + at))


def _table(name):
    """Return the reader of a table, which returns a word of item i, and the places of its words."""
    first, width = HEADER.index(name), len(TABLES[name])

    @traced
    def word(w, i, at):
        return element(w.topology, header(w, first) + i * width + at)

    return word, SimpleNamespace(**TABLES[name])


articulation, ARTICULATION_AT = _table("ARTICULATIONS")
mimic, MIMIC_AT = _table("MIMICS")
term, TERM_AT = _table("TERMS")
island, ISLAND_AT = _table("ISLANDS")
member, MEMBER_AT = _table("MEMBERS")
joint, JOINT_AT = _table("JOINTS")
constraint, CONSTRAINT_AT = _table("CONSTRAINTS")
side, SIDE_AT = _table("SIDES")
path, PATH_AT = _table("PATHS")
tendon, TENDON_AT = _table("TENDONS")
strand, STRAND_AT = _table("STRANDS")
piece, SEGMENT_AT = _table("SEGMENTS")
attachment, ATTACHMENT_AT = _table("ATTACHMENTS")


@traced
def task_index(topology, task):
    """Return world (or pack) and island of a task: tasks run over all islands, world by world."""
    count = materialize(element(topology, HEADER_AT.ISLAND_COUNT))
    return task // count, task % count


@traced
def share_of(worker, workers, tasks):
    """Return the first task of a worker and of the next one: neighbouring tasks, in shares that differ by at most one.

    The product worker · tasks is avoided: it exceeds 32 bits from 46,341 workers with as many tasks on.
    """
    share, more = materialize(tasks // workers), materialize(tasks % workers)
    first = materialize(worker * share + ti.min(worker, more))
    return first, materialize(first + share + ti.cast(worker < more, ti.i32))
