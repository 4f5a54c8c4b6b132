"""Rotations over lanes, as unit quaternions."""

import taichi as ti

from .lanes import TINY, Struct, arctangent, materialize, maximum, sin_cos, sin_cos_series, traced
from .spatial import Mat3, Vec3


class Quat(Struct):
    """Unit quaternion: imaginary part v, real part w."""

    parts, types = ("v", "w"), (Vec3, None)

    @traced
    def __mul__(self, o):
        """Return the rotation by o, then by self."""
        return Quat(o.v * self.w + self.v * o.w + self.v.cross(o.v), self.w * o.w - self.v.dot(o.v))

    @traced
    def conjugate(self):
        return Quat(self.v * -1.0, self.w)

    @traced
    def rotate(self, u):
        u2 = u * 2.0
        return u2 * (self.w * self.w - 0.5) + self.v.cross(u2) * self.w + self.v * self.v.dot(u2)

    @traced
    def unrotate(self, u):
        u2 = u * 2.0
        return u2 * (self.w * self.w - 0.5) - self.v.cross(u2) * self.w + self.v * self.v.dot(u2)

    @traced
    def normalized(self):
        k = materialize(1.0 / ti.sqrt(self.v.dot(self.v) + self.w * self.w))
        return Quat(self.v * k, self.w * k)

    @traced
    def rotation_vector(self):
        """Return axis times angle, the angle in [0, π] [rad]."""
        s = materialize(self.v.norm())
        w = maximum(self.w, 0.0 - self.w)
        k = materialize(ti.select(s > TINY, 2.0 * arctangent(s, w) / maximum(s, TINY), 2.0))
        return self.v * ti.select(self.w < 0.0, 0.0 - k, k)

    @traced
    def matrix(self):
        """Return the rotation matrix of a unit quaternion."""
        u = self.v * 2.0
        xx, yy, zz = materialize(self.v.x * u.x), materialize(self.v.y * u.y), materialize(self.v.z * u.z)
        xy, xz, yz = materialize(self.v.x * u.y), materialize(self.v.x * u.z), materialize(self.v.y * u.z)
        wx, wy, wz = materialize(self.w * u.x), materialize(self.w * u.y), materialize(self.w * u.z)
        return Mat3(
            Vec3(1.0 - yy - zz, xy + wz, xz - wy),
            Vec3(xy - wz, 1.0 - xx - zz, yz + wx),
            Vec3(xz + wy, yz - wx, 1.0 - xx - yy),
        )

    @traced
    def columns(self):
        """Return the rotation matrix by the operations of PhysX's contacts and solvers, which add 2 w w - 1 last."""
        u, q, real = self.v * 2.0, self.v * 2.0 * self.w, materialize(self.w * 2.0 * self.w - 1.0)
        x, y, z = self.v * u.x, self.v * u.y, self.v * u.z
        return Mat3(
            Vec3(x.x + real, x.y + q.z, x.z - q.y),
            Vec3(y.x - q.z, y.y + real, y.z + q.x),
            Vec3(z.x + q.y, z.y - q.x, z.z + real),
        )

    @traced
    def after(self, o):
        """Return the rotation by o, then by self, made unit, by PhysX's operations."""
        u, v = self.v, o.v
        return Quat(
            Vec3(
                self.w * v.x + o.w * u.x + u.y * v.z - v.y * u.z,
                self.w * v.y + o.w * u.y + u.z * v.x - v.z * u.x,
                self.w * v.z + o.w * u.z + u.x * v.y - v.x * u.y,
            ),
            self.w * o.w - u.x * v.x - u.y * v.y - u.z * v.z,
        ).normalized()

    @traced
    def advanced(self, spin, h):
        """Return the orientation after a turn at an angular velocity for h, by PhysX's operations on rigid bodies."""
        speed = materialize(spin.norm())
        s, c = sin_cos(h * speed * 0.5)
        u, v = spin * ti.select(speed > 0.0, s / maximum(speed, TINY), 0.0), self.v
        return Quat(
            Vec3(
                self.w * u.x + u.y * v.z - v.y * u.z + v.x * c,
                self.w * u.y + u.z * v.x - v.z * u.x + v.y * c,
                self.w * u.z + u.x * v.y - v.x * u.y + v.z * c,
            ),
            self.w * c - (u.x * v.x + u.y * v.y + u.z * v.z),
        ).normalized()


@traced
def from_axis_angle(axis, angle):
    """Return the rotation by an angle [rad] about a unit axis."""
    s, c = sin_cos(angle * 0.5)
    return Quat(axis * s, c)


@traced
def from_small_turn(axis, angle):
    """Return the rotation by an angle [rad] about a unit axis, as joints turn in a step: |angle| ≤ π/2, see `lanes`."""
    s, c = sin_cos_series(angle * 0.5)
    return Quat(axis * s, c)


@traced
def from_rotation_vector(rotation_vector):
    """Return the rotation by a rotation vector [rad]."""
    angle = materialize(rotation_vector.norm())
    return from_axis_angle(rotation_vector * (1.0 / maximum(angle, TINY)), angle)
