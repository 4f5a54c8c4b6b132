"""Groups of articulations and free bodies that touches and maximal joints connect."""

import taichi as ti

from ...lanes import traced
from ..broad_phase.active_pairs import slot_at
from ..scalars import whole

LISTED, EVER, NOW = 0, 1, 2
"""Pairs that connect: those that touched at the end of the last step, those and what touches now, the latter alone."""


@ti.func
def connects(w: ti.template(), g, which):
    """Return whether pair g connects its two sides."""
    touches = w.contacts.touch_number[g] > 0.0
    if which == EVER:
        touches = touches or w.slot[g].point_count > 0.0
    elif which == NOW:
        if w.slot[g].awake > 0.0:
            touches = w.slot[g].point_count > 0.0
    return touches


@ti.func
def label_groups(w: ti.template(), island_id, which):
    """Write LABEL of all articulations: the first articulation of the group."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        w.articulation[a].label = 1.0 * w.articulation[a].joined
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].owner1 >= 0:
            if connects(w, g, which):
                one, two = first_of_group(w, w.slot[g].owner0), first_of_group(w, w.slot[g].owner1)
                w.articulation[ti.max(one, two)].label = 1.0 * ti.min(one, two)
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        w.articulation[a].label = 1.0 * first_of_group(w, a)


@ti.func
def first_of_group(w: ti.template(), a):
    """Return the articulation at which the labels end that begin at articulation a."""
    first = a + 0
    while whole(w.articulation[first].label) != first:
        first = whole(w.articulation[first].label)
    return first


@traced
def leader_of(w, a):
    """Return the first articulation of the group of articulation a."""
    return w.articulation[whole(w.articulation[a].label)]
