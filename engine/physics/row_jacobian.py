"""Jacobian of a 1D constraint between two bodies. "1d Constraint Formulation", PhysX Team, April 29, 2024."""

from .lanes import Struct, traced
from .spatial import Force, Vec3


class Jacobian(Struct):
    """J: one row for both linear velocities, one for each angular velocity. Eqs. 45-49.

    `lin`, `ang0` and `ang1` are l, a0 and a1 of l · (v0 − v1) + a0 · ω0 − a1 · ω1.
    It acts on velocities, eqs. 51-53; momocity, eqs. 54-62, is another basis of them.
    """

    parts, types = ("lin", "ang0", "ang1"), (Vec3, Vec3, Vec3)

    @traced
    def rate(self, v0, v1):
        """Return J v: eqs. 9, 44, 50 without bias and target."""
        return self.lin.dot(v0.lin - v1.lin) + self.ang0.dot(v0.ang) - self.ang1.dot(v1.ang)

    @traced
    def minus(self, o, k):
        """Return self − k o."""
        return Jacobian(self.lin - o.lin * k, self.ang0 - o.ang0 * k, self.ang1 - o.ang1 * k)

    @traced
    def wrench0(self):
        """Return the impulse on body 0 per unit of λ: Jᵀ of eq. 16."""
        return Force(self.ang0.copy(), self.lin.copy())

    @traced
    def wrench1(self):
        """Return the impulse on body 1 per unit of −λ."""
        return Force(self.ang1.copy(), self.lin.copy())
