"""Articulated-body inertia and bias wrenches, from the tips to the root. RBDA, articulated-body algorithm.

U = IA S,  D = Sᵀ U + armature,  Y = (U / D) seen at the parent
IA_p += (IA − U Uᵀ/D) seen at the parent        bias_p += bias seen at the parent + Y (τ − Sᵀ bias)

There are two bias wrenches: of forces that act at once (immediate), and of forces per substep.
"""

import taichi as ti

from . import TILE
from .lanes import broadcast, traced
from .spatial import Sym3, no_force, no_matrix
from .spatial_inertia import ArticulatedInertia
from .tree import stores_response


@traced
def link_mass(w, k):
    """Return MASS of node k. A GPU reads the parameter, which worlds share and its caches hold."""
    node = w.node[k]
    if TILE == 1:
        return node.mass
    return ti.select(node.last == k, w.param.mass[node.link], 0.0)


@traced
def link_inertia(w, k):
    """Return the inertia of the link of node k; zero for a node within a joint."""
    node, mass = w.node[k], link_mass(w, k)
    linear = Sym3(mass, broadcast(0.0), broadcast(0.0), mass, broadcast(0.0), mass)
    return ArticulatedInertia(node.world_inertia, no_matrix(), linear)


@ti.func
def compute_articulated_inertia(w: ti.template(), a, params):
    """Accumulate inertia and bias wrenches of the subtrees of articulation a.

    Writes: D_INV, U_D_INV, QDD_IMMEDIATE and QDD_SUBSTEP_LOCAL of every node; ARTICULATED_INERTIA, IMMEDIATE_BIAS and
    SUBSTEP_BIAS of a floating root.
    """
    root, end, floating = w.articulation[a].root, w.articulation[a].end, w.articulation[a].floating
    for k in range(root, end):
        node = w.node[k]
        if stores_response(w, node):
            node.articulated_inertia = link_inertia(w, k)
    inertia, immediate, substep = link_inertia(w, end - 1), w.node[end - 1].immediate_bias, no_force()
    if params.forces_per_substep:
        substep = w.node[end - 1].substep_bias
    for step in range(end - 1 - root):
        k = end - 1 - step
        node = w.node[k]
        s, d, parent = node.subspace, node.offset, node.parent
        dof = node.dof
        y, d_inv = no_force(), broadcast(0.0)
        if dof >= 0:
            u = inertia.apply(s)  # U = IA S
            d_inv = 1.0 / (s.dot(u) + w.param.armature[dof])  # D⁻¹
            y = u * d_inv
            inertia = inertia.minus_outer(u, d_inv)  # Ia = IA − U Uᵀ/D
            effort = w.param.effort[dof]
            if ti.static(w.features.actuators):
                effort = node.effort  # with those of actuators
            if ti.static(TILE == 1):  # a GPU reads it anew, see `drive.user_effort`
                node.effort = effort
            immediate_effort, substep_effort = 0.0 - s.dot(immediate), 0.0 - s.dot(substep)
            if params.forces_per_substep:
                substep_effort += effort
            else:
                immediate_effort += effort
            immediate, substep = immediate + y * immediate_effort, substep + y * substep_effort
            node.qdd_immediate = d_inv * immediate_effort
            node.qdd_substep_local = d_inv * substep_effort
            y = y.inward(d)
        node.d_inv = d_inv
        node.u_d_inv = y
        inertia, immediate = inertia.inward(d), immediate.inward(d) + w.node[parent].immediate_bias
        if params.forces_per_substep:
            substep = substep.inward(d) + w.node[parent].substep_bias
        # Along a chain the parent is the next node, and everything stays in registers.
        if floating > 0 or parent != root:  # what reaches a fixed root moves nothing
            if stores_response(w, w.node[parent]):
                inertia = inertia + w.node[parent].articulated_inertia
            else:
                inertia = inertia.plus_body(w.node[parent].world_inertia, link_mass(w, parent))
            if parent != k - 1 or parent == root:
                w.node[parent].articulated_inertia = inertia
                w.node[parent].immediate_bias = immediate
                if params.forces_per_substep:
                    w.node[parent].substep_bias = substep
        if parent != k - 1:
            inertia, immediate = link_inertia(w, k - 1), w.node[k - 1].immediate_bias
            if params.forces_per_substep:
                substep = w.node[k - 1].substep_bias
    if end == root + 1:
        w.node[root].articulated_inertia = inertia
