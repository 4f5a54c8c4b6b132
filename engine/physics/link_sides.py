"""Sides of maximal joints and tendons: velocity, pose and response of the link there, and impulses on it.

    velocity: V + h ab + dv,   dv_root = −Λ P + t A_root,   dv_l = (dv seen at l) + S (D⁻¹ X + t q̈ − Y · dv)
    impulse:  a wrench −J on the link, carried inward:  X −= Sᵀ wrench,  wrench_p = (wrench seen at p) + Y ΔX

V is the velocity after the last update, t = `substep_time` the time for which the forces per substep have acted since
then, q̈ = QDD_SUBSTEP_LOCAL their joint acceleration with the parent held, P = IMPULSE of the root, X = JOINT_IMPULSE,
Y = U_D_INV.

A joint between a link and one of its own ancestors reads an incomplete velocity, as in PhysX: changes since the last
update that pass through the ancestor's joint are missing. The nodes of that joint are SKIPPED of the side.
"""

import taichi as ti

from .lanes import broadcast
from .rotation import Quat
from .spatial import no_force, no_matrix, no_motion, no_tensor, zero_vector
from .spatial_inertia import Response
from .tree import motion_outward, propagate_link_impulse_inward
from .views import KIND


@ti.func
def link_velocity_change(w: ti.template(), s, substep_time):
    """Return the velocity change of the link at side s since the last update.

    `substep_time`: how long the forces per substep have acted since then [s].
    """
    root = w.side[s].root
    dv = w.node[root].substep_acceleration * substep_time
    if w.node[root].kind == KIND.FLOATING_ROOT:
        dv = dv - w.node[root].response.apply(w.node[root].impulse)
    for i in range(w.side[s].path, w.side[s].path_end):
        k = w.path[i].node
        node = w.node[k]
        if k < w.side[s].skipped or k > w.side[s].skipped_end:
            change = broadcast(0.0)
            if node.dof >= 0:
                change = node.d_inv * node.joint_impulse + substep_time * node.qdd_substep_local
                change += 0.0 - dv.dot(node.u_d_inv)
            dv = motion_outward(node, dv, change)
    return dv


@ti.func
def link_velocity(w: ti.template(), s, substep_time, h):
    """Return the velocity of the link at side s as rows read it; 0 for the world."""
    v = no_motion()
    k = w.side[s].node
    if k >= 0:
        v = w.node[k].v + w.node[k].bias_acceleration * h + link_velocity_change(w, s, substep_time)
    return v


@ti.func
def apply_link_impulse(w: ti.template(), s, impulse):
    """Apply an impulse [N·m·s, N·s] to the link at side s, about its centre of mass; no effect on the world."""
    k = w.side[s].node
    if k >= 0:
        propagate_link_impulse_inward(w, k, w.side[s].root, impulse * -1.0)


@ti.func
def clear_link_impulses(w: ti.template(), s):
    """Clear all impulses on the path of side s; valid only while there are no others."""
    if w.side[s].node >= 0:
        w.node[w.side[s].root].impulse = no_force()
        for i in range(w.side[s].path, w.side[s].path_end):
            w.node[w.path[i].node].joint_impulse = 0.0


@ti.func
def link_response(w: ti.template(), s):
    """Return the response of the link at side s by itself; zero for the world."""
    response = Response(no_tensor(), no_matrix(), no_tensor())
    if w.side[s].node >= 0:
        response = w.node[w.side[s].node].response
    return response


@ti.func
def link_pose(w: ti.template(), s):
    """Return centre of mass and orientation of the link at side s; for the world, its origin."""
    p, q = zero_vector(), Quat(zero_vector(), broadcast(1.0))
    if w.side[s].node >= 0:
        link = w.node[w.side[s].node].link
        p = w.state.position[link]
        q = w.state.orientation[link]
    return p, q


@ti.func
def side_displacement(w: ti.template(), s):
    """Return the displacement of the link at side s since the start of the step; its side is not the world's.

    That of a root is summed by itself, and keeps the digits that a difference of positions loses.
    """
    k = w.side[s].node
    moved = w.node[k].root_displacement.copy()
    if k != w.side[s].root:
        moved = w.state.position[w.node[k].link] - w.side[s].start
    return moved
