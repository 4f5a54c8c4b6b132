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

from .lanes import Struct, broadcast, clamp, indicator, maximum
from .spatial import Motion, zero_vector
from .spatial_inertia import Response
from .views import SOFT, SPRING

MIN_RESPONSE = 1e-12
MAX_ANGULAR_CORRECTION = 0.75  # [rad] of an error that a step corrects
MAX_LINEAR_CORRECTION, MAX_LINK_CORRECTION = 15.0, 1.5  # [m]
UNBOUNDED_IMPULSE = 1e30


@ti.func
def orthogonalize_row(w: ti.template(), j, i):
    """Make row i of a joint between free bodies M⁻¹-orthogonal to the equalities of its group before it."""
    c = w.constraint[i]
    group = w.constraint[i].group
    for e in range(w.joint[j].constraint, i if group > 0 else 0):
        if w.constraint[e].group == group and w.constraint[e].one_sided == 0:
            o = w.constraint[e]
            own = c.jacobian
            gain0, gain1 = o.response0, o.response1
            share = own.rate(gain0, gain1 * -1.0) * o.inv_response
            c.jacobian = own.minus(o.jacobian, share)
            error, target = o.error, o.target
            c.error = c.error - share * error
            c.target = c.target - share * target


@ti.func
def row_cfm(w: ti.template(), j):
    """Return cfm of a row of joint j: the larger one of the links it holds."""
    cfm = broadcast(0.0)
    for s in range(2 * j, 2 * j + 2):
        if w.side[s].node >= 0:
            cfm = maximum(cfm, w.node[w.side[s].node].cfm)
    return cfm


class Bodies(Struct):
    """Both bodies of a joint: the response of each to a wrench, and its velocity."""

    parts, types = ("response0", "response1", "v0", "v1"), (Response, Response, Motion, Motion)


@ti.func
def prepare_row(w: ti.template(), j, i, bodies, params):
    """Compute the coefficients of row i of joint j for this step."""
    c = w.constraint[i]
    jacobian = c.jacobian
    wrench0 = jacobian.wrench0()
    if ti.static(w.features.gears):
        if w.joint[j].rack:
            wrench0.lin = zero_vector()
    gain0, gain1 = bodies.response0.apply(wrench0), bodies.response1.apply(jacobian.wrench1())  # M⁻¹ Jᵀ
    c.response0 = gain0
    if ti.static(w.features.gears):
        if w.joint[j].rack:
            gain0.lin = zero_vector()
    c.response1 = gain1
    r = jacobian.rate(gain0, gain1 * -1.0)  # J M⁻¹ Jᵀ: eqs. 21, 31, 34
    acts = r > 0.0
    if w.joint[j].has_link:
        acts = r > MIN_RESPONSE
        r += row_cfm(w, j)
    inverse = ti.select(acts, 1.0 / maximum(r, 1e-30), 0.0)
    c.inv_response = inverse
    c.impulse = 0.0
    if w.constraint[i].spring:
        prepare_spring_row(w, j, i, r, params)
    else:
        prepare_hard_row(w, j, i, jacobian.rate(bodies.v0, bodies.v1), params)


@ti.func
def prepare_spring_row(w: ti.template(), j, i, r, params):
    """Compute the coefficients of a spring row: a drive, or a soft bound, which acts only beyond the bound."""
    c, delta = w.constraint[i], params.delta
    axis = 6 * j + w.constraint[i].axis
    stiffness, damping = w.param.maximal_joint_stiffness[axis], w.param.maximal_joint_damping[axis]
    error, inverse = c.error, c.inv_response
    acts = inverse > 0.0
    if w.constraint[i].soft:
        stiffness, damping = w.param.limit_stiffness[axis], w.param.limit_damping[axis]
        if w.constraint[i].soft == SOFT.LIMIT:
            acts = acts & (error < 0.0)
    a = delta * (delta * stiffness + damping)
    x = 1.0 / (1.0 + a * r)
    scale = broadcast(1.0)
    if w.constraint[i].spring == SPRING.ACCELERATION:
        x = 1.0 / (1.0 + a)
        scale = inverse
    gain = x * scale * delta
    c.velocity_multiplier = x * scale * a * -1.0
    c.bias = gain * stiffness * error * -1.0
    c.target_bias = gain * damping * c.target
    c.impulse_scale = indicator(acts)
    c.max_bias = UNBOUNDED_IMPULSE
    c.min_bias = 0.0 - UNBOUNDED_IMPULSE
    c.bias_in_velocity_iterations = 1.0
    c.impulse_multiplier = 1.0 - x
    c.error_multiplier = 0.0
    if params.tgs:
        c.impulse_multiplier = 1.0
        c.error_multiplier = gain * stiffness * -1.0


@ti.func
def prepare_hard_row(w: ti.template(), j, i, rate, params):
    """Compute the coefficients of a hard row at the rate J v; a bound that is hit fast enough bounces instead."""
    c = w.constraint[i]
    error, aim = c.error, c.target
    share = broadcast(1.0)
    if w.joint[j].bounces:
        axis = 6 * j + w.constraint[i].axis
        e, threshold = w.param.restitution[axis], w.param.bounce_threshold[axis]
        rebound = 0.0 - e * rate
        bounces = (e > 0.0) & (0.0 - rate > threshold) & (rebound * error <= 0.0)
        bounces = bounces & (w.constraint[i].one_sided > 0)
        aim = ti.select(bounces, rebound, aim)
        share = ti.select(bounces, 0.0, 1.0)
    close = share * (0.0 - params.baumgarte / params.delta)  # −α/δ: eqs. 10, 11
    cap = broadcast(UNBOUNDED_IMPULSE)
    c.error_multiplier = 0.0
    if params.tgs:
        c.error_multiplier = close
        cap = MAX_LINEAR_CORRECTION / params.h * w.param.metre[0]
        if w.joint[j].has_link:
            cap = MAX_LINK_CORRECTION / params.h * w.param.metre[0]
        if w.constraint[i].angular:
            cap = broadcast(MAX_ANGULAR_CORRECTION / params.h)
    c.velocity_multiplier = -1.0  # × IMPULSE_SCALE it is vMul = −1/r: eq. 63
    c.bias = close * error  # −b: eqs. 11, 65
    c.target_bias = aim  # v_T: eqs. 13, 14, 65
    c.impulse_scale = c.inv_response
    c.max_bias = cap
    c.min_bias = 0.0 - cap
    if w.constraint[i].one_sided:
        c.min_bias = 0.0 - UNBOUNDED_IMPULSE
    c.bias_in_velocity_iterations = indicator(c.limit_distance >= 0.0)
    c.impulse_multiplier = 1.0


@ti.func
def solve_row(c, rate, bias, scale, bounds):
    """Return the change of the impulse of constraint item c at the rate J v, with the impulse within its bounds.

    `bounds`: lowest and highest impulse, the row's own or multiples of another row's impulse, as for friction.
    """
    before = c.impulse
    wanted = rate * c.velocity_multiplier + bias + c.target_bias
    after = before * c.impulse_multiplier + wanted * scale  # eqs. 17, 20, 23, 63-65
    after = clamp(after, bounds[0], bounds[1])
    c.impulse = after
    return after - before
