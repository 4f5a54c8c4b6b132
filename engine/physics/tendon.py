"""Tendon: implicit springs on its length and on its excess over its limits.

"Articulations", guide of the PhysX SDK, section "Articulation Tendons"; the springs are those of implicit drives.

    stretch = ±(ℓ − rest)/N,   excess = ±(ℓ − limit)/N beyond a limit,   rate = 1/N Σ c_j (b_j · V_j − a_j · V_p(j))
    a = δ (δ k + d),  x = 1/(1 + a r_j);   a' = δ (δ k_lim + d),  x' = 1/(1 + a' r_j);   κ = 1 (TGS), 1 − x (PGS)
    F_j ← κ F_j − f_j (x a rate + x δ k stretch),   F'_j ← κ' F'_j − f_j x' δ k_lim excess

A tendon has N strands: one per joint of a fixed tendon, one for a leaf of a spatial one. All read the velocities before
the tendon. Strand j pulls its link along b_j and the link where the tendon starts along −a_j; r_j is the response of
these two as a pair, p(j) the link above on the tendon, c_j and f_j gearing and force coefficient. Springs act in all
iterations and without bounds, so a tendon also pushes. Rows are those of the start of the step, and under PGS so is the
length.
"""

import taichi as ti

from .accessors import (
    PARAMETER,
    STRAND_ROW,
    TENDON_ROW,
    TableItem,
    get,
    get_force,
    get_motion,
    parameter,
    put,
    put_spatial,
)
from .fixed_tendon import fixed_tendon_length, prepare_fixed_tendon_row
from .impulse_propagation import apply_link_impulse, clear_link_impulses, link_velocity, link_velocity_change
from .lanes import broadcast, maximum
from .spatial import no_force
from .spatial_tendon import prepare_spatial_tendon_row, tendon_path
from .world_view import ARTICULATION_AT, STRAND_AT, TENDON_AT, articulation, strand, tendon


@ti.func
def prepare_tendon(w: ti.template(), t, params):
    """Compute rows and coefficients of the strands of tendon t for this step."""
    for i in range(tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)):
        if tendon(w, t, TENDON_AT.SPATIAL):
            prepare_spatial_tendon_row(w, t, i)
        else:
            prepare_fixed_tendon_row(w, t, i)
        prepare_strand(w, t, i, pair_response(w, t, i), params)
    put(w, TableItem(w, "TENDONS", t), TENDON_ROW.LENGTH, tendon_length(w, t))


@ti.func
def pair_response(w: ti.template(), t, i):
    """Return J M⁻¹ Jᵀ of strand i of tendon t, with both of its links."""
    item, start, tip = TableItem(w, "STRANDS", i), tendon(w, t, TENDON_AT.START), strand(w, i, STRAND_AT.SIDE)
    near, far = get_force(w, item, STRAND_ROW.NEAR), get_force(w, item, STRAND_ROW.FAR) * -1.0
    for end in range(2):
        apply_link_impulse(w, tip if end else start, select_wrench(near, far, end))
    r = broadcast(0.0)
    for end in range(2):
        r += select_wrench(near, far, end).dot(link_velocity_change(w, tip if end else start, 0.0))
    for end in range(2):
        clear_link_impulses(w, tip if end else start)
    return r


@ti.func
def select_wrench(first, second, at):
    """Return the second of two wrenches if `at`, else the first."""
    chosen = first.copy()
    if at:
        chosen = second
    return chosen


@ti.func
def prepare_strand(w: ti.template(), t, i, r, params):
    """Compute the coefficients of strand i of tendon t, whose rate changes by r per unit impulse."""
    item, delta, own = TableItem(w, "STRANDS", i), params.delta, tendon(w, t, TENDON_AT.TENDON)
    stiffness, damping = parameter(w, PARAMETER.TENDON_STIFFNESS, own), parameter(w, PARAMETER.TENDON_DAMPING, own)
    limit = parameter(w, PARAMETER.TENDON_LIMIT_STIFFNESS, own)
    a, b = delta * (delta * stiffness + damping), delta * (delta * limit + damping)
    responds = r > 0.0
    x = ti.select(responds, 1.0 / (1.0 + a * maximum(r, 0.0)), 0.0)
    y = ti.select(responds, 1.0 / (1.0 + b * maximum(r, 0.0)), 0.0)
    put(w, item, STRAND_ROW.VELOCITY_MULTIPLIER, 0.0 - x * a)
    put(w, item, STRAND_ROW.SPRING, 0.0 - x * delta * stiffness)
    put(w, item, STRAND_ROW.LIMIT, 0.0 - y * delta * limit)
    put(w, item, STRAND_ROW.IMPULSE_MULTIPLIER, 1.0)
    put(w, item, STRAND_ROW.LIMIT_IMPULSE_MULTIPLIER, 1.0)
    if params.tgs == 0:
        put(w, item, STRAND_ROW.IMPULSE_MULTIPLIER, 1.0 - x)
        put(w, item, STRAND_ROW.LIMIT_IMPULSE_MULTIPLIER, 1.0 - y)
    put(w, item, STRAND_ROW.SPRING_IMPULSE, 0.0)
    put(w, item, STRAND_ROW.LIMIT_IMPULSE, 0.0)


@ti.func
def tendon_length(w: ti.template(), t):
    """Return the length of tendon t [m]."""
    length = parameter(w, PARAMETER.TENDON_OFFSET, tendon(w, t, TENDON_AT.TENDON))
    if tendon(w, t, TENDON_AT.SPATIAL):
        length += tendon_path(w, t).length
    else:
        length += fixed_tendon_length(w, t)
    return length


@ti.func
def tendon_velocity(w: ti.template(), t, substep_time, h):
    """Return the sum of the rates of the strands of tendon t, as rows read them [m/s]."""
    start, rate = link_velocity(w, tendon(w, t, TENDON_AT.START), substep_time, h), broadcast(0.0)
    for i in range(tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)):
        item = TableItem(w, "STRANDS", i)
        own = link_velocity(w, strand(w, i, STRAND_AT.SIDE), substep_time, h)
        put_spatial(w, item, STRAND_ROW.V, own)
        above, previous = start.copy(), strand(w, i, STRAND_AT.PREVIOUS)
        if previous >= 0:
            above = get_motion(w, TableItem(w, "STRANDS", previous), STRAND_ROW.V)
        near, far = get_force(w, item, STRAND_ROW.NEAR), get_force(w, item, STRAND_ROW.FAR)
        rate += parameter(w, PARAMETER.TENDON_GEARING, i) * (far.dot(own) - near.dot(above))
    return rate


@ti.func
def limit_violation(w: ti.template(), t, length):
    """Return the excess of a length over its limits [m]: negative below the lower one, positive above the upper one."""
    lower, upper = parameter(w, PARAMETER.TENDON_LOWER, t), parameter(w, PARAMETER.TENDON_UPPER, t)
    return ti.select(length < lower, length - lower, ti.select(length > upper, length - upper, 0.0))


@ti.func
def solve_strand(w: ti.template(), item, rate, stretch, excess):
    """Return the change of a strand's impulse at the rate, the stretch and the excess of its length."""
    spring, bound = get(w, item, STRAND_ROW.SPRING_IMPULSE), get(w, item, STRAND_ROW.LIMIT_IMPULSE)
    new = rate * get(w, item, STRAND_ROW.VELOCITY_MULTIPLIER) + stretch * get(w, item, STRAND_ROW.SPRING)
    new += spring * get(w, item, STRAND_ROW.IMPULSE_MULTIPLIER)
    new_bound = excess * get(w, item, STRAND_ROW.LIMIT) + bound * get(w, item, STRAND_ROW.LIMIT_IMPULSE_MULTIPLIER)
    put(w, item, STRAND_ROW.SPRING_IMPULSE, new)
    put(w, item, STRAND_ROW.LIMIT_IMPULSE, new_bound)
    return (new - spring) + (new_bound - bound)


@ti.func
def solve_tendons(w: ti.template(), a, substep_time, params):
    """Solve all tendons of an articulation once, one after the other; `substep_time`: see `impulse_propagation`."""
    for t in range(articulation(w, a, ARTICULATION_AT.TENDON), articulation(w, a, ARTICULATION_AT.TENDON_END)):
        first, end = tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)
        length = get(w, TableItem(w, "TENDONS", t), TENDON_ROW.LENGTH)
        if params.tgs:
            length = tendon_length(w, t)
        share = 1.0 / (end - first)
        sense = share
        if tendon(w, t, TENDON_AT.SPATIAL):
            sense = 0.0 - share
        rate = tendon_velocity(w, t, substep_time, params.h) * share
        stretch = (length - parameter(w, PARAMETER.TENDON_REST_LENGTH, t)) * sense
        excess = limit_violation(w, t, length) * sense
        reaction = no_force()
        for i in range(first, end):
            item, force = TableItem(w, "STRANDS", i), parameter(w, PARAMETER.FORCE_COEFFICIENT, i)
            change = solve_strand(w, item, rate * force, stretch * force, excess * force)
            apply_link_impulse(w, strand(w, i, STRAND_AT.SIDE), get_force(w, item, STRAND_ROW.FAR) * change)
            reaction = reaction - get_force(w, item, STRAND_ROW.NEAR) * change
        apply_link_impulse(w, tendon(w, t, TENDON_AT.START), reaction)
