"""Stages of a step by themselves, repeated: the time that each stage of a step takes.

The stages up to the rows compute scratch from the state, so that repeating them moves nothing.
"""

import taichi as ti

from ..tables.features import Features
from . import TILE
from .articulated_body import compute_articulated_inertia
from .bias_forces import compute_link_forces
from .constraint_types import ARTICULATION_TYPES, prepare_constraints
from .lanes import Array, Float, Real
from .response import compute_responses
from .solver_params import step_params
from .world_view import WorldView, share_of_islands

FEATURES = Features(mimics=True)
FORCES, BODIES, RESPONSES, ROWS = range(1, 5)


@ti.func
def run_stages(w: ti.template(), a, params, last: ti.template()):
    """Compute the stages of a step of articulation a up to and including the stage `last`."""
    compute_link_forces(w, a, params, False)
    if ti.static(last >= BODIES):
        compute_articulated_inertia(w, a, params)
    if ti.static(last >= RESPONSES):
        compute_responses(w, a, params)
    if ti.static(last >= ROWS):
        prepare_constraints(ARTICULATION_TYPES, w, a, params)


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
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of_islands(topology, worker, workers, tasks)
        for turn in range(share.first, share.end):
            index, island_id, place = share.task(turn)
            here = WorldView(states, parameters, scratch, topology, index, place, FEATURES)
            params = step_params(here.island[island_id].position_iterations, h, solver)
            for _i in range(times):
                for m in range(here.island[island_id].member, here.island[island_id].member_end):
                    a = here.member[m].articulation
                    if here.articulation[a].free_body == 0:
                        run_stages(here, a, params, last)
