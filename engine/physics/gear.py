"""Gear joint, and rack and pinion: one row between the velocities of two bodies, PxGearJoint and PxRackAndPinionJoint.

    gear:             ratio x₀ · ω₀ + x₁ · ω₁ = 0        x the axes of the two hinges
    rack and pinion:  x₀ · ω₀ − σ ratio x₁ · v₁ = 0      x₁ the axis of the slider

σ is the sign of (x₀ × d) · x₁, d from the origin of the hinge to that of the slider: a rack above its pinion and one
below it move in opposite directions with one ratio. σ is 1 where |d|, |x₀ × d| or (x₀ × d) · x₁ is within 0.001.

The error is that of the positions p of both joints, with angles that are summed over the steps and go round:

    error = Σ (s₀ ratio Δp₀ + s₁ Δp₁)                   gear; s = 1 where the body is body 1 of its joint, else -1
    error = Σ s₀ Δp₀ − σ s₁ ratio p₁                    rack and pinion

So a rack that does not begin at the zero of its slider has an error from the start. It pushes its pinion by a torque
alone.

PhysX takes the angle of a hinge from the real part of a quaternion, 2 arccos w. Near w = 1 its last bit is worth much:
in single precision a hinge that turned by less than 3.5e-4 rad has turned by nothing, and later angles are off by up to
eps/angle. The row holds to these angles, so bodies in gear jerk as they begin to turn.
"""

import taichi as ti

from ..tables.topology import CONSTRAINT_KINDS
from .constraint import UNBOUNDED_IMPULSE
from .joint_frame import compute_joint_frames, swing_twist
from .lanes import arctangent, broadcast, maximum
from .link_sides import link_pose
from .rotation import Quat
from .row_jacobian import Jacobian
from .spatial import zero_vector

GEAR, RACK = CONSTRAINT_KINDS["GEAR"], CONSTRAINT_KINDS["RACK"]
SIDE = 1e-3
"""Distance of a rack from its pinion within which its side is not known [stage units]."""


@ti.func
def compute_gear_row(w: ti.template(), j, i, at):
    """Compute J, error, target and bounds of row i, a gear or rack, of joint j from its frames."""
    c, ratio = w.constraint[i], w.param.gear_ratio[j]
    c.jacobian = Jacobian(zero_vector(), at.a.a * ratio, at.b.a * -1.0)
    if w.constraint[i].kind == RACK:
        ratio = ratio * rack_side(at)
        c.jacobian = Jacobian(at.b.a * ratio, at.a.a.copy(), zero_vector())
    c.error = update_gear_error(w, j, ratio, w.constraint[i].kind == RACK)
    c.target = 0.0
    c.limit_distance = -1.0
    c.min_impulse = broadcast(0.0 - UNBOUNDED_IMPULSE)
    c.max_impulse = broadcast(UNBOUNDED_IMPULSE)


@ti.func
def rack_side(at):
    """Return σ: 1 or -1, by the side of the pinion on which the rack lies."""
    d = at.apart * -1.0
    tangent = at.a.a.cross(d)
    ahead, side = tangent.dot(at.b.a), broadcast(1.0)
    known = (d.dot(d) > SIDE * SIDE) & (tangent.dot(tangent) > SIDE * SIDE)
    return ti.select(known & (ahead < 0.0 - SIDE), 0.0 - side, side)


@ti.func
def part_position(w: ti.template(), h, dof, slides):
    """Return the position of a joint: of maximal joint h, or of a degree of freedom if h is -1 [rad | m]."""
    position = broadcast(0.0)
    if h >= 0:
        position = hinge_angle(w, h)
        if slides:
            position = compute_joint_frames(w, h).p.x
    elif dof >= 0:
        position = w.state.q[dof]
    return position


@ti.func
def hinge_angle(w: ti.template(), h):
    """Return the angle of maximal joint h by PhysX's operations: 2 arccos w of the twist between normalized frames."""
    q0, q1 = link_pose(w, 2 * h)[1], link_pose(w, 2 * h + 1)[1]
    a = q0 * w.param.maximal_joint_frame0[h].normalized()
    b = q1 * w.param.maximal_joint_frame1[h].normalized()
    q = a.conjugate() * b
    side = ti.select(q.w < 0.0, -1.0, 1.0)
    twist = swing_twist(Quat(q.v * side, q.w * side))[1]
    real = twist.w
    angle = 2.0 * arctangent(ti.sqrt(maximum((1.0 - real) * (1.0 + real), 0.0)), real)
    return ti.select(twist.v.x < 0.0, 0.0 - angle, angle)


@ti.func
def nearest_turn(angle):
    """Return an angle within three turns as one within half a turn [rad]."""
    near = angle
    for _ in range(3):
        near = ti.select(near > 3.141592653589793, near - 6.283185307179586, near)
        near = ti.select(near < -3.141592653589793, near + 6.283185307179586, near)
    return near


@ti.func
def update_gear_error(w: ti.template(), j, ratio, slides):
    """Add the motion of the last step to the error of gear j; return the error. `ratio`: with the side of a rack."""
    joint = w.joint[j]
    first = part_position(w, joint.part0, joint.part_dof0, False)
    second = part_position(w, joint.part1, joint.part_dof1, slides)
    change = nearest_turn(first - w.state.gear_position0[j]) * (1.0 * joint.part_sign0)
    way = broadcast(0.0)
    if slides:
        way = second * (-1.0 * joint.part_sign1) * ratio
    else:
        change = change * ratio + nearest_turn(second - w.state.gear_position1[j]) * (1.0 * joint.part_sign1)
    summed = w.state.gear_error[j] + ti.select(w.state.gear_begun[j], change, 0.0)
    w.state.gear_position0[j] = first
    w.state.gear_position1[j] = second
    w.state.gear_error[j] = summed
    w.state.gear_begun[j] = True
    return summed + way


@ti.func
def rack_error_change(w: ti.template(), j, jacobian):
    """Return the part of a rack's error change since the start of the step that its slider makes."""
    return 0.0 - jacobian.lin.dot(w.side[2 * j + 1].moved)
