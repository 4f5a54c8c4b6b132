"""An island: articulations and free bodies that joints outside the trees tie, iterated together.

Position iterations, each: joints outside the trees, then every articulation's tendons, mimic joints and joints; TGS
moves everything by a substep after each of them, PGS by the whole step after the last. Then velocity iterations, which
mend no errors. Their numbers are those of the batch, `model.solver_batches`.
"""

import taichi as ti

from .accessors import NODE_ROW, get_vector, put_vector
from .gauss_seidel import IterationParams, solve_joints
from .integrator import integrate
from .lanes import any_lane
from .maximal_joint import solve_maximal_joint
from .mimic import solve_mimic_joints
from .runaway import ran_away, watch_mimics
from .sleeping import update_wake_counters
from .tendon import solve_tendons
from .world_view import ARTICULATION_AT, ISLAND_AT, MEMBER_AT, articulation, island, member

NO_GAP = -1e37  # no gap is as low


@ti.func
def iteration_params(i, params):
    """What the rows of iteration i have in common: first the position iterations, then the velocity iterations."""
    iteration = IterationParams(
        params.h,
        params.delta,
        params.h,
        0.0,
        1.0,
        1.0 / params.delta,
        params.bias / params.delta,
        NO_GAP,
        params.tgs,
        0,
        1,
    )
    if i < params.substeps:
        iteration.floor = 0.0
        iteration.comes_back = 1
        if params.spread:
            iteration.span = params.delta
            iteration.keep = 0.0
        if params.tgs:
            iteration.elapsed = i * params.delta
    elif params.tgs:
        iteration.drives = 0
    return iteration


@ti.func
def solve_articulation(w: ti.template(), a, push, params, iteration):
    """One iteration of articulation a: tendons, mimic joints, then joint by joint."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    if ti.static(w.features.tendons):
        solve_tendons(w, a, push, params)
    if ti.static(w.features.mimics):
        if articulation(w, a, ARTICULATION_AT.MIMIC_END) > articulation(w, a, ARTICULATION_AT.MIMIC):
            solve_mimic_joints(w, a, push, iteration, 0)
    solve_joints(w, root, end, push, iteration)


@ti.func
def mend_again(w: ti.template(), a, push, iteration):
    """Visit mimic joints once more, where their errors ran away."""
    first = articulation(w, a, ARTICULATION_AT.MIMIC)
    if articulation(w, a, ARTICULATION_AT.MIMIC_END) > first:
        if any_lane(ran_away(w, first)):
            solve_mimic_joints(w, a, push, iteration, 1)


@ti.func
def integrate_articulation(w: ti.template(), a, i, params, push):
    """Settle the speeds of articulation a after iteration i, and move it where a step or a substep ends."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    poses, floats = (
        articulation(w, a, ARTICULATION_AT.NEEDS_SUBSTEP_POSES),
        articulation(w, a, ARTICULATION_AT.FLOATING),
    )
    spatial = (
        floats > 0 or articulation(w, a, ARTICULATION_AT.NEEDS_LINK_VELOCITIES) > 0 or (poses > 0 and params.tgs > 0)
    )
    moves = i < params.substeps and (params.tgs > 0 or i == params.substeps - 1)
    places = moves and (poses > 0 or i == params.substeps - 1)
    momentum = integrate(w, root, end, params, (moves, places, spatial), push)
    if ti.static(w.features.mimics):
        if moves:
            watch_mimics(w, a, params)
    if floats > 0 and moves:
        put_vector(
            w,
            root,
            NODE_ROW.MASS_DISPLACEMENT,
            get_vector(w, root, NODE_ROW.MASS_DISPLACEMENT) + momentum * params.delta,
        )


@ti.func
def solve_island(w: ti.template(), isle, params):
    """Position iterations, motion, velocity iterations of an island."""
    iterations = params.substeps + island(w, isle, ISLAND_AT.VELOCITY_ITERATIONS)
    first, last = island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)
    for i in range(iterations):
        iteration = iteration_params(i, params)
        push = 0.0
        if i < params.substeps and params.spread > 0:
            push = params.delta
        if ti.static(w.features.joints):
            for j in range(island(w, isle, ISLAND_AT.JOINT), island(w, isle, ISLAND_AT.PAIR_JOINT_END)):
                solve_maximal_joint(w, j, push, params, iteration)
        settles = i == iterations - 1 or i == params.substeps - 1 or (params.tgs > 0 and i < params.substeps)
        for m in range(first, last):
            a = member(w, m, MEMBER_AT.ARTICULATION)
            solve_articulation(w, a, push, params, iteration)
            if ti.static(w.features.mimics):
                if i < params.substeps and iterations > params.substeps:  # limits hold in what comes after
                    mend_again(w, a, push, iteration)
            if settles:
                integrate_articulation(w, a, i, params, push)
            if ti.static(w.features.sleeps):
                if i == params.substeps - 1:
                    update_wake_counters(w, a, params)
