"""A world inside a kernel, and the topology it shares with the others, by the tables of `fajin.tables.topology`.

A pack of worlds is innermost on a CPU; on a GPU neighbouring threads touch neighbouring worlds.
"""

from types import SimpleNamespace

import taichi as ti
from taichi.lang import impl

from ..tables.layout import PARAMETERS
from ..tables.parts import Parts
from ..tables.reach import PACKED_ELEMENTS
from ..tables.topology import HEAD, KINDS, TABLES
from . import PACKED
from .lanes import hold, real, traced

KIND = SimpleNamespace(**KINDS)
HEAD_AT = SimpleNamespace(**{name: i for i, name in enumerate(HEAD)})
NODE_AT = SimpleNamespace(**TABLES["NODES"])

# An index below this bound cannot overflow by adding a row: the compiler sees it in the mask and folds the row into
# the address. Without it every access costs four instructions more.
_SMALL = PACKED_ELEMENTS - 1

PARAMETERS_AT = len(HEAD)
_NODES_AT = PARAMETERS_AT + 3 * len(PARAMETERS)

TREES = Parts()


@traced
class World:
    """The buffers and a place in them: world (or pack) `index`, scratch of a CPU's `worker` or of the world.

    `parts`: what is compiled in. Where sleeping is, `rest` is its buffer; of an island, `awake` is 1 in the lanes that
    a step moves and `mixed` where others sleep, `falls` is 1 in those that it puts to sleep and `falling` where
    there is one.
    """

    _data_oriented = True

    def __init__(self, state, parameters, scratch, topology, index, worker, parts=TREES, rest=None):
        self.state, self.parameters, self.scratch, self.topology = state, parameters, scratch, topology
        self.index = index
        self.parts = parts
        self.rest = rest
        if parts.sleeps:
            self.awake, self.falls = real(1.0), real(0.0)
            self.mixed, self.falling = impl.expr_init(0), impl.expr_init(0)
        self.first = hold(index * head(self, HEAD_AT.ROWS)) if PACKED else index
        self.first_scratch = hold(worker * head(self, HEAD_AT.SCRATCH)) if PACKED else index

    @traced
    def set_awake(self, lanes, mixed):
        """Say which lanes a step moves, and whether others sleep; any that it moves might fall asleep."""
        self.awake._assign(lanes)
        self.falls._assign(lanes)
        self.mixed._assign(mixed)
        self.falling._assign(1)

    @traced
    def set_falls(self, lanes, falling):
        """Say which lanes fall asleep, and whether any does."""
        self.falls._assign(lanes)
        self.falling._assign(falling)


@traced
def element(array, *indices):
    """An element of an array, as Taichi's own indexing makes it."""
    return impl.subscript(None, array, *indices)


@traced
def cell(w, array, first, row, offset=0):
    """Element row + offset of a buffer of rows: a pack's rows lie together, or a row of all worlds does."""
    if PACKED:
        return element(array, ((first + row) & _SMALL) + offset)
    return element(array, first + (row + offset) * head(w, HEAD_AT.PLACES))


@traced
def cells(w, array, first, row, offsets):
    """Several elements of one item: where it lies is computed once."""
    if PACKED and len(offsets) > 1:
        at = hold((first + row) & _SMALL)
        return [element(array, at + i) for i in offsets]
    return [cell(w, array, first, row, i) for i in offsets]


@traced
def head(w, at):
    """Return a word of the topology's head."""
    return element(w.topology, at)


@traced
def node(w, k, at):
    """Return a word of node k."""
    return element(w.topology, (k * len(TABLES["NODES"]) & _SMALL) + (_NODES_AT + at))


def _table(name):
    """A table's reader, which returns a word of item i, and the places of its words."""
    first, width = HEAD.index(name), len(TABLES[name])

    @traced
    def word(w, i, at):
        return element(w.topology, head(w, first) + i * width + at)

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
piece, PIECE_AT = _table("PIECES")
attachment, ATTACHMENT_AT = _table("ATTACHMENTS")


@traced
def share_out(topology, task):
    """World (or pack) and island of a task: tasks run over all islands, world by world."""
    count = hold(element(topology, HEAD_AT.COUNT))
    return task // count, task % count


@traced
def share_of(worker, workers, tasks):
    """Return the first task of a worker and of the next one: neighbouring tasks, as many as of any other or one more.

    Without the product worker · tasks, which leaves 32 bits where there are as many workers as tasks: from 46,341 on.
    """
    share, more = hold(tasks // workers), hold(tasks % workers)
    first = hold(worker * share + ti.min(worker, more))
    return first, hold(first + share + ti.cast(worker < more, ti.i32))
