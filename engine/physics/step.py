"""One step of PhysX's reduced-coordinate articulation, law by law.

    before the rows    kinematics, bias_forces, momentum → articulated_body → response
    rows               gauss_seidel (drive, friction, limit, velocity_limit), mimic, tendon, maximal_joint
    iterations         island (maximal_joint → tendon → mimic → gauss_seidel → integrator)
    results            accelerations, constraint_efforts, external_reactions, incoming_joint_force
    end                integrator, momentum

Geometry, inertia and responses are those of the start of the step and stay frozen, also through TGS substeps.
An island is what moves together: one articulation, or several and free bodies tied by maximal joints.
A new constraint is a file beside `drive.py` or `limit.py` and one call in `gauss_seidel.solve_joint_rows` (one degree
of freedom) or beside `solve_mimic_joints` in `island.solve_articulation` (several).
"""

import taichi as ti

from .accelerations import write_accelerations, write_free_body_acceleration
from .accessors import (
    NODE_ROW,
    get,
    get_motion,
    position,
    put_spatial,
    put_vector,
    root_velocity,
    set_root_velocity,
    set_state,
)
from .articulated_body import compute_articulated_inertia
from .bias_forces import apply_external_wrenches, compute_bias_force, exceeds_velocity_limit
from .constraint_efforts import write_constraint_efforts
from .external_reactions import write_external_reactions
from .free_body import integrate_free_body, prepare_free_body
from .gauss_seidel import prepare_joint_rows
from .impulse_propagation import propagate_velocities
from .incoming_joint_force import write_incoming_joint_forces, write_unconstrained_joint_forces
from .integrator import wrap_revolute_positions
from .island import solve_island
from .kinematics import clamp_joint_velocities, compute_joint_motion
from .lanes import any_lane, broadcast, maximum
from .maximal_joint import prepare_maximal_joint
from .mimic import prepare_mimics
from .momentum import angular_momentum_correction, compute_momentum, restore_momentum
from .record import writes_results
from .response import compute_responses
from .sleep_masking import mask_sleeping_lanes
from .sleeping import put_island_to_sleep, update_wake_counters
from .spatial import no_force, no_motion, zero_vector
from .tendon import prepare_tendon
from .world_view import (
    ARTICULATION_AT,
    HEADER_AT,
    ISLAND_AT,
    MEMBER_AT,
    NODE_AT,
    articulation,
    header,
    island,
    member,
    node,
)


@ti.func
def step(w: ti.template(), island_id, params, results: ti.template(), final):
    """Advance an island of one world by one step.

    final: 1 for the last step of a launch, which writes `results`, else 0; 2 more if it writes FREE_FORCE, too. A step
    that puts the island to sleep also writes `results`.
    """
    if ti.static(w.features.sleeps):
        mask_sleeping_lanes(w, island_id, False)
    if ti.static(w.features.floats):
        alone = member(w, island(w, island_id, ISLAND_AT.MEMBER), MEMBER_AT.ARTICULATION)
        if (
            articulation(w, alone, ARTICULATION_AT.FREE_BODY) > 0
            and articulation(w, alone, ARTICULATION_AT.NEEDS_LINK_VELOCITIES) == 0
        ):
            step_free_body(w, alone, params, results, final)
        else:
            step_island(w, island_id, params, results, final)
    else:
        step_island(w, island_id, params, results, final)
    if ti.static(w.features.sleeps):
        if w.falling:
            put_island_to_sleep(w, island_id)
        mask_sleeping_lanes(w, island_id, True)


@ti.func
def step_free_body(w: ti.template(), a, params, results: ti.template(), final):
    """Advance a free body that no joint holds, which needs no iterations."""
    before = root_velocity(w, a)
    integrate_free_body(w, a, params)
    if ti.static(w.features.sleeps):
        put_spatial(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_ROW.V, root_velocity(w, a))
        update_wake_counters(w, a, params)
    if ti.static(w.features.results):
        if writes_results(w, final):
            write_free_body_acceleration(w, a, (root_velocity(w, a) - before) * (1.0 / params.h), results)


@ti.func
def step_island(w: ti.template(), island_id, params, results: ti.template(), final):
    """Advance an island that is solved by iterations, in PhysX's order."""
    first, last = island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)
    for m in range(first, last):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        if articulation(w, a, ARTICULATION_AT.FREE_BODY):
            if ti.static(w.features.joints):
                prepare_free_body(w, a, params)  # free_body
        else:
            prepare_articulation(w, a, params, results, final > 1)
    prepare_maximal_joints(w, island_id, params)  # J, r and bias of every row
    solve_island(w, island_id, params)  # position iterations and motion, velocity iterations: island
    writes = writes_results(w, final)
    if ti.static(w.features.results and (w.features.joints or w.features.tendons)):
        if writes:
            write_external_reactions(w, island_id, params.h, results)
    for m in range(first, last):
        finalize_articulation(w, member(w, m, MEMBER_AT.ARTICULATION), params, results, writes)


@ti.func
def prepare_articulation(w: ti.template(), a, params, results: ti.template(), splits_forces):
    """Compute what the iterations of articulation a start from; `splits_forces`: write FREE_FORCE."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    put_vector(w, root, NODE_ROW.START_POSITION, position(w, node(w, root, NODE_AT.LINK)))
    put_vector(w, root, NODE_ROW.MASS_DISPLACEMENT, zero_vector())
    compute_unconstrained_velocities(w, a, params)  # S, V, forces; I^A, U D⁻¹; Λ, r, q̇ without rows
    if ti.static(w.features.results):
        if splits_forces:
            write_unconstrained_joint_forces(w, a, results)
    prepare_joint_rows(w, root, end, params)  # drive, friction, limit, velocity limit
    if ti.static(w.features.mimics):
        prepare_mimics(w, a)  # r of mimic joints and their responses to each other
    if ti.static(w.features.joints or w.features.tendons):
        if articulation(w, a, ARTICULATION_AT.NEEDS_LINK_VELOCITIES):
            propagate_velocities(w, root, end)
    if ti.static(w.features.tendons):
        for t in range(articulation(w, a, ARTICULATION_AT.TENDON), articulation(w, a, ARTICULATION_AT.TENDON_END)):
            prepare_tendon(w, t, params)


@ti.func
def compute_unconstrained_velocities(w: ti.template(), a, params):
    """Compute the velocities at the end of the step without rows: QD and QDD_SUBSTEP of every node, V of the root."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    correction = compute_link_forces(w, a, params)  # S, V; gravity, damping, velocity products, external forces
    compute_articulated_inertia(w, root, end, params.forces_per_substep)  # I^A, U D⁻¹
    acceleration = compute_responses(w, root, end, params.h, params.forces_per_substep)  # Λ, r, q̇
    put_spatial(w, root, NODE_ROW.U_D_INV, correction)
    put_spatial(w, root, NODE_ROW.V, root_velocity(w, a) + acceleration * params.h + correction)


@ti.func
def compute_link_forces(w: ti.template(), a, params):
    """Compute motion, inertia and forces of all links of articulation a, and V of the root.

    Returns the change of the root's velocity that keeps the angular momentum of a floating articulation.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    floats = articulation(w, a, ARTICULATION_AT.FLOATING)
    clamp_joint_velocities(w, root, end, articulation(w, a, ARTICULATION_AT.HAS_VELOCITY_CLAMP))
    put_spatial(w, root, NODE_ROW.V, root_velocity(w, a))
    drag, gyro, correction = no_force(), zero_vector(), no_motion()
    fastest = broadcast(-1.0)
    for k in range(root, end):
        compute_joint_motion(w, k, floats)
        fastest = maximum(fastest, exceeds_velocity_limit(w, k))
    too_fast = any_lane(fastest > 0.0)  # rare: saves two roots and four quotients per link
    for k in range(root, end):
        drag_k, gyro_k = compute_bias_force(w, k, params, floats, too_fast)
        if ti.static(w.features.floats):
            if floats:
                drag, gyro = drag + drag_k, gyro + gyro_k
    if articulation(w, a, ARTICULATION_AT.HAS_EXTERNAL_FORCE):
        drag = drag + apply_external_wrenches(w, root, end, params.forces_per_substep)
    if ti.static(w.features.floats):
        if floats:
            now = compute_momentum(w, root, end, 0.0)
            now.h = now.h + (drag.ang - now.com.cross(drag.lin)) * params.h
            before = now.h.norm()
            now.h = now.h - gyro * params.h
            correction = angular_momentum_correction(now, before, 1.0)
    return correction


@ti.func
def prepare_maximal_joints(w: ti.template(), island_id, params):
    """Compute the rows of all maximal joints of an island."""
    if ti.static(w.features.joints):
        for j in range(island(w, island_id, ISLAND_AT.JOINT), island(w, island_id, ISLAND_AT.JOINT_END)):
            prepare_maximal_joint(w, j, params)


@ti.func
def finalize_articulation(w: ti.template(), a, params, results: ti.template(), writes):
    """Write the results of articulation a after the iterations, and its state for the next step."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    if ti.static(w.features.results):
        if writes:
            write_accelerations(w, a, params.h, results)  # q̈ and accelerations of links
            write_constraint_efforts(w, a, params.h, results)  # efforts of limit, friction, mimic joints, …
            write_incoming_joint_forces(w, a, results)
    wrap_revolute_positions(w, root, end)
    if ti.static(w.features.floats):
        if articulation(w, a, ARTICULATION_AT.FLOATING) > 0 and articulation(w, a, ARTICULATION_AT.FREE_BODY) == 0:
            restore_momentum(w, a, params.h)
    write_state(w, a, params.h)


@ti.func
def write_state(w: ti.template(), a, h):
    """Write joint velocities, applied efforts and root velocity of articulation a to the state."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    for k in range(root + 1, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            set_state(w, header(w, HEADER_AT.QD) + dof, get(w, k, NODE_ROW.QD))
            effort = get(w, k, NODE_ROW.DRIVE_IMPULSE) * (1.0 / h) + get(w, k, NODE_ROW.EFFORT)
            set_state(w, header(w, HEADER_AT.APPLIED_EFFORT) + dof, effort)
    set_root_velocity(w, a, get_motion(w, root, NODE_ROW.V))
