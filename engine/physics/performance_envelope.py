"""Performance envelope of a drive. DrivePerformanceEnvelope seed, eqs. 1-10, tab. 2.

    |v| ≤ v_max − k_vτ |τ|   (eq. 2),      |τ| ≤ τ_max − k_τv |v|   (eq. 1),      v = v0 + (λ − λ0) r   (eq. 3)

τ = λ / T is the total effort of drive and user, v the joint speed after the impulse λ. Both become bounds β1, β2 on λ
between 0 and the impulse the drive wants (cases I-a, I-b; II mirrors I); where they leave nothing, the effort is 0.
Eq. 2 with v_max = τ_max / k_τv and k_vτ = 1 / k_τv is eq. 1.
"""

import taichi as ti

from .lanes import Value, hold, larger, magnitude, smaller, traced
from .memory import PARAMETER, ROW, get, parameter, put

EPSILON = 1.1920929e-07
HUGE = 1e37


class Bounds(Value):
    """An interval of impulses."""

    parts = ("low", "high")


@ti.func
def prepare_envelope(w: ti.template(), k, dof):
    """What the envelope needs of node k for this step."""
    put(w, k, ROW.V_MAX, parameter(w, PARAMETER.MAX_ACTUATOR_VELOCITY, dof))
    put(w, k, ROW.RESIST, parameter(w, PARAMETER.VELOCITY_DEPENDENT_RESISTANCE, dof))
    put(w, k, ROW.GRADIENT, parameter(w, PARAMETER.SPEED_EFFORT_GRADIENT, dof))


@traced
def interval(d, v_max, r, gradient, wanted):
    """Impulses λ in [0, wanted] that keep |v| ≤ v_max − gradient λ; d = λ0 r − v0. Eqs. 7-9, cases I-a and I-b."""
    steep, shallow = hold(r - gradient), hold(r + gradient)
    parallel = magnitude(steep) < EPSILON
    beta1 = hold((d - v_max) / ti.select(parallel, 1.0, steep))
    beta2 = hold((d + v_max) / ti.select(magnitude(shallow) < EPSILON, 1.0, shallow))
    rising = steep >= 0.0
    low = ti.select(rising, larger(beta1, 0.0), 0.0)
    high = smaller(ti.select(rising, beta2, smaller(beta1, beta2)), wanted)
    never = ti.select(d - v_max < EPSILON, 0.0, HUGE)
    low, high = ti.select(parallel, never, low), ti.select(parallel, beta2, high)
    free = magnitude(shallow) < EPSILON
    return Bounds(ti.select(free, -HUGE, low), ti.select(free, HUGE, high))


@ti.func
def operating_point(w: ti.template(), k, impulses, bound, span):
    """Return the total impulse within the envelope of node k.

    `impulses` = (joint speed v0, total impulse λ0 that led to it, total impulse wanted); `bound` = τ_max T; `span` = T.
    """
    v, before, wanted = impulses
    side = ti.select(wanted > 0.0, 1.0, v * 0.0 - 1.0)
    r, resist = get(w, k, ROW.R), get(w, k, ROW.RESIST) * span
    d = (before * r - v) * side
    aim = wanted * side
    speed = interval(d, get(w, k, ROW.V_MAX), r, get(w, k, ROW.GRADIENT) / span, aim)
    resists = resist > 0.0
    slope = 1.0 / ti.select(resists, resist, 1.0)
    effort = interval(d, bound * slope, r, slope, aim)
    low = larger(speed.low, ti.select(resists, effort.low, 0.0 - bound))
    high = smaller(speed.high, ti.select(resists, effort.high, bound))
    point = smaller(larger(aim, low), high)
    return ti.select(low > high, 0.0, point) * side
