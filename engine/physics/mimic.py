"""Mimic joints: C = Σ G_k q_k + o = 0, rate Σ G_k q̇_k, the follower first with G = 1. MimicJoints seed, eqs. 1-29.

    λ = −(erp C/δ + Σ G_k q̇_k) / (r + cfm);  each degree of freedom gets the impulse G_k λ
    r = Σ Σ G_k G_l W_kl;  for two, W_ff + 2 G W_fr + G² W_rr
    hard: erp = bias, cfm = 0;  soft: kp = ω²/r, kd = 2 ω ζ/r, erp = δ kp / (δ kp + kd), cfm = 1 / (δ (δ kp + kd))
    velocity iterations: erp = cfm = 0

No speed limit bounds what an error asks for: the limits come after and throw back what is beyond them, also onto the
other degrees of freedom. See `runaway` for what happens where they turn the correction around.

All mimic joints of an articulation come before each sweep over its joints, one after the other, each seeing those
before it: what the impulse of one does to the rate of another is known from unit impulses at the start of the step.
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

RATE, RESPONSE = 0, 2  # columns of the couplings; PACE: 1
MIN_COMPLIANCE, MAX_COMPLIANCE = 1e-30, 1e20  # no product of these leaves float32


@ti.func
def propagate_mimic_impulses_inward(w: ti.template(), root, end):
    """Carry the impulses F of all joints down to the root: X of every joint, P of the root."""
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
    """Carry what all impulses did from the root to the tips: CHANGE, the change of every joint's speed."""
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
    """No impulse on any joint."""
    for k in range(root + 1, end):
        put(w, k, NODE_ROW.DELTA_IMPULSE, 0.0)


@ti.func
def add_mimic_impulse(w: ti.template(), j, impulse):
    """Add the impulse λ of mimic joint j to F of its degrees of freedom."""
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
    """What a unit impulse of each mimic joint does to the rates of all."""
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
            put_coupling(w, j, RESPONSE + i - first, rate)
        put_spatial(w, root, NODE_ROW.IMPULSE, no_force())
        for k in range(root + 1, end):
            put(w, k, NODE_ROW.JOINT_IMPULSE, 0.0)
            put(w, k, NODE_ROW.MIMIC_IMPULSE, 0.0)


@ti.func
def solve_mimic_joints(w: ti.template(), a, push, iteration, again):
    """Impulses of all mimic joints of an articulation; `push` [s] is the time for which spread forces act before.

    `again`: only where errors ran away.
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
            if push > 0.0:
                speed += push * get(w, k, NODE_ROW.QDD_SUBSTEP)
            rate += parameter(w, PARAMETER.MIMIC_GEARING, t) * speed
        put_coupling(w, i, RATE, rate)
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
    """Impulse λ of mimic joint j, whose rate answers a unit impulse with r."""
    c = broadcast(0.0)
    for i in range(mimic(w, j, MIMIC_AT.TERM), mimic(w, j, MIMIC_AT.TERM_END)):
        q = state(w, header(w, HEADER_AT.Q) + node(w, term(w, i, TERM_AT.NODE), NODE_AT.DOF))
        c += parameter(w, PARAMETER.MIMIC_GEARING, i) * q
    c += parameter(w, PARAMETER.MIMIC_OFFSET, j)
    back, softness, params = broadcast(0.0), broadcast(0.0), capped_correction_velocity(w, j)
    if iteration.comes_back:
        frequency, ratio = parameter(w, PARAMETER.MIMIC_FREQUENCY, j), parameter(w, PARAMETER.MIMIC_DAMPING_RATIO, j)
        stiffness, damping = frequency * frequency / r, 2.0 * frequency * ratio / r
        soft = (frequency > 0.0) & (ratio > 0.0)
        yielding = maximum(iteration.delta * stiffness + damping, MIN_COMPLIANCE)
        back = ti.select(soft, stiffness / yielding, iteration.back)
        softness = ti.select(soft, 1.0 / (iteration.delta * yielding), 0.0)
        params *= 1.0 + minimum(softness / r, MAX_COMPLIANCE)
    return (clamp(c * back, 0.0 - params, params) + get_coupling(w, j, RATE)) * -1.0 / (r + softness)
