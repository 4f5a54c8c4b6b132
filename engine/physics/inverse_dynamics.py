"""Efforts of a given motion, at the poses and velocities of the state. RBDA, recursive Newton-Euler algorithm.

    A_l = A_p seen at l + ab_l + Σ S q̈        W_l = (I α + ω × I ω ; m (a − g)) − given wrench
    τ = S · Σ W of the subtree + armature q̈       base: Σ W of all links, about the root's centre of mass

A are accelerations of the centres of mass, not spatial ones; ab as in `bias_forces`.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_force,
    get_motion,
    get_tensor,
    get_vector,
    orientation,
    parameter,
    parameter_tensor,
    parameter_vector,
    put,
    put_spatial,
    put_tensor,
    root_velocity,
)
from .bias_forces import velocity_product
from .host_array import (
    ASKED,
    coordinate,
    link_slot,
    read_column,
    read_force,
    read_motion,
    request_word,
    write_column,
    write_spatial,
)
from .kinematics import clamp_joint_velocities, compute_joint_motion
from .lanes import broadcast
from .spatial import Force, no_force, no_motion, no_tensor
from .world_view import ARTICULATION_AT, KIND, NODE_AT, articulation, node


@ti.func
def compute_kinematics(w: ti.template(), request):
    """Compute SUBSPACE, OFFSET, ROOT_OFFSET, V, START_QD, MASS and WORLD_INERTIA of every node.

    They follow from the stored poses and, if the request has velocities, the stored velocities.
    """
    moving, root = request_word(request, ASKED.MOVING), request.root
    velocity = no_motion()
    if moving:
        velocity = root_velocity(w, request.articulation)
        clamp_joint_velocities(
            w,
            root,
            request.end,
            articulation(w, request.articulation, ARTICULATION_AT.HAS_VELOCITY_CLAMP) * (moving - 1),
        )
    put_spatial(w, root, NODE_ROW.V, velocity)
    for k in range(root, request.end):
        link, mass, tensor = node(w, k, NODE_AT.LINK), broadcast(0.0), no_tensor()
        if moving == 0:
            put(w, k, NODE_ROW.START_QD, broadcast(0.0))
        compute_joint_motion(w, k, 1)
        if node(w, k, NODE_AT.LAST) == k:
            mass = parameter(w, PARAMETER.MASS, link)
            tensor = orientation(w, link).matrix().congruence(parameter_tensor(w, PARAMETER.INERTIA, link))
        put(w, k, NODE_ROW.MASS, mass)
        put_tensor(w, k, NODE_ROW.WORLD_INERTIA, tensor)


@ti.func
def link_acceleration(w: ti.template(), k, request):
    """Return A of the link of node k [rad/s², m/s²].

    Reads: BIAS_ACCELERATION of its parent, which contains A there.
    """
    a = no_motion()
    accelerated = request_word(request, ASKED.ACCELERATED)
    kind = node(w, k, NODE_AT.KIND)
    if kind > KIND.FLOATING_ROOT:
        a = velocity_product(w, k)
        if accelerated > 0 and kind > KIND.FIXED:
            for j in range(node(w, k, NODE_AT.FIRST), k + 1):
                a = a + get_motion(w, j, NODE_ROW.SUBSPACE) * read_column(request.given, coordinate(request, j))
    elif accelerated > 0 and request_word(request, ASKED.BASE) > 0:
        a = read_motion(request.given, 0)
    return a


@ti.func
def compute_link_wrench(w: ti.template(), k, request):
    """Write the wrench W of the link of node k to IMMEDIATE_BIAS, its acceleration A to BIAS_ACCELERATION."""
    wrench = no_force()
    if node(w, k, NODE_AT.LAST) == k:
        a = link_acceleration(w, k, request)
        put_spatial(w, k, NODE_ROW.BIAS_ACCELERATION, a)
        gravity, scale = request_word(request, ASKED.GRAVITY), broadcast(0.0)
        if gravity == 1:
            scale = parameter(w, PARAMETER.GRAVITY_SCALE, node(w, k, NODE_AT.LINK))
        if gravity == 2:
            scale = broadcast(1.0)
        spin, tensor = get_motion(w, k, NODE_ROW.V).ang, get_tensor(w, k, NODE_ROW.WORLD_INERTIA)
        lin = (a.lin - parameter_vector(w, PARAMETER.GRAVITY, 0) * scale) * get(w, k, NODE_ROW.MASS)
        wrench = Force(tensor.apply(a.ang) + spin.cross(tensor.apply(spin)), lin)
        if request_word(request, ASKED.PUSHED) > 0 and link_slot(request, k) >= 0:
            wrench = wrench - read_force(request.pushed, link_slot(request, k) * 6)
    put_spatial(w, k, NODE_ROW.IMMEDIATE_BIAS, wrench)


@ti.func
def inverse_dynamics(w: ti.template(), request):
    """Write the efforts of all coordinates [N·m | N], force and torque on the base first."""
    compute_kinematics(w, request)
    root = request.root
    for k in range(root, request.end):
        compute_link_wrench(w, k, request)
    for step in range(request.end - 1 - root):
        k = request.end - 1 - step
        wrench, at = get_force(w, k, NODE_ROW.IMMEDIATE_BIAS), coordinate(request, k)
        if at >= 0:
            effort = get_motion(w, k, NODE_ROW.SUBSPACE).dot(wrench)
            if request_word(request, ASKED.ARMATURE) > 0 and request_word(request, ASKED.ACCELERATED) > 0:
                effort += parameter(w, PARAMETER.ARMATURE, node(w, k, NODE_AT.DOF)) * read_column(request.given, at)
            write_column(request.answer, at, effort)
        parent = node(w, k, NODE_AT.PARENT)
        put_spatial(
            w,
            parent,
            NODE_ROW.IMMEDIATE_BIAS,
            get_force(w, parent, NODE_ROW.IMMEDIATE_BIAS) + wrench.inward(get_vector(w, k, NODE_ROW.OFFSET)),
        )
    if request_word(request, ASKED.BASE) > 0:
        write_spatial(request.answer, 0, get_force(w, root, NODE_ROW.IMMEDIATE_BIAS))


@ti.func
def link_accelerations(w: ti.template(), request):
    """Write the accelerations of all links [m/s², rad/s²] under the given accelerations of the coordinates."""
    compute_kinematics(w, request)
    for k in range(request.root, request.end):
        if node(w, k, NODE_AT.LAST) == k:
            a = link_acceleration(w, k, request)
            put_spatial(w, k, NODE_ROW.BIAS_ACCELERATION, a)
            if link_slot(request, k) >= 0:
                write_spatial(request.answer, link_slot(request, k) * 6, a)
