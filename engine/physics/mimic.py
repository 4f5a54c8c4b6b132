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

from .lanes import any_lane, broadcast, clamp, maximum, minimum
from .runaway import capped_correction_velocity, lowest_velocity_limit, ran_away
from .spatial import no_force
from .tree import propagate_joint_impulses_inward, propagate_velocity_changes_outward

MIN_COMPLIANCE, MAX_COMPLIANCE = 1e-30, 1e20  # no product of these leaves float32


@ti.func
def clear_joint_impulses(w: ti.template(), root, end):
    """Clear the impulse of this sweep on every joint."""
    for k in range(root + 1, end):
        w.node[k].delta_impulse = 0.0


@ti.func
def add_mimic_impulse(w: ti.template(), j, impulse):
    """Add the impulse λ of mimic joint j to its degrees of freedom: G_k λ, eqs. 11, 13, 14."""
    for i in range(w.mimic[j].term, w.mimic[j].term_end):
        k = w.term[i].node
        node = w.node[k]
        node.delta_impulse += impulse * w.param.mimic_gearing[i]


@ti.func
def prepare_mimics(w: ti.template(), a, params):
    """Compute the response of the rates Ċ of all mimic joints to a unit impulse of each; the own one is r."""
    root, end = w.articulation[a].root, w.articulation[a].end
    first, last = w.articulation[a].mimic, w.articulation[a].mimic_end
    for j in range(first, last):
        w.mimic_scratch[j].max_correction = lowest_velocity_limit(w, j)
        clear_joint_impulses(w, root, end)
        add_mimic_impulse(w, j, broadcast(1.0))
        propagate_joint_impulses_inward(w, root, end)
        propagate_velocity_changes_outward(w, root, end)
        for i in range(first, last):
            rate = broadcast(0.0)
            for t in range(w.mimic[i].term, w.mimic[i].term_end):
                rate += w.param.mimic_gearing[t] * w.node[w.term[t].node].delta_qd
            w.mimic_scratch[j].response[i - first] = rate  # J_i M⁻¹ J_jᵀ; for i = j it is r: eqs. 9, 10, 15, 19
        w.node[root].impulse = no_force()
        for k in range(root + 1, end):
            node = w.node[k]
            node.joint_impulse = 0.0
            node.mimic_impulse = 0.0


@ti.func
def solve_mimic_joints(w: ti.template(), a, iteration, again):
    """Solve all mimic joints of articulation a once; `again`: only those whose error ran away."""
    root, end = w.articulation[a].root, w.articulation[a].end
    first, last = w.articulation[a].mimic, w.articulation[a].mimic_end
    propagate_velocity_changes_outward(w, root, end)
    clear_joint_impulses(w, root, end)
    for i in range(first, last):
        rate = broadcast(0.0)
        for t in range(w.mimic[i].term, w.mimic[i].term_end):
            k = w.term[t].node
            node = w.node[k]
            speed = node.qd + node.delta_qd
            if iteration.substep_time > 0.0:
                speed += iteration.substep_time * node.qdd_substep
            rate += w.param.mimic_gearing[t] * speed
        w.mimic_scratch[i].rate = rate  # Ċ = J v: eqs. 2, 4, 7
    for j in range(first, last):
        impulse = solve_mimic_row(w, j, w.mimic_scratch[j].response[j - first], iteration)
        if again:
            impulse = ti.select(ran_away(w, j), impulse, 0.0)
        add_mimic_impulse(w, j, impulse)
        for i in range(first, last):
            w.mimic_scratch[i].rate += w.mimic_scratch[j].response[i - first] * impulse
    for k in range(root + 1, end):
        node = w.node[k]
        node.mimic_impulse += node.delta_impulse
    propagate_joint_impulses_inward(w, root, end)


@ti.func
def solve_mimics(w: ti.template(), a, iteration):
    """Solve all mimic joints of articulation a once."""
    if w.articulation[a].mimic_end > w.articulation[a].mimic:
        solve_mimic_joints(w, a, iteration, 0)


@ti.func
def solve_runaway_mimics(w: ti.template(), a, iteration):
    """Solve the mimic joints of articulation a once more where their errors ran away.

    Only where velocity iterations follow, in which the limits are solved again.
    """
    first = w.articulation[a].mimic
    if iteration.velocity_iterations_follow and w.articulation[a].mimic_end > first:
        if any_lane(ran_away(w, first)):
            solve_mimic_joints(w, a, iteration, 1)


@ti.func
def write_mimic_efforts(w: ti.template(), a, params):
    """Write the efforts of the mimic joints on the joints of articulation a."""
    mimics = w.articulation[a].mimic_end - w.articulation[a].mimic
    for k in range(w.articulation[a].root + 1, w.articulation[a].end):
        node = w.node[k]
        if node.dof >= 0 and mimics > 0:
            w.results.mimic_effort[node.dof] = node.mimic_impulse * (1.0 / params.h)


@ti.func
def solve_mimic_row(w: ti.template(), j, r, iteration):
    """Return the impulse λ of mimic joint j, whose rate Ċ changes by r per unit impulse."""
    c = broadcast(0.0)
    for i in range(w.mimic[j].term, w.mimic[j].term_end):
        q = w.state.q[w.node[w.term[i].node].dof]
        c += w.param.mimic_gearing[i] * q
    c += w.param.mimic_offset[j]  # eqs. 1, 3, 17
    back, softness, cap = broadcast(0.0), broadcast(0.0), capped_correction_velocity(w, j)
    if iteration.corrects_position:
        frequency, ratio = w.param.mimic_frequency[j], w.param.mimic_damping_ratio[j]
        stiffness, damping = frequency * frequency / r, 2.0 * frequency * ratio / r  # eqs. 24-27
        soft = (frequency > 0.0) & (ratio > 0.0)
        soft_gain = maximum(iteration.delta * stiffness + damping, MIN_COMPLIANCE)
        back = ti.select(soft, stiffness / soft_gain, iteration.bias_rate)  # erp / δ: eqs. 5, 8, 23, 29
        softness = ti.select(soft, 1.0 / (iteration.delta * soft_gain), 0.0)  # cfm: eqs. 22, 28
        cap *= 1.0 + minimum(softness / r, MAX_COMPLIANCE)
    bias = clamp(c * back, 0.0 - cap, cap)
    return (bias + w.mimic_scratch[j].rate) * -1.0 / (r + softness)  # eq. 18; hard: eqs. 6, 12, 16; spring: eqs. 20, 21
