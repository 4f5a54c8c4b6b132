"""Performance envelope of a drive. "Articulation Joint Drive Performance Envelope", PhysX Team, April 24, 2025.

    |τ| ≤ τ_max − k_τv |v|   (eq. 1),      |v| ≤ v_max − k_vτ |τ|   (eq. 2),      v = v0 + (λ − λ0) r   (eq. 3)

τ = λ / T is the total effort of drive and user, v the joint velocity after the impulse λ. Eqs. 1 and 2 each become an
interval of λ between 0 and the impulse that the drive wants: case I for λ > 0, its mirror image II for λ < 0, computed
as case I with the sign of λ taken out. The intersection of both clamps the impulse; where it is empty the effort is 0.

Eq. 2 with v_max = τ_max / k_τv and k_vτ = 1 / k_τv is eq. 1. §3.2 of the document has a slip there, λ_max / k_τv |v|
for λ_max / k_τv; its table 2 is right.
"""

import taichi as ti

from .lanes import Struct, absolute, materialize, maximum, minimum, traced

EPSILON = 1.1920929e-07
HUGE = 1e37


class Bounds(Struct):
    """An interval of impulses."""

    parts = ("low", "high")


@ti.func
def prepare_envelope(w: ti.template(), k, dof):
    """Copy the envelope of node k to its scratch rows for this step."""
    node = w.node[k]
    node.envelope_max_velocity = w.param.max_actuator_velocity[dof]
    node.envelope_resistance = w.param.velocity_dependent_resistance[dof]
    node.envelope_gradient = w.param.speed_effort_gradient[dof]


@traced
def feasible_interval(d, v_max, r, gradient, wanted):
    """Return the impulses λ in [0, wanted] for which |v| ≤ v_max − gradient λ, with d = λ0 r − v0.

    Eqs. 4-7 for λ > 0: case I-a (r > gradient) and case I-b (r < gradient); in table 2 these are cases 1 and 2.
    """
    steep, shallow = materialize(r - gradient), materialize(r + gradient)
    parallel = absolute(steep) < EPSILON
    beta1 = materialize((d - v_max) / ti.select(parallel, 1.0, steep))  # eq. 8
    beta2 = materialize((d + v_max) / ti.select(absolute(shallow) < EPSILON, 1.0, shallow))  # eq. 9
    rising = steep >= 0.0  # case I-a, else I-b
    low = ti.select(rising, maximum(beta1, 0.0), 0.0)
    high = minimum(ti.select(rising, beta2, minimum(beta1, beta2)), wanted)
    never = ti.select(d - v_max < EPSILON, 0.0, HUGE)
    low, high = ti.select(parallel, never, low), ti.select(parallel, beta2, high)
    free = absolute(shallow) < EPSILON
    return Bounds(ti.select(free, -HUGE, low), ti.select(free, HUGE, high))


@ti.func
def clamp_to_envelope(w: ti.template(), k, v, before, wanted, bound, duration):
    """Return the total impulse within the envelope of node k.

    `v` is the joint velocity v0, `before` the total impulse λ0 that led to it, `wanted` the total impulse λ_drive,
    `bound` τ_max T and `duration` T.
    """
    node = w.node[k]
    side = ti.select(wanted > 0.0, 1.0, v * 0.0 - 1.0)  # −1 mirrors cases II-a and II-b, eq. 10, onto I-a and I-b
    r, resist = node.unit_response, node.envelope_resistance * duration
    d = (before * r - v) * side  # λ0 r − v0 of eqs. 3 and 6
    aim = wanted * side
    speed = feasible_interval(  # eq. 2
        d, node.envelope_max_velocity, r, node.envelope_gradient / duration, aim
    )
    resists = resist > 0.0
    slope = 1.0 / ti.select(resists, resist, 1.0)
    effort = feasible_interval(d, bound * slope, r, slope, aim)  # eq. 1, table 2
    low = maximum(speed.low, ti.select(resists, effort.low, 0.0 - bound))
    high = minimum(speed.high, ti.select(resists, effort.high, bound))
    point = minimum(maximum(aim, low), high)
    return ti.select(low > high, 0.0, point) * side
