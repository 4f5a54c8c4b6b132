"""Accessors of the laws: parameters, state and scratch of a world, by the names in `layout` and `scratch`."""

from types import SimpleNamespace

from ..tables.layout import PARAMETERS
from ..tables.scratch import SCRATCHES, rows_of
from . import PACKED
from .lanes import materialize, traced
from .rotation import Quat
from .spatial import Force, Mat3, Motion, Sym3, Vec3
from .world_view import HEADER_AT, PARAMETERS_AT, cell, cells, element, header


def _rows(table):
    return SimpleNamespace(**{name: first for name, (first, _, _) in SCRATCHES[table].items()})


NODE_ROW, SIDE_ROW, CONSTRAINT_ROW, TENDON_ROW, STRAND_ROW = map(_rows, SCRATCHES)
PARAMETER = SimpleNamespace(**{name: entry[0] for name, entry in PARAMETERS.items()})


@traced
def parameters(w, name, item, width):
    """Return rows of a parameter: shared by all worlds, or this world's own."""
    at = PARAMETERS_AT + 3 * name
    stride = materialize(element(w.topology, at + 1))
    first = materialize(element(w.topology, at) + item * width * stride + w.index * element(w.topology, at + 2))
    return [materialize(element(w.parameters, first + i * stride)) for i in range(width)]


@traced
def parameter(w, name, item):
    """Return a parameter of one row."""
    return parameters(w, name, item, 1)[0]


@traced
def parameter_vector(w, name, item):
    """Return a parameter of three rows."""
    return Vec3(*parameters(w, name, item, 3))


@traced
def parameter_quaternion(w, name, item):
    """Return a parameter of four rows, (x, y, z, w)."""
    x, y, z, s = parameters(w, name, item, 4)
    return Quat(Vec3(x, y, z), s)


@traced
def parameter_tensor(w, name, item):
    """Return a parameter of six rows: xx, xy, xz, yy, yz, zz."""
    return Sym3(*parameters(w, name, item, 6))


@traced
def state(w, row, offset=0):
    """Return a row of this world's state."""
    return materialize(cell(w, w.state, w.first, row, offset))


@traced
def set_state(w, row, value, offset=0):
    """Write a row of this world's state."""
    cell(w, w.state, w.first, row, offset)._assign(value)


def _pose(w, link):
    return materialize(header(w, HEADER_AT.POSE) + 7 * link)


def _states(w, row, width):
    return [state(w, row, i) for i in range(width)]


def _set_states(w, row, values):
    for i, value in enumerate(values):
        set_state(w, row, value, i)


@traced
def position(w, link):
    """Return the world position of a link's centre of mass."""
    return Vec3(*_states(w, _pose(w, link), 3))


@traced
def orientation(w, link):
    """Return the world orientation of a link."""
    x, y, z, s = _states(w, _pose(w, link) + 3, 4)
    return Quat(Vec3(x, y, z), s)


@traced
def set_position(w, link, p):
    """Write the world position of a link's centre of mass."""
    _set_states(w, _pose(w, link), (p.x, p.y, p.z))


@traced
def set_orientation(w, link, q):
    """Write the world orientation of a link."""
    _set_states(w, _pose(w, link) + 3, (q.v.x, q.v.y, q.v.z, q.w))


@traced
def root_velocity(w, a):
    """Return the stored velocity of an articulation's root link, world axes."""
    row = materialize(header(w, HEADER_AT.ROOT_VELOCITY) + 6 * a)
    return Motion(Vec3(*_states(w, row, 3)), Vec3(*_states(w, row + 3, 3)))


@traced
def set_root_velocity(w, a, v):
    """Store the velocity of an articulation's root link."""
    row = materialize(header(w, HEADER_AT.ROOT_VELOCITY) + 6 * a)
    _set_states(w, row, (v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z))


@traced
class TableItem:
    """Item of a table other than the nodes that has scratch: an argument of `get` and `put` in place of a node."""

    _data_oriented = True

    def __init__(self, w, table, i):
        self.first = materialize(header(w, getattr(HEADER_AT, f"{table}_SCRATCH")) + i * rows_of(table))


def _scratch(w, k, row, count):
    first = k.first if isinstance(k, TableItem) else k * rows_of("NODES")
    return cells(w, w.scratch, w.first_scratch, first, range(row, row + count))


def _get(w, k, row, count):
    return [materialize(x) for x in _scratch(w, k, row, count)]


def _put(w, k, row, *values):
    for place, value in zip(_scratch(w, k, row, len(values)), values, strict=True):
        place._assign(value)


@traced
def get(w, k, row):
    """Return a scratch row of node (or item) k."""
    return _get(w, k, row, 1)[0]


@traced
def put(w, k, row, value):
    """Write a scratch row of node (or item) k."""
    _put(w, k, row, value)


@traced
def get_vector(w, k, row):
    """Return three scratch rows of node k."""
    return Vec3(*_get(w, k, row, 3))


@traced
def put_vector(w, k, row, v):
    """Write three scratch rows of node k."""
    _put(w, k, row, v.x, v.y, v.z)


@traced
def get_motion(w, k, row):
    """Return six scratch rows of node k: angular, linear."""
    parts = _get(w, k, row, 6)
    return Motion(Vec3(*parts[:3]), Vec3(*parts[3:]))


@traced
def get_force(w, k, row):
    """Return six scratch rows of node k: torque, force."""
    parts = _get(w, k, row, 6)
    return Force(Vec3(*parts[:3]), Vec3(*parts[3:]))


@traced
def put_spatial(w, k, row, v):
    """Write a motion or a force."""
    _put(w, k, row, v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z)


@traced
def get_quaternion(w, k, row):
    """Return four scratch rows, (x, y, z, w)."""
    x, y, z, s = _get(w, k, row, 4)
    return Quat(Vec3(x, y, z), s)


@traced
def put_quaternion(w, k, row, q):
    """Write four scratch rows, (x, y, z, w)."""
    _put(w, k, row, q.v.x, q.v.y, q.v.z, q.w)


@traced
def get_tensor(w, k, row):
    """Return six scratch rows of node k: xx, xy, xz, yy, yz, zz."""
    return Sym3(*_get(w, k, row, 6))


@traced
def put_tensor(w, k, row, m):
    """Write six scratch rows of node k: xx, xy, xz, yy, yz, zz."""
    _put(w, k, row, *(getattr(m, part) for part in Sym3.parts))


@traced
def get_matrix(w, k, row):
    """Return nine scratch rows of node k, by columns."""
    parts = _get(w, k, row, 9)
    return Mat3(Vec3(*parts[:3]), Vec3(*parts[3:6]), Vec3(*parts[6:]))


@traced
def put_matrix(w, k, row, m):
    """Write nine scratch rows of node k, by columns."""
    _put(w, k, row, *(x for column in (m.a, m.b, m.c) for x in (column.x, column.y, column.z)))


@traced
def copy_state(w, row, buffer, first, to):
    """Copy a row of this world's state to row `to` of another buffer."""
    cell(w, buffer, first, to)._assign(state(w, row))


@traced
def get_number(w, buffer, size, row, offset=0):
    """Return a number of a buffer of `size` rows per world with the layout of the state."""
    return materialize(cell(w, buffer, materialize(w.index * size) if PACKED else w.index, row, offset))


@traced
def put_numbers(w, buffer, size, row, *values):
    """Write numbers from row `row` on of a buffer of `size` rows per world with the layout of the state."""
    first = materialize(w.index * size) if PACKED else w.index
    for i, value in enumerate(values):
        cell(w, buffer, first, row, i)._assign(value)
