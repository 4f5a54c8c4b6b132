"""Performance envelope of a drive. DrivePerformanceEnvelope seed, eqs. 1-10, tab. 2.

    |v| ≤ v_max − k_vτ |τ|   (eq. 2),      |τ| ≤ τ_max − k_τv |v|   (eq. 1),      v = v0 + (λ − λ0) r   (eq. 3)

τ = λ / T is the total effort of drive and user, v the joint speed after the impulse λ. Both become bounds β1, β2 on λ
between 0 and the impulse the drive wants (cases I-a, I-b; II mirrors I); where they leave nothing, the effort is 0.
Eq. 2 with v_max = τ_max / k_τv and k_vτ = 1 / k_τv is eq. 1.
"""

import taichi as ti

from .accessors import NODE_ROW, PARAMETER, get, parameter, put
from .lanes import Struct, absolute, materialize, maximum, minimum, traced

EPSILON = 1.1920929e-07
HUGE = 1e37


class Bounds(Struct):
    """An interval of impulses."""

    parts = ("low", "high")


@ti.func
def prepare_envelope(w: ti.template(), k, dof):
    """What the envelope needs of node k for this step."""
    put(w, k, NODE_ROW.ENVELOPE_MAX_VELOCITY, parameter(w, PARAMETER.MAX_ACTUATOR_VELOCITY, dof))
    put(w, k, NODE_ROW.ENVELOPE_RESISTANCE, parameter(w, PARAMETER.VELOCITY_DEPENDENT_RESISTANCE, dof))
    put(w, k, NODE_ROW.ENVELOPE_GRADIENT, parameter(w, PARAMETER.SPEED_EFFORT_GRADIENT, dof))


@traced
def feasible_interval(d, v_max, r, gradient, wanted):
    """Impulses λ in [0, wanted] that keep |v| ≤ v_max − gradient λ; d = λ0 r − v0. Eqs. 7-9, cases I-a and I-b."""
    steep, shallow = materialize(r - gradient), materialize(r + gradient)
    parallel = absolute(steep) < EPSILON
    beta1 = materialize((d - v_max) / ti.select(parallel, 1.0, steep))
    beta2 = materialize((d + v_max) / ti.select(absolute(shallow) < EPSILON, 1.0, shallow))
    rising = steep >= 0.0
    low = ti.select(rising, maximum(beta1, 0.0), 0.0)
    high = minimum(ti.select(rising, beta2, minimum(beta1, beta2)), wanted)
    never = ti.select(d - v_max < EPSILON, 0.0, HUGE)
    low, high = ti.select(parallel, never, low), ti.select(parallel, beta2, high)
    free = absolute(shallow) < EPSILON
    return Bounds(ti.select(free, -HUGE, low), ti.select(free, HUGE, high))


@ti.func
def clamp_to_envelope(w: ti.template(), k, impulses, bound, span):
    """Return the total impulse within the envelope of node k.

    `impulses` = (joint speed v0, total impulse λ0 that led to it, total impulse wanted); `bound` = τ_max T; `span` = T.
    """
    v, before, wanted = impulses
    side = ti.select(wanted > 0.0, 1.0, v * 0.0 - 1.0)
    r, resist = get(w, k, NODE_ROW.UNIT_RESPONSE), get(w, k, NODE_ROW.ENVELOPE_RESISTANCE) * span
    d = (before * r - v) * side
    aim = wanted * side
    speed = feasible_interval(
        d, get(w, k, NODE_ROW.ENVELOPE_MAX_VELOCITY), r, get(w, k, NODE_ROW.ENVELOPE_GRADIENT) / span, aim
    )
    resists = resist > 0.0
    slope = 1.0 / ti.select(resists, resist, 1.0)
    effort = feasible_interval(d, bound * slope, r, slope, aim)
    low = maximum(speed.low, ti.select(resists, effort.low, 0.0 - bound))
    high = minimum(speed.high, ti.select(resists, effort.high, bound))
    point = minimum(maximum(aim, low), high)
    return ti.select(low > high, 0.0, point) * side
