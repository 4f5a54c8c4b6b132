"""Read-out: chosen numbers of every world, those of a world side by side on a CPU, those of a quantity on a GPU.

R is the orientation of a root:

    v_b = Rᵀ v,  ω_b = Rᵀ ω,  g_b = Rᵀ (0, 0, -1),  x_prim = x - R com
"""

import taichi as ti

from ..tables.layout import STEP_RESULTS
from ..tables.monitors import MONITORS, OPERATIONS
from . import LANES, TILE
from .buffer_views import BufferView
from .lanes import Array, Float, Real, broadcast, materialize, traced
from .spatial import Vec3
from .stored import cells, element, first_of, numbers_of
from .world_view import WorldView, share_of


@traced
def put(w, values, row_stride, world_stride, units, row, *groups):
    """Write numbers of a world (or pack) to row `row` and those after it, which have these units.

    row_stride, world_stride: places from a row to the next one, and from a world to the next one.
    """
    first = row * row_stride + w.index * LANES * world_stride
    for i, number in enumerate(x for group in groups for x in numbers_of(group)):
        x = materialize(number * element(units, row + i))
        for lane in range(LANES):
            to = element(values, first + i * row_stride + lane * world_stride)
            to._assign(element(x, lane) if LANES > 1 else x)


@traced
def first_row(w, entries):
    """Return the first element of a world in a buffer of these entries."""
    return first_of(w.index, materialize(BufferView(w, None, entries).rows(entries)))


@ti.func
def derive(
    w: ti.template(),
    words: ti.template(),
    i,
    com: ti.template(),
    units: ti.template(),
    values: ti.template(),
    row_stride,
    world_stride,
):
    """Write the derived quantity of an articulation that row i of the words names; strides as of `put`."""
    operation, a, link, row = words[i, 0], words[i, 1], words[i, 2], words[i, 3]
    q, v = w.state.orientation[link], w.state.root_velocity[a]
    if operation == OPERATIONS["ROOT_POSE"]:
        arm = Vec3(broadcast(com[3 * link]), broadcast(com[3 * link + 1]), broadcast(com[3 * link + 2]))
        put(w, values, row_stride, world_stride, units, row, w.state.position[link] - q.rotate(arm), q)
    elif operation == OPERATIONS["ROOT_VELOCITY_B"]:
        put(w, values, row_stride, world_stride, units, row, q.unrotate(v.lin), q.unrotate(v.ang))
    else:
        put(
            w,
            values,
            row_stride,
            world_stride,
            units,
            row,
            q.unrotate(Vec3(broadcast(0.0), broadcast(0.0), broadcast(-1.0))),
        )


@ti.kernel
def readout_kernel(
    states: Array(Real, 1),
    results: Array(Real, 1),
    monitors: Array(Real, 1),
    topology: Array(ti.i32, 1),
    coms: Array(Float, 1),
    words: Array(ti.i32, 2),
    units: Array(Float, 1),
    values: Array(Float, 1),
    places: Array(ti.i32, 1),
    row_stride: ti.i32,
    world_stride: ti.i32,
    tasks: ti.i32,
    workers: ti.i32,
):
    """Write rows of the worlds (or packs) `places` to `values`, in which rows and worlds have these strides.

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
                operation, row, to = words[i, 0], words[i, 1], words[i, 3]
                if operation == OPERATIONS["state"]:
                    put(w, values, row_stride, world_stride, units, to, w.state[row])
                elif operation == OPERATIONS["results"]:
                    put(w, values, row_stride, world_stride, units, to, cells(w, results, first_result, row, 1)[0])
                elif operation == OPERATIONS["monitors"]:
                    put(w, values, row_stride, world_stride, units, to, cells(w, monitors, first_monitor, row, 1)[0])
                else:
                    derive(w, words, i, coms, units, values, row_stride, world_stride)
