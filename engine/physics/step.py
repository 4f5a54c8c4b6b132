"""One step of PhysX's reduced-coordinate articulation, law by law.

    compute_actuator_efforts       actuator
    compute_link_forces            bias_forces: kinematics, momentum
    compute_articulated_inertia    articulated_body
    compute_responses              response
    prepare_constraints            constraint_types: dof_rows (drive, friction, limit, velocity_limit), mimic, tendon,
                                   maximal_joint (constraint, d6_rows, cone_limit)
    solve_island                   island: maximal_joint → tendon → mimic → gauss_seidel → integrator
    write_results                  constraint_types, accelerations, incoming_joint_force
    stop_at_first_touch            contacts.continuous
    finalize_articulation          integrator, momentum
    step_free_body                 free_body, for a body that no joint holds

Geometry, inertia and responses are those of the start of the step and stay frozen, also through TGS substeps.
An island is what moves together: one articulation, or several and free bodies tied by maximal joints.
"""

import taichi as ti

from . import contact_function
from .accelerations import write_accelerations, write_free_body_acceleration, write_joint_accelerations
from .actuator import compute_actuator_efforts
from .articulated_body import compute_articulated_inertia
from .bias_forces import compute_link_forces
from .breaking import break_joints
from .constraint_types import ARTICULATION_TYPES, ISLAND_TYPES, prepare_constraints, report_constraints
from .contacts.pipeline import stop_at_first_touch
from .dense import prepare_dense_responses
from .drive import user_effort
from .free_body import integrate_free_body, prepare_free_body
from .incoming_joint_force import write_incoming_joint_forces, write_unconstrained_joint_forces
from .integrator import wrap_revolute_positions
from .island import solve_island
from .momentum import restore_momentum
from .record import writes_results
from .response import compute_responses
from .sleep_masking import is_moved, write_where_awake
from .sleeping import restore_sleepers, save_sleepers, take_changes, update_wake_counters


@ti.func
def step(w: ti.template(), island_id, params, last, splits_forces):
    """Advance an island of one world by one step.

    last: whether it is the last step of a launch, which writes `results`, as does one that puts the island to sleep.
    splits_forces: whether it writes FREE_FORCE.
    """
    save_sleepers(w, island_id)
    if ti.static(w.features.floats):
        alone = w.member[w.island[island_id].member].articulation
        if w.articulation[alone].free_body > 0 and w.articulation[alone].needs_link_velocities == 0:
            step_free_body(w, alone, params, last)
        else:
            step_island(w, island_id, params, last, splits_forces)
    else:
        step_island(w, island_id, params, last, splits_forces)
    restore_sleepers(w, island_id)


@ti.func
def step_free_body(w: ti.template(), a, params, last):
    """Advance a free body that no joint holds, which needs no iterations."""
    before = w.state.root_velocity[a]
    integrate_free_body(w, a, params)
    if ti.static(w.features.sleeps):
        w.node[w.articulation[a].root].v = w.state.root_velocity[a]
        update_wake_counters(w, a, params)
    if ti.static(w.features.results):
        if writes_results(w, last):
            write_free_body_acceleration(w, a, (w.state.root_velocity[a] - before) * (1.0 / params.h))


@ti.func
def step_island(w: ti.template(), island_id, params, last, splits_forces):
    """Advance an island that is solved by iterations: the laws in PhysX's order."""
    member, member_end = w.island[island_id].member, w.island[island_id].member_end
    if ti.static(w.features.contacts):
        contact_function.detect(w, island_id, params.h)  # contact points, friction patches and their order
        if ti.static(w.features.sleeps):
            if w.island[island_id].pair < w.island[island_id].pair_end:
                take_changes(w, island_id, params.h)
    for m in range(member, member_end):
        a = w.member[m].articulation
        if is_moved(w, a) == 0:
            pass
        elif w.articulation[a].free_body:
            if ti.static(w.features.joints or w.features.contacts):
                prepare_free_body(w, a, params)  # v and Λ of the body
        else:
            if ti.static(w.features.actuators):
                compute_actuator_efforts(w, a, params.h)
            reports = reports_forces(w, last, splits_forces)
            compute_link_forces(w, a, params, reports)  # S, V; gravity, velocity products, damping, external forces
            compute_articulated_inertia(w, a, params)  # I^A, U D⁻¹
            compute_responses(w, a, params)  # Λ, r; velocities without rows
            write_free_forces(w, a, splits_forces)  # joint forces without rows
            prepare_constraints(ARTICULATION_TYPES, w, a, params)  # joint rows, mimic joints, tendons
            if ti.static(w.features.dense):
                if w.articulation[a].dense > 0:
                    prepare_dense_responses(w, w.articulation[a].root, w.articulation[a].end)  # W
    prepare_constraints(ISLAND_TYPES, w, island_id, params)  # maximal joints
    solve_island(w, island_id, params)  # position iterations and motion, velocity iterations
    if writes_results(w, last):
        write_results(w, island_id, params)  # efforts, forces, accelerations
    if ti.static(w.features.breaks):
        break_joints(w, island_id, params.h)
    if ti.static(w.features.continuous and w.features.contacts):
        stop_at_first_touch(w, island_id)
    for m in range(member, member_end):
        if is_moved(w, w.member[m].articulation):
            finalize_articulation(w, w.member[m].articulation, params)  # wrapping, momentum, state


@ti.func
def reports_forces(w: ti.template(), last, splits_forces):
    """Return whether a step may write forces; one that puts something to sleep is not known before its contacts."""
    reports = 0
    if ti.static(w.features.results):
        reports = ti.select(splits_forces, 1, last + 0)
        if ti.static(w.features.sleeps):
            reports = 1
    return reports


@ti.func
def write_free_forces(w: ti.template(), a, splits_forces):
    """Write FREE_FORCE of articulation a if the launch reports it."""
    if ti.static(w.features.results):
        if splits_forces:
            write_unconstrained_joint_forces(w, a)


@ti.func
def write_results(w: ti.template(), island_id, params):
    """Write the results of the step, at the poses of its start: forces and efforts of all constraints first.

    Without the law of results these are the accelerations of the joints alone.
    """
    first, last = w.island[island_id].member, w.island[island_id].member_end
    if ti.static(w.features.results):
        for m in range(first, last):
            a = w.member[m].articulation
            if is_moved(w, a):
                if ti.static(w.features.sleeps):
                    write_where_awake(w, a)
                report_constraints(ARTICULATION_TYPES, w, a, params)
        report_constraints(ISLAND_TYPES, w, island_id, params)
    for m in range(first, last):
        a = w.member[m].articulation
        if is_moved(w, a):
            if ti.static(w.features.sleeps):
                write_where_awake(w, a)
            if ti.static(w.features.results):
                write_accelerations(w, a, params.h)
                write_incoming_joint_forces(w, a)
            else:
                write_joint_accelerations(w, a, params.h)


@ti.func
def finalize_articulation(w: ti.template(), a, params):
    """Wrap the positions of articulation a, restore its momentum and write its state for the next step."""
    root, end = w.articulation[a].root, w.articulation[a].end
    wrap_revolute_positions(w, root, end)
    if ti.static(w.features.floats):
        if w.articulation[a].floating > 0 and w.articulation[a].free_body == 0:
            restore_momentum(w, a, params.h)
    write_state(w, a, params.h)


@ti.func
def write_state(w: ti.template(), a, h):
    """Write joint velocities, applied efforts and root velocity of articulation a to the state."""
    root, end = w.articulation[a].root, w.articulation[a].end
    for k in range(root + 1, end):
        node = w.node[k]
        dof = node.dof
        if dof >= 0:
            w.state.qd[dof] = node.qd
            effort = node.drive_impulse * (1.0 / h) + user_effort(w, k)
            w.state.applied_effort[dof] = effort
    w.state.root_velocity[a] = w.node[root].v
