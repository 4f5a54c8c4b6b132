"""Efforts of a given motion, at the poses and velocities of the state. RBDA, recursive Newton-Euler algorithm.

    A_l = A_p seen at l + ab_l + Σ S q̈        W_l = (I α + ω × I ω ; m (a − g)) − given wrench
    τ = S · Σ W of the subtree + armature q̈       base: Σ W of all links, about the root's centre of mass

A are accelerations of the centres of mass, not spatial ones; ab as in `bias_forces`.
"""

import taichi as ti

from .bias_forces import velocity_product
from .host_array import read_force, read_motion, write_spatial
from .kinematics import clamp_joint_velocities, compute_joint_motion
from .lanes import broadcast
from .spatial import Force, no_force, no_motion, no_tensor
from .views import KIND


@ti.func
def compute_kinematics(w: ti.template(), request):
    """Compute SUBSPACE, OFFSET, ROOT_OFFSET, V, START_QD, MASS and WORLD_INERTIA of every node.

    They follow from the stored poses and, if the request has velocities, the stored velocities.
    """
    moving, root = request.moving, request.root
    velocity = no_motion()
    if moving:
        velocity = w.state.root_velocity[request.articulation]
        clamp_joint_velocities(
            w, root, request.end, w.articulation[request.articulation].has_velocity_clamp * (moving - 1)
        )
    w.node[root].v = velocity
    for k in range(root, request.end):
        node = w.node[k]
        link, mass, tensor = node.link, broadcast(0.0), no_tensor()
        if moving == 0:
            node.start_qd = broadcast(0.0)
        compute_joint_motion(w, k, 1)
        if node.last == k:
            mass = w.param.mass[link]
            tensor = w.state.orientation[link].matrix().congruence(w.param.inertia[link])
        node.mass = mass
        node.world_inertia = tensor


@ti.func
def link_acceleration(w: ti.template(), k, request):
    """Return A of the link of node k [rad/s², m/s²].

    Reads: TOTAL_ACCELERATION of its parent, which contains A there.
    """
    node = w.node[k]
    a = no_motion()
    accelerated = request.accelerated
    kind = node.kind
    if kind > KIND.FLOATING_ROOT:
        a = velocity_product(w, k, w.node[node.parent_last].v.ang)
        if accelerated > 0 and kind > KIND.FIXED:
            for j in range(node.first, k + 1):
                a = a + w.node[j].subspace * request.given[request.coordinate[j]]
    elif accelerated > 0 and request.base > 0:
        a = read_motion(request.given, 0)
    return a


@ti.func
def compute_link_wrench(w: ti.template(), k, request):
    """Write the wrench W of the link of node k to LINK_WRENCH, its acceleration A to TOTAL_ACCELERATION."""
    node = w.node[k]
    wrench = no_force()
    if node.last == k:
        a = link_acceleration(w, k, request)
        node.total_acceleration = a
        gravity, scale = request.gravity, broadcast(0.0)
        if gravity == 1:
            scale = w.param.gravity_scale[node.link]
        if gravity == 2:
            scale = broadcast(1.0)
        spin, tensor = node.v.ang, node.world_inertia
        lin = (a.lin - w.param.gravity[0] * scale) * node.mass
        wrench = Force(tensor.apply(a.ang) + spin.cross(tensor.apply(spin)), lin)
        if request.pushed > 0 and request.link_slot[k] >= 0:
            wrench = wrench - read_force(request.link_forces, request.link_slot[k] * 6)
    node.link_wrench = wrench


@ti.func
def inverse_dynamics(w: ti.template(), request):
    """Write the efforts of all coordinates [N·m | N], force and torque on the base first."""
    compute_kinematics(w, request)
    root = request.root
    for k in range(root, request.end):
        compute_link_wrench(w, k, request)
    for step in range(request.end - 1 - root):
        k = request.end - 1 - step
        node = w.node[k]
        wrench, at = node.link_wrench, request.coordinate[k]
        if at >= 0:
            effort = node.subspace.dot(wrench)
            if request.armature > 0 and request.accelerated > 0:
                effort += w.param.armature[node.dof] * request.given[at]
            request.answer[at] = effort
        parent = node.parent
        w.node[parent].link_wrench += wrench.inward(node.offset)
    if request.base > 0:
        write_spatial(request.answer, 0, w.node[root].link_wrench)


@ti.func
def link_accelerations(w: ti.template(), request):
    """Write the accelerations of all links [m/s², rad/s²] under the given accelerations of the coordinates."""
    compute_kinematics(w, request)
    for k in range(request.root, request.end):
        node = w.node[k]
        if node.last == k:
            a = link_acceleration(w, k, request)
            node.total_acceleration = a
            if request.link_slot[k] >= 0:
                write_spatial(request.answer, request.link_slot[k] * 6, a)
