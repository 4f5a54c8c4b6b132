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

from .fixed_tendon import fixed_tendon_length, prepare_fixed_tendon_row
from .lanes import broadcast, maximum
from .link_sides import apply_link_impulse, clear_link_impulses, link_velocity, link_velocity_change
from .spatial import no_force
from .spatial_tendon import prepare_spatial_tendon_row, tendon_path


@ti.func
def prepare_tendons(w: ti.template(), a, params):
    """Compute rows and coefficients of all tendons of articulation a for this step."""
    for t in range(w.articulation[a].tendon, w.articulation[a].tendon_end):
        prepare_tendon(w, t, params)


@ti.func
def prepare_tendon(w: ti.template(), t, params):
    """Compute rows and coefficients of the strands of tendon t for this step."""
    for i in range(w.tendon[t].strand, w.tendon[t].strand_end):
        if w.tendon[t].spatial:
            prepare_spatial_tendon_row(w, t, i)
        else:
            prepare_fixed_tendon_row(w, t, i)
        prepare_strand(w, t, i, pair_response(w, t, i), params)
    w.tendon[t].length = tendon_length(w, t)


@ti.func
def pair_response(w: ti.template(), t, i):
    """Return J M⁻¹ Jᵀ of strand i of tendon t, with both of its links."""
    item, start, tip = w.strand[i], w.tendon[t].start, w.strand[i].side
    near, far = item.near, item.far * -1.0
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
    item, delta, own = w.strand[i], params.delta, w.tendon[t].tendon
    stiffness, damping = w.param.tendon_stiffness[own], w.param.tendon_damping[own]
    limit = w.param.tendon_limit_stiffness[own]
    a, b = delta * (delta * stiffness + damping), delta * (delta * limit + damping)
    responds = r > 0.0
    x = ti.select(responds, 1.0 / (1.0 + a * maximum(r, 0.0)), 0.0)
    y = ti.select(responds, 1.0 / (1.0 + b * maximum(r, 0.0)), 0.0)
    item.velocity_multiplier = 0.0 - x * a
    item.spring = 0.0 - x * delta * stiffness
    item.limit = 0.0 - y * delta * limit
    item.impulse_multiplier = 1.0
    item.limit_impulse_multiplier = 1.0
    if params.tgs == 0:
        item.impulse_multiplier = 1.0 - x
        item.limit_impulse_multiplier = 1.0 - y
    item.spring_impulse = 0.0
    item.limit_impulse = 0.0


@ti.func
def tendon_length(w: ti.template(), t):
    """Return the length of tendon t [m]."""
    length = w.param.tendon_offset[w.tendon[t].tendon]
    if w.tendon[t].spatial:
        length += tendon_path(w, t).length
    else:
        length += fixed_tendon_length(w, t)
    return length


@ti.func
def tendon_velocity(w: ti.template(), t, iteration):
    """Return the sum of the rates of the strands of tendon t, as rows read them [m/s]."""
    start, rate = link_velocity(w, w.tendon[t].start, iteration.substep_time, iteration.h), broadcast(0.0)
    for i in range(w.tendon[t].strand, w.tendon[t].strand_end):
        item = w.strand[i]
        own = link_velocity(w, w.strand[i].side, iteration.substep_time, iteration.h)
        item.v = own
        above, previous = start.copy(), w.strand[i].previous
        if previous >= 0:
            above = w.strand[previous].v
        near, far = item.near, item.far
        rate += w.param.tendon_gearing[i] * (far.dot(own) - near.dot(above))
    return rate


@ti.func
def limit_violation(w: ti.template(), t, length):
    """Return the excess of a length over its limits [m]: negative below the lower one, positive above the upper one."""
    lower, upper = w.param.tendon_lower[t], w.param.tendon_upper[t]
    return ti.select(length < lower, length - lower, ti.select(length > upper, length - upper, 0.0))


@ti.func
def solve_strand(w: ti.template(), item, rate, stretch, excess):
    """Return the change of a strand's impulse at the rate, the stretch and the excess of its length."""
    spring, bound = item.spring_impulse, item.limit_impulse
    new = rate * item.velocity_multiplier + stretch * item.spring
    new += spring * item.impulse_multiplier
    new_bound = excess * item.limit + bound * item.limit_impulse_multiplier
    item.spring_impulse = new
    item.limit_impulse = new_bound
    return (new - spring) + (new_bound - bound)


@ti.func
def solve_tendons(w: ti.template(), a, iteration):
    """Solve all tendons of articulation a once, one after the other."""
    for t in range(w.articulation[a].tendon, w.articulation[a].tendon_end):
        first, end = w.tendon[t].strand, w.tendon[t].strand_end
        length = w.tendon[t].length
        if iteration.tgs:
            length = tendon_length(w, t)
        share = 1.0 / (end - first)
        sense = share
        if w.tendon[t].spatial:
            sense = 0.0 - share
        rate = tendon_velocity(w, t, iteration) * share
        stretch = (length - w.param.tendon_rest_length[t]) * sense
        excess = limit_violation(w, t, length) * sense
        reaction = no_force()
        for i in range(first, end):
            item, force = w.strand[i], w.param.force_coefficient[i]
            change = solve_strand(w, item, rate * force, stretch * force, excess * force)
            apply_link_impulse(w, w.strand[i].side, item.far * change)
            reaction = reaction - item.near * change
        apply_link_impulse(w, w.tendon[t].start, reaction)
