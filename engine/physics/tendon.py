"""A tendon: implicit springs on its length, and on what it exceeds its limits by. Articulations seed.

    stretch = ±(ℓ − rest)/N,   excess = ±(ℓ − limit)/N beyond a limit,   rate = 1/N Σ c_j (b_j · V_j − a_j · V_p(j))
    a = δ (δ k + d),  x = 1/(1 + a r_j);   a' = δ (δ k_lim + d),  x' = 1/(1 + a' r_j);   κ = 1 (TGS), 1 − x (PGS)
    F_j ← κ F_j − f_j (x a rate + x δ k stretch),   F'_j ← κ' F'_j − f_j x' δ k_lim excess

Its N strands, one a joint of a fixed tendon and one a leaf of a spatial one, see the velocities before the tendon.
Strand j pulls its link along b_j and the link where the tendon starts along −a_j; r_j is the response of those two as a
pair, p(j) the link above on the tendon, c_j and f_j gearing and force coefficient. Springs act in all iterations and
without bounds: a tendon pushes as well. Rows are those of the start of the step, and under PGS so is the length.
"""

import taichi as ti

from .fixed_tendon import axis_rows, joint_length
from .lanes import larger, real
from .link_impulse import change_of, forget, strike, velocity_of
from .memory import (
    PARAMETER,
    STRAND_ROW,
    TENDON_ROW,
    Item,
    get,
    get_force,
    get_motion,
    parameter,
    put,
    put_spatial,
)
from .spatial import no_force
from .spatial_tendon import course, leaf_rows
from .world import ARTICULATION_AT, STRAND_AT, TENDON_AT, articulation, strand, tendon


@ti.func
def prepare_tendon(w: ti.template(), t, pace):
    """Strands of tendon t for this step."""
    for i in range(tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)):
        if tendon(w, t, TENDON_AT.SPATIAL):
            leaf_rows(w, t, i)
        else:
            axis_rows(w, t, i)
        weigh(w, t, i, pair_response(w, t, i), pace)
    put(w, Item(w, "TENDONS", t), TENDON_ROW.LENGTH, length_of(w, t))


@ti.func
def pair_response(w: ti.template(), t, i):
    """J M⁻¹ Jᵀ of strand i of tendon t, with both of its links."""
    item, start, tip = Item(w, "STRANDS", i), tendon(w, t, TENDON_AT.START), strand(w, i, STRAND_AT.SIDE)
    near, far = get_force(w, item, STRAND_ROW.NEAR), get_force(w, item, STRAND_ROW.FAR) * -1.0
    for end in range(2):
        strike(w, tip if end else start, pick(near, far, end))
    r = real(0.0)
    for end in range(2):
        r += pick(near, far, end).dot(change_of(w, tip if end else start, 0.0))
    for end in range(2):
        forget(w, tip if end else start)
    return r


@ti.func
def pick(first, second, at):
    """The second of two wrenches if `at`, else the first."""
    chosen = first.copy()
    if at:
        chosen = second
    return chosen


@ti.func
def weigh(w: ti.template(), t, i, r, pace):
    """Coefficients of strand i of tendon t, whose rate answers a unit impulse with r."""
    item, delta, own = Item(w, "STRANDS", i), pace.delta, tendon(w, t, TENDON_AT.TENDON)
    stiffness, damping = parameter(w, PARAMETER.TENDON_STIFFNESS, own), parameter(w, PARAMETER.TENDON_DAMPING, own)
    limit = parameter(w, PARAMETER.TENDON_LIMIT_STIFFNESS, own)
    a, b = delta * (delta * stiffness + damping), delta * (delta * limit + damping)
    answers = r > 0.0
    x = ti.select(answers, 1.0 / (1.0 + a * larger(r, 0.0)), 0.0)
    y = ti.select(answers, 1.0 / (1.0 + b * larger(r, 0.0)), 0.0)
    put(w, item, STRAND_ROW.SPEED, 0.0 - x * a)
    put(w, item, STRAND_ROW.SPRING, 0.0 - x * delta * stiffness)
    put(w, item, STRAND_ROW.LIMIT, 0.0 - y * delta * limit)
    put(w, item, STRAND_ROW.KEEP, 1.0)
    put(w, item, STRAND_ROW.HOLD, 1.0)
    if pace.tgs == 0:
        put(w, item, STRAND_ROW.KEEP, 1.0 - x)
        put(w, item, STRAND_ROW.HOLD, 1.0 - y)
    put(w, item, STRAND_ROW.F, 0.0)
    put(w, item, STRAND_ROW.BOUND, 0.0)


@ti.func
def length_of(w: ti.template(), t):
    """Length of tendon t [m]."""
    length = parameter(w, PARAMETER.TENDON_OFFSET, tendon(w, t, TENDON_AT.TENDON))
    if tendon(w, t, TENDON_AT.SPATIAL):
        length += course(w, t).length
    else:
        length += joint_length(w, t)
    return length


@ti.func
def rate_of(w: ti.template(), t, push, h):
    """Sum of the rates of the strands of tendon t, as rows see them [m/s]."""
    start, rate = velocity_of(w, tendon(w, t, TENDON_AT.START), push, h), real(0.0)
    for i in range(tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)):
        item = Item(w, "STRANDS", i)
        own = velocity_of(w, strand(w, i, STRAND_AT.SIDE), push, h)
        put_spatial(w, item, STRAND_ROW.V, own)
        above, previous = start.copy(), strand(w, i, STRAND_AT.PREVIOUS)
        if previous >= 0:
            above = get_motion(w, Item(w, "STRANDS", previous), STRAND_ROW.V)
        near, far = get_force(w, item, STRAND_ROW.NEAR), get_force(w, item, STRAND_ROW.FAR)
        rate += parameter(w, PARAMETER.GEAR, i) * (far.dot(own) - near.dot(above))
    return rate


@ti.func
def excess_of(w: ti.template(), t, length):
    """How far a length is beyond its limits [m]: negative below the lower one, positive above the upper one."""
    lower, upper = parameter(w, PARAMETER.TENDON_LOWER, t), parameter(w, PARAMETER.TENDON_UPPER, t)
    return ti.select(length < lower, length - lower, ti.select(length > upper, length - upper, 0.0))


@ti.func
def pull(w: ti.template(), item, rate, stretch, excess):
    """Change of a strand's impulse at the rate, the stretch and the excess of its length."""
    spring, bound = get(w, item, STRAND_ROW.F), get(w, item, STRAND_ROW.BOUND)
    new = rate * get(w, item, STRAND_ROW.SPEED) + stretch * get(w, item, STRAND_ROW.SPRING)
    new += spring * get(w, item, STRAND_ROW.KEEP)
    new_bound = excess * get(w, item, STRAND_ROW.LIMIT) + bound * get(w, item, STRAND_ROW.HOLD)
    put(w, item, STRAND_ROW.F, new)
    put(w, item, STRAND_ROW.BOUND, new_bound)
    return (new - spring) + (new_bound - bound)


@ti.func
def tendons(w: ti.template(), a, push, pace):
    """One iteration of all tendons of an articulation, one after the other; `push` [s]: see `link_impulse`."""
    for t in range(articulation(w, a, ARTICULATION_AT.TENDON), articulation(w, a, ARTICULATION_AT.TENDON_END)):
        first, end = tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)
        length = get(w, Item(w, "TENDONS", t), TENDON_ROW.LENGTH)
        if pace.tgs:
            length = length_of(w, t)
        share = 1.0 / (end - first)
        sense = share
        if tendon(w, t, TENDON_AT.SPATIAL):
            sense = 0.0 - share
        rate = rate_of(w, t, push, pace.h) * share
        stretch = (length - parameter(w, PARAMETER.REST_LENGTH, t)) * sense
        excess = excess_of(w, t, length) * sense
        reaction = no_force()
        for i in range(first, end):
            item, force = Item(w, "STRANDS", i), parameter(w, PARAMETER.FORCE_COEFFICIENT, i)
            change = pull(w, item, rate * force, stretch * force, excess * force)
            strike(w, strand(w, i, STRAND_AT.SIDE), get_force(w, item, STRAND_ROW.FAR) * change)
            reaction = reaction - get_force(w, item, STRAND_ROW.NEAR) * change
        strike(w, tendon(w, t, TENDON_AT.START), reaction)
