"""A 1D constraint between two bodies drives the rate J v to a target.

Equations of "1d Constraint Formulation", PhysX Team, April 29, 2024; the springs are those of `drive`.

    J v = l · (v0 − v1) + a0 · ω0 − a1 · ω1,    r = J M⁻¹ Jᵀ + cfm
    hard:    λ ← λ + (b + target − J v) / r,    b = −(α/δ) (error + moved)       α = 1 (PGS), 1/√n (TGS)
    spring:  λ ← κ λ + x s (δ d target − δ k (error + moved) − a J v),    a = δ (δ k + d)
             force: x = 1/(1 + a r), s = 1;  acceleration: x = 1/(1 + a), s = 1/r;  κ = 1 (TGS), 1 − x (PGS)
    velocity iterations: b = 0 except within a bound; springs of TGS are skipped

`moved` is the change of the error by the motion of the bodies since the start of a TGS step. A step corrects at most
0.75 rad or 15 m of an error (1.5 m where a link is held), but a body reaches a bound at any velocity. cfm is that of
the links.

b has the opposite sign of the document's bias velocity, b = α C/δ of eq. 11, and l, a0, a1 are μ0, κ0 and −κ1.
Momocity (eqs. 51-62) is another basis of the same velocities: rows act on velocities here. Eq. 18 of the document has a
slip: it contains the J that eqs. 22 and 23 apply once more.
"""

import taichi as ti

from .accessors import (
    CONSTRAINT_ROW,
    NODE_ROW,
    PARAMETER,
    TableItem,
    get,
    get_motion,
    get_vector,
    parameter,
    put,
    put_spatial,
    put_vector,
)
from .lanes import Struct, broadcast, clamp, maximum, traced
from .spatial import Force
from .world_view import CONSTRAINT_AT, JOINT_AT, SIDE_AT, constraint, joint, side

MIN_RESPONSE = 1e-12
MAX_ANGULAR_CORRECTION, MAX_LINEAR_CORRECTION, MAX_LINK_CORRECTION = (
    0.75,
    15.0,
    1.5,
)  # [rad, m, m] of an error that a step corrects
UNBOUNDED_IMPULSE = 1e30


class Jacobian(Struct):
    """J: one row for both linear velocities, one for each angular velocity. Eqs. 45-49.

    It acts on velocities, eqs. 51-53; momocity, eqs. 54-62, is another basis of them.
    """

    parts = ("lin", "ang0", "ang1")

    @traced
    def rate(self, v0, v1):
        """Return J v: eqs. 9, 44, 50 without bias and target."""
        return self.lin.dot(v0.lin - v1.lin) + self.ang0.dot(v0.ang) - self.ang1.dot(v1.ang)

    @traced
    def minus(self, o, k):
        """Return self − k o."""
        return Jacobian(self.lin - o.lin * k, self.ang0 - o.ang0 * k, self.ang1 - o.ang1 * k)

    @traced
    def wrench0(self):
        """Return the impulse on body 0 per unit of λ: Jᵀ of eq. 16."""
        return Force(self.ang0.copy(), self.lin.copy())

    @traced
    def wrench1(self):
        """Return the impulse on body 1 per unit of −λ."""
        return Force(self.ang1.copy(), self.lin.copy())


@traced
def get_jacobian(w, c):
    """Return J of constraint item c."""
    rows = (CONSTRAINT_ROW.LIN, CONSTRAINT_ROW.ANG0, CONSTRAINT_ROW.ANG1)
    return Jacobian(*(get_vector(w, c, row) for row in rows))


@traced
def put_jacobian(w, c, jacobian):
    """Write J of constraint item c."""
    put_vector(w, c, CONSTRAINT_ROW.LIN, jacobian.lin)
    put_vector(w, c, CONSTRAINT_ROW.ANG0, jacobian.ang0)
    put_vector(w, c, CONSTRAINT_ROW.ANG1, jacobian.ang1)


@ti.func
def orthogonalize_row(w: ti.template(), j, i):
    """Make row i of a joint between free bodies M⁻¹-orthogonal to the equalities of its group before it."""
    c = TableItem(w, "CONSTRAINTS", i)
    group = constraint(w, i, CONSTRAINT_AT.GROUP)
    for e in range(joint(w, j, JOINT_AT.CONSTRAINT), i if group > 0 else 0):
        if constraint(w, e, CONSTRAINT_AT.GROUP) == group and constraint(w, e, CONSTRAINT_AT.ONE_SIDED) == 0:
            o = TableItem(w, "CONSTRAINTS", e)
            own = get_jacobian(w, c)
            gain0, gain1 = get_motion(w, o, CONSTRAINT_ROW.RESPONSE0), get_motion(w, o, CONSTRAINT_ROW.RESPONSE1)
            share = own.rate(gain0, gain1 * -1.0) * get(w, o, CONSTRAINT_ROW.INV_RESPONSE)
            put_jacobian(w, c, own.minus(get_jacobian(w, o), share))
            error, target = get(w, o, CONSTRAINT_ROW.ERROR), get(w, o, CONSTRAINT_ROW.TARGET)
            put(w, c, CONSTRAINT_ROW.ERROR, get(w, c, CONSTRAINT_ROW.ERROR) - share * error)
            put(w, c, CONSTRAINT_ROW.TARGET, get(w, c, CONSTRAINT_ROW.TARGET) - share * target)


@ti.func
def row_cfm(w: ti.template(), j, angular):
    """Return cfm of a row of joint j: the larger one of the links it holds."""
    cfm = broadcast(0.0)
    for s in range(2 * j, 2 * j + 2):
        if side(w, s, SIDE_AT.NODE) >= 0:
            cfm = maximum(cfm, get(w, side(w, s, SIDE_AT.NODE), NODE_ROW.CFM))
    unit = parameter(w, PARAMETER.METERS_PER_UNIT, 0)
    if angular:
        unit = 1.0 / unit
    return cfm * unit


@ti.func
def prepare_row(w: ti.template(), j, i, bodies, params):
    """Compute the coefficients of row i of joint j for this step; `bodies` are the responses and velocities of both."""
    response0, response1, v0, v1 = bodies
    c = TableItem(w, "CONSTRAINTS", i)
    jacobian = get_jacobian(w, c)
    gain0, gain1 = response0.apply(jacobian.wrench0()), response1.apply(jacobian.wrench1())  # M⁻¹ Jᵀ
    put_spatial(w, c, CONSTRAINT_ROW.RESPONSE0, gain0)
    put_spatial(w, c, CONSTRAINT_ROW.RESPONSE1, gain1)
    r = jacobian.rate(gain0, gain1 * -1.0)  # J M⁻¹ Jᵀ: eqs. 21, 31, 34
    acts = r > 0.0
    if joint(w, j, JOINT_AT.HAS_LINK):
        acts = r > MIN_RESPONSE
        r += row_cfm(w, j, constraint(w, i, CONSTRAINT_AT.ANGULAR))
    inverse = ti.select(acts, 1.0 / maximum(r, 1e-30), 0.0)
    put(w, c, CONSTRAINT_ROW.INV_RESPONSE, inverse)
    put(w, c, CONSTRAINT_ROW.IMPULSE, 0.0)
    if constraint(w, i, CONSTRAINT_AT.SPRING):
        prepare_spring_row(w, j, i, r, params)
    else:
        prepare_hard_row(w, j, i, jacobian.rate(v0, v1), params)


@ti.func
def prepare_spring_row(w: ti.template(), j, i, r, params):
    """Compute the coefficients of a spring row: a drive, or a soft bound, which acts only beyond the bound."""
    c, delta = TableItem(w, "CONSTRAINTS", i), params.delta
    axis = 6 * j + constraint(w, i, CONSTRAINT_AT.AXIS)
    stiffness, damping = (
        parameter(w, PARAMETER.MAXIMAL_JOINT_STIFFNESS, axis),
        parameter(w, PARAMETER.MAXIMAL_JOINT_DAMPING, axis),
    )
    error, inverse = get(w, c, CONSTRAINT_ROW.ERROR), get(w, c, CONSTRAINT_ROW.INV_RESPONSE)
    acts = inverse > 0.0
    if constraint(w, i, CONSTRAINT_AT.SOFT):
        stiffness, damping = parameter(w, PARAMETER.LIMIT_STIFFNESS, axis), parameter(w, PARAMETER.LIMIT_DAMPING, axis)
        if constraint(w, i, CONSTRAINT_AT.SOFT) == 1:
            acts = acts & (error < 0.0)
    a = delta * (delta * stiffness + damping)
    x = 1.0 / (1.0 + a * r)
    scale = broadcast(1.0)
    if constraint(w, i, CONSTRAINT_AT.SPRING) == 2:
        x = 1.0 / (1.0 + a)
        scale = inverse
    gain = x * scale * delta
    put(w, c, CONSTRAINT_ROW.VELOCITY_MULTIPLIER, x * scale * a * -1.0)
    put(w, c, CONSTRAINT_ROW.BIAS, gain * stiffness * error * -1.0)
    put(w, c, CONSTRAINT_ROW.TARGET_BIAS, gain * damping * get(w, c, CONSTRAINT_ROW.TARGET))
    put(w, c, CONSTRAINT_ROW.IMPULSE_SCALE, ti.select(acts, 1.0, 0.0))
    put(w, c, CONSTRAINT_ROW.MAX_BIAS, UNBOUNDED_IMPULSE)
    put(w, c, CONSTRAINT_ROW.MIN_BIAS, 0.0 - UNBOUNDED_IMPULSE)
    put(w, c, CONSTRAINT_ROW.BIAS_IN_VELOCITY_ITERATIONS, 1.0)
    put(w, c, CONSTRAINT_ROW.IMPULSE_MULTIPLIER, 1.0 - x)
    put(w, c, CONSTRAINT_ROW.ERROR_MULTIPLIER, 0.0)
    if params.tgs:
        put(w, c, CONSTRAINT_ROW.IMPULSE_MULTIPLIER, 1.0)
        put(w, c, CONSTRAINT_ROW.ERROR_MULTIPLIER, gain * stiffness * -1.0)


@ti.func
def prepare_hard_row(w: ti.template(), j, i, rate, params):
    """Compute the coefficients of a hard row at the rate J v; a bound that is hit fast enough bounces instead."""
    c = TableItem(w, "CONSTRAINTS", i)
    error, aim = get(w, c, CONSTRAINT_ROW.ERROR), get(w, c, CONSTRAINT_ROW.TARGET)
    share = broadcast(1.0)
    if joint(w, j, JOINT_AT.BOUNCES):
        axis = 6 * j + constraint(w, i, CONSTRAINT_AT.AXIS)
        e, threshold = parameter(w, PARAMETER.RESTITUTION, axis), parameter(w, PARAMETER.BOUNCE_THRESHOLD, axis)
        rebound = 0.0 - e * rate
        bounces = (e > 0.0) & (0.0 - rate > threshold) & (rebound * error <= 0.0)
        bounces = bounces & (constraint(w, i, CONSTRAINT_AT.ONE_SIDED) > 0)
        aim = ti.select(bounces, rebound, aim)
        share = ti.select(bounces, 0.0, 1.0)
    close = share * (0.0 - params.baumgarte / params.delta)  # −α/δ: eqs. 10, 11
    cap = broadcast(UNBOUNDED_IMPULSE)
    put(w, c, CONSTRAINT_ROW.ERROR_MULTIPLIER, 0.0)
    if params.tgs:
        put(w, c, CONSTRAINT_ROW.ERROR_MULTIPLIER, close)
        cap = broadcast(MAX_LINEAR_CORRECTION / params.h)
        if joint(w, j, JOINT_AT.HAS_LINK):
            cap = broadcast(MAX_LINK_CORRECTION / params.h)
        if constraint(w, i, CONSTRAINT_AT.ANGULAR):
            cap = broadcast(MAX_ANGULAR_CORRECTION / params.h)
    put(w, c, CONSTRAINT_ROW.VELOCITY_MULTIPLIER, -1.0)  # × IMPULSE_SCALE it is vMul = −1/r: eq. 63
    put(w, c, CONSTRAINT_ROW.BIAS, close * error)  # −b: eqs. 11, 65
    put(w, c, CONSTRAINT_ROW.TARGET_BIAS, aim)  # v_T: eqs. 13, 14, 65
    put(w, c, CONSTRAINT_ROW.IMPULSE_SCALE, get(w, c, CONSTRAINT_ROW.INV_RESPONSE))
    put(w, c, CONSTRAINT_ROW.MAX_BIAS, cap)
    put(w, c, CONSTRAINT_ROW.MIN_BIAS, 0.0 - cap)
    if constraint(w, i, CONSTRAINT_AT.ONE_SIDED):
        put(w, c, CONSTRAINT_ROW.MIN_BIAS, 0.0 - UNBOUNDED_IMPULSE)
    put(
        w,
        c,
        CONSTRAINT_ROW.BIAS_IN_VELOCITY_ITERATIONS,
        ti.select(get(w, c, CONSTRAINT_ROW.LIMIT_DISTANCE) >= 0.0, 1.0, 0.0),
    )
    put(w, c, CONSTRAINT_ROW.IMPULSE_MULTIPLIER, 1.0)


@ti.func
def solve_row(w: ti.template(), c, rate, bias, scale):
    """Return the change of the impulse of constraint item c at the rate J v, with the impulse within its bounds."""
    before = get(w, c, CONSTRAINT_ROW.IMPULSE)
    wanted = rate * get(w, c, CONSTRAINT_ROW.VELOCITY_MULTIPLIER) + bias + get(w, c, CONSTRAINT_ROW.TARGET_BIAS)
    after = before * get(w, c, CONSTRAINT_ROW.IMPULSE_MULTIPLIER) + wanted * scale  # eqs. 17, 20, 23, 63-65
    after = clamp(after, get(w, c, CONSTRAINT_ROW.MIN_IMPULSE), get(w, c, CONSTRAINT_ROW.MAX_IMPULSE))
    put(w, c, CONSTRAINT_ROW.IMPULSE, after)
    return after - before
