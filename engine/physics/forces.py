"""Forces that a step starts from: gravity, velocity products, damping and speed limits of links.

    ab_l = ab_p seen at l + (ω_p × μ ; ω_p × (ω_p × d) + 2 ω_p × ν + μ × ν)        (μ ; ν) = Σ S_k q̇_k
    gravity: m (1 − c h) g        drag: −m (c + s/h) v, −I (c' + s'/h) ω        inertial: −m ab, −(I ab + ω × I ω)
    external: f, t + R p × f, at once as drag is, or spread over the substeps as gravity is

c, c' are the link's damping held in [0, 1/h]; s = 1 − limit/speed above the link's speed limit, else 0.
"""

import taichi as ti

from .lanes import clamp, larger, real
from .memory import (
    PARAMETER,
    ROW,
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
from .spatial import Force, Motion, no_force, no_motion, no_tensor, no_vector
from .world import KIND, NODE_AT, node

NEARLY = 0.999  # of the square of a limit: far more than what rounding does to it


@ti.func
def velocity_product(w: ti.template(), k):
    """Return ab of the link that node k carries [rad/s², m/s²]. Reads V, D, S, QD0 of its joint, AB of its parent."""
    base, first = node(w, k, NODE_AT.BASE), node(w, k, NODE_AT.FIRST)
    wp, d = get_motion(w, base, ROW.V).ang, get_vector(w, first, ROW.D)
    joint = no_motion()
    if node(w, k, NODE_AT.KIND) != KIND.FIXED:
        for j in range(first, k + 1):
            joint = joint + get_motion(w, j, ROW.S) * get(w, j, ROW.QD0)
    mu, nu = joint.ang, joint.lin
    lin = wp.cross(wp.cross(d)) + wp.cross(nu) * 2.0 + mu.cross(nu)
    return get_motion(w, base, ROW.AB).outward(d) + Motion(wp.cross(mu), lin)


@ti.func
def overspeed(w: ti.template(), k):
    """Positive in the lanes where the link that node k carries is above its speed limits, or all but reaches them."""
    over = real(-1.0)
    if node(w, k, NODE_AT.CARRIER) == k:
        v, link = get_motion(w, k, ROW.V), node(w, k, NODE_AT.LINK)
        linear = parameter(w, PARAMETER.MAX_LINEAR_VELOCITY, link)
        angular = parameter(w, PARAMETER.MAX_ANGULAR_VELOCITY, link)
        over = larger(v.lin.dot(v.lin) - NEARLY * linear * linear, v.ang.dot(v.ang) - NEARLY * angular * angular)
    return over


@ti.func
def excess(speed, limit):
    """Share of a speed that lies above its limit."""
    return larger(1.0 - limit / larger(speed, 1e-9), 0.0)


@ti.func
def bias(w: ti.template(), k, pace, floats, too_fast):
    """Bias wrenches (minus the forces) and inertia of node k; returns drag about the root and the gyroscopic torque.

    too_fast: whether any link of its articulation may be above its speed limits in any lane.
    Writes: AB, IW, MASS, LOAD, BIAS and BIAS2 (gravity, when it is spread over the substeps).
    """
    drag, gyro = no_force(), no_vector()
    now, later = no_force(), no_force()
    tensor = no_tensor()
    mass = real(0.0)
    if node(w, k, NODE_AT.CARRIER) == k:
        ab = no_motion()
        if node(w, k, NODE_AT.KIND) > KIND.FLOATING_ROOT:
            ab = velocity_product(w, k)
        put_spatial(w, k, ROW.AB, ab)
        link = node(w, k, NODE_AT.LINK)
        mass = parameter(w, PARAMETER.MASS, link)
        tensor = orientation(w, link).matrix().turned(parameter_tensor(w, PARAMETER.INERTIA, link))
        v = get_motion(w, k, ROW.V)
        linear = clamp(parameter(w, PARAMETER.LINEAR_DAMPING, link), 0.0, 1.0 / pace.h)
        angular = clamp(parameter(w, PARAMETER.ANGULAR_DAMPING, link), 0.0, 1.0 / pace.h)
        fast, spin = real(0.0), real(0.0)
        if too_fast:
            fast = excess(v.lin.norm(), parameter(w, PARAMETER.MAX_LINEAR_VELOCITY, link)) / pace.h
            spin = excess(v.ang.norm(), parameter(w, PARAMETER.MAX_ANGULAR_VELOCITY, link)) / pace.h
        momentum = tensor.apply(v.ang)
        gyro = v.ang.cross(momentum)
        drag = Force(momentum * (0.0 - (angular + spin)), v.lin * (0.0 - mass * (linear + fast)))
        weight = mass * (1.0 - linear * pace.h) * parameter(w, PARAMETER.GRAVITY_SCALE, link)
        later.lin = parameter_vector(w, PARAMETER.GRAVITY, 0) * (0.0 - weight)
        now = Force(tensor.apply(ab.ang) + gyro, ab.lin * mass) - drag
        if floats:
            drag = drag.inward(get_vector(w, k, ROW.O))
    put_tensor(w, k, ROW.IW, tensor)
    put(w, k, ROW.MASS, mass)
    if pace.spread:
        put_spatial(w, k, ROW.BIAS, now)
        put_spatial(w, k, ROW.BIAS2, later)
    else:
        put_spatial(w, k, ROW.BIAS, now + later)
    put_spatial(w, k, ROW.LOAD, now + later)
    return drag, gyro


@ti.func
def external(w: ti.template(), link):
    """External wrench on a link about its centre of mass, world axes."""
    turned = orientation(w, link)
    force, torque = parameter_vector(w, PARAMETER.FORCE, link), parameter_vector(w, PARAMETER.TORQUE, link)
    lever = turned.rotate(parameter_vector(w, PARAMETER.FORCE_POINT, link))
    share = parameter(w, PARAMETER.FORCE_TURNS, link)
    force = turned.rotate(force) * share + force * (1.0 - share)
    torque = turned.rotate(torque) * share + torque * (1.0 - share)
    return Force(torque + lever.cross(force), force)


@ti.func
def push(w: ti.template(), root, end, spread):
    """Let external forces act on the links of an articulation; returns their wrench about the root, if at once.

    Writes: LOAD; BIAS, or BIAS2 if forces are spread over the substeps.
    """
    total = no_force()
    for k in range(root, end):
        if node(w, k, NODE_AT.CARRIER) == k:
            wrench = external(w, node(w, k, NODE_AT.LINK))
            put_spatial(w, k, ROW.LOAD, get_force(w, k, ROW.LOAD) - wrench)
            if spread:
                put_spatial(w, k, ROW.BIAS2, get_force(w, k, ROW.BIAS2) - wrench)
            else:
                put_spatial(w, k, ROW.BIAS, get_force(w, k, ROW.BIAS) - wrench)
                total = total + wrench.inward(get_vector(w, k, ROW.O))
    return total
