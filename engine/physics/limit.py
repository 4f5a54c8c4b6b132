"""Position limit: C = q − lower ≥ 0 and C = upper − q ≥ 0, one-sided impulses.

A gap that would close within δ is closed exactly: target velocity −C/δ. A violated limit is corrected with a bias, and
only in position iterations: 0.8 under PGS, min(0.9, 2/√n) under TGS with n iterations. A limit that is not reached
takes back the impulses that it applied before.
"""

import taichi as ti

from ..tables.layout import INFINITE
from .lanes import Struct, absolute, any_lane, maximum, minimum, traced


@traced
def is_limited(w, dof):
    """Return whether a degree of freedom is limited in this world: both limits must be finite."""
    return (w.param.lower[dof] > -INFINITE) & (w.param.upper[dof] < INFINITE)


@ti.func
def prepare_limit(w: ti.template(), k, dof):
    """Compute the gaps of node k at the start of the step and clear its limit impulses; drives must follow."""
    node = w.node[k]
    node.lower_impulse = 0.0
    node.upper_impulse = 0.0
    q = w.state.q[dof]
    limited = is_limited(w, dof)
    low = ti.select(limited, q - w.param.lower[dof], INFINITE)
    high = ti.select(limited, w.param.upper[dof] - q, INFINITE)
    node.lower_error = low
    node.upper_error = high
    node.limit_room = minimum(low, high)


@ti.func
def is_near_limit(w: ti.template(), k, v, iteration):
    """Return whether node k might reach a limit in any lane at joint velocity v, or has to take an impulse back.

    Under PGS gaps stay through a step, and one number answers for most joints, which are far from their limits.
    """
    near = True
    if iteration.tgs == 0:
        near = any_lane(w.node[k].limit_room < absolute(v * iteration.delta))
    return near


class Gaps(Struct):
    """Distances of a joint position to its lower and upper limit, negative beyond it [rad | m]."""

    parts = ("low", "high")


@ti.func
def limit_gaps(w: ti.template(), k, iteration):
    """Return the gaps of node k to its lower and upper limit."""
    node = w.node[k]
    gap_low, gap_high = node.lower_error, node.upper_error
    if iteration.tgs:
        delta_q = node.delta_q
        gap_low, gap_high = gap_low + delta_q, gap_high - delta_q
    return Gaps(gap_low, gap_high)


@ti.func
def meets_limit(w: ti.template(), k, v, gaps, iteration):
    """Return whether node k would reach a limit in any lane at joint velocity v, or has to take an impulse back.

    Most joints are far from their limits: all changes are 0, and the sweep does not wait for them.
    """
    node, moved = w.node[k], v * iteration.delta
    least = minimum(minimum(gaps.low, gaps.low + moved), minimum(gaps.high, gaps.high - moved))
    return any_lane((least < 0.0) | (node.lower_impulse > node.upper_impulse))


@ti.func
def solve_limit(w: ti.template(), k, v, gaps, iteration):
    """Return the change of the limit impulses of node k at joint velocity v."""
    node = w.node[k]
    low, high, inv_response = node.lower_impulse, node.upper_impulse, node.inv_response
    gap_low, gap_high = gaps.low, gaps.high
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
    node.lower_impulse = new_low
    node.upper_impulse = new_high
    if iteration.tgs == 0:
        node.limit_room = ti.select(new_low > new_high, -1.0, node.limit_room)
    return (new_low - low) + (new_high - high)
