"""Position limit: C = q − lower ≥ 0 and C = upper − q ≥ 0, one-sided impulses.

A gap that would close within δ is closed exactly: target velocity −C/δ. A violated limit is corrected with a bias, and
only in position iterations: 0.8 under PGS, min(0.9, 2/√n) under TGS with n iterations. A limit that is not reached
takes back the impulses that it applied before.
"""

import taichi as ti

from ..tables.layout import INFINITE
from .accessors import NODE_ROW, PARAMETER, get, parameter, put, state
from .lanes import maximum, minimum, traced
from .world_view import HEADER_AT, header


@traced
def is_limited(w, dof):
    """Return whether a degree of freedom is limited in this world: both limits must be finite."""
    return (parameter(w, PARAMETER.LOWER, dof) > -INFINITE) & (parameter(w, PARAMETER.UPPER, dof) < INFINITE)


@ti.func
def prepare_limit(w: ti.template(), k, dof):
    """Compute the gaps of node k at the start of the step and clear its limit impulses."""
    put(w, k, NODE_ROW.LOWER_IMPULSE, 0.0)
    put(w, k, NODE_ROW.UPPER_IMPULSE, 0.0)
    q = state(w, header(w, HEADER_AT.Q) + dof)
    limited = is_limited(w, dof)
    put(w, k, NODE_ROW.LOWER_ERROR, ti.select(limited, q - parameter(w, PARAMETER.LOWER, dof), INFINITE))
    put(w, k, NODE_ROW.UPPER_ERROR, ti.select(limited, parameter(w, PARAMETER.UPPER, dof) - q, INFINITE))


@ti.func
def solve_limit(w: ti.template(), k, v, iteration):
    """Return the change of the limit impulses of node k at joint velocity v."""
    low, high, inv_response = (
        get(w, k, NODE_ROW.LOWER_IMPULSE),
        get(w, k, NODE_ROW.UPPER_IMPULSE),
        get(w, k, NODE_ROW.INV_RESPONSE),
    )
    gap_low, gap_high = get(w, k, NODE_ROW.LOWER_ERROR), get(w, k, NODE_ROW.UPPER_ERROR)
    if iteration.tgs:
        delta_q = get(w, k, NODE_ROW.DELTA_Q)
        gap_low, gap_high = gap_low + delta_q, gap_high - delta_q
    within = gap_low >= 0.0
    at_low = (within & (gap_low + v * iteration.delta < 0.0)) | (gap_low < iteration.violation_floor)
    meets = (gap_high >= 0.0) & (gap_high - v * iteration.delta < 0.0) & within
    at_high = (at_low == 0) & (meets | (gap_high < iteration.violation_floor))
    rises = v > 0.0
    # A limit that is not reached takes its impulse back: the target is 0, and only against the motion that it slowed.
    # Both results are computed side by side, since the sweep waits for this value.
    brake = v * inv_response
    low_back = low - gap_low * ti.select(within, iteration.inv_delta, iteration.bias_rate) * inv_response
    high_back = high + gap_high * ti.select(gap_high >= 0.0, iteration.inv_delta, iteration.bias_rate) * inv_response
    low_rest = ti.select((at_high == 0) & rises, maximum(low - brake, 0.0), low)
    high_rest = ti.select((at_low == 0) & (v <= 0.0), minimum(high - brake, 0.0), high)
    new_low = ti.select(at_low, maximum(low_back - brake, 0.0), low_rest)
    new_high = ti.select(at_high, minimum(high_back - brake, 0.0), high_rest)
    put(w, k, NODE_ROW.LOWER_IMPULSE, new_low)
    put(w, k, NODE_ROW.UPPER_IMPULSE, new_high)
    return (new_low - low) + (new_high - high)
