"""Position limit: C = q − lower ≥ 0 and C = upper − q ≥ 0, one-sided impulses.

A gap that would close within δ is closed exactly: target speed −C/δ. A violated limit comes back with a bias, and only
in position iterations: 0.8 under PGS, min(0.9, 2/√n) under TGS. Otherwise the impulses given before are taken back.
"""

import taichi as ti

from .lanes import larger, smaller
from .memory import HEAD_AT, PARAMETER, ROW, get, head, parameter, put, state


@ti.func
def prepare_limit(w: ti.template(), k, dof):
    put(w, k, ROW.LOW, 0.0)
    put(w, k, ROW.HIGH, 0.0)
    q = state(w, head(w, HEAD_AT.Q) + dof)
    put(w, k, ROW.GAP_LOW, q - parameter(w, PARAMETER.LOWER, dof))
    put(w, k, ROW.GAP_HIGH, parameter(w, PARAMETER.UPPER, dof) - q)


@ti.func
def limit(w: ti.template(), k, v, visit):
    """Impulse of the limits of node k at joint speed v."""
    low, high, rr, pd = get(w, k, ROW.LOW), get(w, k, ROW.HIGH), get(w, k, ROW.RR), get(w, k, ROW.PD)
    gap_low, gap_high = get(w, k, ROW.GAP_LOW) + pd, get(w, k, ROW.GAP_HIGH) - pd
    next_low, next_high = gap_low + v * visit.delta, gap_high - v * visit.delta
    outside_low, outside_high = gap_low < 0.0, gap_high < 0.0
    at_low = ti.select(outside_low, visit.returns, ti.select(next_low < 0.0, 1.0, 0.0)) > 0.5
    reaches_high = ti.select(gap_low < 0.0, 0.0, ti.select(next_high < 0.0, 1.0, 0.0))
    at_high = ti.select(at_low, 0.0, ti.select(outside_high, visit.returns, reaches_high)) > 0.5

    back_low = gap_low * ti.select(outside_low, visit.back, visit.close)
    back_high = gap_high * ti.select(outside_high, visit.back, visit.close)
    press_low = larger(low - (back_low + v) * rr, 0.0) - low
    press_high = smaller(high + (back_high - v) * rr, 0.0) - high
    brake = v * rr * -1.0
    f_low = ti.select(at_low, press_low, ti.select(at_high, 0.0, ti.select(v > 0.0, larger(brake, 0.0 - low), 0.0)))
    f_high = ti.select(at_high, press_high, ti.select(at_low, 0.0, ti.select(v > 0.0, 0.0, smaller(brake, 0.0 - high))))
    put(w, k, ROW.LOW, low + f_low)
    put(w, k, ROW.HIGH, high + f_high)
    return f_low + f_high
