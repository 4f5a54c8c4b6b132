"""Arrays exchanged with the host: one row per world; a pack is `LANES` rows."""

import taichi as ti
from taichi.lang import impl
from taichi.lang.matrix import make_matrix

from ..tables.request import REQUEST
from . import LANES, TILE
from .lanes import broadcast, materialize, traced
from .spatial import Force, Motion, Vec3
from .stored import StoredNumber, element
from .views import View


class HostArray(View):
    """Array of the host with one row per world, seen from one world or pack: `array[column]`."""

    def __init__(self, array, index):
        self.array, self.first = array, materialize(index * LANES)

    def __getitem__(self, column):
        column = materialize(column)
        return HostNumber([element(self.array, self.first + lane, column) for lane in range(LANES)])


class HostNumber(StoredNumber):
    """A number of every lane, each in a row of its own."""

    @property
    def ptr(self):
        if self.value is None:
            self.value = impl.expr_init(make_matrix(self.place) if LANES > 1 else self.place[0])
        return self.value.ptr

    def _assign(self, value):
        value = materialize(value)
        for lane, place in enumerate(self.place):
            place._assign(element(value, lane) if LANES > 1 else value)


class Request(View):
    """Request about one articulation: `request.moving` is one of its words, see `tables.request`.

    `given` and `link_forces` are its inputs, `answer` its output; `coordinate[k]` is the coordinate of
    node k, `link_slot[k]` the place of the link that it carries, or -1.
    """

    def __init__(self, w, words, given, link_forces, answer):
        self.words = words
        self.given, self.link_forces, self.answer = given, link_forces, answer
        a = w.articulation[self.articulation]
        self.root, self.end = materialize(a.root), materialize(a.end)
        self.coordinate, self.link_slot = NodeWords(self, 0), NodeWords(self, 1)

    def __getattr__(self, name):
        if name.upper() not in REQUEST:
            raise AttributeError(f"a request has no word {name.upper()}")
        return materialize(element(self.words, REQUEST[name.upper()]))


class NodeWords(View):
    """Two words of a request per node of its articulation."""

    def __init__(self, request, at):
        self.request, self.place = request, len(REQUEST) + at

    def __getitem__(self, k):
        return materialize(element(self.request.words, (k - self.request.root) * 2 + self.place))


@ti.func
def zero_columns(host, first, count):
    """Write 0 to `count` columns. On a CPU the host has done so; Vulkan does not upload what a kernel only writes."""
    if ti.static(TILE > 1):
        for column in range(first, first + count):
            host[column] = broadcast(0.0)


@traced
def _read_vector(host, column):
    return Vec3(*(host[column + i] for i in range(3)))


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
        host[column + i * stride] = value


@traced
def write_spatial(host, column, v, stride=1):
    """Write a motion or a force, the linear part first."""
    write_vector(host, column, v.lin, stride)
    write_vector(host, column + 3 * stride, v.ang, stride)
