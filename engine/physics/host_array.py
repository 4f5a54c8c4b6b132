"""Arrays exchanged with the host: one row per world; a pack is `LANES` rows."""

from types import SimpleNamespace

import taichi as ti
from taichi.lang import impl
from taichi.lang.matrix import make_matrix

from ..tables.request import REQUEST
from . import LANES, PACKED
from .lanes import broadcast, materialize, traced
from .spatial import Force, Motion, Vec3
from .world_view import ARTICULATION_AT, articulation, element

ASKED = SimpleNamespace(**REQUEST)


@traced
class HostArray:
    """Array of the host with one row per world, seen from one world or pack."""

    _data_oriented = True

    def __init__(self, array, index):
        self.array, self.first = array, materialize(index * LANES)


@traced
class Request:
    """Request about one articulation: `given` and `pushed` (forces on links) are its inputs, `answer` its output."""

    _data_oriented = True

    def __init__(self, w, words, arrays):
        self.array = words
        self.given, self.pushed, self.answer = arrays
        a = self.articulation = request_word(self, ASKED.ARTICULATION)
        self.root = materialize(articulation(w, a, ARTICULATION_AT.ROOT))
        self.end = materialize(articulation(w, a, ARTICULATION_AT.END))
        self.columns = request_word(self, ASKED.COLUMNS)


@traced
def request_word(request, word):
    """Return a word of the request."""
    return materialize(element(request.array, word))


@traced
def coordinate(request, k):
    """Return the coordinate of node k, or -1."""
    return materialize(element(request.array, (k - request.root) * 2 + len(REQUEST)))


@traced
def link_slot(request, k):
    """Return the place of the link that node k carries, or -1."""
    return materialize(element(request.array, (k - request.root) * 2 + len(REQUEST) + 1))


@traced
def read_column(host, column):
    """Return a number of every lane."""
    column = materialize(column)
    numbers = [element(host.array, host.first + lane, column) for lane in range(LANES)]
    return impl.expr_init(make_matrix(numbers) if LANES > 1 else numbers[0])


@traced
def write_column(host, column, value):
    """Write a number of every lane."""
    value, column = materialize(value), materialize(column)
    for lane in range(LANES):
        element(host.array, host.first + lane, column)._assign(element(value, lane) if LANES > 1 else value)


@ti.func
def zero_columns(host, first, count):
    """Write 0 to `count` columns. On a CPU the host has done so; Vulkan does not upload what a kernel only writes."""
    if ti.static(not PACKED):
        for column in range(first, first + count):
            write_column(host, column, broadcast(0.0))


@traced
def _read_vector(host, column):
    return Vec3(*(read_column(host, column + i) for i in range(3)))


@traced
def read_motion(host, column):
    """Return six numbers, the linear ones first."""
    return Motion(_read_vector(host, column + 3), _read_vector(host, column))


@traced
def read_force(host, column):
    """Return six numbers, the force first."""
    return Force(_read_vector(host, column + 3), _read_vector(host, column))


@traced
def write_vector(host, column, v, stride=1):
    """Write three numbers, `stride` columns apart."""
    for i, value in enumerate((v.x, v.y, v.z)):
        write_column(host, column + i * stride, value)


@traced
def write_spatial(host, column, v, stride=1):
    """Write a motion or a force, the linear part first."""
    write_vector(host, column, v.lin, stride)
    write_vector(host, column + 3 * stride, v.ang, stride)
