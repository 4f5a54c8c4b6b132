"""Semi-implicit Euler: joint velocities after the impulses of a pass, then positions, then poses.

    q += q̇ δ;  root: x += v δ, R ← exp(ω δ) R;  a spherical link turns by its own angular velocity, q follows from it
    Δq += (q̇ + QD_BIAS) δ of a rotation; of a translation the displacement of the poses, with axis and arms frozen

q grows by δ in every substep, in the precision of the lanes: slow motion depends on that rounding.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    get,
    get_force,
    get_motion,
    get_vector,
    orientation,
    position,
    put,
    put_spatial,
    put_vector,
    set_orientation,
    set_position,
    set_state,
    state,
)
from .kinematics import update_link_pose
from .lanes import broadcast
from .limit import is_limited
from .response import get_response
from .rotation import Quat, from_rotation_vector
from .spatial import Vec3, no_force, no_motion, zero_vector
from .world_view import HEADER_AT, KIND, NODE_AT, header, node


@ti.func
def apply_velocity_change(w: ti.template(), k, dv, substep_time, spatial):
    """Update the joint velocity of node k by all impulses; `dv` is the velocity change of the link above.

    Writes: QD, and V (without velocity products) if `spatial`. Clears JOINT_IMPULSE for the next pass.
    Returns the velocity change of the own link.
    """
    s, d = get_motion(w, k, NODE_ROW.SUBSPACE), get_vector(w, k, NODE_ROW.OFFSET)
    v, change = get(w, k, NODE_ROW.QD), broadcast(0.0)
    if node(w, k, NODE_AT.DOF) >= 0:
        change = get(w, k, NODE_ROW.D_INV) * get(w, k, NODE_ROW.JOINT_IMPULSE) - dv.dot(
            get_force(w, k, NODE_ROW.U_D_INV)
        )
        gain = change
        if substep_time > 0.0:
            gain += substep_time * get(w, k, NODE_ROW.QDD_SUBSTEP)
        v += gain  # the velocity is rounded once per substep
        put(w, k, NODE_ROW.QD, v)
        put(w, k, NODE_ROW.JOINT_IMPULSE, 0.0)
    if spatial:
        put_spatial(w, k, NODE_ROW.V, get_motion(w, node(w, k, NODE_AT.PARENT), NODE_ROW.V).outward(d) + s * v)
    return dv.outward(d) + s * change


@ti.func
def integrate_orientation(w: ti.template(), link, angle, substeps):
    """Turn a link by a rotation vector.

    As in PhysX, a spherical joint does not turn in a substep whose angle is below 1e-6 rad.
    """
    turned = orientation(w, link)
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
    set_orientation(w, link, new)


@ti.func
def integrate_joint_position(w: ti.template(), k, delta, substeps):
    """Advance q of node k by its joint velocity, and DELTA_Q where a step has substeps."""
    kind = node(w, k, NODE_AT.KIND)
    row = header(w, HEADER_AT.Q) + node(w, k, NODE_AT.DOF)
    v = get(w, k, NODE_ROW.QD)
    if kind == KIND.REVOLUTE or kind == KIND.PRISMATIC:
        set_state(w, row, state(w, row) + v * delta)
    if substeps > 0 and kind == KIND.REVOLUTE:
        put(w, k, NODE_ROW.DELTA_Q, get(w, k, NODE_ROW.DELTA_Q) + v * delta)
    if substeps > 0 and kind == KIND.SPHERICAL:
        put(w, k, NODE_ROW.DELTA_Q, get(w, k, NODE_ROW.DELTA_Q) + (v + get(w, k, NODE_ROW.QD_BIAS)) * delta)


@ti.func
def prismatic_displacement(w: ti.template(), k):
    """Write DELTA_Q of a prismatic joint, its displacement within the step, from the poses."""
    base = node(w, k, NODE_AT.PARENT_LAST)
    apart = position(w, node(w, k, NODE_AT.LINK)) - position(w, node(w, base, NODE_AT.LINK))
    delta_q = get_motion(w, k, NODE_ROW.SUBSPACE).lin.dot(apart - get_vector(w, k, NODE_ROW.OFFSET))
    delta_q += get_vector(w, k, NODE_ROW.ARM1).dot(get_vector(w, k, NODE_ROW.DELTA_ROTATION))
    put(
        w,
        k,
        NODE_ROW.DELTA_Q,
        delta_q - get_vector(w, k, NODE_ROW.ARM0).dot(get_vector(w, base, NODE_ROW.DELTA_ROTATION)),
    )


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
        if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
            link = node(w, root, NODE_AT.LINK)
            dv = get_response(w, root).apply(get_force(w, root, NODE_ROW.IMPULSE)) * -1.0
            put_spatial(w, root, NODE_ROW.IMPULSE, no_force())
            velocity = get_motion(w, root, NODE_ROW.V) + (
                dv + get_motion(w, root, NODE_ROW.SUBSTEP_BIAS) * substep_time
            )
            put_spatial(w, root, NODE_ROW.V, velocity)
            momentum = velocity.lin * get(w, root, NODE_ROW.MASS)
            if moves:
                set_position(w, link, position(w, link) + velocity.lin * params.delta)
                integrate_orientation(w, link, velocity.ang * params.delta, 0)
                put_vector(
                    w,
                    root,
                    NODE_ROW.DELTA_ROTATION,
                    get_vector(w, root, NODE_ROW.DELTA_ROTATION) + velocity.ang * params.delta,
                )
    put_spatial(w, root, NODE_ROW.BRANCH_DELTA_V, dv)
    for k in range(root + 1, end):
        parent, kind = node(w, k, NODE_AT.PARENT), node(w, k, NODE_AT.KIND)
        if parent != k - 1:
            dv = get_motion(w, parent, NODE_ROW.BRANCH_DELTA_V)
        dv = apply_velocity_change(w, k, dv, substep_time, spatial)
        if node(w, k, NODE_AT.STORES_RESPONSE) > 0:
            put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, dv)
        if moves:
            integrate_joint_position(w, k, params.delta, params.tgs)
        if node(w, k, NODE_AT.LAST) == k:
            link = node(w, k, NODE_AT.LINK)
            if spatial:
                full = get_motion(w, k, NODE_ROW.V) + get_motion(w, k, NODE_ROW.BIAS_ACCELERATION) * params.h
                momentum = momentum + full.lin * get(w, k, NODE_ROW.MASS)
                if moves:
                    angle = full.ang * params.delta
                    put_vector(w, k, NODE_ROW.DELTA_ROTATION, get_vector(w, k, NODE_ROW.DELTA_ROTATION) + angle)
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
        if node(w, k, NODE_AT.WRAPS) > 0:
            row = header(w, HEADER_AT.Q) + node(w, k, NODE_AT.DOF)
            q = state(w, row)
            wrapped = ti.select(q > 6.283185307179586, q - 12.566370614359172, q)
            wrapped = ti.select(wrapped < -6.283185307179586, wrapped + 12.566370614359172, wrapped)
            set_state(w, row, ti.select(is_limited(w, node(w, k, NODE_AT.DOF)), q, wrapped))
