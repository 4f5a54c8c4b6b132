"""Accelerations under given efforts: M q̈ = τ − c. RBDA, articulated-body algorithm.

U = IA S,  D = S · U + armature,  u = τ − S · pA        q̈ = u / D − (U / D) · A_p seen at the link
"""

import taichi as ti

from .articulated_body import link_inertia
from .host_array import read_force, write_spatial
from .inverse_dynamics import compute_kinematics, compute_link_wrench
from .lanes import broadcast
from .response import invert_inertia
from .spatial import no_force, no_motion


@ti.func
def aba_backward_pass(w: ti.template(), k, request):
    """Add inertia and bias of the subtree of node k to its parent; write U_D_INV = U / D and QDD_IMMEDIATE = u / D."""
    node = w.node[k]
    inertia, bias, s = node.articulated_inertia, node.link_wrench, node.subspace
    y, rate = no_force(), broadcast(0.0)
    if request.coordinate[k] >= 0:
        u = inertia.apply(s)
        d_inv = 1.0 / (s.dot(u) + w.param.armature[node.dof])
        rate = (request.given[request.coordinate[k]] - s.dot(bias)) * d_inv
        y = u * d_inv
        inertia = inertia.minus_outer(u, d_inv)
        bias = bias + u * rate
    node.u_d_inv = y
    node.qdd_immediate = rate
    parent, d = node.parent, node.offset
    w.node[parent].articulated_inertia += inertia.inward(d)
    w.node[parent].link_wrench += bias.inward(d)


@ti.func
def forward_dynamics(w: ti.template(), request):
    """Write the accelerations of all coordinates [rad/s² | m/s²] under the given efforts, those of the base first."""
    compute_kinematics(w, request)
    root = request.root
    for k in range(root, request.end):
        compute_link_wrench(w, k, request)
        w.node[k].articulated_inertia = link_inertia(w, k)
    for step in range(request.end - 1 - root):
        aba_backward_pass(w, request.end - 1 - step, request)
    a = no_motion()
    if request.base > 0:
        a = invert_inertia(w.node[root].articulated_inertia).apply(
            read_force(request.given, 0) - w.node[root].link_wrench
        )
        write_spatial(request.answer, 0, a)
    w.node[root].total_acceleration = a
    for k in range(root + 1, request.end):
        node = w.node[k]
        a = w.node[node.parent].total_acceleration.outward(node.offset)
        if request.coordinate[k] >= 0:
            rate = node.qdd_immediate - node.u_d_inv.dot(a)
            request.answer[request.coordinate[k]] = rate
            a = a + node.subspace * rate
        node.total_acceleration = a
