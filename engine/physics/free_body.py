"""A free rigid body. It falls, is braked, turns, and moves, in PhysX's order; joints to it are rows, see `loop_joint`.

    v ← v + g h,  v ← v max(0, 1 − c h),  ω ← ω max(0, 1 − c' h),  |v| ≤ limit,  |ω| ≤ limit'
    L = I ω,  L' = L − ω × L h held to |L|,  ω = I⁻¹ L'          in body axes, if the body is gyroscopic
    x += v δ,  R ← exp(ω δ) R                                    δ = h, or in each substep of TGS

TGS with gravity spread over the substeps does v += g δ in each of them instead, after the damping and the limits: there
a falling body exceeds its speed limit by g h. An external force and torque act as gravity does.
"""

import taichi as ti

from .forces import external
from .lanes import TINY, larger, real
from .memory import (
    PARAMETER,
    ROW,
    orientation,
    parameter,
    parameter_tensor,
    parameter_vector,
    position,
    put,
    put_spatial,
    put_vector,
    root_velocity,
    set_orientation,
    set_position,
    set_root_velocity,
)
from .response import Response, put_response
from .rotation import turn_by
from .spatial import Motion, Sym3, no_force, no_matrix, no_motion, no_vector
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
def thrown(w: ti.template(), a, pace):
    """Velocity of free body a after what acts on it at once in a step: gravity, damping, speed limits, gyroscopics."""
    link = node(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_AT.LINK)
    start, at_once = root_velocity(w, a), no_motion()
    if pace.spread == 0:
        at_once = pulled(w, a, link) * pace.h
    damping, limit = parameter(w, PARAMETER.LINEAR_DAMPING, link), parameter(w, PARAMETER.MAX_LINEAR_VELOCITY, link)
    velocity = braked(start.lin + at_once.lin, damping, limit, pace.h)
    damping, limit = parameter(w, PARAMETER.ANGULAR_DAMPING, link), parameter(w, PARAMETER.MAX_ANGULAR_VELOCITY, link)
    spin = braked(start.ang + at_once.ang, damping, limit, pace.h)
    if articulation(w, a, ARTICULATION_AT.GYROSCOPIC):
        spin = turned_on(w, link, spin, pace.h)
    return Motion(spin, velocity)


@ti.func
def pulled(w: ti.template(), a, link):
    """Acceleration of free body a by gravity and the external force and torque."""
    acceleration = no_motion()
    acceleration.lin = parameter_vector(w, PARAMETER.GRAVITY, 0) * parameter(w, PARAMETER.GRAVITY_SCALE, link)
    if articulation(w, a, ARTICULATION_AT.FORCED):
        wrench = external(w, link)
        acceleration.lin = acceleration.lin + wrench.lin * (1.0 / parameter(w, PARAMETER.MASS, link))
        acceleration.ang = world_inertia(w, link).inverse().apply(wrench.ang)
    return acceleration


@ti.func
def world_inertia(w: ti.template(), link):
    """Inertia of a link about its centre of mass, world axes."""
    return orientation(w, link).matrix().turned(parameter_tensor(w, PARAMETER.INERTIA, link))


@ti.func
def fly(w: ti.template(), a, pace):
    """Advance free body a of one world by one step."""
    link = node(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_AT.LINK)
    spread, substeps = no_motion(), 1
    if pace.spread:
        spread = pulled(w, a, link) * pace.delta
    if pace.tgs:
        substeps = pace.substeps
    now = thrown(w, a, pace)
    place, frame, turn = position(w, link), orientation(w, link), turn_by(now.ang * pace.delta)
    for _ in range(substeps):
        now = now + spread
        if articulation(w, a, ARTICULATION_AT.FORCED):
            turn = turn_by(now.ang * pace.delta)
        place = place + now.lin * pace.delta
        frame = turn * frame
    set_position(w, link, place)
    set_orientation(w, link, frame.normalized())
    set_root_velocity(w, a, now)


@ti.func
def prepare_free_body(w: ti.template(), a, pace):
    """What joints need of free body a in this step: the same rows as the root of an articulation has."""
    root = articulation(w, a, ARTICULATION_AT.ROOT)
    link = node(w, root, NODE_AT.LINK)
    put_spatial(w, root, ROW.V, thrown(w, a, pace))
    pushed, mass = no_motion(), parameter(w, PARAMETER.MASS, link)
    if pace.spread:
        pushed = pulled(w, a, link)
    put_spatial(w, root, ROW.BIAS2, pushed)
    put_spatial(w, root, ROW.AB, no_motion())
    put_spatial(w, root, ROW.Y, no_motion())
    put_spatial(w, root, ROW.P, no_force())
    put_spatial(w, root, ROW.STASH_P, no_force())
    put_vector(w, root, ROW.START, position(w, link))
    put_vector(w, root, ROW.THETA, no_vector())
    tensor = world_inertia(w, link)
    light, none = 1.0 / mass, real(0.0)
    put_response(w, root, Response(tensor.inverse(), no_matrix(), Sym3(light, none, none, light, none, light)))
    put(w, root, ROW.MASS, mass)
    put(w, root, ROW.CFM, 0.0)
