"""Contact slop: arms of the rows of a pair that are shorter than its slop do not count, so that rolls keep straight.

    friction   each component of p × t below c is 0, in world axes
    normal     each component of p × N below c max(1, ω-part / v-part of J v) is 0; the ratio is unbounded where the
               v-part is 0, and of pairs with a link under TGS 1

c is the larger slop of the two bodies. Whether a contact bounces is decided by J v with all arms under TGS. Under PGS
and without a link, what anchors have parted along an axis is 0, too, if it is below c, but in blocks of four pairs.
"""

import taichi as ti

from ...lanes import absolute, broadcast, maximum, traced
from ...row_jacobian import Jacobian
from ...spatial import Vec3, select

UNBOUNDED = 1e30


@traced
def without_short(arm, slop):
    """Return a vector without its components below the slop."""
    return Vec3(*(ti.select(slop > absolute(x), broadcast(0.0), x) for x in (arm.x, arm.y, arm.z)))


@traced
def without_short_arms(row, slop):
    """Return a row without the components of its arms below the slop."""
    return Jacobian(row.lin, without_short(row.ang0, slop), without_short(row.ang1, slop))


@traced
def friction_arms(w, g, row):
    """Return a friction row of pair g, without the arms that are too short."""
    return without_short_arms(row, w.slot[g].contact_slop) if w.features.slops else row


@ti.func
def normal_arms(w: ti.template(), g, row, v0, v1, tgs):
    """Return a normal row of pair g without the arms that are too short, for these velocities of its sides."""
    spin, slide = row.ang0.dot(v0.ang) - row.ang1.dot(v1.ang), row.lin.dot(v0.lin - v1.lin)
    still = broadcast(UNBOUNDED)
    if tgs and w.slot[g].has_link:
        still = broadcast(1.0)
    ratio = ti.select(slide == 0.0, still, spin / ti.select(slide == 0.0, 1.0, slide))
    return without_short_arms(row, w.slot[g].contact_slop * maximum(ratio, 1.0))


@ti.func
def anchor_gap(w: ti.template(), g, apart, tgs):
    """Return what two anchors of pair g have parted, as its friction rows see it [m]."""
    seen = apart.copy()
    if ti.static(w.features.slops):
        if tgs == 0 and w.slot[g].has_link == 0:
            cut = without_short(apart, w.slot[g].contact_slop)
            seen = select(w.contacts.in_block[g] > 0.0, apart, cut)
    return seen
