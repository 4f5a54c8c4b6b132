"""Island: articulations and free bodies tied by maximal joints, iterated together.

Each position iteration solves the maximal joints, then of every articulation the tendons, mimic joints and joints. TGS
moves everything by a substep after each of them, PGS by the whole step after the last. Velocity iterations follow; they
correct no position errors. `model.solver_batches` computes the numbers of both.
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

NO_GAP = -1e37  # below every gap: no limit is corrected


@ti.func
def iteration_params(i, params):
    """Return the parameters that all rows share in iteration i: position iterations first, then velocity iterations."""
    iteration = IterationParams(
        params.h,
        params.delta,
        params.h,  # duration
        0.0,  # elapsed
        1.0,  # impulse_multiplier
        1.0 / params.delta,
        params.limit_bias / params.delta,
        NO_GAP,  # violation_floor
        params.tgs,
        0,  # corrects_position
        1,  # drive_acts
    )
    if i < params.substeps:
        iteration.violation_floor = 0.0
        iteration.corrects_position = 1
        if params.forces_per_substep:
            iteration.duration = params.delta
            iteration.impulse_multiplier = 0.0
        if params.tgs:
            iteration.elapsed = i * params.delta  # i ρ, i from 0: implicit drives, eq. 41
    elif params.tgs:
        iteration.drive_acts = 0  # TGS freezes the drive impulse in velocity iterations
    return iteration


@ti.func
def solve_articulation(w: ti.template(), a, substep_time, params, iteration):
    """Solve articulation a once: tendons, mimic joints, then joint by joint."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    if ti.static(w.features.tendons):
        solve_tendons(w, a, substep_time, params)
    if ti.static(w.features.mimics):
        if articulation(w, a, ARTICULATION_AT.MIMIC_END) > articulation(w, a, ARTICULATION_AT.MIMIC):
            solve_mimic_joints(w, a, substep_time, iteration, 0)
    solve_joints(w, root, end, substep_time, iteration)


@ti.func
def solve_runaway_mimics(w: ti.template(), a, substep_time, iteration):
    """Solve the mimic joints of articulation a once more where their errors ran away."""
    first = articulation(w, a, ARTICULATION_AT.MIMIC)
    if articulation(w, a, ARTICULATION_AT.MIMIC_END) > first:
        if any_lane(ran_away(w, first)):
            solve_mimic_joints(w, a, substep_time, iteration, 1)


@ti.func
def integrate_articulation(w: ti.template(), a, i, params, substep_time):
    """Update the velocities of articulation a after iteration i, and its positions where a step or substep ends."""
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
    momentum = integrate(w, root, end, params, (moves, places, spatial), substep_time)
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
def solve_island(w: ti.template(), island_id, params):
    """Solve an island: position iterations with motion, then velocity iterations."""
    iterations = params.substeps + island(w, island_id, ISLAND_AT.VELOCITY_ITERATIONS)
    first, last = island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)
    for i in range(iterations):
        iteration = iteration_params(i, params)
        substep_time = 0.0
        if i < params.substeps and params.forces_per_substep > 0:
            substep_time = params.delta
        if ti.static(w.features.joints):
            for j in range(island(w, island_id, ISLAND_AT.JOINT), island(w, island_id, ISLAND_AT.PAIR_JOINT_END)):
                solve_maximal_joint(w, j, substep_time, params, iteration)
        settles = i == iterations - 1 or i == params.substeps - 1 or (params.tgs > 0 and i < params.substeps)
        for m in range(first, last):
            a = member(w, m, MEMBER_AT.ARTICULATION)
            solve_articulation(w, a, substep_time, params, iteration)
            if ti.static(w.features.mimics):
                if (
                    i < params.substeps and iterations > params.substeps
                ):  # the limits are solved again in the iterations that follow
                    solve_runaway_mimics(w, a, substep_time, iteration)
            if settles:
                integrate_articulation(w, a, i, params, substep_time)
            if ti.static(w.features.sleeps):
                if i == params.substeps - 1:
                    update_wake_counters(w, a, params)
