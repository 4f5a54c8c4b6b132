"""Rows of the joints of a tree: drive, friction, limit and velocity limit of each degree of freedom.

A new law on one degree of freedom is a file beside `drive.py`, and one call in each of the functions here.
"""

import taichi as ti

from .drive import prepare_drive, prepare_drive_error, solve_drive
from .friction import prepare_friction, solve_friction
from .lanes import broadcast, maximum
from .limit import is_near_limit, limit_gaps, meets_limit, prepare_limit, solve_limit
from .sliding import clear_displacement
from .spatial import no_force
from .tree import needs_velocities, propagate_velocities_outward, stores_response
from .velocity_limit import is_beyond_velocity_limit, prepare_velocity_limit, solve_velocity_limit
from .views import DRIVE, KIND


@ti.func
def prepare_joint_rows(w: ti.template(), a, params):
    """Compute the coefficients of all joint rows of articulation a for this step, with the softness cfm:

    cfm = max over the joint's two links of cfm_scale · the link's largest linear response;  INV_RESPONSE = 1/(r + cfm)
    QD_BIAS = S-row on h ab of the two links: the part of the joint velocity that q̇ does not contain
    """
    root, end = w.articulation[a].root, w.articulation[a].end
    w.node[root].impulse = no_force()
    for k in range(root, end):
        node = w.node[k]
        if params.tgs:
            clear_displacement(w, k)
        if stores_response(w, node):
            node.branch_impulse = no_force()
    for k in range(root + 1, end):
        node = w.node[k]
        node.joint_impulse = 0.0
        dof = node.dof
        if dof >= 0:
            base, carrier = node.parent_last, node.last
            cfm = maximum(w.node[base].cfm, w.node[carrier].cfm)
            node.inv_response = 1.0 / (node.unit_response + cfm)
            if node.kind != KIND.REVOLUTE:  # of a revolute joint it is 0
                node.qd_bias = velocity_offset(w, k, base, carrier) * params.h
            node.drive_impulse = 0.0
            if node.friction > 0:
                prepare_friction(w, k, dof)
            if node.limited > 0:
                prepare_limit(w, k, dof)
            if node.velocity_limited > 0:
                prepare_velocity_limit(w, k, dof)
            if carrier == k:
                prepare_drive_error(w, k)
                for j in range(node.first, k + 1):
                    if w.node[j].drive > 0:
                        prepare_drive(w, j, dof + j - k, w.node[j].drive == DRIVE.ACCELERATION, params)
    if ti.static(w.features.joints or w.features.tendons or w.features.contacts):
        if needs_velocities(w, w.articulation[a]):
            propagate_velocities_outward(w, root, end)


@ti.func
def velocity_offset(w: ti.template(), k, base, carrier):
    """Return the row of node k on the velocity products of its two links [rad/s² | m/s²]."""
    node = w.node[k]
    below, above = w.node[carrier].bias_acceleration, w.node[base].bias_acceleration
    s = node.subspace
    offset = s.ang.dot(below.ang - above.ang)
    if node.kind == KIND.PRISMATIC:
        offset = s.lin.dot(below.lin - above.lin)
        offset += node.arm1.dot(below.ang) - node.arm0.dot(above.ang)
    return offset


@ti.func
def free_velocity(node: ti.template(), iteration):
    """Return the joint velocity of a node without the impulses of this pass."""
    v = node.qd
    if iteration.substep_time > 0.0:
        v += iteration.substep_time * node.qdd_substep
    if node.kind != KIND.REVOLUTE:
        v += node.qd_bias
    return v


@ti.func
def solve_joint_rows(w: ti.template(), k, speed, iteration):
    """Return the impulse of all rows of node k at joint velocity `speed`.

    Drive, friction, limit and velocity limit are solved in this order, each with the impulses of those before it. The
    next joint waits for the sum, so limits out of reach add nothing.
    """
    node = w.node[k]
    r, v, total = node.unit_response, speed, broadcast(0.0)
    if node.drive > 0:
        impulse = solve_drive(w, k, v, iteration)
        v += impulse * r
        total = impulse
    if node.friction > 0:
        impulse = solve_friction(w, k, v, iteration)
        v += impulse * r
        total += impulse
    if node.limited > 0:
        if is_near_limit(w, k, v, iteration):
            gaps = limit_gaps(w, k, iteration)
            if meets_limit(w, k, v, gaps, iteration):
                impulse = solve_limit(w, k, v, gaps, iteration)
                v += impulse * r
                total += impulse
    if node.velocity_limited > 0:
        if is_beyond_velocity_limit(w, k, v):
            total += solve_velocity_limit(w, k, v)
    return total


@ti.func
def write_joint_efforts(w: ti.template(), a, params):
    """Write the efforts of limits, friction and velocity limits on the joints of articulation a.

    The effort of drive and user is in the state, since drives continue from it.
    """
    for k in range(w.articulation[a].root + 1, w.articulation[a].end):
        node = w.node[k]
        if node.dof >= 0:
            limit, friction, velocity = broadcast(0.0), broadcast(0.0), broadcast(0.0)
            if node.limited > 0:
                limit = node.lower_impulse + node.upper_impulse
            if node.friction > 0:
                friction = node.friction_impulse
            if node.velocity_limited > 0:
                velocity = node.velocity_limit_impulse
            w.results.limit_effort[node.dof] = limit * (1.0 / params.h)
            w.results.friction_effort[node.dof] = friction * (1.0 / params.h)
            w.results.velocity_limit_effort[node.dof] = velocity * (1.0 / params.h)
