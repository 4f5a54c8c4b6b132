"""Mimic joints: C = q_f + G q_r + o = 0, rate q̇_f + G q̇_r. MimicJoints seed, eqs. 1-29.

    λ = −(erp C/δ + q̇_f + G q̇_r) / (r + cfm);  the follower gets the impulse λ, the reference G λ
    r = W_ff + 2 G W_fr + G² W_rr
    hard: erp = bias, cfm = 0;  soft: kp = ω²/r, kd = 2 ω ζ/r, erp = δ kp / (δ kp + kd), cfm = 1 / (δ (δ kp + kd))
    velocity iterations: erp = cfm = 0

All mimic joints of an articulation come before each sweep over its joints, one after the other, each seeing those
before it: what the impulse of one does to the rate of another is known from unit impulses at the start of the step.
"""

import taichi as ti

from .lanes import larger, real
from .memory import (
    PARAMETER,
    ROW,
    get,
    get_coupling,
    get_force,
    get_motion,
    get_vector,
    parameter,
    put,
    put_coupling,
    put_spatial,
    state,
)
from .response import get_response
from .spatial import no_force, no_motion
from .world import ARTICULATION_AT, HEAD_AT, KIND, MIMIC_AT, NODE_AT, articulation, head, mimic, node

STIFFEST = 1e-30


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
def prepare_mimics(w: ti.template(), a):
    """What a unit impulse of each mimic joint does to the rates of all."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
    for j in range(first, last):
        still(w, root, end)
        put(w, mimic(w, j, MIMIC_AT.FOLLOWER), ROW.F, 1.0)
        put(w, mimic(w, j, MIMIC_AT.REFERENCE), ROW.F, parameter(w, PARAMETER.GEARING, j))
        gather(w, root, end)
        spread_out(w, root, end)
        for i in range(first, last):
            follower, reference = mimic(w, i, MIMIC_AT.FOLLOWER), mimic(w, i, MIMIC_AT.REFERENCE)
            rate = get(w, follower, ROW.CHANGE) + parameter(w, PARAMETER.GEARING, i) * get(w, reference, ROW.CHANGE)
            put_coupling(w, j, 1 + i - first, rate)
        put_spatial(w, root, ROW.P, no_force())
        for k in range(root + 1, end):
            put(w, k, ROW.X, 0.0)


@ti.func
def mimics(w: ti.template(), a, push, visit):
    """Impulses of all mimic joints of an articulation; `push` [s] is the time for which spread forces act before."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
    spread_out(w, root, end)
    still(w, root, end)
    for i in range(first, last):
        rate = real(0.0)
        gearing = real(1.0)
        for side in range(2):
            k = mimic(w, i, side)
            speed = get(w, k, ROW.V0) + get(w, k, ROW.CHANGE)
            if push > 0.0:
                speed += push * get(w, k, ROW.PUSH)
            rate += gearing * speed
            gearing = parameter(w, PARAMETER.GEARING, i)
        put_coupling(w, i, 0, rate)
    for j in range(first, last):
        impulse = row(w, j, get_coupling(w, j, 1 + j - first), visit)
        follower, reference = mimic(w, j, MIMIC_AT.FOLLOWER), mimic(w, j, MIMIC_AT.REFERENCE)
        put(w, follower, ROW.F, get(w, follower, ROW.F) + impulse)
        put(w, reference, ROW.F, get(w, reference, ROW.F) + impulse * parameter(w, PARAMETER.GEARING, j))
        for i in range(first, last):
            put_coupling(w, i, 0, get_coupling(w, i, 0) + get_coupling(w, j, 1 + i - first) * impulse)
    gather(w, root, end)


@ti.func
def row(w: ti.template(), j, r, visit):
    """Impulse λ of mimic joint j, whose rate answers a unit impulse with r."""
    q = head(w, HEAD_AT.Q)
    follower, reference = mimic(w, j, MIMIC_AT.FOLLOWER), mimic(w, j, MIMIC_AT.REFERENCE)
    gearing, offset = parameter(w, PARAMETER.GEARING, j), parameter(w, PARAMETER.OFFSET, j)
    c = state(w, q + node(w, follower, NODE_AT.DOF)) + gearing * state(w, q + node(w, reference, NODE_AT.DOF)) + offset
    back, softness = real(0.0), real(0.0)
    if visit.comes_back:
        frequency, ratio = parameter(w, PARAMETER.FREQUENCY, j), parameter(w, PARAMETER.DAMPING_RATIO, j)
        stiffness, damping = frequency * frequency / r, 2.0 * frequency * ratio / r
        soft = (frequency > 0.0) & (ratio > 0.0)
        yielding = larger(visit.delta * stiffness + damping, STIFFEST)
        back = ti.select(soft, stiffness / yielding, visit.back)
        softness = ti.select(soft, 1.0 / (visit.delta * yielding), 0.0)
    return (c * back + get_coupling(w, j, 0)) * -1.0 / (r + softness)
