"""Elliptic cone of a spherical joint: row axis and error of the limit on the swing.

The swing (y, z) = 4 atan2(swing, 1 + w) is projected on the ellipse of the two half angles. The axis of the row is the
binormal of the cone's surface there, its error the sine of the angle to the surface, positive inside.
"""

import taichi as ti

from .joint_frame import signed_arctangent
from .lanes import TINY, absolute, broadcast, maximum, sin_cos, traced
from .spatial import Vec3

STEPS, CLOSE_ENOUGH = 20, 1e-4  # of Newton's method, as in PhysX: a better root would be another cone


@traced
def signed(size, like):
    """Return a size with the sign of `like`."""
    return ti.select(like > 0.0, size, 0.0 - size)


@ti.func
def nearest_on_ellipse(y, z, ry, rz):
    """Return the point of the ellipse with half axes ry, rz nearest to (y, z), by Newton's method on its multiplier."""
    qy, qz = absolute(y), absolute(z)
    ey, ez = ry * ry, rz * rz
    t = maximum(ry * qy - ey, rz * qz - ez)
    going = t == t
    fy, fz = broadcast(0.0), broadcast(0.0)
    for _ in range(STEPS):
        dy, dz = 1.0 / (t + ey), 1.0 / (t + ez)
        gy, gz = ry * qy * dy, rz * qz * dz
        f = gy * gy + gz * gz - 1.0
        fy, fz = ti.select(going, dy, fy), ti.select(going, dz, fz)
        going = going & (f >= CLOSE_ENOUGH)
        slope = 2.0 * (gy * gy * dy + gz * gz * dz)
        t = ti.select(going, t + f / maximum(slope, TINY), t)
    py, pz = ey * y * fy, ez * z * fz
    # A point on the longer half axis has no normal of its own there: it belongs to the vertex.
    wide = (ry >= rz) & (qz < 1e-6)
    high = (ry < rz) & (qy < 1e-6)
    py = ti.select(wide, signed(ry, y), ti.select(high, 0.0, py))
    pz = ti.select(wide, 0.0, ti.select(high, signed(rz, z), pz))
    return py, pz


@ti.func
def cone_axis_and_error(swing, ry, rz):
    """Return axis in frame A and error of the cone with half angles ry and rz [rad] at a swing."""
    w = 1.0 + swing.w
    y, z = nearest_on_ellipse(4.0 * signed_arctangent(swing.v.y, w), 4.0 * signed_arctangent(swing.v.z, w), ry, rz)
    sy, cy = sin_cos(y * 0.25)
    sz, cz = sin_cos(z * 0.25)
    r = Vec3(broadcast(0.0), sy / cy, sz / cz)
    d = Vec3(broadcast(0.0), y / (ry * ry), z / (rz * rz))
    r2 = r.dot(r)
    a, b = 1.0 - r2, 1.0 / (1.0 + r2)
    v1 = 2.0 * a * b * b
    v2 = Vec3(a, 2.0 * r.z, 0.0 - 2.0 * r.y)
    line = v2 * v1 - Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0))
    rd = r.dot(d)
    normal = Vec3(0.0 - 2.0 * rd, 2.0 * d.z, 0.0 - 2.0 * d.y) * v1 - v2 * (4.0 * rd * (3.0 - r2) * b * b * b)
    axis = line.cross(normal)
    axis = axis * (1.0 / maximum(axis.norm(), TINY))
    twist = swing.rotate(Vec3(broadcast(1.0), broadcast(0.0), broadcast(0.0)))
    return axis, line.cross(axis).dot(twist)
