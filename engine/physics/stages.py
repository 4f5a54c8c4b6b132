"""The beginning of a step by itself, over and over, up to one of its stages: where the time of a step goes.

Everything up to the rows is found anew from the state in every step and lies in scratch, so that finding it again and
again moves nothing.
"""

import taichi as ti

from . import PACKED
from .articulated_body import articulate
from .lanes import Array, Float, Real
from .mimic import prepare_mimics
from .step import find_forces, unconstrained
from .sweep import pace_of, prepare
from .world import ARTICULATION_AT, ISLAND_AT, MEMBER_AT, World, articulation, island, member, share_of, share_out

FORCES, BODIES, RESPONSES, ROWS = range(1, 5)


@ti.func
def prelude(w: ti.template(), a, pace, last: ti.template()):
    """What a step does with articulation a up to and with the stage `last`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    if ti.static(last <= BODIES):
        find_forces(w, a, pace)
    if ti.static(last == BODIES):
        articulate(w, root, end, pace.spread)
    if ti.static(last >= RESPONSES):
        unconstrained(w, a, pace)
    if ti.static(last >= ROWS):
        prepare(w, root, end, pace)
        prepare_mimics(w, a)


@ti.kernel
def repeat(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    times: ti.i32,
    h: Float,
    solver: ti.i32,
    tasks: ti.i32,
    workers: ti.i32,
    last: ti.template(),
):
    """Do the stages up to `last` of every articulation of every world so many times; tasks and workers as of `run`."""
    ti.loop_config(block_dim=1 if ti.static(PACKED) else 32)
    for worker in range(workers):
        first, end = share_of(worker, workers, tasks)
        for task in range(first, end):
            index, isle = share_out(topology, task)
            here = World(states, parameters, scratch, topology, index, worker)
            pace = pace_of(island(here, isle, ISLAND_AT.POSITION_ITERATIONS), h, solver)
            for _i in range(times):
                for m in range(island(here, isle, ISLAND_AT.MEMBER), island(here, isle, ISLAND_AT.MEMBER_END)):
                    a = member(here, m, MEMBER_AT.ARTICULATION)
                    if articulation(here, a, ARTICULATION_AT.FREE) == 0:
                        prelude(here, a, pace, last)
