"""Velocities, motions and impulses of the two bodies of a pair while its rows are solved."""

import taichi as ti

from ...lanes import traced
from ...link_sides import link_pose
from ...spatial import Motion, no_motion, zero_vector


@ti.func
def side_motion(w: ti.template(), s):
    """Return the motion of the body at side s since the start of the step: rotation and displacement."""
    moved = no_motion()
    k = w.side[s].node
    if k >= 0:
        p, _ = link_pose(w, s)
        moved = Motion(w.node[k].delta_rotation, p - w.side[s].start)
    return moved


class OneSide:
    """Velocity, motion and impulse of side 0 while the rows of a pair are solved; side 1 is static."""

    _data_oriented = _is_wrapped_kernel = True

    def __init__(self, v0, moved0):
        self.v0, self.moved0 = v0, moved0
        self.lin, self.ang0 = zero_vector(), zero_vector()

    @traced
    def rate(self, row):
        """Return J v."""
        return row.lin.dot(self.v0.lin) + row.ang0.dot(self.v0.ang)

    @traced
    def motion(self, row):
        """Return J times the motion since the start of the step."""
        return row.lin.dot(self.moved0.lin) + row.ang0.dot(self.moved0.ang)

    @traced
    def push(self, row, response0, response1, impulse):
        """Apply an impulse of a row."""
        del response1
        self.v0._assign(self.v0 + response0 * impulse)
        self.lin._assign(self.lin + row.lin * impulse)
        self.ang0._assign(self.ang0 + row.ang0 * impulse)


class TwoSides(OneSide):
    """Velocities, motions and impulses of both sides while the rows of a pair are solved."""

    def __init__(self, v0, moved0, v1, moved1):
        super().__init__(v0, moved0)
        self.v1, self.moved1, self.ang1 = v1, moved1, zero_vector()

    @traced
    def rate(self, row):
        """Return J v."""
        return row.rate(self.v0, self.v1)

    @traced
    def motion(self, row):
        """Return J times the motion since the start of the step."""
        return row.rate(self.moved0, self.moved1)

    @traced
    def push(self, row, response0, response1, impulse):
        """Apply an impulse of a row."""
        super().push(row, response0, None, impulse)
        self.v1._assign(self.v1 - response1 * impulse)
        self.ang1._assign(self.ang1 + row.ang1 * impulse)
