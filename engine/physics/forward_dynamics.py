"""Accelerations under given efforts: M q̈ = τ − c. RBDA, articulated-body algorithm.

U = IA S,  D = S · U + armature,  u = τ − S · pA        q̈ = u / D − (U / D) · A_p seen at the link
"""

import taichi as ti

from .accessors import NODE_ROW, PARAMETER, get, get_force, get_motion, get_vector, parameter, put, put_spatial
from .articulated_body import get_inertia, link_inertia, put_inertia
from .host_array import ASKED, coordinate, read_column, read_force, request_word, write_column, write_spatial
from .inverse_dynamics import compute_kinematics, compute_link_wrench
from .lanes import broadcast
from .response import invert_inertia
from .spatial import no_force, no_motion
from .world_view import NODE_AT, node


@ti.func
def aba_backward_pass(w: ti.template(), k, request):
    """Add inertia and bias of the subtree of node k to its parent; write U_D_INV = U / D and QDD_IMMEDIATE = u / D."""
    inertia, bias, s = get_inertia(w, k), get_force(w, k, NODE_ROW.IMMEDIATE_BIAS), get_motion(w, k, NODE_ROW.SUBSPACE)
    y, rate = no_force(), broadcast(0.0)
    if coordinate(request, k) >= 0:
        u = inertia.apply(s)
        d_inv = 1.0 / (s.dot(u) + parameter(w, PARAMETER.ARMATURE, node(w, k, NODE_AT.DOF)))
        rate = (read_column(request.given, coordinate(request, k)) - s.dot(bias)) * d_inv
        y = u * d_inv
        inertia = inertia.minus_outer(u, d_inv)
        bias = bias + u * rate
    put_spatial(w, k, NODE_ROW.U_D_INV, y)
    put(w, k, NODE_ROW.QDD_IMMEDIATE, rate)
    parent, d = node(w, k, NODE_AT.PARENT), get_vector(w, k, NODE_ROW.OFFSET)
    put_inertia(w, parent, get_inertia(w, parent) + inertia.inward(d))
    put_spatial(w, parent, NODE_ROW.IMMEDIATE_BIAS, get_force(w, parent, NODE_ROW.IMMEDIATE_BIAS) + bias.inward(d))


@ti.func
def forward_dynamics(w: ti.template(), request):
    """Write the accelerations of all coordinates [rad/s² | m/s²] under the given efforts, those of the base first."""
    compute_kinematics(w, request)
    root = request.root
    for k in range(root, request.end):
        compute_link_wrench(w, k, request)
        put_inertia(w, k, link_inertia(w, k))
    for step in range(request.end - 1 - root):
        aba_backward_pass(w, request.end - 1 - step, request)
    a = no_motion()
    if request_word(request, ASKED.BASE) > 0:
        a = invert_inertia(get_inertia(w, root)).apply(
            read_force(request.given, 0) - get_force(w, root, NODE_ROW.IMMEDIATE_BIAS)
        )
        write_spatial(request.answer, 0, a)
    put_spatial(w, root, NODE_ROW.BIAS_ACCELERATION, a)
    for k in range(root + 1, request.end):
        a = get_motion(w, node(w, k, NODE_AT.PARENT), NODE_ROW.BIAS_ACCELERATION).outward(
            get_vector(w, k, NODE_ROW.OFFSET)
        )
        if coordinate(request, k) >= 0:
            rate = get(w, k, NODE_ROW.QDD_IMMEDIATE) - get_force(w, k, NODE_ROW.U_D_INV).dot(a)
            write_column(request.answer, coordinate(request, k), rate)
            a = a + get_motion(w, k, NODE_ROW.SUBSPACE) * rate
        put_spatial(w, k, NODE_ROW.BIAS_ACCELERATION, a)
