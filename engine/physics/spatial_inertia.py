"""Inertias of rigid bodies and articulations, and responses of bodies to impulses, in world axes. RBDA, ch. 2 and 7."""

from .lanes import Struct, broadcast, materialize, maximum, traced
from .spatial import Force, Mat3, Motion, Sym3, Vec3, symmetric


class CompositeInertia(Struct):
    """Rigid body about a point: mass, mass times centre of mass, inertia."""

    parts, types = ("mass", "moment", "inertia"), (None, Vec3, Sym3)

    @traced
    def apply(self, v):
        """Return the momentum of a motion, or the wrench of an acceleration."""
        lin = v.lin * self.mass - self.moment.cross(v.ang)
        return Force(self.inertia.apply(v.ang) + self.moment.cross(v.lin), lin)

    @traced
    def __add__(self, o):
        return CompositeInertia(self.mass + o.mass, self.moment + o.moment, self.inertia + o.inertia)

    @traced
    def inward(self, d):
        """Return this body about the parent's origin: I + (h·d + d·h + m |d|²) 1 − h dᵀ − d hᵀ − m d dᵀ."""
        moment = self.moment + d * self.mass
        size = materialize(d.dot(self.moment) + d.dot(moment))
        inertia = self.inertia + Sym3(size, broadcast(0.0), broadcast(0.0), size, broadcast(0.0), size)
        return CompositeInertia(self.mass, moment, inertia.plus_symmetric((self.moment + moment) * -0.5, d))


class ArticulatedInertia(Struct):
    """Articulated inertia: (torque, force) = (I ω + H v, Hᵀ ω + M v)."""

    parts, types = ("i", "h", "m"), (Sym3, Mat3, Sym3)

    @traced
    def apply(self, v):
        return Force(self.i.apply(v.ang) + self.h.apply(v.lin), self.h.transposed(v.ang) + self.m.apply(v.lin))

    @traced
    def __add__(self, o):
        return ArticulatedInertia(self.i + o.i, self.h + o.h, self.m + o.m)

    @traced
    def plus_body(self, tensor, mass):
        """Return this inertia plus that of a rigid body."""
        m = Sym3(self.m.xx + mass, self.m.xy, self.m.xz, self.m.yy + mass, self.m.yz, self.m.zz + mass)
        return ArticulatedInertia(self.i + tensor, self.h.copy(), m)

    @traced
    def minus_outer(self, f, k):
        """Return self − k f fᵀ."""
        g = f * (0.0 - k)
        return ArticulatedInertia(
            self.i.plus_outer(f.ang, g.ang), self.h.plus_outer(g.ang, f.lin), self.m.plus_outer(f.lin, g.lin)
        )

    @traced
    def inward(self, d):
        """Return this inertia about the parent's origin."""
        x, y, z = self.m.rows()
        q = Mat3(self.h.a + d.cross(x), self.h.b + d.cross(y), self.h.c + d.cross(z))
        x, y, z = self.h.rows()
        a = d.cross(x) + q.c * d.y - q.b * d.z
        b = d.cross(y) + q.a * d.z - q.c * d.x
        c = d.cross(z) + q.b * d.x - q.a * d.y
        return ArticulatedInertia(self.i + symmetric(a, b, c), q, self.m.copy())


class Response(Struct):
    """Velocity per wrench: ω = A n + Bᵀ f, v = B n + C f."""

    parts, types = ("a", "b", "c"), (Sym3, Mat3, Sym3)

    @traced
    def apply(self, f):
        return Motion(self.a.apply(f.ang) + self.b.transposed(f.lin), self.b.apply(f.ang) + self.c.apply(f.lin))

    @traced
    def outward(self, d):
        """Return the response of the same rigid body at the child's origin."""
        x, y, z = self.a.rows()
        b = Mat3(self.b.a - d.cross(x), self.b.b - d.cross(y), self.b.c - d.cross(z))
        x, y, z = self.b.rows()
        x = b.b * d.z - b.c * d.y - d.cross(x)
        y = b.c * d.x - b.a * d.z - d.cross(y)
        z = b.a * d.y - b.b * d.x - d.cross(z)
        return Response(self.a.copy(), b, self.c + symmetric(x, y, z))

    @traced
    def joined(self, s, z, r):
        """Return self − s zᵀ − z sᵀ + r s sᵀ."""
        y = s * (r * 0.5) - z
        b = self.b.plus_outer(s.lin, y.ang).plus_outer(y.lin, s.ang)
        return Response(self.a.plus_symmetric(s.ang, y.ang), b, self.c.plus_symmetric(s.lin, y.lin))

    @traced
    def softness(self):
        """Return the largest velocity of the centre of mass along a world axis per unit of impulse along it [1/kg]."""
        return maximum(maximum(self.c.xx, self.c.yy), self.c.zz)


class FreeResponse(Struct):
    """Velocity of a free body per wrench: ω = A n, v = f / m."""

    parts, types = ("turns", "slides"), (Sym3, None)

    @traced
    def apply(self, f):
        return Motion(self.turns.apply(f.ang), f.lin * self.slides)


@traced
def invert_inertia(inertia):
    """Return the response of a free body of this inertia, by the Schur complement of its linear part."""
    m = inertia.m.inverse()
    x, y, z = inertia.h.rows()
    g = Mat3(m.apply(x), m.apply(y), m.apply(z))
    a = (inertia.i + symmetric(inertia.h.apply(g.a), inertia.h.apply(g.b), inertia.h.apply(g.c)) * -1.0).inverse()
    x, y, z = a.rows()
    b = Mat3(g.apply(x), g.apply(y), g.apply(z))
    x, y, z = g.rows()
    return Response(a, b * -1.0, m + symmetric(b.apply(x), b.apply(y), b.apply(z)))
