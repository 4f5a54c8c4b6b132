"""Free rigid body: gravity, damping, velocity limits, gyroscopic torque and motion, in PhysX's order.

    v ← v + g h,  v ← v max(0, 1 − c h),  ω ← ω max(0, 1 − c' h),  |v| ≤ limit,  |ω| ≤ limit'
    L = I ω,  L' = L − ω × L h scaled to |L|,  ω = I⁻¹ L'          in body axes, if the body is gyroscopic
    x += v δ,  R ← exp(ω δ) R                                    δ = h, or in each substep of TGS

TGS with forces per substep does v += g δ in each substep instead, after damping and limits: there a falling body
exceeds its velocity limit by g h. An external force and torque act as gravity does. Joints on it: `maximal_joint`.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
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
from .bias_forces import external_wrench
from .lanes import TINY, broadcast, maximum
from .response import Response, put_response
from .rotation import from_rotation_vector
from .spatial import Motion, Sym3, no_force, no_matrix, no_motion, zero_vector
from .world_view import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def damp_and_clamp(velocity, damping, limit, h):
    """Return a velocity after a step's damping, clamped to its limit."""
    damped = velocity * maximum(1.0 - damping * h, 0.0)
    speed = damped.norm()
    return damped * ti.select(speed > limit, limit / maximum(speed, TINY), 1.0)


@ti.func
def apply_gyroscopic_torque(w: ti.template(), link, spin, h):
    """Return the angular velocity after a step's gyroscopic torque, which keeps the length of the momentum."""
    frame, tensor = orientation(w, link), parameter_tensor(w, PARAMETER.INERTIA, link)
    tensor = tensor * (
        1.0 / (tensor.xx + tensor.yy + tensor.zz)
    )  # only ratios matter, and a small scale might underflow
    own = frame.unrotate(spin)
    before = tensor.apply(own)
    after = before - own.cross(before) * h
    change = after * (before.norm() / maximum(after.norm(), TINY)) - before
    return spin + frame.rotate(tensor.inverse().apply(change))  # adding the change keeps the round-off small


@ti.func
def unconstrained_velocity(w: ti.template(), a, params):
    """Return the velocity of free body a after immediate forces, damping, velocity limits and gyroscopic torque."""
    link = node(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_AT.LINK)
    start, immediate = root_velocity(w, a), no_motion()
    if params.forces_per_substep == 0:
        immediate = external_acceleration(w, a, link) * params.h
    damping, limit = parameter(w, PARAMETER.LINEAR_DAMPING, link), parameter(w, PARAMETER.MAX_LINEAR_VELOCITY, link)
    velocity = damp_and_clamp(start.lin + immediate.lin, damping, limit, params.h)
    damping, limit = parameter(w, PARAMETER.ANGULAR_DAMPING, link), parameter(w, PARAMETER.MAX_ANGULAR_VELOCITY, link)
    spin = damp_and_clamp(start.ang + immediate.ang, damping, limit, params.h)
    if articulation(w, a, ARTICULATION_AT.GYROSCOPIC):
        spin = apply_gyroscopic_torque(w, link, spin, params.h)
    return Motion(spin, velocity)


@ti.func
def external_acceleration(w: ti.template(), a, link):
    """Return the acceleration of free body a by gravity and the external force and torque."""
    acceleration = no_motion()
    acceleration.lin = parameter_vector(w, PARAMETER.GRAVITY, 0) * parameter(w, PARAMETER.GRAVITY_SCALE, link)
    if articulation(w, a, ARTICULATION_AT.HAS_EXTERNAL_FORCE):
        wrench = external_wrench(w, link)
        acceleration.lin = acceleration.lin + wrench.lin * (1.0 / parameter(w, PARAMETER.MASS, link))
        acceleration.ang = world_inertia(w, link).inverse().apply(wrench.ang)
    return acceleration


@ti.func
def world_inertia(w: ti.template(), link):
    """Return the inertia of a link about its centre of mass, world axes."""
    return orientation(w, link).matrix().congruence(parameter_tensor(w, PARAMETER.INERTIA, link))


@ti.func
def integrate_free_body(w: ti.template(), a, params):
    """Advance free body a of one world by one step."""
    link = node(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_AT.LINK)
    substep_velocity, substeps = no_motion(), 1
    if params.forces_per_substep:
        substep_velocity = external_acceleration(w, a, link) * params.delta
    if params.tgs:
        substeps = params.substeps
    velocity = unconstrained_velocity(w, a, params)
    place, frame, turn = position(w, link), orientation(w, link), from_rotation_vector(velocity.ang * params.delta)
    for _ in range(substeps):
        velocity = velocity + substep_velocity
        if articulation(w, a, ARTICULATION_AT.HAS_EXTERNAL_FORCE):
            turn = from_rotation_vector(velocity.ang * params.delta)
        place = place + velocity.lin * params.delta
        frame = turn * frame
    set_position(w, link, place)
    set_orientation(w, link, frame.normalized())
    set_root_velocity(w, a, velocity)


@ti.func
def prepare_free_body(w: ti.template(), a, params):
    """Write the rows that joints read of free body a: those that the root of an articulation has."""
    root = articulation(w, a, ARTICULATION_AT.ROOT)
    link = node(w, root, NODE_AT.LINK)
    put_spatial(w, root, NODE_ROW.V, unconstrained_velocity(w, a, params))
    substep, mass = no_motion(), parameter(w, PARAMETER.MASS, link)
    if params.forces_per_substep:
        substep = external_acceleration(w, a, link)
    put_spatial(w, root, NODE_ROW.SUBSTEP_BIAS, substep)
    put_spatial(w, root, NODE_ROW.BIAS_ACCELERATION, no_motion())
    put_spatial(w, root, NODE_ROW.U_D_INV, no_motion())
    put_spatial(w, root, NODE_ROW.IMPULSE, no_force())
    put_spatial(w, root, NODE_ROW.BRANCH_IMPULSE, no_force())
    put_vector(w, root, NODE_ROW.START_POSITION, position(w, link))
    put_vector(w, root, NODE_ROW.DELTA_ROTATION, zero_vector())
    tensor = world_inertia(w, link)
    light, none = 1.0 / mass, broadcast(0.0)
    put_response(w, root, Response(tensor.inverse(), no_matrix(), Sym3(light, none, none, light, none, light)))
    put(w, root, NODE_ROW.MASS, mass)
    put(w, root, NODE_ROW.CFM, 0.0)
