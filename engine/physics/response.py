"""Response of every link and joint to impulses, from the root to the tips.

    V_l = V_p seen at l + S q̇,   q̇ = D⁻¹ (λ − Sᵀ P) − Y · V_p      (λ joint impulse, P bias wrench of the subtree)
    r = D⁻¹ + Y · Λ_p Y,   z = Λ_p Y seen at l,   Λ_l = (Λ_p seen at l) − S zᵀ − z Sᵀ + r S Sᵀ,   G = r S − z

Λ is the velocity of a link per unit of impulsive wrench on it. r (UNIT_RESPONSE) is the joint velocity and G
(UNIT_VELOCITY) the velocity of the link per unit of joint impulse. Y is U_D_INV.
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
    root_velocity,
)
from .articulated_body import get_inertia
from .lanes import Struct, broadcast, maximum, traced
from .spatial import Mat3, Motion, no_matrix, no_motion, no_tensor, symmetric
from .world_view import ARTICULATION_AT, KIND, NODE_AT, articulation, node


class Response(Struct):
    """Velocity per wrench: ω = A n + Bᵀ f, v = B n + C f."""

    parts = ("a", "b", "c")

    @traced
    def apply(self, f):
        return Motion(self.a.apply(f.ang) + self.b.transposed(f.lin), self.b.apply(f.ang) + self.c.apply(f.lin))

    @traced
    def outward(self, d):
        """Return the response of the same rigid body at the child's origin."""
        x, y, z = self.a.rows()
        b = Mat3(self.b.a - d.cross(x), self.b.b - d.cross(y), self.b.c - d.cross(z))
        x, y, z = self.b.rows()
        x = b.b * d.z - b.c * d.y - d.cross(x)
        y = b.c * d.x - b.a * d.z - d.cross(y)
        z = b.a * d.y - b.b * d.x - d.cross(z)
        return Response(self.a.copy(), b, self.c + symmetric(x, y, z))

    @traced
    def joined(self, s, z, r):
        """Return self − s zᵀ − z sᵀ + r s sᵀ."""
        y = s * (r * 0.5) - z
        b = self.b.plus_outer(s.lin, y.ang).plus_outer(y.lin, s.ang)
        return Response(self.a.plus_symmetric(s.ang, y.ang), b, self.c.plus_symmetric(s.lin, y.lin))

    @traced
    def softness(self):
        """Return the largest velocity of the centre of mass along a world axis per unit of impulse along it [1/kg]."""
        return maximum(maximum(self.c.xx, self.c.yy), self.c.zz)


@traced
def get_response(w: ti.template(), k):
    """Return the response of a link with several children, or of the root."""
    return Response(
        get_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA),
        get_matrix(w, k, NODE_ROW.ARTICULATED_INERTIA + 6),
        get_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA + 15),
    )


@traced
def put_response(w: ti.template(), k, response):
    """Write the response of a link in place of its inertia."""
    put_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA, response.a)
    put_matrix(w, k, NODE_ROW.ARTICULATED_INERTIA + 6, response.b)
    put_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA + 15, response.c)


@traced
def invert_inertia(inertia):
    """Return the response of a free body of this inertia, by the Schur complement of its linear part."""
    m = inertia.m.inverse()
    x, y, z = inertia.h.rows()
    g = Mat3(m.apply(x), m.apply(y), m.apply(z))
    a = (inertia.i + symmetric(inertia.h.apply(g.a), inertia.h.apply(g.b), inertia.h.apply(g.c)) * -1.0).inverse()
    x, y, z = a.rows()
    b = Mat3(g.apply(x), g.apply(y), g.apply(z))
    x, y, z = g.rows()
    return Response(a, b * -1.0, m + symmetric(b.apply(x), b.apply(y), b.apply(z)))


@ti.func
def root_response(w: ti.template(), root):
    """Return the response of the root link: the inverse of its articulated inertia, or zero for a fixed base."""
    response = Response(no_tensor(), no_matrix(), no_tensor())
    if ti.static(w.features.floats):
        if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
            response = invert_inertia(get_inertia(w, root))
    return response


@ti.func
def compute_responses(w: ti.template(), a, params):
    """Compute the responses of all links and joints of articulation a, and the velocities without rows.

    Writes: QD of every node, its joint velocity with the immediate forces, and QDD_SUBSTEP, its joint acceleration by
    the forces per substep; UNIT_VELOCITY, UNIT_RESPONSE, CFM; V of the root, with its momentum correction in U_D_INV.
    IMMEDIATE_BIAS and SUBSTEP_BIAS of the root, and of nodes that store their response, then contain accelerations.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    response = root_response(w, root)
    immediate = response.apply(get_force(w, root, NODE_ROW.IMMEDIATE_BIAS)) * -1.0
    substep = no_motion()
    if params.forces_per_substep:
        substep = response.apply(get_force(w, root, NODE_ROW.SUBSTEP_BIAS)) * -1.0
    root_acceleration = immediate.copy()
    put_response(w, root, response)
    put_spatial(w, root, NODE_ROW.IMMEDIATE_BIAS, immediate)
    put_spatial(w, root, NODE_ROW.SUBSTEP_BIAS, substep)
    put(w, root, NODE_ROW.CFM, response.softness() * parameter(w, PARAMETER.CFM_SCALE, node(w, root, NODE_AT.LINK)))
    for k in range(root + 1, end):
        parent = node(w, k, NODE_AT.PARENT)
        if parent != k - 1:
            response = get_response(w, parent)
            immediate, substep = (
                get_motion(w, parent, NODE_ROW.IMMEDIATE_BIAS),
                get_motion(w, parent, NODE_ROW.SUBSTEP_BIAS),
            )
        d, dof = get_vector(w, k, NODE_ROW.OFFSET), node(w, k, NODE_AT.DOF)
        if dof >= 0:
            s, y, d_inv = (
                get_motion(w, k, NODE_ROW.SUBSPACE),
                get_force(w, k, NODE_ROW.U_D_INV),
                get(w, k, NODE_ROW.D_INV),
            )
            z = response.apply(y)  # Λ_p Y
            r = d_inv + z.dot(y)  # W_kk
            rate = get(w, k, NODE_ROW.QDD_IMMEDIATE) - immediate.dot(y)
            away = z.outward(d)
            put_spatial(w, k, NODE_ROW.UNIT_VELOCITY, s * r - away)
            put(w, k, NODE_ROW.UNIT_RESPONSE, r)
            put(w, k, NODE_ROW.QD, get(w, k, NODE_ROW.START_QD) + params.h * rate)
            response = response.outward(d).joined(s, away, r)
            immediate = immediate.outward(d) + s * rate
            if params.forces_per_substep:
                substep_qdd = get(w, k, NODE_ROW.QDD_SUBSTEP_LOCAL) - substep.dot(y)
                put(w, k, NODE_ROW.QDD_SUBSTEP, substep_qdd)
                substep = substep.outward(d) + s * substep_qdd
        else:
            put(w, k, NODE_ROW.QD, broadcast(0.0))
            response = response.outward(d)
            immediate, substep = immediate.outward(d), substep.outward(d)
        if node(w, k, NODE_AT.STORES_RESPONSE):
            put_response(w, k, response)
            put_spatial(w, k, NODE_ROW.IMMEDIATE_BIAS, immediate)
            put_spatial(w, k, NODE_ROW.SUBSTEP_BIAS, substep)
        put(w, k, NODE_ROW.CFM, response.softness() * parameter(w, PARAMETER.CFM_SCALE, node(w, k, NODE_AT.LINK)))
    correction = get_motion(w, root, NODE_ROW.U_D_INV)
    put_spatial(w, root, NODE_ROW.V, root_velocity(w, a) + root_acceleration * params.h + correction)
