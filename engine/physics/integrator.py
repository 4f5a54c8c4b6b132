"""Semi-implicit Euler: joint velocities after the impulses of a pass, then positions, then poses.

    q += q̇ δ;  root: x += v δ, R ← exp(ω δ) R;  a spherical link turns by its own angular velocity, q follows from it
    Δq += (q̇ + QD_BIAS) δ of a rotation; of a translation under TGS see `sliding`

q grows by δ in every substep, in the precision of the lanes: slow motion depends on that rounding.
"""

import taichi as ti

from .dense import take_dense_velocity_change
from .free_body import turn_free_body
from .kinematics import update_link_pose
from .lanes import broadcast
from .limit import is_limited
from .locked_axes import lock_axes
from .rotation import Quat, from_rotation_vector
from .sliding import update_sliding_displacements
from .spatial import Vec3, no_force, no_motion
from .tree import joint_velocity_change, leads_to_contact, motion_outward, root_velocity_change, stores_response
from .views import KIND


@ti.func
def update_joint_velocity(w: ti.template(), k, change, substep_time):
    """Add the change by all impulses of a pass, and by the forces per substep, to QD of node k; return the sum."""
    node = w.node[k]
    gain = change
    if substep_time > 0.0:
        gain += substep_time * node.qdd_substep
    v = node.qd + gain  # the velocity is rounded once per substep
    node.qd = v
    return v


@ti.func
def apply_velocity_change(w: ti.template(), k, dv, substep_time, spatial):
    """Update the joint velocity of node k by all impulses; `dv` is the velocity change of the link above.

    Writes: QD, and V (without velocity products) if `spatial`. Clears JOINT_IMPULSE for the next pass.
    Returns the velocity change of the own link, and the joint velocity.
    """
    node = w.node[k]
    change, v = broadcast(0.0), broadcast(0.0)
    if node.dof >= 0:
        change = joint_velocity_change(node, dv)
        node.joint_impulse = 0.0
        v = update_joint_velocity(w, k, change, substep_time)
    if spatial:
        node.v = motion_outward(node, w.node[node.parent].v, v)
    return motion_outward(node, dv, change), v


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
def integrate_joint_position(w: ti.template(), k, v, delta, substeps):
    """Advance q of node k by its joint velocity v, and its displacement within the step.

    `substeps`: whether displacements of earlier substeps are added.
    """
    node = w.node[k]
    kind = node.kind
    row = w.header.q + node.dof
    if kind != KIND.FIXED:
        moved, change = v * delta, v * delta
        if kind == KIND.SPHERICAL:
            change = (v + node.qd_bias) * delta
        else:
            w.state[row] += moved
        if substeps:
            change += node.delta_q
        node.delta_q = change
        if kind != KIND.REVOLUTE:
            if substeps:
                moved += node.slide
            node.slide = moved


@ti.func
def integrate_root(w: ti.template(), a, params, moves, iteration):
    """Update the velocity of the floating root of a by all impulses, then its pose; return its velocity change."""
    root = w.articulation[a].root
    node, delta = w.node[root], params.delta
    dv = root_velocity_change(w, root)
    node.impulse = no_force()
    velocity = node.v + (dv + node.substep_acceleration * iteration.substep_time)
    node.v = velocity
    if ti.static(w.features.locks):
        if w.articulation[a].locked:
            velocity = lock_axes(w, a, velocity, params)
            if (moves and params.tgs > 0) or (params.tgs == 0 and iteration.last > 0):
                node.v = velocity
    if moves:
        w.state.position[node.link] += velocity.lin * delta
        if w.articulation[a].free_body:
            turn_free_body(w, root, velocity.ang, params)
        else:
            integrate_orientation(w, node.link, velocity.ang * delta, 0)
        node.delta_rotation += velocity.ang * delta
        node.root_displacement += velocity.lin * delta
    return dv


@ti.func
def integrate(w: ti.template(), a, params, moves, all_places, all_spatial, iteration):
    """Update the velocities of articulation a, then its positions.

    `moves`: whether positions advance by δ; `all_places`, `all_spatial`: whether the poses of all links follow, and
    whether the velocities of all are needed, as those of a node that leads to a contact always are.
    """
    root, end = w.articulation[a].root, w.articulation[a].end
    dv, dense = no_motion(), w.articulation[a].dense > 0
    if ti.static(w.features.floats):
        if w.articulation[a].floating > 0:
            dv = integrate_root(w, a, params, moves, iteration)
    if stores_response(w, w.node[root]):
        w.node[root].branch_delta_v = dv
    for k in range(root + 1, end):
        node = w.node[k]
        parent = node.parent
        if parent != k - 1:
            dv = w.node[parent].branch_delta_v
        places, spatial = all_places, all_spatial
        if ti.static(w.features.contacts):
            if leads_to_contact(w, node):
                places, spatial = moves, True
        v = broadcast(0.0)
        if dense:
            if ti.static(w.features.dense):
                if node.dof >= 0:
                    change = take_dense_velocity_change(w, k, root)
                    v = update_joint_velocity(w, k, change, iteration.substep_time)
        else:
            dv, v = apply_velocity_change(w, k, dv, iteration.substep_time, spatial)
            if stores_response(w, node):
                node.branch_delta_v = dv
        if moves:
            integrate_joint_position(w, k, v, params.delta, params.tgs)
        if node.last == k:
            if spatial and moves:
                rotation = (node.v.ang + node.bias_acceleration.ang * params.h) * params.delta
                node.delta_rotation += rotation
                if node.kind == KIND.SPHERICAL:
                    integrate_orientation(w, node.link, rotation, params.tgs)
            if places:
                update_link_pose(w, k, False)
    if moves and params.tgs > 0 and w.articulation[a].slides > 0:
        update_sliding_displacements(w, a, params, iteration.elapsed + params.delta)


@ti.func
def wrap_revolute_positions(w: ti.template(), root, end):
    """Subtract two turns from a revolute joint without limits beyond one turn; keep at most two, as PhysX does."""
    for step in range(end - 1 - root):
        node = w.node[end - 1 - step]
        if node.wraps > 0:
            row = w.header.q + node.dof
            q = w.state[row]
            wrapped = ti.select(q > 6.283185307179586, q - 12.566370614359172, q)
            wrapped = ti.select(wrapped < -6.283185307179586, wrapped + 12.566370614359172, wrapped)
            wrapped = ti.select(wrapped > 12.566370614359172, 12.566370614359172, wrapped)  # NaN stays NaN
            wrapped = ti.select(wrapped < -12.566370614359172, -12.566370614359172, wrapped)
            w.state[row] = ti.select(is_limited(w, node.dof), q, wrapped)
