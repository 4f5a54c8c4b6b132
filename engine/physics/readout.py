"""Read-out: chosen numbers of every world side by side, row after row; a column is a world (or pack).

R is the orientation of a root:

    v_b = Rᵀ v,  ω_b = Rᵀ ω,  g_b = Rᵀ (0, 0, -1),  x_prim = x - R com
"""

import taichi as ti

from ..tables.layout import STEP_RESULTS
from ..tables.monitors import MONITORS, OPERATIONS
from . import TILE
from .buffer_views import BufferView
from .lanes import Array, Float, Real, broadcast, materialize, traced
from .spatial import Vec3
from .stored import cells, first_of, numbers_of
from .world_view import WorldView, share_of


@traced
def put(values, first, step, units, row, *groups):
    """Write numbers to the places first, first + step, …; row `row` and those after it have these units."""
    for i, number in enumerate(x for group in groups for x in numbers_of(group)):
        unit = ti.lang.impl.subscript(None, units, row + i)
        ti.lang.impl.subscript(None, values, first + i * step)._assign(number * unit)


@traced
def first_row(w, entries):
    """Return the first element of a world in a buffer of these entries."""
    return first_of(w.index, materialize(BufferView(w, None, entries).rows(entries)))


@ti.func
def derive(
    w: ti.template(), words: ti.template(), i, com: ti.template(), units: ti.template(), values: ti.template(), step
):
    """Write the derived quantity of an articulation that row i of the words names."""
    operation, a, link, row = words[i, 0], words[i, 1], words[i, 2], words[i, 3]
    first = row * step + w.index
    q, v = w.state.orientation[link], w.state.root_velocity[a]
    if operation == OPERATIONS["ROOT_POSE"]:
        arm = Vec3(broadcast(com[3 * link]), broadcast(com[3 * link + 1]), broadcast(com[3 * link + 2]))
        put(values, first, step, units, row, w.state.position[link] - q.rotate(arm), q)
    elif operation == OPERATIONS["ROOT_VELOCITY_B"]:
        put(values, first, step, units, row, q.unrotate(v.lin), q.unrotate(v.ang))
    else:
        put(values, first, step, units, row, q.unrotate(Vec3(broadcast(0.0), broadcast(0.0), broadcast(-1.0))))


@ti.kernel
def readout_kernel(
    states: Array(Real, 1),
    results: Array(Real, 1),
    monitors: Array(Real, 1),
    topology: Array(ti.i32, 1),
    coms: Array(Float, 1),
    words: Array(ti.i32, 2),
    units: Array(Float, 1),
    values: Array(Real, 1),
    places: Array(ti.i32, 1),
    columns: ti.i32,
    tasks: ti.i32,
    workers: ti.i32,
):
    """Write rows of the worlds (or packs) `places` to `values`, in which a row has `columns` worlds (or packs).

    words: operation, row of its buffer or articulation, root link, and first row of the result, for each quantity.
    units: factor of each row of the result.
    """
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, tasks)
        for turn in range(share.first, share.end):
            which, _, _ = share.task(turn)
            w = WorldView(states, states, states, topology, places[which], 0)
            first_result, first_monitor = first_row(w, STEP_RESULTS), first_row(w, MONITORS)
            for i in range(words.shape[0]):
                operation, row, unit = words[i, 0], words[i, 1], units[words[i, 3]]
                to = words[i, 3] * columns + places[which]
                if operation == OPERATIONS["state"]:
                    values[to] = w.state[row] * unit
                elif operation == OPERATIONS["results"]:
                    values[to] = cells(w, results, first_result, row, 1)[0] * unit
                elif operation == OPERATIONS["monitors"]:
                    values[to] = cells(w, monitors, first_monitor, row, 1)[0] * unit
                else:
                    derive(w, words, i, coms, units, values, columns)
