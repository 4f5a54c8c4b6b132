"""Island: articulations and free bodies tied by maximal joints, iterated together.

Each iteration solves the constraints of the island, then those of every articulation: `constraint_types`. TGS
moves everything by a substep after each of them, PGS by the whole step after the last. Velocity iterations follow; they
correct no position errors. `model.solver_batches` computes the numbers of both.
"""

import taichi as ti

from .constraint_types import ARTICULATION_TYPES, ISLAND_TYPES, solve_constraints
from .integrator import integrate
from .runaway import watch_mimics
from .sleep_masking import is_moved
from .sleeping import update_wake_counters
from .solver_params import iteration_params


@ti.func
def integrate_articulation(w: ti.template(), a, i, params, iteration):
    """Update the velocities of articulation a after iteration i, and its positions where a step or substep ends."""
    spatial = w.articulation[a].needs_link_velocities == 1
    if ti.static(w.features.continuous):
        spatial = spatial or (w.articulation[a].floating > 0 and iteration.last > 0)
    moves = i < params.substeps and (params.tgs > 0 or i == params.substeps - 1)
    places = moves and (w.articulation[a].needs_substep_poses == 1 or i == params.substeps - 1)
    integrate(w, a, params, moves, places, spatial, iteration)
    if ti.static(w.features.mimics):
        if moves:
            watch_mimics(w, a, params)


@ti.func
def solve_island(w: ti.template(), island_id, params):
    """Solve an island: position iterations with motion, then velocity iterations."""
    iterations = params.substeps + w.island[island_id].velocity_iterations
    first, last = w.island[island_id].member, w.island[island_id].member_end
    for i in range(iterations):
        iteration = iteration_params(i, iterations, params)
        solve_constraints(ISLAND_TYPES, w, island_id, iteration)
        settles = i == iterations - 1 or i == params.substeps - 1 or (params.tgs > 0 and i < params.substeps)
        for m in range(first, last):
            if settles or w.member[m].has_rows > 0:
                a = w.member[m].articulation
                if is_moved(w, a):
                    if w.member[m].has_rows > 0:
                        solve_constraints(ARTICULATION_TYPES, w, a, iteration)
                    if settles:
                        integrate_articulation(w, a, i, params, iteration)
                    if ti.static(w.features.sleeps):
                        if i == params.substeps - 1:
                            update_wake_counters(w, a, params)
