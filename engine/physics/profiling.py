"""Stages of a step by themselves, repeated: the time that each stage of a step takes.

The stages up to the rows compute scratch from the state, so that repeating them moves nothing.
"""

import taichi as ti

from . import PACKED
from .articulated_body import compute_articulated_inertia
from .gauss_seidel import prepare_joint_rows, step_params
from .lanes import Array, Float, Real
from .mimic import prepare_mimics
from .response import compute_responses
from .step import compute_link_forces
from .world_view import (
    ARTICULATION_AT,
    ISLAND_AT,
    MEMBER_AT,
    WorldView,
    articulation,
    island,
    member,
    share_of,
    task_index,
)

FORCES, BODIES, RESPONSES, ROWS = range(1, 5)


@ti.func
def run_stages(w: ti.template(), a, params, last: ti.template()):
    """Compute the stages of a step of articulation a up to and including the stage `last`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    compute_link_forces(w, a, params)
    if ti.static(last >= BODIES):
        compute_articulated_inertia(w, a, params)
    if ti.static(last >= RESPONSES):
        compute_responses(w, a, params)
    if ti.static(last >= ROWS):
        prepare_joint_rows(w, root, end, params)
        prepare_mimics(w, a)


@ti.kernel
def repeat_stages_kernel(
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
    """Repeat the stages up to `last` of every articulation of every world; tasks and workers as in `step_kernel`."""
    ti.loop_config(block_dim=1 if ti.static(PACKED) else 32)
    for worker in range(workers):
        first, end = share_of(worker, workers, tasks)
        for task in range(first, end):
            index, island_id = task_index(topology, task)
            here = WorldView(states, parameters, scratch, topology, index, worker)
            params = step_params(island(here, island_id, ISLAND_AT.POSITION_ITERATIONS), h, solver)
            for _i in range(times):
                for m in range(
                    island(here, island_id, ISLAND_AT.MEMBER), island(here, island_id, ISLAND_AT.MEMBER_END)
                ):
                    a = member(here, m, MEMBER_AT.ARTICULATION)
                    if articulation(here, a, ARTICULATION_AT.FREE_BODY) == 0:
                        run_stages(here, a, params, last)
