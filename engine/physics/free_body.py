"""A free rigid body: no joints, no rows. It falls, is braked, turns, and moves, in PhysX's order.

    v ← v + g h,  v ← v max(0, 1 − c h),  ω ← ω max(0, 1 − c' h),  |v| ≤ limit,  |ω| ≤ limit'
    L = I ω,  L' = L − ω × L h held to |L|,  ω = I⁻¹ L'          in body axes, if the body is gyroscopic
    x += v δ,  R ← exp(ω δ) R                                    δ = h, or in each substep of TGS

TGS with gravity spread over the substeps does v += g δ in each of them instead, after the damping and the limits: there
a falling body exceeds its speed limit by g h.
"""

import taichi as ti

from .lanes import TINY, larger
from .memory import (
    PARAMETER,
    orientation,
    parameter,
    parameter_tensor,
    parameter_vector,
    position,
    root_velocity,
    set_orientation,
    set_position,
    set_root_velocity,
)
from .rotation import turn_by
from .spatial import Motion, no_vector
from .world import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def braked(velocity, damping, limit, h):
    """Return a velocity after a step's damping, held to its limit."""
    damped = velocity * larger(1.0 - damping * h, 0.0)
    speed = damped.norm()
    return damped * ti.select(speed > limit, limit / larger(speed, TINY), 1.0)


@ti.func
def turned_on(w: ti.template(), link, spin, h):
    """Return the angular velocity after a step's gyroscopic torque, which keeps the length of the momentum."""
    frame, tensor = orientation(w, link), parameter_tensor(w, PARAMETER.INERTIA, link)
    tensor = tensor * (1.0 / (tensor.xx + tensor.yy + tensor.zz))  # its scale is nothing here but a risk of underflow
    own = frame.unrotate(spin)
    before = tensor.apply(own)
    after = before - own.cross(before) * h
    change = after * (before.norm() / larger(after.norm(), TINY)) - before
    return spin + frame.rotate(tensor.inverse().apply(change))  # adding the change leaves its round-off small


@ti.func
def fly(w: ti.template(), a, pace):
    """Advance free body a of one world by one step."""
    link = node(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_AT.LINK)
    gravity = parameter_vector(w, PARAMETER.GRAVITY, 0) * parameter(w, PARAMETER.GRAVITY_SCALE, link)
    at_once, spread = gravity * pace.h, no_vector()
    if pace.spread:
        at_once, spread = no_vector(), gravity * pace.delta
    start = root_velocity(w, a)
    damping, limit = parameter(w, PARAMETER.LINEAR_DAMPING, link), parameter(w, PARAMETER.MAX_LINEAR_VELOCITY, link)
    velocity = braked(start.lin + at_once, damping, limit, pace.h)
    damping, limit = parameter(w, PARAMETER.ANGULAR_DAMPING, link), parameter(w, PARAMETER.MAX_ANGULAR_VELOCITY, link)
    spin = braked(start.ang, damping, limit, pace.h)
    if articulation(w, a, ARTICULATION_AT.GYROSCOPIC):
        spin = turned_on(w, link, spin, pace.h)
    substeps = 1
    if pace.tgs:
        substeps = articulation(w, a, ARTICULATION_AT.POSITION_ITERATIONS)
    place, frame, turn = position(w, link), orientation(w, link), turn_by(spin * pace.delta)
    for _ in range(substeps):
        velocity = velocity + spread
        place = place + velocity * pace.delta
        frame = turn * frame
    set_position(w, link, place)
    set_orientation(w, link, frame.normalized())
    set_root_velocity(w, a, Motion(spin, velocity))
