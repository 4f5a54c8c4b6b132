"""Efforts that a motion takes, at the poses and speeds of the state. RBDA tab. 5.1, p. 96.

    A_l = A_p seen at l + ab_l + Σ S q̈        W_l = (I α + ω × I ω ; m (a − g)) − given wrench
    τ = S · Σ W of the subtree + armature q̈       base: Σ W of all links, about the root's centre of mass

A are accelerations of the centres of mass, not spatial ones; ab as in `forces`.
"""

import taichi as ti

from .forces import velocity_product
from .kinematics import motion, slow_down
from .lanes import real
from .memory import (
    PARAMETER,
    ROW,
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
from .sheet import ASKED, asked, coordinate, place, read, read_force, read_motion, write, write_spatial
from .spatial import Force, no_force, no_motion, no_tensor
from .world import ARTICULATION_AT, KIND, NODE_AT, articulation, node


@ti.func
def survey(w: ti.template(), request):
    """S, D, O, V, QD0, MASS and IW of every node, from the stored poses and, if it moves, the stored speeds."""
    moving, root = asked(request, ASKED.MOVING), request.root
    velocity = no_motion()
    if moving:
        velocity = root_velocity(w, request.articulation)
        slow_down(w, root, request.end, articulation(w, request.articulation, ARTICULATION_AT.CLAMPS) * (moving - 1))
    put_spatial(w, root, ROW.V, velocity)
    for k in range(root, request.end):
        link, mass, tensor = node(w, k, NODE_AT.LINK), real(0.0), no_tensor()
        if moving == 0:
            put(w, k, ROW.QD0, real(0.0))
        motion(w, k, 1)
        if node(w, k, NODE_AT.CARRIER) == k:
            mass = parameter(w, PARAMETER.MASS, link)
            tensor = orientation(w, link).matrix().turned(parameter_tensor(w, PARAMETER.INERTIA, link))
        put(w, k, ROW.MASS, mass)
        put_tensor(w, k, ROW.IW, tensor)


@ti.func
def acceleration(w: ti.template(), k, request):
    """Return A of the link that node k carries [rad/s², m/s²]. Reads AB, which holds A, of its parent."""
    a = no_motion()
    accelerated = asked(request, ASKED.ACCELERATED)
    kind = node(w, k, NODE_AT.KIND)
    if kind > KIND.FLOATING_ROOT:
        a = velocity_product(w, k)
        if accelerated > 0 and kind > KIND.FIXED:
            for j in range(node(w, k, NODE_AT.FIRST), k + 1):
                a = a + get_motion(w, j, ROW.S) * read(request.given, coordinate(request, j))
    elif accelerated > 0 and asked(request, ASKED.BASE) > 0:
        a = read_motion(request.given, 0)
    return a


@ti.func
def load(w: ti.template(), k, request):
    """Wrench that the link of node k takes, W → BIAS; its acceleration → AB."""
    wrench = no_force()
    if node(w, k, NODE_AT.CARRIER) == k:
        a = acceleration(w, k, request)
        put_spatial(w, k, ROW.AB, a)
        gravity, scale = asked(request, ASKED.GRAVITY), real(0.0)
        if gravity == 1:
            scale = parameter(w, PARAMETER.GRAVITY_SCALE, node(w, k, NODE_AT.LINK))
        if gravity == 2:
            scale = real(1.0)
        spin, tensor = get_motion(w, k, ROW.V).ang, get_tensor(w, k, ROW.IW)
        lin = (a.lin - parameter_vector(w, PARAMETER.GRAVITY, 0) * scale) * get(w, k, ROW.MASS)
        wrench = Force(tensor.apply(a.ang) + spin.cross(tensor.apply(spin)), lin)
        if asked(request, ASKED.PUSHED) > 0 and place(request, k) >= 0:
            wrench = wrench - read_force(request.pushed, place(request, k) * 6)
    put_spatial(w, k, ROW.BIAS, wrench)


@ti.func
def efforts(w: ti.template(), request):
    """Efforts of all coordinates [N·m | N], the force and torque on the base first: the answer."""
    survey(w, request)
    root = request.root
    for k in range(root, request.end):
        load(w, k, request)
    for step in range(request.end - 1 - root):
        k = request.end - 1 - step
        wrench, at = get_force(w, k, ROW.BIAS), coordinate(request, k)
        if at >= 0:
            effort = get_motion(w, k, ROW.S).dot(wrench)
            if asked(request, ASKED.ARMATURE) > 0 and asked(request, ASKED.ACCELERATED) > 0:
                effort += parameter(w, PARAMETER.ARMATURE, node(w, k, NODE_AT.DOF)) * read(request.given, at)
            write(request.answer, at, effort)
        parent = node(w, k, NODE_AT.PARENT)
        put_spatial(w, parent, ROW.BIAS, get_force(w, parent, ROW.BIAS) + wrench.inward(get_vector(w, k, ROW.D)))
    if asked(request, ASKED.BASE) > 0:
        write_spatial(request.answer, 0, get_force(w, root, ROW.BIAS))


@ti.func
def link_accelerations(w: ti.template(), request):
    """Accelerations of all links [m/s², rad/s²] under the given ones of the coordinates: the answer."""
    survey(w, request)
    for k in range(request.root, request.end):
        if node(w, k, NODE_AT.CARRIER) == k:
            a = acceleration(w, k, request)
            put_spatial(w, k, ROW.AB, a)
            if place(request, k) >= 0:
                write_spatial(request.answer, place(request, k) * 6, a)
