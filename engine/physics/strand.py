"""A strand of a tendon: an implicit spring on its length, and another beyond the limits of its length.

    a = δ (δ k + d),  x = 1/(1 + a r);   a' = δ (δ k_lim + d),  x' = 1/(1 + a' r)
    F ← κ F − (x a rate + x δ k stretch),   F' ← κ' F' − x' δ k_lim excess          κ = 1 (TGS), 1 − x (PGS)

How a tendon's length and its rate count, and what F pulls, is the tendon's. Springs act in all iterations, without bounds: a strand pushes as well. r is the response of the
two links it ties, as a pair.
"""

import taichi as ti

from .lanes import larger
from .memory import PARAMETER, STRAND_ROW, get, parameter, put


@ti.func
def weigh_strand(w: ti.template(), strand, tendon, r, pace):
    """Coefficients of a strand whose rate answers a unit impulse with r."""
    delta = pace.delta
    stiffness = parameter(w, PARAMETER.TENDON_STIFFNESS, tendon)
    damping = parameter(w, PARAMETER.TENDON_DAMPING, tendon)
    limit = parameter(w, PARAMETER.TENDON_LIMIT_STIFFNESS, tendon)
    a, b = delta * (delta * stiffness + damping), delta * (delta * limit + damping)
    answers = r > 0.0
    x = ti.select(answers, 1.0 / (1.0 + a * larger(r, 0.0)), 0.0)
    y = ti.select(answers, 1.0 / (1.0 + b * larger(r, 0.0)), 0.0)
    put(w, strand, STRAND_ROW.SPEED, 0.0 - x * a)
    put(w, strand, STRAND_ROW.SPRING, 0.0 - x * delta * stiffness)
    put(w, strand, STRAND_ROW.LIMIT, 0.0 - y * delta * limit)
    put(w, strand, STRAND_ROW.KEEP, 1.0)
    put(w, strand, STRAND_ROW.HOLD, 1.0)
    if pace.tgs == 0:
        put(w, strand, STRAND_ROW.KEEP, 1.0 - x)
        put(w, strand, STRAND_ROW.HOLD, 1.0 - y)
    put(w, strand, STRAND_ROW.F, 0.0)
    put(w, strand, STRAND_ROW.BOUND, 0.0)


@ti.func
def pull(w: ti.template(), strand, rate, error, excess):
    """Change of a strand's impulse at the rate, the stretch and the excess beyond a limit of its length."""
    spring, bound = get(w, strand, STRAND_ROW.F), get(w, strand, STRAND_ROW.BOUND)
    new = rate * get(w, strand, STRAND_ROW.SPEED) + error * get(w, strand, STRAND_ROW.SPRING)
    new += spring * get(w, strand, STRAND_ROW.KEEP)
    new_bound = excess * get(w, strand, STRAND_ROW.LIMIT) + bound * get(w, strand, STRAND_ROW.HOLD)
    put(w, strand, STRAND_ROW.F, new)
    put(w, strand, STRAND_ROW.BOUND, new_bound)
    return (new - spring) + (new_bound - bound)


@ti.func
def excess_of(w: ti.template(), strand, length):
    """How far a length is beyond its limits [m]: negative below the lower one, positive above the upper one."""
    lower, upper = parameter(w, PARAMETER.TENDON_LOWER, strand), parameter(w, PARAMETER.TENDON_UPPER, strand)
    return ti.select(length < lower, length - lower, ti.select(length > upper, length - upper, 0.0))
