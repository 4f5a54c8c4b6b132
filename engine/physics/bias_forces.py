"""Forces at the start of a step: gravity, velocity products, damping and velocity limits of links, external forces.

    ab_l = ab_p seen at l + (ω_p × μ ; ω_p × (ω_p × d) + 2 ω_p × ν + μ × ν)        (μ ; ν) = Σ S_k q̇_k
    gravity: m (1 − c h) g        drag: −m (c + s/h) v, −I (c' + s'/h) ω        inertial: −m ab, −(I ab + ω × I ω)
    external: f, t + R p × f, immediate as drag is, or per substep as gravity is

c, c' are the link's damping clamped to [0, 1/h]; s = 1 − limit/speed above the link's velocity limit, else 0.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_force,
    get_motion,
    get_vector,
    orientation,
    parameter,
    parameter_tensor,
    parameter_vector,
    put,
    put_spatial,
    put_tensor,
)
from .lanes import broadcast, clamp, maximum
from .spatial import Force, Motion, no_force, no_motion, no_tensor, zero_vector
from .world_view import KIND, NODE_AT, node

VELOCITY_LIMIT_MARGIN = 0.999  # of the square of a limit: far more than what rounding does to it


@ti.func
def velocity_product(w: ti.template(), k):
    """Return ab of the link of node k [rad/s², m/s²].

    Reads: V, OFFSET, SUBSPACE, START_QD of its joint, BIAS_ACCELERATION of its parent.
    """
    base, first = node(w, k, NODE_AT.PARENT_LAST), node(w, k, NODE_AT.FIRST)
    wp, d = get_motion(w, base, NODE_ROW.V).ang, get_vector(w, first, NODE_ROW.OFFSET)
    joint = no_motion()
    if node(w, k, NODE_AT.KIND) != KIND.FIXED:
        for j in range(first, k + 1):
            joint = joint + get_motion(w, j, NODE_ROW.SUBSPACE) * get(w, j, NODE_ROW.START_QD)
    mu, nu = joint.ang, joint.lin
    lin = wp.cross(wp.cross(d)) + wp.cross(nu) * 2.0 + mu.cross(nu)
    return get_motion(w, base, NODE_ROW.BIAS_ACCELERATION).outward(d) + Motion(wp.cross(mu), lin)


@ti.func
def exceeds_velocity_limit(w: ti.template(), k):
    """Return a number that is positive where the link of node k exceeds or nearly reaches a velocity limit."""
    over = broadcast(-1.0)
    if node(w, k, NODE_AT.LAST) == k:
        v, link = get_motion(w, k, NODE_ROW.V), node(w, k, NODE_AT.LINK)
        linear = parameter(w, PARAMETER.MAX_LINEAR_VELOCITY, link)
        angular = parameter(w, PARAMETER.MAX_ANGULAR_VELOCITY, link)
        over = maximum(
            v.lin.dot(v.lin) - VELOCITY_LIMIT_MARGIN * linear * linear,
            v.ang.dot(v.ang) - VELOCITY_LIMIT_MARGIN * angular * angular,
        )
    return over


@ti.func
def velocity_excess_ratio(speed, limit):
    """Return the share of a speed above its limit."""
    return maximum(1.0 - limit / maximum(speed, 1e-9), 0.0)


@ti.func
def compute_bias_force(w: ti.template(), k, params, floats, too_fast):
    """Compute the bias wrenches (minus the forces) and the inertia of node k.

    `too_fast`: whether any link of its articulation may exceed its velocity limits in any lane.
    Writes: BIAS_ACCELERATION, WORLD_INERTIA, MASS, TOTAL_BIAS, IMMEDIATE_BIAS; SUBSTEP_BIAS (gravity) where forces act
    per substep.
    Returns the drag about the root and the gyroscopic torque.
    """
    drag, gyro = no_force(), zero_vector()
    immediate, substep = no_force(), no_force()
    tensor = no_tensor()
    mass = broadcast(0.0)
    if node(w, k, NODE_AT.LAST) == k:
        ab = no_motion()
        if node(w, k, NODE_AT.KIND) > KIND.FLOATING_ROOT:
            ab = velocity_product(w, k)
        put_spatial(w, k, NODE_ROW.BIAS_ACCELERATION, ab)
        link = node(w, k, NODE_AT.LINK)
        mass = parameter(w, PARAMETER.MASS, link)
        tensor = orientation(w, link).matrix().congruence(parameter_tensor(w, PARAMETER.INERTIA, link))
        v = get_motion(w, k, NODE_ROW.V)
        linear = clamp(parameter(w, PARAMETER.LINEAR_DAMPING, link), 0.0, 1.0 / params.h)
        angular = clamp(parameter(w, PARAMETER.ANGULAR_DAMPING, link), 0.0, 1.0 / params.h)
        fast, spin = broadcast(0.0), broadcast(0.0)
        if too_fast:
            fast = velocity_excess_ratio(v.lin.norm(), parameter(w, PARAMETER.MAX_LINEAR_VELOCITY, link)) / params.h
            spin = velocity_excess_ratio(v.ang.norm(), parameter(w, PARAMETER.MAX_ANGULAR_VELOCITY, link)) / params.h
        momentum = tensor.apply(v.ang)
        gyro = v.ang.cross(momentum)
        drag = Force(momentum * (0.0 - (angular + spin)), v.lin * (0.0 - mass * (linear + fast)))
        weight = mass * (1.0 - linear * params.h) * parameter(w, PARAMETER.GRAVITY_SCALE, link)
        substep.lin = parameter_vector(w, PARAMETER.GRAVITY, 0) * (0.0 - weight)
        immediate = Force(tensor.apply(ab.ang) + gyro, ab.lin * mass) - drag
        if floats:
            drag = drag.inward(get_vector(w, k, NODE_ROW.ROOT_OFFSET))
    put_tensor(w, k, NODE_ROW.WORLD_INERTIA, tensor)
    put(w, k, NODE_ROW.MASS, mass)
    if params.forces_per_substep:
        put_spatial(w, k, NODE_ROW.IMMEDIATE_BIAS, immediate)
        put_spatial(w, k, NODE_ROW.SUBSTEP_BIAS, substep)
    else:
        put_spatial(w, k, NODE_ROW.IMMEDIATE_BIAS, immediate + substep)
    put_spatial(w, k, NODE_ROW.TOTAL_BIAS, immediate + substep)
    return drag, gyro


@ti.func
def external_wrench(w: ti.template(), link):
    """Return the external wrench on a link about its centre of mass, world axes."""
    turned = orientation(w, link)
    force, torque = parameter_vector(w, PARAMETER.FORCE, link), parameter_vector(w, PARAMETER.TORQUE, link)
    lever = turned.rotate(parameter_vector(w, PARAMETER.FORCE_POSITION, link))
    share = parameter(w, PARAMETER.FORCE_IS_LOCAL, link)
    force = turned.rotate(force) * share + force * (1.0 - share)
    torque = turned.rotate(torque) * share + torque * (1.0 - share)
    return Force(torque + lever.cross(force), force)


@ti.func
def apply_external_wrenches(w: ti.template(), root, end, forces_per_substep):
    """Apply the external forces to the links of an articulation.

    Writes: TOTAL_BIAS; IMMEDIATE_BIAS, or SUBSTEP_BIAS where forces act per substep.
    Returns the immediate wrench about the root.
    """
    total = no_force()
    for k in range(root, end):
        if node(w, k, NODE_AT.LAST) == k:
            wrench = external_wrench(w, node(w, k, NODE_AT.LINK))
            put_spatial(w, k, NODE_ROW.TOTAL_BIAS, get_force(w, k, NODE_ROW.TOTAL_BIAS) - wrench)
            if forces_per_substep:
                put_spatial(w, k, NODE_ROW.SUBSTEP_BIAS, get_force(w, k, NODE_ROW.SUBSTEP_BIAS) - wrench)
            else:
                put_spatial(w, k, NODE_ROW.IMMEDIATE_BIAS, get_force(w, k, NODE_ROW.IMMEDIATE_BIAS) - wrench)
                total = total + wrench.inward(get_vector(w, k, NODE_ROW.ROOT_OFFSET))
    return total
