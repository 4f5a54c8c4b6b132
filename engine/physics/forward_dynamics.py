"""Accelerations under given efforts: M q̈ = τ − c. RBDA tab. 7.1, p. 132.

U = IA S,  D = S · U + armature,  u = τ − S · pA        q̈ = u / D − (U / D) · A_p seen at the link
"""

import taichi as ti

from .articulated_body import get_inertia, own_inertia, put_inertia
from .inverse_dynamics import load, survey
from .lanes import real
from .memory import PARAMETER, ROW, get, get_force, get_motion, get_vector, parameter, put, put_spatial
from .response import inverse
from .sheet import ASKED, asked, coordinate, read, read_force, write, write_spatial
from .spatial import no_force, no_motion
from .world import NODE_AT, node


@ti.func
def gather(w: ti.template(), k, request):
    """Inertia and bias of the subtree of node k go to its parent; Y = U / D and RATE = u / D stay."""
    inertia, bias, s = get_inertia(w, k), get_force(w, k, ROW.BIAS), get_motion(w, k, ROW.S)
    y, rate = no_force(), real(0.0)
    if coordinate(request, k) >= 0:
        u = inertia.apply(s)
        d_inv = 1.0 / (s.dot(u) + parameter(w, PARAMETER.ARMATURE, node(w, k, NODE_AT.DOF)))
        rate = (read(request.given, coordinate(request, k)) - s.dot(bias)) * d_inv
        y = u * d_inv
        inertia = inertia.minus_outer(u, d_inv)
        bias = bias + u * rate
    put_spatial(w, k, ROW.Y, y)
    put(w, k, ROW.RATE, rate)
    parent, d = node(w, k, NODE_AT.PARENT), get_vector(w, k, ROW.D)
    put_inertia(w, parent, get_inertia(w, parent) + inertia.inward(d))
    put_spatial(w, parent, ROW.BIAS, get_force(w, parent, ROW.BIAS) + bias.inward(d))


@ti.func
def accelerations(w: ti.template(), request):
    """Accelerations of all coordinates [rad/s² | m/s²] under the given efforts, the base's first: the answer."""
    survey(w, request)
    root = request.root
    for k in range(root, request.end):
        load(w, k, request)
        put_inertia(w, k, own_inertia(w, k))
    for step in range(request.end - 1 - root):
        gather(w, request.end - 1 - step, request)
    a = no_motion()
    if asked(request, ASKED.BASE) > 0:
        a = inverse(get_inertia(w, root)).apply(read_force(request.given, 0) - get_force(w, root, ROW.BIAS))
        write_spatial(request.answer, 0, a)
    put_spatial(w, root, ROW.AB, a)
    for k in range(root + 1, request.end):
        a = get_motion(w, node(w, k, NODE_AT.PARENT), ROW.AB).outward(get_vector(w, k, ROW.D))
        if coordinate(request, k) >= 0:
            rate = get(w, k, ROW.RATE) - get_force(w, k, ROW.Y).dot(a)
            write(request.answer, coordinate(request, k), rate)
            a = a + get_motion(w, k, ROW.S) * rate
        put_spatial(w, k, ROW.AB, a)
