"""A world inside a kernel, and the topology it shares with the others: nodes, articulations, mimic joints.

A pack of worlds is innermost on a CPU; on a GPU neighbouring threads touch neighbouring worlds.
"""

from types import SimpleNamespace

from taichi.lang import impl

from ..layout import ARTICULATION, HEAD, KINDS, MIMIC, NODE, PARAMETERS
from . import PACKED
from .lanes import hold, traced

KIND = SimpleNamespace(**KINDS)
NODE_AT = SimpleNamespace(**NODE)
ARTICULATION_AT = SimpleNamespace(**ARTICULATION)
MIMIC_AT = SimpleNamespace(**MIMIC)
HEAD_AT = SimpleNamespace(**{name: i for i, name in enumerate(HEAD)})

# An index below this bound cannot overflow by adding a row: the compiler sees it in the mask and folds the row into
# the address. Without it every access costs four instructions more.
_SMALL = (1 << 28) - 1

PARAMETERS_AT = len(HEAD)
_NODES_AT = PARAMETERS_AT + 3 * len(PARAMETERS)


@traced
class World:
    """The buffers and a place in them: world (or pack) `index`, scratch of a CPU's `worker` or of the world."""

    _data_oriented = True

    def __init__(self, state, parameters, scratch, topology, index, worker):
        self.state, self.parameters, self.scratch, self.topology = state, parameters, scratch, topology
        self.index = index
        self.first = hold(index * head(self, HEAD_AT.ROWS)) if PACKED else index
        self.first_scratch = hold(worker * head(self, HEAD_AT.SCRATCH)) if PACKED else index


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
def head(w, at):
    """Return a word of the topology's head."""
    return element(w.topology, at)


@traced
def node(w, k, at):
    """Return a word of node k."""
    return element(w.topology, (k * len(NODE) & _SMALL) + (_NODES_AT + at))


@traced
def articulation(w, a, at):
    """Return a word of articulation a."""
    return element(w.topology, head(w, HEAD_AT.ARTICULATIONS) + a * len(ARTICULATION) + at)


@traced
def mimic(w, i, at):
    """Return a word of mimic joint i."""
    return element(w.topology, head(w, HEAD_AT.MIMICS) + i * len(MIMIC) + at)


@traced
def term(w, i):
    """Return the node of term i of the mimic joints."""
    return element(w.topology, head(w, HEAD_AT.TERMS) + i)


@traced
def share_out(topology, task):
    """World (or pack) and articulation of a task: tasks run over all articulations, world by world."""
    count = hold(element(topology, HEAD_AT.COUNT))
    return task // count, task % count
