"""The rows of a joint outside the trees: every such joint is a D6 joint, or a distance. Constraints seed, eqs. 26-45.

linear along a:   l = a, a_k = arm_k × a;   angular about a:   l = 0, a_0 = a_1 = a
drive:  error q* − q of a translation; of rotations the half-angle error of Δ = q_rel T⁻¹, T = q_z q_y q_x
limit:  error upper − q along a, or q − lower along −a; angles: twist about B's x, swing about the axes of A·swing
lock:   error −q along A's axes, about A's own origin; −Im q_rel about ½ L(q̄_A) R(q_B)
one swing locked alone: B's x stays perpendicular to an axis of A
distance: along the line between the origins; it gives way by 0.025 m before it acts
"""

import taichi as ti

from ..tables.topology import CONSTRAINT_KINDS
from .constraint import UNBOUNDED, Jacobian, put_jacobian
from .joint_frame import angle_about, column, component, swing_twist, unit
from .lanes import TINY, larger, real, traced
from .memory import CONSTRAINT_ROW, PARAMETER, Item, parameter, put
from .rotation import turn
from .spatial import no_vector
from .swing_cone import cone_limit
from .world import CONSTRAINT_AT, constraint

SLACK = 0.025  # [m]

LINEAR_DRIVE, LINEAR_LIMIT = CONSTRAINT_KINDS["LINEAR_DRIVE"], CONSTRAINT_KINDS["LINEAR_LIMIT"]
LINEAR_LOCK, DISTANCE = CONSTRAINT_KINDS["LINEAR_LOCK"], CONSTRAINT_KINDS["DISTANCE"]
ANGULAR_DRIVE, ANGULAR_LIMIT = CONSTRAINT_KINDS["ANGULAR_DRIVE"], CONSTRAINT_KINDS["ANGULAR_LIMIT"]
CONE, SWING_LOCK, ANGULAR_LOCK = (CONSTRAINT_KINDS[name] for name in ("CONE", "SWING_LOCK", "ANGULAR_LOCK"))


@ti.func
def shape(w: ti.template(), j, i, frame, pace):
    """Row i of joint j: J, error, target, bounds. `frame`: its frames, and body 0's arm of locked rows."""
    at, locked_arm = frame
    c = Item(w, "CONSTRAINTS", i)
    kind, axis = constraint(w, i, CONSTRAINT_AT.KIND), constraint(w, i, CONSTRAINT_AT.AXIS)
    error, target, room = real(0.0), real(0.0), real(-1.0)
    low, high = real(0.0 - UNBOUNDED), real(UNBOUNDED)
    along, arm = no_vector(), at.arm0.copy()
    if kind == LINEAR_DRIVE or kind == ANGULAR_DRIVE:
        target = 0.0 - parameter(w, PARAMETER.JOINT_TARGET_QD, 6 * j + axis)
        high = parameter(w, PARAMETER.JOINT_MAX_FORCE, 6 * j + axis) * pace.h
        low = 0.0 - high
        along = column(at.a, axis % 3)
        if kind == LINEAR_DRIVE:
            error = parameter(w, PARAMETER.JOINT_TARGET_Q, 6 * j + axis) - component(at.p, axis)
        else:
            error = turn_error(w, j, axis - 3, at)
    elif kind == LINEAR_LOCK:
        along, arm = column(at.a, axis), locked_arm
        error = 0.0 - component(at.p, axis)
    elif kind == SWING_LOCK:
        other = column(at.a, 6 - axis)
        along = at.b.a.cross(other)
        error = 0.0 - at.b.a.dot(other)
    elif kind == ANGULAR_LOCK:
        along = half_turn(at, axis - 3)
        error = 0.0 - component(at.q.v, axis - 3)
    else:
        along, error = bound(w, j, i, at)
        room = error
        if constraint(w, i, CONSTRAINT_AT.SOFT) != 1:  # the spring of a limit damps the way back, too
            low = real(0.0)
        if kind == DISTANCE:
            error += SLACK
            if constraint(w, i, CONSTRAINT_AT.UPPER):  # it pulls where the minimum pushes: the direction stays
                error += -2.0 * SLACK
                room = 0.0 - room
                low, high = real(0.0 - UNBOUNDED), real(0.0)
    if constraint(w, i, CONSTRAINT_AT.ANGULAR):
        put_jacobian(w, c, Jacobian(no_vector(), along, along))
    else:
        put_jacobian(w, c, Jacobian(along, arm.cross(along), at.arm1.cross(along)))
    put(w, c, CONSTRAINT_ROW.ERROR, error)
    put(w, c, CONSTRAINT_ROW.TARGET, target)
    put(w, c, CONSTRAINT_ROW.ROOM, room)
    put(w, c, CONSTRAINT_ROW.LOW, low)
    put(w, c, CONSTRAINT_ROW.HIGH, high)


@traced
def target_of(w, j):
    """Rotation that the angular drives of joint j want: about X, then Y, then Z."""
    x, y, z = (turn(unit(k), parameter(w, PARAMETER.JOINT_TARGET_Q, 6 * j + 3 + k)) for k in range(3))
    return z * (y * x)


@ti.func
def turn_error(w: ti.template(), j, i, at):
    """Error of an angular drive about axis i of A [rad, for small ones]."""
    target = target_of(w, j)
    side = ti.select(target.v.dot(at.q.v) + target.w * at.q.w < 0.0, -1.0, 1.0)
    delta = at.q * target.conjugate()
    turned = delta.rotate(unit(0))
    error = delta.v.x * side * -2.0
    if i == 1:
        error = turned.z
    if i == 2:
        error = 0.0 - turned.y
    return error


@ti.func
def half_turn(at, i):
    """Row i of ½ L(q̄_A) R(q_B): the rate of Im(q̄_A q_B) is its product with ω0 − ω1."""
    qa, qb = at.qa, at.qa * at.q
    c = qb.v * qa.w + qa.v * qb.w
    d = qa.w * qb.w - qa.v.dot(qb.v)
    e = unit(i)
    return (qa.v * component(qb.v, i) + qb.v * component(qa.v, i) + e * d + c.cross(e)) * 0.5


@ti.func
def bound(w: ti.template(), j, i, at):
    """Direction and error of a bound, the error positive within it."""
    kind, axis = constraint(w, i, CONSTRAINT_AT.KIND), constraint(w, i, CONSTRAINT_AT.AXIS)
    item, upper = 6 * j + axis, constraint(w, i, CONSTRAINT_AT.UPPER)
    limit, sign = parameter(w, PARAMETER.JOINT_LOWER, item), real(-1.0)
    if upper:
        limit = parameter(w, PARAMETER.JOINT_UPPER, item)
        sign = real(1.0)
    along, error = no_vector(), real(0.0)
    if kind == LINEAR_LIMIT:
        along = column(at.a, axis) * sign
        error = (limit - component(at.p, axis)) * sign
    elif kind == DISTANCE:
        n = at.apart.norm()
        along = at.apart * (1.0 / larger(n, TINY))
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
        ry, rz = parameter(w, PARAMETER.JOINT_UPPER, item), parameter(w, PARAMETER.JOINT_UPPER, item + 1)
        out, inside = cone_limit(swing, ry, rz)
        along, error = at.a.apply(out), inside
    return along, error
