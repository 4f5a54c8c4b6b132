"""Semi-implicit Euler: joint velocities after the impulses of a pass, then positions, then poses.

    q += q̇ δ;  root: x += v δ, R ← exp(ω δ) R;  a spherical link turns by its own angular velocity, q follows from it
    Δq += (q̇ + QD_BIAS) δ of a rotation; of a translation the displacement of the poses, with axis and arms frozen

q grows by δ in every substep, in the precision of the lanes: slow motion depends on that rounding.
"""

import taichi as ti

from .kinematics import update_link_pose
from .lanes import broadcast
from .limit import is_limited
from .rotation import Quat, from_rotation_vector
from .spatial import Vec3, no_force, no_motion, zero_vector
from .tree import joint_velocity_change, motion_outward, root_velocity_change
from .views import KIND


@ti.func
def apply_velocity_change(w: ti.template(), k, dv, substep_time, spatial):
    """Update the joint velocity of node k by all impulses; `dv` is the velocity change of the link above.

    Writes: QD, and V (without velocity products) if `spatial`. Clears JOINT_IMPULSE for the next pass.
    Returns the velocity change of the own link.
    """
    node = w.node[k]
    v, change = node.qd, broadcast(0.0)
    if node.dof >= 0:
        change = joint_velocity_change(node, dv)
        gain = change
        if substep_time > 0.0:
            gain += substep_time * node.qdd_substep
        v += gain  # the velocity is rounded once per substep
        node.qd = v
        node.joint_impulse = 0.0
    if spatial:
        node.v = motion_outward(node, w.node[node.parent].v, v)
    return motion_outward(node, dv, change)


@ti.func
def integrate_orientation(w: ti.template(), link, angle, substeps):
    """Turn a link by a rotation vector.

    As in PhysX, a spherical joint does not turn in a substep whose angle is below 1e-6 rad.
    """
    turned = w.state.orientation[link]
    new = (from_rotation_vector(angle) * turned).normalized()
    if substeps:
        slow = angle.dot(angle) <= 1e-12
        new = Quat(
            Vec3(
                ti.select(slow, turned.v.x, new.v.x), ti.select(slow, turned.v.y, new.v.y),
                ti.select(slow, turned.v.z, new.v.z),
            ),
            ti.select(slow, turned.w, new.w),
        )  # fmt: skip
    w.state.orientation[link] = new


@ti.func
def integrate_joint_position(w: ti.template(), k, delta, substeps):
    """Advance q of node k by its joint velocity, and DELTA_Q where a step has substeps."""
    node = w.node[k]
    kind = node.kind
    row = w.header.q + node.dof
    v = node.qd
    if kind == KIND.REVOLUTE or kind == KIND.PRISMATIC:
        w.state[row] += v * delta
    if substeps > 0 and kind == KIND.REVOLUTE:
        node.delta_q += v * delta
    if substeps > 0 and kind == KIND.SPHERICAL:
        node.delta_q += (v + node.qd_bias) * delta


@ti.func
def prismatic_displacement(w: ti.template(), k):
    """Write DELTA_Q of a prismatic joint, its displacement within the step, from the poses."""
    node = w.node[k]
    base = node.parent_last
    apart = w.state.position[node.link] - w.state.position[w.node[base].link]
    delta_q = node.subspace.lin.dot(apart - node.offset)
    delta_q += node.arm1.dot(node.delta_rotation)
    node.delta_q = delta_q - node.arm0.dot(w.node[base].delta_rotation)


@ti.func
def integrate(w: ti.template(), root, end, params, what, substep_time):
    """Update the velocities of an articulation, then its positions.

    `what` = (moves, places, spatial): whether positions advance by δ, whether the poses of the links follow, whether
    link velocities are needed. `substep_time`: how long the forces per substep acted since the last update [s].
    Returns the momentum m (v + h ab) of all links of a floating articulation [kg·m/s].
    """
    moves, places, spatial = what
    dv, momentum = no_motion(), zero_vector()
    if ti.static(w.features.floats):
        if w.node[root].kind == KIND.FLOATING_ROOT:
            link = w.node[root].link
            dv = root_velocity_change(w, root)
            w.node[root].impulse = no_force()
            velocity = w.node[root].v + (dv + w.node[root].substep_acceleration * substep_time)
            w.node[root].v = velocity
            momentum = velocity.lin * w.node[root].mass
            if moves:
                w.state.position[link] += velocity.lin * params.delta
                integrate_orientation(w, link, velocity.ang * params.delta, 0)
                w.node[root].delta_rotation += velocity.ang * params.delta
    w.node[root].branch_delta_v = dv
    for k in range(root + 1, end):
        node = w.node[k]
        parent, kind = node.parent, node.kind
        if parent != k - 1:
            dv = w.node[parent].branch_delta_v
        dv = apply_velocity_change(w, k, dv, substep_time, spatial)
        if node.stores_response > 0:
            node.branch_delta_v = dv
        if moves:
            integrate_joint_position(w, k, params.delta, params.tgs)
        if node.last == k:
            link = node.link
            if spatial:
                full = node.v + node.bias_acceleration * params.h
                momentum = momentum + full.lin * node.mass
                if moves:
                    angle = full.ang * params.delta
                    node.delta_rotation += angle
                    if kind == KIND.SPHERICAL:
                        integrate_orientation(w, link, angle, params.tgs)
            if places:
                update_link_pose(w, k, False)
                if kind == KIND.PRISMATIC and params.tgs > 0:
                    prismatic_displacement(w, k)
    return momentum


@ti.func
def wrap_revolute_positions(w: ti.template(), root, end):
    """Subtract two turns from a revolute joint without limits that is beyond one turn, as PhysX does."""
    for k in range(root + 1, end):
        node = w.node[k]
        if node.wraps > 0:
            row = w.header.q + node.dof
            q = w.state[row]
            wrapped = ti.select(q > 6.283185307179586, q - 12.566370614359172, q)
            wrapped = ti.select(wrapped < -6.283185307179586, wrapped + 12.566370614359172, wrapped)
            w.state[row] = ti.select(is_limited(w, node.dof), q, wrapped)
