"""One step of PhysX's reduced-coordinate articulation, law by law.

    compute_link_forces            kinematics, bias_forces, momentum
    compute_articulated_inertia    articulated_body
    compute_responses              response
    prepare_rows                   gauss_seidel (drive, friction, limit, velocity_limit), mimic, tendon
    prepare_maximal_joints         maximal_joint (constraint, d6_rows, cone_limit)
    solve_island                   island: maximal_joint → tendon → mimic → gauss_seidel → integrator
    write_reactions                external_reactions
    write_joint_results            accelerations, constraint_efforts, incoming_joint_force
    finalize_articulation          integrator, momentum
    step_free_body                 free_body, for a body that no joint holds

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
    """Advance an island that is solved by iterations: the laws in PhysX's order."""
    first, last = island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)
    for m in range(first, last):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        if articulation(w, a, ARTICULATION_AT.FREE_BODY):
            if ti.static(w.features.joints):
                prepare_free_body(w, a, params)  # v and Λ of the body
        else:
            compute_link_forces(w, a, params)  # S, V; gravity, velocity products, damping, external forces
            compute_articulated_inertia(w, a, params)  # I^A, U D⁻¹
            compute_responses(w, a, params)  # Λ, r; velocities without rows
            write_free_forces(w, a, results, final)  # joint forces without rows
            prepare_rows(w, a, params)  # drive, friction, limit, velocity limit; mimic joints; tendons
    prepare_maximal_joints(w, island_id, params)  # J, r and bias of every row
    solve_island(w, island_id, params)  # position iterations and motion, velocity iterations
    writes = writes_results(w, final)
    write_reactions(w, island_id, params, results, writes)  # forces of tendons and maximal joints
    for m in range(first, last):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        write_joint_results(w, a, params, results, writes)  # q̈, accelerations, efforts, joint forces
        finalize_articulation(w, a, params)  # wrapping, momentum, state


@ti.func
def compute_link_forces(w: ti.template(), a, params):
    """Compute motion, inertia and forces of all links of articulation a.

    Writes: U_D_INV of the root, the change of its velocity that keeps the angular momentum of a floating articulation.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    put_vector(w, root, NODE_ROW.START_POSITION, position(w, node(w, root, NODE_AT.LINK)))
    put_vector(w, root, NODE_ROW.MASS_DISPLACEMENT, zero_vector())
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
    put_spatial(w, root, NODE_ROW.U_D_INV, correction)


@ti.func
def write_free_forces(w: ti.template(), a, results: ti.template(), final):
    """Write FREE_FORCE of articulation a if `final` asks for it."""
    if ti.static(w.features.results):
        if final > 1:
            write_unconstrained_joint_forces(w, a, results)


@ti.func
def prepare_rows(w: ti.template(), a, params):
    """Compute the rows of articulation a and the link velocities that they read."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    prepare_joint_rows(w, root, end, params)
    if ti.static(w.features.mimics):
        prepare_mimics(w, a)
    if ti.static(w.features.joints or w.features.tendons):
        if articulation(w, a, ARTICULATION_AT.NEEDS_LINK_VELOCITIES):
            propagate_velocities(w, root, end)
    if ti.static(w.features.tendons):
        for t in range(articulation(w, a, ARTICULATION_AT.TENDON), articulation(w, a, ARTICULATION_AT.TENDON_END)):
            prepare_tendon(w, t, params)


@ti.func
def prepare_maximal_joints(w: ti.template(), island_id, params):
    """Compute the rows of all maximal joints of an island."""
    if ti.static(w.features.joints):
        for j in range(island(w, island_id, ISLAND_AT.JOINT), island(w, island_id, ISLAND_AT.JOINT_END)):
            prepare_maximal_joint(w, j, params)


@ti.func
def write_reactions(w: ti.template(), island_id, params, results: ti.template(), writes):
    """Write the forces of tendons and maximal joints of an island if this step `writes` results."""
    if ti.static(w.features.results and (w.features.joints or w.features.tendons)):
        if writes:
            write_external_reactions(w, island_id, params.h, results)


@ti.func
def write_joint_results(w: ti.template(), a, params, results: ti.template(), writes):
    """Write the results of articulation a if this step `writes` them, at the poses of the start of the step."""
    if ti.static(w.features.results):
        if writes:
            write_accelerations(w, a, params.h, results)
            write_constraint_efforts(w, a, params.h, results)
            write_incoming_joint_forces(w, a, results)


@ti.func
def finalize_articulation(w: ti.template(), a, params):
    """Wrap the positions of articulation a, restore its momentum and write its state for the next step."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
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
