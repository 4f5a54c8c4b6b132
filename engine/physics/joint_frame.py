"""Frames of a maximal joint: its frame on each body, and the second relative to the first.

A = body 0 · frame 0,  B = body 1 · frame 1,  rel = A⁻¹ B,  with q_B in the half space of q_A
rel.q = swing · twist: a rotation about X after one about an axis of the Y-Z plane
"""

import taichi as ti

from .lanes import TINY, Struct, absolute, arctangent, broadcast, materialize, maximum, traced
from .link_sides import link_pose
from .rotation import Quat
from .spatial import Vec3, zero_vector


class JointFrame(Struct):
    """Rotations and axes of the frames A and B, arms to the origin of B, and position and rotation of B in A."""

    parts = (
        "qa",  # rotation of A
        "a",  # axes of A
        "b",  # axes of B
        "arm0",  # from body 0's centre of mass to the origin of B [m]
        "arm1",  # from body 1's centre of mass to the origin of B [m]
        "apart",  # origin of A minus that of B [m]
        "p",  # origin of B in A [m]
        "q",  # rotation of B in A
    )


@ti.func
def compute_joint_frames(w: ti.template(), j):
    """Return the frames of joint j at the current poses of its bodies."""
    p0, q0 = link_pose(w, 2 * j)
    p1, q1 = link_pose(w, 2 * j + 1)
    arm0 = q0.rotate(w.param.maximal_joint_arm0[j])
    arm1 = q1.rotate(w.param.maximal_joint_arm1[j])
    qa = q0 * w.param.maximal_joint_frame0[j]
    qb = q1 * w.param.maximal_joint_frame1[j]
    side = ti.select(qa.v.dot(qb.v) + qa.w * qb.w < 0.0, -1.0, 1.0)
    qb = Quat(qb.v * side, qb.w * side)
    apart = (p0 + arm0) - (p1 + arm1)
    p = qa.unrotate(apart * -1.0)
    return JointFrame(qa, qa.matrix(), qb.matrix(), p1 + arm1 - p0, arm1, apart, p, qa.conjugate() * qb)


@traced
def column(m, i):
    """Return column i of a matrix; i is the same for all lanes."""
    picks = [materialize(kronecker_delta(i, k)) for k in range(3)]
    return m.a * picks[0] + m.b * picks[1] + m.c * picks[2]


@traced
def component(v, i):
    """Return component i of a vector; i is the same for all lanes."""
    return v.x * kronecker_delta(i, 0) + v.y * kronecker_delta(i, 1) + v.z * kronecker_delta(i, 2)


@traced
def unit_vector(i):
    """Return unit vector i; i is the same for all lanes."""
    return Vec3(*(materialize(kronecker_delta(i, k)) for k in range(3)))


@traced
def kronecker_delta(i, k):
    """Return 1 in all lanes if i is k, else 0: δ_ik."""
    return broadcast(ti.select(i == k, 1.0, 0.0))


@traced
def signed_arctangent(y, x):
    """Return the angle of (x, y) for x ≥ 0 [rad], in [−π/2, π/2]."""
    y = materialize(y)
    a = materialize(arctangent(absolute(y), x))
    return ti.select(y < 0.0, 0.0 - a, a)


@traced
def swing_twist(q):
    """Return swing and twist of a rotation whose real part is not negative."""
    n = materialize(ti.sqrt(q.w * q.w + q.v.x * q.v.x))
    turned = materialize(n > TINY)
    n = materialize(1.0 / maximum(n, TINY))
    none = zero_vector()
    twist = Quat(Vec3(ti.select(turned, q.v.x * n, 0.0), none.y, none.z), ti.select(turned, q.w * n, 1.0))
    return q * twist.conjugate(), twist


@ti.func
def angle_about(q, i):
    """Return the angle of a rotation about axis i: its twist about X, or its swing about Y or Z [rad]."""
    swing, twist = swing_twist(q)
    angle = 2.0 * signed_arctangent(twist.v.x, twist.w)
    if i > 0:
        angle = 4.0 * signed_arctangent(component(swing.v, i), 1.0 + swing.w)
    return angle
