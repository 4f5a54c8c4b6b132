"""Statistics of the contacts of every link in a step: time in contact, net force, slip, penetration.

    slip = |d - N (N · d)|,  d = displacement in the step of side 0 at the first contact point less that of side 1

The slip of a link is that of the pair that slips most, so that two colliders that slide together count once. What
sleeps stays in contact and does not slip.
"""

import taichi as ti

from ...lanes import broadcast, indicator, maximum
from ...link_sides import link_pose
from ...rotation import Quat
from ...spatial import select, zero_vector
from ..broad_phase.active_pairs import slot_at
from ..pair_sleep import awake_sides
from .contact_report import pair_force


@ti.func
def update_contact_statistics(w: ti.template(), island_id, h):
    """Add the contacts of the step that ended to the statistics of the links of an island."""
    island = w.island[island_id]
    for c in range(island.collider, island.collider_end):
        collider = w.collider[c]
        collider.touches = 0
        collider.force = zero_vector()
        collider.slip = 0.0
        collider.depth = 0
    for i in range(w.pairs):
        add_pair(w, slot_at(w, i), h)
    for c in range(island.collider, island.collider_end):
        collider, a = w.collider[c], w.collider[c].articulation
        if a >= 0 and collider.first == c:
            on, counted = w.articulation[a].counted, w.statistics.link[collider.link]
            counted.contact_steps += on * collider.touches
            force = w.collider[c].force
            counted.peak_contact_force = maximum(counted.peak_contact_force, on * force.norm())
            counted.slip_distance += on * collider.slip
            counted.penetration = maximum(counted.penetration, on * collider.depth)


@ti.func
def add_pair(w: ti.template(), g, h):
    """Add the contacts of pair g to those of its two links."""
    touches, slip, depth = w.slot[g].point_count > 0.0, broadcast(0.0), broadcast(0.0)
    force = pair_force(w, g, h)
    for i in range(w.slot[g].contact, w.slot[g].contact_end):
        exists = w.slot[g].point_count > 1.0 * (i - w.slot[g].contact)
        depth = maximum(depth, ti.select(exists, 0.0 - w.contact[i].separation, 0.0))
    slip = ti.select(touches, pair_slip(w, g), 0.0)
    lasts = indicator(touches)
    if ti.static(w.features.sleeps):
        awake = awake_sides(w, g)
        rests = indicator(w.contacts.touch_number[g] > 0.0)
        lasts, slip = ti.select(awake, lasts, rests), ti.select(awake, slip, 0.0)
        depth = ti.select(awake, depth, 0.0)
        force = select(awake, force, zero_vector())
    for s in ti.static(range(2)):
        collider = w.collider[side_collider(w, g, s)]
        collider.touches = maximum(collider.touches, lasts)
        collider.force = collider.force + force * (1.0 - 2.0 * s)
        collider.slip = maximum(collider.slip, slip)
        collider.depth = maximum(collider.depth, depth)


@ti.func
def side_collider(w: ti.template(), g, s):
    """Return the first collider of the link at side s of pair g."""
    c = w.slot[g].collider_a
    if w.slot[g].reversed != s:
        c = w.slot[g].collider_b
    return w.collider[c].first


@ti.func
def pair_slip(w: ti.template(), g):
    """Return how far the sides of pair g slid along each other at its first contact point in the step."""
    contact, moved = w.contact[w.slot[g].contact], zero_vector()
    point = contact.point
    for s in ti.static(range(2)):
        p, q = link_pose(w, w.slot[g].side(s))
        before, turn = start_pose(w, w.slot[g].side(s))
        now = p + q.rotate(turn.unrotate(point - before))
        moved = moved + (now - point) * (1.0 - 2.0 * s)
    n = contact.normal
    return (moved - n * n.dot(moved)).norm()


@ti.func
def start_pose(w: ti.template(), s):
    """Return centre of mass and orientation of the link at side s at the start of the step; for the world, its origin.

    A root has them itself: bundles of pairs of free bodies do not write those of sides.
    """
    p, q, k = zero_vector(), Quat(zero_vector(), broadcast(1.0)), w.side[s].node
    if k >= 0:
        p, q = w.side[s].start, w.side[s].start_orientation
        if k == w.side[s].root:
            p, q = w.node[k].start_position, w.node[k].start_orientation
    return p, q
