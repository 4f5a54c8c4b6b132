"""Velocity of a link between two sweeps, and propagation of an impulse on it: for tendons and maximal joints.

    velocity: V + h ab + dv,   dv_root = −Λ P + t A_root,   dv_l = (dv seen at l) + S (D⁻¹ X + t q̈ − Y · dv)
    impulse:  a wrench −J on the link, carried inward:  X −= Sᵀ wrench,  wrench_p = (wrench seen at p) + Y ΔX

V is the velocity after the last update, t = `substep_time` the time for which the forces per substep have acted since
then, q̈ = QDD_SUBSTEP_LOCAL their joint acceleration with the parent held, P = IMPULSE of the root, X = JOINT_IMPULSE,
Y = U_D_INV.

A joint between a link and one of its own ancestors reads an incomplete velocity, as in PhysX: changes since the last
update that pass through the ancestor's joint are missing. The nodes of that joint are SKIPPED of the side.
"""

import taichi as ti

from .accessors import NODE_ROW, get, get_force, get_motion, get_vector, orientation, position, put, put_spatial
from .lanes import broadcast
from .response import Response, get_response
from .rotation import Quat
from .spatial import no_force, no_matrix, no_motion, no_tensor, zero_vector
from .world_view import KIND, NODE_AT, PATH_AT, SIDE_AT, node, path, side


@ti.func
def link_velocity_change(w: ti.template(), s, substep_time):
    """Return the velocity change of the link at side s since the last update.

    `substep_time`: how long the forces per substep have acted since then [s].
    """
    root = side(w, s, SIDE_AT.ROOT)
    dv = get_motion(w, root, NODE_ROW.SUBSTEP_BIAS) * substep_time
    if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
        dv = dv - get_response(w, root).apply(get_force(w, root, NODE_ROW.IMPULSE))
    for i in range(side(w, s, SIDE_AT.PATH), side(w, s, SIDE_AT.PATH_END)):
        k = path(w, i, PATH_AT.NODE)
        if k < side(w, s, SIDE_AT.SKIPPED) or k > side(w, s, SIDE_AT.SKIPPED_END):
            change = broadcast(0.0)
            if node(w, k, NODE_AT.DOF) >= 0:
                change = get(w, k, NODE_ROW.D_INV) * get(w, k, NODE_ROW.JOINT_IMPULSE) + substep_time * get(
                    w, k, NODE_ROW.QDD_SUBSTEP_LOCAL
                )
                change += 0.0 - dv.dot(get_force(w, k, NODE_ROW.U_D_INV))
            dv = dv.outward(get_vector(w, k, NODE_ROW.OFFSET)) + get_motion(w, k, NODE_ROW.SUBSPACE) * change
    return dv


@ti.func
def propagate_velocities(w: ti.template(), root, end):
    """Compute the velocity V of every link from those of root and joints, before the first impulse of a step."""
    for k in range(root + 1, end):
        above = get_motion(w, node(w, k, NODE_AT.PARENT), NODE_ROW.V)
        put_spatial(
            w,
            k,
            NODE_ROW.V,
            above.outward(get_vector(w, k, NODE_ROW.OFFSET))
            + get_motion(w, k, NODE_ROW.SUBSPACE) * get(w, k, NODE_ROW.QD),
        )


@ti.func
def link_velocity(w: ti.template(), s, substep_time, h):
    """Return the velocity of the link at side s as rows read it; 0 for the world."""
    v = no_motion()
    k = side(w, s, SIDE_AT.NODE)
    if k >= 0:
        v = (
            get_motion(w, k, NODE_ROW.V)
            + get_motion(w, k, NODE_ROW.BIAS_ACCELERATION) * h
            + link_velocity_change(w, s, substep_time)
        )
    return v


@ti.func
def apply_link_impulse(w: ti.template(), s, impulse):
    """Apply an impulse [N·m·s, N·s] to the link at side s, about its centre of mass; no effect on the world."""
    k = side(w, s, SIDE_AT.NODE)
    if k >= 0:
        root = side(w, s, SIDE_AT.ROOT)
        wrench = impulse * -1.0
        while k != root:
            d = get_vector(w, k, NODE_ROW.OFFSET)
            passed = wrench.inward(d)
            if node(w, k, NODE_AT.DOF) >= 0:
                x = 0.0 - get_motion(w, k, NODE_ROW.SUBSPACE).dot(wrench)
                put(w, k, NODE_ROW.JOINT_IMPULSE, get(w, k, NODE_ROW.JOINT_IMPULSE) + x)
                passed = passed + get_force(w, k, NODE_ROW.U_D_INV) * x
            wrench = passed
            k = node(w, k, NODE_AT.PARENT)
        put_spatial(w, root, NODE_ROW.IMPULSE, get_force(w, root, NODE_ROW.IMPULSE) + wrench)


@ti.func
def clear_link_impulses(w: ti.template(), s):
    """Clear all impulses on the path of side s; valid only while there are no others."""
    if side(w, s, SIDE_AT.NODE) >= 0:
        put_spatial(w, side(w, s, SIDE_AT.ROOT), NODE_ROW.IMPULSE, no_force())
        for i in range(side(w, s, SIDE_AT.PATH), side(w, s, SIDE_AT.PATH_END)):
            put(w, path(w, i, PATH_AT.NODE), NODE_ROW.JOINT_IMPULSE, 0.0)


@ti.func
def link_response(w: ti.template(), s):
    """Return the response of the link at side s by itself; zero for the world."""
    response = Response(no_tensor(), no_matrix(), no_tensor())
    if side(w, s, SIDE_AT.NODE) >= 0:
        response = get_response(w, side(w, s, SIDE_AT.NODE))
    return response


@ti.func
def link_pose(w: ti.template(), s):
    """Return centre of mass and orientation of the link at side s; for the world, its origin."""
    p, q = zero_vector(), Quat(zero_vector(), broadcast(1.0))
    if side(w, s, SIDE_AT.NODE) >= 0:
        link = node(w, side(w, s, SIDE_AT.NODE), NODE_AT.LINK)
        p = position(w, link)
        q = orientation(w, link)
    return p, q
