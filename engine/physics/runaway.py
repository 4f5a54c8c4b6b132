"""Mimic joints whose error runs away: velocity limits turn their correction around, as they do in PhysX.

A mimic joint asks for C/δ, however large. Then each axis is clamped to its velocity limit, and W carries the clamped
part from one axis to the others, which were clamped before. Where this turns the correction around, C grows in
proportion to itself, and some axis exceeds its limit by as much. Up to a certain C the limits still correct more than
is carried over, and a drive or the pose may end the growth later, so neither the size of C nor that of the correction
is a criterion. The distance moved beyond the limits is:

    s ← s + (max |q̇_k| / max_velocity_k − 1) δ/h   while C Ċ > 0, |q̇| > max_velocity and erp C/δ > HASTE v;  else s ← 0
    v = min |G_k| max_velocity_k

A mimic joint runs away once s reaches FLIGHT: an axis moved beyond its limit, farther than the limit allows in FLIGHT
steps, while the error grew in every substep. From then on all mimic joints of the articulation ask for at most HASTE v,
and are solved once more after the limits, until none asks for more. Before and after that they equal PhysX to the bit.
s is part of the state.
"""

import taichi as ti

from .lanes import absolute, broadcast, maximum, minimum

ANY_SPEED, SLOWEST = 1e15, 1e-6  # no product of these leaves float32
HASTE, FLIGHT = 8.0, 16.0


@ti.func
def ran_away(w: ti.template(), j):
    """Return whether the error of mimic joint j ran away, so that its correction is capped."""
    return w.state.runaway[j] >= FLIGHT


@ti.func
def capped_correction_velocity(w: ti.template(), j):
    """Return the largest correction velocity of mimic joint j [rad/s | m/s]."""
    return ti.select(ran_away(w, j), HASTE * w.mimic_scratch[j].max_correction, ANY_SPEED)


@ti.func
def lowest_velocity_limit(w: ti.template(), j):
    """Return v, the least |G_k| max_velocity_k of the terms of mimic joint j."""
    least = broadcast(ANY_SPEED)
    for i in range(w.mimic[j].term, w.mimic[j].term_end):
        limit = w.param.max_velocity[w.node[w.term[i].node].dof]
        least = minimum(least, absolute(w.param.mimic_gearing[i]) * limit)
    return least


@ti.func
def watch_mimics(w: ti.template(), a, params):
    """Update s of all mimic joints of an articulation, after its positions moved by δ."""
    first, last = w.articulation[a].mimic, w.articulation[a].mimic_end
    farthest, most = broadcast(0.0), broadcast(0.0)
    for j in range(first, last):
        flown, haste = flight(w, j, params)
        w.state.runaway[j] = flown
        farthest, most = maximum(farthest, flown), maximum(most, haste)
    for j in range(first, last):
        flown = w.state.runaway[j]
        caught = ti.select(most > HASTE, FLIGHT, 0.0)
        w.state.runaway[j] = ti.select(farthest >= FLIGHT, caught, flown)


@ti.func
def flight(w: ti.template(), j, params):
    """Return s of mimic joint j and the correction velocity of its error in units of v."""
    error, rate, beyond = w.param.mimic_offset[j], broadcast(0.0), broadcast(0.0)
    for i in range(w.mimic[j].term, w.mimic[j].term_end):
        k, gearing = w.term[i].node, w.param.mimic_gearing[i]
        dof, speed = w.node[k].dof, w.node[k].qd
        error += gearing * w.state.q[dof]
        rate += gearing * speed
        limit = maximum(w.param.max_velocity[dof], SLOWEST)
        beyond = maximum(beyond, absolute(speed) / limit - 1.0)
    haste = absolute(error) * (params.limit_bias / params.delta) / maximum(w.mimic_scratch[j].max_correction, SLOWEST)
    before = w.state.runaway[j]
    flies = (error * rate > 0.0) & (beyond > 0.0) & (haste > HASTE)
    flown = ti.select(flies, before + beyond * (params.delta / params.h), 0.0)
    return ti.select(before >= FLIGHT, FLIGHT, minimum(flown, FLIGHT)), haste
