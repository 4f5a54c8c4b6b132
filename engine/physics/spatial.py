"""Vectors, tensors and spatial algebra over lanes, in world axes with the origin at a link's centre of mass.

`d` is always the vector from the parent's origin to the link's.
"""

import taichi as ti

from .lanes import Struct, broadcast, materialize, traced


class Vec3(Struct):
    """Vector of three components."""

    parts = ("x", "y", "z")

    @traced
    def __add__(self, o):
        return Vec3(self.x + o.x, self.y + o.y, self.z + o.z)

    @traced
    def __sub__(self, o):
        return Vec3(self.x - o.x, self.y - o.y, self.z - o.z)

    @traced
    def __mul__(self, k):
        k = materialize(k)
        return Vec3(self.x * k, self.y * k, self.z * k)

    @traced
    def dot(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z

    @traced
    def cross(self, o):
        return Vec3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)

    @traced
    def norm(self):
        return ti.sqrt(self.dot(self))


class Sym3(Struct):
    """Symmetric matrix."""

    parts = ("xx", "xy", "xz", "yy", "yz", "zz")

    @traced
    def rows(self):
        """Return its rows, which are also its columns."""
        return Vec3(self.xx, self.xy, self.xz), Vec3(self.xy, self.yy, self.yz), Vec3(self.xz, self.yz, self.zz)

    @traced
    def apply(self, v):
        return Vec3(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )

    @traced
    def __add__(self, o):
        return Sym3(*(getattr(self, part) + getattr(o, part) for part in self.parts))

    @traced
    def __mul__(self, k):
        return Sym3(*(getattr(self, part) * k for part in self.parts))

    @traced
    def plus_outer(self, u, v):
        """Return self + u vᵀ, for u vᵀ symmetric."""
        return Sym3(
            self.xx + u.x * v.x, self.xy + u.x * v.y, self.xz + u.x * v.z,
            self.yy + u.y * v.y, self.yz + u.y * v.z, self.zz + u.z * v.z,
        )  # fmt: skip

    @traced
    def plus_symmetric(self, u, v):
        """Return self + u vᵀ + v uᵀ."""
        return Sym3(
            self.xx + 2.0 * (u.x * v.x), self.xy + u.x * v.y + u.y * v.x, self.xz + u.x * v.z + u.z * v.x,
            self.yy + 2.0 * (u.y * v.y), self.yz + u.y * v.z + u.z * v.y, self.zz + 2.0 * (u.z * v.z),
        )  # fmt: skip

    @traced
    def inverse(self):
        """Return the inverse of a positive definite matrix, by cofactors."""
        a = materialize(self.yy * self.zz - self.yz * self.yz)
        b = materialize(self.xz * self.yz - self.xy * self.zz)
        c = materialize(self.xy * self.yz - self.xz * self.yy)
        k = materialize(1.0 / (self.xx * a + self.xy * b + self.xz * c))
        return Sym3(
            a * k, b * k, c * k,
            (self.xx * self.zz - self.xz * self.xz) * k,
            (self.xy * self.xz - self.xx * self.yz) * k,
            (self.xx * self.yy - self.xy * self.xy) * k,
        )  # fmt: skip


class Mat3(Struct):
    """Matrix, stored by columns."""

    parts, types = ("a", "b", "c"), (Vec3, Vec3, Vec3)

    @traced
    def rows(self):
        a, b, c = self.a, self.b, self.c
        return Vec3(a.x, b.x, c.x), Vec3(a.y, b.y, c.y), Vec3(a.z, b.z, c.z)

    @traced
    def apply(self, v):
        a, b, c = self.a, self.b, self.c
        return Vec3(
            a.x * v.x + b.x * v.y + c.x * v.z, a.y * v.x + b.y * v.y + c.y * v.z, a.z * v.x + b.z * v.y + c.z * v.z
        )

    @traced
    def transposed(self, v):
        """Return selfᵀ v."""
        return Vec3(self.a.dot(v), self.b.dot(v), self.c.dot(v))

    @traced
    def __add__(self, o):
        return Mat3(self.a + o.a, self.b + o.b, self.c + o.c)

    @traced
    def __mul__(self, k):
        return Mat3(self.a * k, self.b * k, self.c * k)

    @traced
    def plus_outer(self, u, v):
        """Return self + u vᵀ."""
        return Mat3(self.a + u * v.x, self.b + u * v.y, self.c + u * v.z)

    @traced
    def congruence(self, i):
        """Return self i selfᵀ: for a rotation matrix, a tensor of link axes in world axes."""
        x, y, z = self.rows()
        a, b, c = i.apply(x), i.apply(y), i.apply(z)
        return Sym3(a.dot(x), a.dot(y), a.dot(z), b.dot(y), b.dot(z), c.dot(z))


@traced
def symmetric(a, b, c):
    """Return the symmetric matrix with columns a, b, c."""
    return Sym3(a.x, b.x, c.x, b.y, c.y, c.z)


class Spatial(Struct):
    """Spatial vector: an angular and a linear part."""

    parts, types = ("ang", "lin"), (Vec3, Vec3)

    @traced
    def __add__(self, o):
        return self.like(self.ang + o.ang, self.lin + o.lin)

    @traced
    def __sub__(self, o):
        return self.like(self.ang - o.ang, self.lin - o.lin)

    @traced
    def __mul__(self, k):
        k = materialize(k)
        return self.like(self.ang * k, self.lin * k)

    @traced
    def dot(self, o):
        """Return the power of a force along a motion, or the effort of a force at a joint axis."""
        return self.ang.dot(o.ang) + self.lin.dot(o.lin)


class Motion(Spatial):
    """Spatial velocity [rad/s, m/s], or acceleration, or a velocity change."""

    @traced
    def outward(self, d):
        """Return this rigid motion as seen at the child's origin."""
        return Motion(self.ang.copy(), self.lin + self.ang.cross(d))


class Force(Spatial):
    """Wrench [N·m, N], or its impulse."""

    @traced
    def inward(self, d):
        """Return this wrench about the parent's origin."""
        return Force(self.ang + d.cross(self.lin), self.lin.copy())


@traced
def zero_vector():
    """Return the zero vector."""
    return Vec3(broadcast(0.0), broadcast(0.0), broadcast(0.0))


@traced
def no_motion():
    """Return the zero motion."""
    return Motion(zero_vector(), zero_vector())


@traced
def no_force():
    """Return the zero wrench."""
    return Force(zero_vector(), zero_vector())


@traced
def no_tensor():
    """Return the zero tensor."""
    return Sym3(*(broadcast(0.0) for _ in Sym3.parts))


@traced
def no_matrix():
    """Return the zero matrix."""
    return Mat3(zero_vector(), zero_vector(), zero_vector())


@traced
def select(condition, x, y):
    """Return x in the lanes where the condition holds, y elsewhere: numbers, vectors or motions."""
    if not isinstance(x, Struct):
        return materialize(ti.select(condition, x, y))
    return x.like(*(select(condition, getattr(x, part), getattr(y, part)) for part in x.parts))
