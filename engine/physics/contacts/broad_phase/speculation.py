"""Speculative contacts: the contact distance of a body grows by how far it may move in the step.

    a = |v| h + |ω| h r      r: half the diagonal of the bounding box of the shape, without contact offset

v and ω are those at the start of the step. A pair has a contact if its gap is less than the sum of both contact offsets
and both a, so that the solver stops what would pass through a thin shape. Of a body that is also swept a = |ω| h r.
The bounding box of a swept body grows by (|v| + g h) h, so that the pairs which it may meet are near: `continuous`.
"""

import taichi as ti

from ....tables.word_values import SWEPT
from ...lanes import broadcast, traced


@ti.func
def look_ahead(w: ti.template(), island_id, h):
    """Compute TRAVEL and TURN of the colliders of bodies of an island that speculate."""
    for i in range(w.island[island_id].body, w.island[island_id].body_end):
        body = w.body[i]
        if w.collider[body.collider].speculates > 0:
            v = w.state.root_velocity[w.collider[body.collider].articulation]
            for c in range(body.collider, body.collider_end):
                kind = w.collider[c].speculates
                w.collider[c].travel = v.lin.norm() * h
                w.collider[c].turn = v.ang.norm() * h
                w.collider[c].way = broadcast(0.0)
                if kind >= SWEPT:
                    w.collider[c].travel = broadcast(0.0)
                    w.collider[c].way = (v.lin.norm() + w.param.gravity[0].norm() * h) * h
                if kind == SWEPT:
                    w.collider[c].turn = broadcast(0.0)


@ti.func
def distance_ahead(w: ti.template(), c, low, high):
    """Return how far the box of a collider between two corners grows, and write it as AHEAD."""
    w.collider[c].ahead, grown = broadcast(0.0), broadcast(0.0)
    if w.collider[c].speculates > 0:
        w.collider[c].ahead = w.collider[c].travel + w.collider[c].turn * ((high - low) * 0.5).norm()
        grown = w.collider[c].ahead + w.collider[c].way
    return grown


@ti.func
def reach_ahead(w: ti.template(), i):
    """Return how far the colliders of a body reach from its centre of mass, and may reach within the step."""
    reach, first = w.param.body_reach[i] + 0.0, w.body[i].collider
    if ti.static(w.features.speculation):
        if w.collider[first].speculates > 0:  # half a diagonal of the box of a shape is below √3 of its reach
            turned = w.collider[first].turn * reach * 1.7321
            reach = reach + (w.collider[first].travel + w.collider[first].way) + turned
    return reach


@traced
def contact_distance(w, g):
    """Return the distance below which pair g has contacts: the sum of both contact offsets, in single precision."""
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    distance = w.param.contact_offset[a] + w.param.contact_offset[b]
    if w.features.speculation:
        distance = distance + w.collider[a].ahead + w.collider[b].ahead
    return distance
