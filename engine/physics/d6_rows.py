"""Rows of a maximal joint: each such joint is a D6 joint or a distance.

Equations of "1d Constraint Formulation", PhysX Team, April 29, 2024.

linear along a:   l = a, a_k = arm_k × a;   angular about a:   l = 0, a_0 = a_1 = a
drive:  error q* − q of a translation; of rotations the half-angle error of Δ = q_rel T⁻¹, T = q_z q_y q_x
limit:  error upper − q along a, or q − lower along −a; angles: twist about B's x, swing about the axes of A·swing
lock:   error −q along A's axes, about A's own origin; −Im q_rel about ½ L(q̄_A) R(q_B)
one swing locked alone: B's x stays perpendicular to an axis of A
distance: along the line between the origins, with a slack of 0.025 m

Eqs. 41-43 of the document have a slip: the row on ω_1 contains r_0 where eqs. 37-40 give r_1, as here.
"""

import taichi as ti

from ..tables.topology import CONSTRAINT_KINDS
from .cone_limit import cone_axis_and_error
from .constraint import UNBOUNDED_IMPULSE
from .joint_frame import angle_about, column, component, swing_twist, unit_vector
from .lanes import TINY, broadcast, maximum, traced
from .rotation import from_axis_angle
from .row_jacobian import Jacobian
from .spatial import zero_vector
from .views import SOFT

DISTANCE_TOLERANCE = 0.025  # [m]

LINEAR_DRIVE, LINEAR_LIMIT = CONSTRAINT_KINDS["LINEAR_DRIVE"], CONSTRAINT_KINDS["LINEAR_LIMIT"]
LINEAR_LOCK, DISTANCE = CONSTRAINT_KINDS["LINEAR_LOCK"], CONSTRAINT_KINDS["DISTANCE"]
ANGULAR_DRIVE, ANGULAR_LIMIT = CONSTRAINT_KINDS["ANGULAR_DRIVE"], CONSTRAINT_KINDS["ANGULAR_LIMIT"]
CONE, SWING_LOCK, ANGULAR_LOCK = (CONSTRAINT_KINDS[name] for name in ("CONE", "SWING_LOCK", "ANGULAR_LOCK"))


@ti.func
def compute_row_geometry(w: ti.template(), j, i, at, locked_arm, params):
    """Compute J, error, target and bounds of row i of joint j from its frames and body 0's arm of locked rows."""
    c = w.constraint[i]
    kind, axis = w.constraint[i].kind, w.constraint[i].axis
    error, target, room = broadcast(0.0), broadcast(0.0), broadcast(-1.0)
    low, high = broadcast(0.0 - UNBOUNDED_IMPULSE), broadcast(UNBOUNDED_IMPULSE)
    along, arm = zero_vector(), at.arm0.copy()
    if kind == LINEAR_DRIVE or kind == ANGULAR_DRIVE:
        target = 0.0 - w.param.maximal_joint_target_qd[6 * j + axis]
        high = w.param.maximal_joint_max_force[6 * j + axis] * params.h
        low = 0.0 - high
        along = column(at.a, axis % 3)
        if kind == LINEAR_DRIVE:
            error = w.param.maximal_joint_target_q[6 * j + axis] - component(at.p, axis)
        else:
            error = angular_drive_error(w, j, axis - 3, at)
    elif kind == LINEAR_LOCK:
        along, arm = column(at.a, axis), locked_arm
        error = 0.0 - component(at.p, axis)  # −Δ: eqs. 8, 26
    elif kind == SWING_LOCK:
        other = column(at.a, 6 - axis)
        along = at.b.a.cross(other)
        error = 0.0 - at.b.a.dot(other)
    elif kind == ANGULAR_LOCK:
        along = orientation_jacobian_row(at, axis - 3)  # ∂C/∂s S: eqs. 67-72
        error = 0.0 - component(at.q.v, axis - 3)
    else:
        along, error = limit_direction_and_error(w, j, i, at)
        room = error
        if w.constraint[i].soft != SOFT.LIMIT:  # the spring of a limit also damps the motion back
            low = broadcast(0.0)
        if kind == DISTANCE:
            error += DISTANCE_TOLERANCE * w.param.metre[0]
            if w.constraint[i].upper:  # same direction as the minimum, opposite sign of the impulse
                error += -2.0 * DISTANCE_TOLERANCE * w.param.metre[0]
                room = 0.0 - room
                low, high = broadcast(0.0 - UNBOUNDED_IMPULSE), broadcast(0.0)
    if w.constraint[i].angular:
        c.jacobian = Jacobian(zero_vector(), along, along)  # eqs. 32, 33
    else:
        c.jacobian = Jacobian(along, arm.cross(along), at.arm1.cross(along))  # eqs. 27-30, 35-45
    c.error = error
    c.target = target
    c.limit_distance = room
    c.min_impulse = low
    c.max_impulse = high


@traced
def drive_target_rotation(w, j):
    """Return the target rotation of the angular drives of joint j: about X, then Y, then Z."""
    x, y, z = (from_axis_angle(unit_vector(k), w.param.maximal_joint_target_q[6 * j + 3 + k]) for k in range(3))
    return z * (y * x)


@ti.func
def angular_drive_error(w: ti.template(), j, i, at):
    """Return the error of an angular drive about axis i of A; for small errors it is the angle [rad]."""
    target = drive_target_rotation(w, j)
    side = ti.select(target.v.dot(at.q.v) + target.w * at.q.w < 0.0, -1.0, 1.0)
    delta = at.q * target.conjugate()
    turned = delta.rotate(unit_vector(0))
    error = delta.v.x * side * -2.0
    if i == 1:
        error = turned.z
    if i == 2:
        error = 0.0 - turned.y
    return error


@ti.func
def orientation_jacobian_row(at, i):
    """Return row i of ½ L(q̄_A) R(q_B), whose product with ω0 − ω1 is the rate of Im(q̄_A q_B).

    Eq. 70 lacks this factor ½.
    """
    qa, qb = at.qa, at.qa * at.q
    c = qb.v * qa.w + qa.v * qb.w
    d = qa.w * qb.w - qa.v.dot(qb.v)
    e = unit_vector(i)
    return (qa.v * component(qb.v, i) + qb.v * component(qa.v, i) + e * d + c.cross(e)) * 0.5


@ti.func
def limit_direction_and_error(w: ti.template(), j, i, at):
    """Return direction and error of a bound; the error is positive within it."""
    kind, axis = w.constraint[i].kind, w.constraint[i].axis
    item, upper = 6 * j + axis, w.constraint[i].upper
    limit, sign = w.param.maximal_joint_lower[item], broadcast(-1.0)
    if upper:
        limit = w.param.maximal_joint_upper[item]
        sign = broadcast(1.0)
    along, error = zero_vector(), broadcast(0.0)
    if kind == LINEAR_LIMIT:
        along = column(at.a, axis) * sign
        error = (limit - component(at.p, axis)) * sign
    elif kind == DISTANCE:
        n = at.apart.norm()
        along = at.apart * (1.0 / maximum(n, TINY))
        error = n - limit
    elif kind == ANGULAR_LIMIT:
        along = at.b.a.copy()
        if axis > 3:
            swing, _ = swing_twist(at.q)
            along = column((at.qa * swing).matrix(), axis - 3)
        along = along * sign
        error = (limit - angle_about(at.q, axis - 3)) * sign
    else:
        swing, _ = swing_twist(at.q)
        ry, rz = w.param.maximal_joint_upper[item], w.param.maximal_joint_upper[item + 1]
        out, inside = cone_axis_and_error(swing, ry, rz)
        along, error = at.a.apply(out), inside
    return along, error
