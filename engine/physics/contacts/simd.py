"""Products of vectors, rotations and unit vectors by the operations of PhysX's SIMD code, which makes its contacts.

    a · b = (a_x b_x + a_z b_z) + a_y b_y        unit(v) = v / |v|

The last bit depends on the order of a sum, and it decides which of two equally deep points is found. Joints, cylinders
and cones follow the order x, y, z: see `Vec3.dot`.
"""

import taichi as ti

from ..lanes import TINY, materialize, maximum, traced
from ..spatial import Vec3, select


@traced
def dot(a, b):
    """Return the scalar product of two vectors."""
    return materialize((a.x * b.x + a.z * b.z) + a.y * b.y)


@traced
def quaternion_dot(a, b):
    """Return the scalar product of two quaternions."""
    return (a.v.x * b.v.x + a.v.z * b.v.z) + (a.v.y * b.v.y + a.w * b.w)


@traced
def norm(v):
    """Return the length of a vector."""
    return ti.sqrt(dot(v, v))


@traced
def unit(v, fallback):
    """Return a vector divided by its length, or `fallback` where it has none."""
    length = materialize(norm(v))
    divisor = materialize(maximum(length, TINY))
    return select(length > 0.0, Vec3(v.x / divisor, v.y / divisor, v.z / divisor), fallback)


@traced
def rotate(q, u):
    """Return a vector of the frame q in the frame around it."""
    return _turned(q, u, q.v.cross(u) * q.w)


@traced
def unrotate(q, u):
    """Return a vector in the frame q."""
    return _turned(q, u, u.cross(q.v) * q.w)


@traced
def _turned(q, u, aside):
    return (u * (q.w * q.w - 0.5) + aside + q.v * dot(q.v, u)) * 2.0


@traced
def x_axis(q):
    """Return the x axis of a frame."""
    u, w2 = q.v * (q.v.x * 2.0), materialize(q.w * 2.0)
    return Vec3(q.w * w2 + u.x - 1.0, q.v.z * w2 + u.y, u.z - q.v.y * w2)


@traced
def transposed(m, v):
    """Return mᵀ v of a matrix."""
    return Vec3(dot(m.a, v), dot(m.b, v), dot(m.c, v))
