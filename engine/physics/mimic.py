"""Mimic joints: C = Σ G_k q_k + o = 0. Equations of "Mimic Joints", the document of PhysX on them.

    Ċ = Σ G_k q̇_k        the follower comes first, with G = 1
    λ = −(erp C/δ + Ċ) / (r + cfm);  each degree of freedom gets the impulse G_k λ
    r = Σ Σ G_k G_l W_kl;  for two axes W_ff + 2 G W_fr + G² W_rr
    hard: erp = limit bias, cfm = 0;  soft: kp = ω²/r, kd = 2 ω ζ/r, erp = δ kp / (δ kp + kd), cfm = 1 / (δ (δ kp + kd))
    velocity iterations: erp = cfm = 0

W is the inverse mass matrix: the response of joint velocities to joint impulses, at the start of the step.

What the document leaves open follows PhysX: erp of a hard mimic joint is 0.8 under PGS and min(0.9, 2/√n) under TGS;
velocity iterations solve every mimic joint as hard; λ has no term −cfm λ of earlier iterations, so that a soft mimic
joint stiffens with the number of PGS iterations.

No velocity limit bounds the correction: the limits come afterwards and take back what exceeds them, also from the
other degrees of freedom. `runaway` handles corrections that the limits turn around.

All mimic joints of an articulation are solved before each sweep over its joints, one after the other, each with the
impulses of those before it: their mutual responses are known from unit impulses at the start of the step.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_force,
    get_motion,
    get_vector,
    parameter,
    put,
    put_spatial,
    state,
)
from .lanes import broadcast, clamp, maximum, minimum
from .mimic_response import get_coupling, put_coupling
from .response import get_response
from .runaway import MAX_CORRECTION, capped_correction_velocity, lowest_velocity_limit, ran_away
from .spatial import no_force, no_motion
from .world_view import (
    ARTICULATION_AT,
    HEADER_AT,
    KIND,
    MIMIC_AT,
    NODE_AT,
    TERM_AT,
    articulation,
    header,
    mimic,
    node,
    term,
)

RATE, RESPONSE = 0, 2  # columns of the couplings; 1 is MAX_CORRECTION
MIN_COMPLIANCE, MAX_COMPLIANCE = 1e-30, 1e20  # no product of these leaves float32


@ti.func
def propagate_mimic_impulses_inward(w: ti.template(), root, end):
    """Carry the impulses DELTA_IMPULSE of all joints to the root.

    Writes: JOINT_IMPULSE of every joint, IMPULSE of the root.
    """
    for k in range(root + 1, end):
        put_spatial(w, k, NODE_ROW.IMPULSE, no_force())
    for step in range(end - 1 - root):
        k = end - 1 - step
        parent, d = node(w, k, NODE_AT.PARENT), get_vector(w, k, NODE_ROW.OFFSET)
        wrench = get_force(w, k, NODE_ROW.IMPULSE)
        passed = wrench.inward(d)
        if node(w, k, NODE_AT.DOF) >= 0:
            impulse = get(w, k, NODE_ROW.DELTA_IMPULSE) - get_motion(w, k, NODE_ROW.SUBSPACE).dot(wrench)
            put(w, k, NODE_ROW.JOINT_IMPULSE, get(w, k, NODE_ROW.JOINT_IMPULSE) + impulse)
            passed = passed + get_force(w, k, NODE_ROW.U_D_INV) * impulse
        put_spatial(w, parent, NODE_ROW.IMPULSE, get_force(w, parent, NODE_ROW.IMPULSE) + passed)


@ti.func
def propagate_velocity_changes_outward(w: ti.template(), root, end):
    """Compute the change of every joint velocity by all impulses, from the root to the tips.

    Writes: DELTA_QD of every joint, BRANCH_DELTA_V of every node.
    """
    dv = no_motion()
    if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
        dv = get_response(w, root).apply(get_force(w, root, NODE_ROW.IMPULSE)) * -1.0
    put_spatial(w, root, NODE_ROW.BRANCH_DELTA_V, dv)
    for k in range(root + 1, end):
        above = get_motion(w, node(w, k, NODE_AT.PARENT), NODE_ROW.BRANCH_DELTA_V)
        below = above.outward(get_vector(w, k, NODE_ROW.OFFSET))
        if node(w, k, NODE_AT.DOF) >= 0:
            change = get(w, k, NODE_ROW.D_INV) * get(w, k, NODE_ROW.JOINT_IMPULSE) - above.dot(
                get_force(w, k, NODE_ROW.U_D_INV)
            )
            put(w, k, NODE_ROW.DELTA_QD, change)
            below = below + get_motion(w, k, NODE_ROW.SUBSPACE) * change
        put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, below)


@ti.func
def clear_joint_impulses(w: ti.template(), root, end):
    """Clear the impulse of this sweep on every joint."""
    for k in range(root + 1, end):
        put(w, k, NODE_ROW.DELTA_IMPULSE, 0.0)


@ti.func
def add_mimic_impulse(w: ti.template(), j, impulse):
    """Add the impulse λ of mimic joint j to its degrees of freedom: G_k λ, eqs. 11, 13, 14."""
    for i in range(mimic(w, j, MIMIC_AT.TERM), mimic(w, j, MIMIC_AT.TERM_END)):
        k = term(w, i, TERM_AT.NODE)
        put(
            w,
            k,
            NODE_ROW.DELTA_IMPULSE,
            get(w, k, NODE_ROW.DELTA_IMPULSE) + impulse * parameter(w, PARAMETER.MIMIC_GEARING, i),
        )


@ti.func
def prepare_mimics(w: ti.template(), a):
    """Compute the response of the rates Ċ of all mimic joints to a unit impulse of each; the own one is r."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
    for j in range(first, last):
        put_coupling(w, j, MAX_CORRECTION, lowest_velocity_limit(w, j))
        clear_joint_impulses(w, root, end)
        add_mimic_impulse(w, j, broadcast(1.0))
        propagate_mimic_impulses_inward(w, root, end)
        propagate_velocity_changes_outward(w, root, end)
        for i in range(first, last):
            rate = broadcast(0.0)
            for t in range(mimic(w, i, MIMIC_AT.TERM), mimic(w, i, MIMIC_AT.TERM_END)):
                rate += parameter(w, PARAMETER.MIMIC_GEARING, t) * get(w, term(w, t, TERM_AT.NODE), NODE_ROW.DELTA_QD)
            put_coupling(w, j, RESPONSE + i - first, rate)  # J_i M⁻¹ J_jᵀ; for i = j it is r: eqs. 9, 10, 15, 19
        put_spatial(w, root, NODE_ROW.IMPULSE, no_force())
        for k in range(root + 1, end):
            put(w, k, NODE_ROW.JOINT_IMPULSE, 0.0)
            put(w, k, NODE_ROW.MIMIC_IMPULSE, 0.0)


@ti.func
def solve_mimic_joints(w: ti.template(), a, substep_time, iteration, again):
    """Solve all mimic joints of an articulation once.

    `substep_time`: how long the forces per substep act before this iteration [s]. `again`: solve only the mimic joints
    whose error ran away.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
    propagate_velocity_changes_outward(w, root, end)
    clear_joint_impulses(w, root, end)
    for i in range(first, last):
        rate = broadcast(0.0)
        for t in range(mimic(w, i, MIMIC_AT.TERM), mimic(w, i, MIMIC_AT.TERM_END)):
            k = term(w, t, TERM_AT.NODE)
            speed = get(w, k, NODE_ROW.QD) + get(w, k, NODE_ROW.DELTA_QD)
            if substep_time > 0.0:
                speed += substep_time * get(w, k, NODE_ROW.QDD_SUBSTEP)
            rate += parameter(w, PARAMETER.MIMIC_GEARING, t) * speed
        put_coupling(w, i, RATE, rate)  # Ċ = J v: eqs. 2, 4, 7
    for j in range(first, last):
        impulse = solve_mimic_row(w, j, get_coupling(w, j, RESPONSE + j - first), iteration)
        if again:
            impulse = ti.select(ran_away(w, j), impulse, 0.0)
        add_mimic_impulse(w, j, impulse)
        for i in range(first, last):
            put_coupling(w, i, RATE, get_coupling(w, i, RATE) + get_coupling(w, j, RESPONSE + i - first) * impulse)
    for k in range(root + 1, end):
        put(w, k, NODE_ROW.MIMIC_IMPULSE, get(w, k, NODE_ROW.MIMIC_IMPULSE) + get(w, k, NODE_ROW.DELTA_IMPULSE))
    propagate_mimic_impulses_inward(w, root, end)


@ti.func
def solve_mimic_row(w: ti.template(), j, r, iteration):
    """Return the impulse λ of mimic joint j, whose rate Ċ changes by r per unit impulse."""
    c = broadcast(0.0)
    for i in range(mimic(w, j, MIMIC_AT.TERM), mimic(w, j, MIMIC_AT.TERM_END)):
        q = state(w, header(w, HEADER_AT.Q) + node(w, term(w, i, TERM_AT.NODE), NODE_AT.DOF))
        c += parameter(w, PARAMETER.MIMIC_GEARING, i) * q
    c += parameter(w, PARAMETER.MIMIC_OFFSET, j)  # eqs. 1, 3, 17
    back, softness, cap = broadcast(0.0), broadcast(0.0), capped_correction_velocity(w, j)
    if iteration.corrects_position:
        frequency, ratio = parameter(w, PARAMETER.MIMIC_FREQUENCY, j), parameter(w, PARAMETER.MIMIC_DAMPING_RATIO, j)
        stiffness, damping = frequency * frequency / r, 2.0 * frequency * ratio / r  # eqs. 24-27
        soft = (frequency > 0.0) & (ratio > 0.0)
        soft_gain = maximum(iteration.delta * stiffness + damping, MIN_COMPLIANCE)
        back = ti.select(soft, stiffness / soft_gain, iteration.bias_rate)  # erp / δ: eqs. 5, 8, 23, 29
        softness = ti.select(soft, 1.0 / (iteration.delta * soft_gain), 0.0)  # cfm: eqs. 22, 28
        cap *= 1.0 + minimum(softness / r, MAX_COMPLIANCE)
    bias = clamp(c * back, 0.0 - cap, cap)
    return (
        (bias + get_coupling(w, j, RATE)) * -1.0 / (r + softness)
    )  # eq. 18; hard: eqs. 6, 12, 16; spring: eqs. 20, 21
