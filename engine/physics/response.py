"""Response of every link and joint to impulses, from the root to the tips.

    V_l = V_p seen at l + S q̇,   q̇ = D⁻¹ (λ − Sᵀ P) − Y · V_p      (λ joint impulse, P bias wrench of the subtree)
    r = D⁻¹ + Y · Λ_p Y,   z = Λ_p Y seen at l,   Λ_l = (Λ_p seen at l) − S zᵀ − z Sᵀ + r S Sᵀ,   G = r S − z

Λ is the velocity of a link per unit of impulsive wrench on it. r (UNIT_RESPONSE) is the joint velocity and G
(UNIT_VELOCITY) the velocity of the link per unit of joint impulse. Y is U_D_INV.
"""

import taichi as ti

from .lanes import broadcast
from .spatial import no_matrix, no_motion, no_tensor
from .spatial_inertia import Response, invert_inertia
from .tree import stores_response
from .views import KIND


@ti.func
def root_response(w: ti.template(), root):
    """Return the response of the root link: the inverse of its articulated inertia, or zero for a fixed base."""
    response = Response(no_tensor(), no_matrix(), no_tensor())
    if ti.static(w.features.floats):
        if w.node[root].kind == KIND.FLOATING_ROOT:
            response = invert_inertia(w.node[root].articulated_inertia)
    return response


@ti.func
def compute_responses(w: ti.template(), a, params):
    """Compute the responses of all links and joints of articulation a, and the velocities without rows.

    Writes: QD of every node, its joint velocity with the immediate forces, and QDD_SUBSTEP, its joint acceleration by
    the forces per substep; UNIT_VELOCITY, UNIT_RESPONSE, CFM; V of the root, with its ROOT_CORRECTION; RESPONSE,
    IMMEDIATE_ACCELERATION and SUBSTEP_ACCELERATION of the root and of nodes that store their response.
    """
    root, end = w.articulation[a].root, w.articulation[a].end
    response = root_response(w, root)
    immediate = response.apply(w.node[root].immediate_bias) * -1.0
    substep = no_motion()
    if params.forces_per_substep:
        substep = response.apply(w.node[root].substep_bias) * -1.0
    root_acceleration = immediate.copy()
    if w.articulation[a].floating > 0 or stores_response(w, w.node[root]):
        w.node[root].response = response
    w.node[root].immediate_acceleration = immediate
    w.node[root].substep_acceleration = substep
    w.node[root].cfm = response.softness() * w.param.cfm_scale[w.node[root].link]
    for k in range(root + 1, end):
        node = w.node[k]
        parent = node.parent
        if parent != k - 1:
            response = w.node[parent].response
            immediate, substep = w.node[parent].immediate_acceleration, w.node[parent].substep_acceleration
        d, dof = node.offset, node.dof
        if dof >= 0:
            s, y, d_inv = node.subspace, node.u_d_inv, node.d_inv
            z = response.apply(y)  # Λ_p Y
            r = d_inv + z.dot(y)  # W_kk
            rate = node.qdd_immediate - immediate.dot(y)
            away = z.outward(d)
            node.unit_velocity = s * r - away
            node.unit_response = r
            node.qd = node.start_qd + params.h * rate
            response = response.outward(d).joined(s, away, r)
            immediate = immediate.outward(d) + s * rate
            if params.forces_per_substep:
                substep_qdd = node.qdd_substep_local - substep.dot(y)
                node.qdd_substep = substep_qdd
                substep = substep.outward(d) + s * substep_qdd
        else:
            node.qd = broadcast(0.0)
            response = response.outward(d)
            immediate, substep = immediate.outward(d), substep.outward(d)
        if stores_response(w, node):
            node.response = response
            node.immediate_acceleration = immediate
            node.substep_acceleration = substep
        node.cfm = response.softness() * w.param.cfm_scale[node.link]
    correction = w.node[root].root_correction
    w.node[root].v = w.state.root_velocity[a] + root_acceleration * params.h + correction
