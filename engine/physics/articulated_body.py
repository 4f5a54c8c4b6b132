"""Articulated-body inertia and bias wrenches, from the tips to the root. RBDA, articulated-body algorithm.

U = IA S,  D = Sᵀ U + armature,  Y = (U / D) seen at the parent
IA_p += (IA − U Uᵀ/D) seen at the parent        bias_p += bias seen at the parent + Y (τ − Sᵀ bias)

There are two bias wrenches: of forces that act at once (immediate), and of forces per substep.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_force,
    get_matrix,
    get_motion,
    get_tensor,
    get_vector,
    parameter,
    put,
    put_matrix,
    put_spatial,
    put_tensor,
)
from .lanes import Struct, broadcast, traced
from .spatial import Force, Mat3, Sym3, no_force, no_matrix, symmetric
from .world_view import ARTICULATION_AT, NODE_AT, articulation, node


class ArticulatedInertia(Struct):
    """Articulated inertia: (torque, force) = (I ω + H v, Hᵀ ω + M v)."""

    parts = ("i", "h", "m")

    @traced
    def apply(self, v):
        return Force(self.i.apply(v.ang) + self.h.apply(v.lin), self.h.transposed(v.ang) + self.m.apply(v.lin))

    @traced
    def __add__(self, o):
        return ArticulatedInertia(self.i + o.i, self.h + o.h, self.m + o.m)

    @traced
    def plus_body(self, tensor, mass):
        """Return this inertia plus that of a rigid body."""
        m = Sym3(self.m.xx + mass, self.m.xy, self.m.xz, self.m.yy + mass, self.m.yz, self.m.zz + mass)
        return ArticulatedInertia(self.i + tensor, self.h.copy(), m)

    @traced
    def minus_outer(self, f, k):
        """Return self − k f fᵀ."""
        g = f * (0.0 - k)
        return ArticulatedInertia(
            self.i.plus_outer(f.ang, g.ang), self.h.plus_outer(g.ang, f.lin), self.m.plus_outer(f.lin, g.lin)
        )

    @traced
    def inward(self, d):
        """Return this inertia about the parent's origin."""
        x, y, z = self.m.rows()
        q = Mat3(self.h.a + d.cross(x), self.h.b + d.cross(y), self.h.c + d.cross(z))
        x, y, z = self.h.rows()
        a = d.cross(x) + q.c * d.y - q.b * d.z
        b = d.cross(y) + q.a * d.z - q.c * d.x
        c = d.cross(z) + q.b * d.x - q.a * d.y
        return ArticulatedInertia(self.i + symmetric(a, b, c), q, self.m.copy())


@traced
def get_inertia(w: ti.template(), k):
    """Return the inertia accumulated at a node with several children, or at the root."""
    return ArticulatedInertia(
        get_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA),
        get_matrix(w, k, NODE_ROW.ARTICULATED_INERTIA + 6),
        get_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA + 15),
    )


@traced
def put_inertia(w: ti.template(), k, inertia):
    """Write the inertia accumulated at a node."""
    put_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA, inertia.i)
    put_matrix(w, k, NODE_ROW.ARTICULATED_INERTIA + 6, inertia.h)
    put_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA + 15, inertia.m)


@traced
def link_inertia(w, k):
    """Return the inertia of the link of node k; zero for a node within a joint."""
    mass = get(w, k, NODE_ROW.MASS)
    linear = Sym3(mass, broadcast(0.0), broadcast(0.0), mass, broadcast(0.0), mass)
    return ArticulatedInertia(get_tensor(w, k, NODE_ROW.WORLD_INERTIA), no_matrix(), linear)


@ti.func
def compute_articulated_inertia(w: ti.template(), a, params):
    """Accumulate inertia and bias wrenches of the subtrees of articulation a.

    Writes: D_INV, U_D_INV, QDD_IMMEDIATE and QDD_SUBSTEP_LOCAL of every node; ARTICULATED_INERTIA, IMMEDIATE_BIAS and
    SUBSTEP_BIAS of the root.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    for k in range(root, end):
        if node(w, k, NODE_AT.STORES_RESPONSE) > 0:
            put_inertia(w, k, link_inertia(w, k))
    inertia, immediate, substep = link_inertia(w, end - 1), get_force(w, end - 1, NODE_ROW.IMMEDIATE_BIAS), no_force()
    if params.forces_per_substep:
        substep = get_force(w, end - 1, NODE_ROW.SUBSTEP_BIAS)
    for step in range(end - 1 - root):
        k = end - 1 - step
        s, d, parent = (
            get_motion(w, k, NODE_ROW.SUBSPACE),
            get_vector(w, k, NODE_ROW.OFFSET),
            node(w, k, NODE_AT.PARENT),
        )
        dof = node(w, k, NODE_AT.DOF)
        y, d_inv = no_force(), broadcast(0.0)
        if dof >= 0:
            u = inertia.apply(s)  # U = IA S
            d_inv = 1.0 / (s.dot(u) + parameter(w, PARAMETER.ARMATURE, dof))  # D⁻¹
            y = u * d_inv
            inertia = inertia.minus_outer(u, d_inv)  # Ia = IA − U Uᵀ/D
            effort = parameter(w, PARAMETER.EFFORT, dof)
            put(w, k, NODE_ROW.EFFORT, effort)
            immediate_effort, substep_effort = 0.0 - s.dot(immediate), 0.0 - s.dot(substep)
            if params.forces_per_substep:
                substep_effort += effort
            else:
                immediate_effort += effort
            immediate, substep = immediate + y * immediate_effort, substep + y * substep_effort
            put(w, k, NODE_ROW.QDD_IMMEDIATE, d_inv * immediate_effort)
            put(w, k, NODE_ROW.QDD_SUBSTEP_LOCAL, d_inv * substep_effort)
            y = y.inward(d)
        put(w, k, NODE_ROW.D_INV, d_inv)
        put_spatial(w, k, NODE_ROW.U_D_INV, y)
        inertia, immediate = inertia.inward(d), immediate.inward(d) + get_force(w, parent, NODE_ROW.IMMEDIATE_BIAS)
        if params.forces_per_substep:
            substep = substep.inward(d) + get_force(w, parent, NODE_ROW.SUBSTEP_BIAS)
        # Along a chain the parent is the next node, and everything stays in registers.
        if node(w, parent, NODE_AT.STORES_RESPONSE) > 0:
            inertia = inertia + get_inertia(w, parent)
        else:
            inertia = inertia.plus_body(get_tensor(w, parent, NODE_ROW.WORLD_INERTIA), get(w, parent, NODE_ROW.MASS))
        if parent != k - 1 or parent == root:
            put_inertia(w, parent, inertia)
            put_spatial(w, parent, NODE_ROW.IMMEDIATE_BIAS, immediate)
            if params.forces_per_substep:
                put_spatial(w, parent, NODE_ROW.SUBSTEP_BIAS, substep)
            if parent != k - 1:
                inertia, immediate = link_inertia(w, k - 1), get_force(w, k - 1, NODE_ROW.IMMEDIATE_BIAS)
                if params.forces_per_substep:
                    substep = get_force(w, k - 1, NODE_ROW.SUBSTEP_BIAS)
    if end == root + 1:
        put_inertia(w, root, inertia)
