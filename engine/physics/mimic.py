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

from .coupling import get_coupling, put_coupling
from .lanes import clamp, larger, real, smaller
from .memory import (
    PARAMETER,
    ROW,
    get,
    get_force,
    get_motion,
    get_vector,
    parameter,
    put,
    put_spatial,
    state,
)
from .response import get_response
from .runaway import PACE, capped_pace, lowest_limit, ran_away
from .spatial import no_force, no_motion
from .world import ARTICULATION_AT, HEAD_AT, KIND, MIMIC_AT, NODE_AT, TERM_AT, articulation, head, mimic, node, term

RATE, PULL = 0, 2  # columns of the couplings; PACE: 1
STIFFEST, SOFTEST = 1e-30, 1e20  # no product of these leaves float32


@ti.func
def gather(w: ti.template(), root, end):
    """Carry the impulses F of all joints down to the root: X of every joint, P of the root."""
    for k in range(root + 1, end):
        put_spatial(w, k, ROW.P, no_force())
    for step in range(end - 1 - root):
        k = end - 1 - step
        parent, d = node(w, k, NODE_AT.PARENT), get_vector(w, k, ROW.D)
        wrench = get_force(w, k, ROW.P)
        passed = wrench.inward(d)
        if node(w, k, NODE_AT.DOF) >= 0:
            impulse = get(w, k, ROW.F) - get_motion(w, k, ROW.S).dot(wrench)
            put(w, k, ROW.X, get(w, k, ROW.X) + impulse)
            passed = passed + get_force(w, k, ROW.Y) * impulse
        put_spatial(w, parent, ROW.P, get_force(w, parent, ROW.P) + passed)


@ti.func
def spread_out(w: ti.template(), root, end):
    """Carry what all impulses did from the root to the tips: CHANGE, the change of every joint's speed."""
    dv = no_motion()
    if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
        dv = get_response(w, root).apply(get_force(w, root, ROW.P)) * -1.0
    put_spatial(w, root, ROW.STASH_V, dv)
    for k in range(root + 1, end):
        above = get_motion(w, node(w, k, NODE_AT.PARENT), ROW.STASH_V)
        below = above.outward(get_vector(w, k, ROW.D))
        if node(w, k, NODE_AT.DOF) >= 0:
            change = get(w, k, ROW.D_INV) * get(w, k, ROW.X) - above.dot(get_force(w, k, ROW.Y))
            put(w, k, ROW.CHANGE, change)
            below = below + get_motion(w, k, ROW.S) * change
        put_spatial(w, k, ROW.STASH_V, below)


@ti.func
def still(w: ti.template(), root, end):
    """No impulse on any joint."""
    for k in range(root + 1, end):
        put(w, k, ROW.F, 0.0)


@ti.func
def press(w: ti.template(), j, impulse):
    """Add the impulse λ of mimic joint j to F of its degrees of freedom."""
    for i in range(mimic(w, j, MIMIC_AT.TERM), mimic(w, j, MIMIC_AT.TERM_END)):
        k = term(w, i, TERM_AT.NODE)
        put(w, k, ROW.F, get(w, k, ROW.F) + impulse * parameter(w, PARAMETER.GEARING, i))


@ti.func
def prepare_mimics(w: ti.template(), a):
    """What a unit impulse of each mimic joint does to the rates of all."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
    for j in range(first, last):
        put_coupling(w, j, PACE, lowest_limit(w, j))
        still(w, root, end)
        press(w, j, real(1.0))
        gather(w, root, end)
        spread_out(w, root, end)
        for i in range(first, last):
            rate = real(0.0)
            for t in range(mimic(w, i, MIMIC_AT.TERM), mimic(w, i, MIMIC_AT.TERM_END)):
                rate += parameter(w, PARAMETER.GEARING, t) * get(w, term(w, t, TERM_AT.NODE), ROW.CHANGE)
            put_coupling(w, j, PULL + i - first, rate)
        put_spatial(w, root, ROW.P, no_force())
        for k in range(root + 1, end):
            put(w, k, ROW.X, 0.0)
            put(w, k, ROW.PRESS, 0.0)


@ti.func
def mimics(w: ti.template(), a, push, visit, again):
    """Impulses of all mimic joints of an articulation; `push` [s] is the time for which spread forces act before.

    `again`: only where errors ran away.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
    spread_out(w, root, end)
    still(w, root, end)
    for i in range(first, last):
        rate = real(0.0)
        for t in range(mimic(w, i, MIMIC_AT.TERM), mimic(w, i, MIMIC_AT.TERM_END)):
            k = term(w, t, TERM_AT.NODE)
            speed = get(w, k, ROW.V0) + get(w, k, ROW.CHANGE)
            if push > 0.0:
                speed += push * get(w, k, ROW.PUSH)
            rate += parameter(w, PARAMETER.GEARING, t) * speed
        put_coupling(w, i, RATE, rate)
    for j in range(first, last):
        impulse = row(w, j, get_coupling(w, j, PULL + j - first), visit)
        if again:
            impulse = ti.select(ran_away(w, j), impulse, 0.0)
        press(w, j, impulse)
        for i in range(first, last):
            put_coupling(w, i, RATE, get_coupling(w, i, RATE) + get_coupling(w, j, PULL + i - first) * impulse)
    for k in range(root + 1, end):
        put(w, k, ROW.PRESS, get(w, k, ROW.PRESS) + get(w, k, ROW.F))
    gather(w, root, end)


@ti.func
def row(w: ti.template(), j, r, visit):
    """Impulse λ of mimic joint j, whose rate answers a unit impulse with r."""
    c = real(0.0)
    for i in range(mimic(w, j, MIMIC_AT.TERM), mimic(w, j, MIMIC_AT.TERM_END)):
        q = state(w, head(w, HEAD_AT.Q) + node(w, term(w, i, TERM_AT.NODE), NODE_AT.DOF))
        c += parameter(w, PARAMETER.GEARING, i) * q
    c += parameter(w, PARAMETER.OFFSET, j)
    back, softness, pace = real(0.0), real(0.0), capped_pace(w, j)
    if visit.comes_back:
        frequency, ratio = parameter(w, PARAMETER.FREQUENCY, j), parameter(w, PARAMETER.DAMPING_RATIO, j)
        stiffness, damping = frequency * frequency / r, 2.0 * frequency * ratio / r
        soft = (frequency > 0.0) & (ratio > 0.0)
        yielding = larger(visit.delta * stiffness + damping, STIFFEST)
        back = ti.select(soft, stiffness / yielding, visit.back)
        softness = ti.select(soft, 1.0 / (visit.delta * yielding), 0.0)
        pace *= 1.0 + smaller(softness / r, SOFTEST)
    return (clamp(c * back, 0.0 - pace, pace) + get_coupling(w, j, RATE)) * -1.0 / (r + softness)
