"""Groups of bodies that touches and joints connect: a group wakes and falls asleep as one.

    wakes         a member is awake; pairs whose touch ends in this step still connect
    falls asleep  every member is ready, and no moving kinematic body touches one; pairs that still touch connect

If a touch ends in the step in which one of the two bodies falls asleep and the other does not, both wake in the next
step with new timers, as in PhysX.
"""

import taichi as ti

from ....tables.word_values import LOST_SLEEPER
from ...lanes import broadcast, traced
from ..broad_phase.active_pairs import slot_at

LISTED, EVER, NOW = 0, 1, 2
"""Pairs that connect: those that touched at the end of the last step, those and what touches now, the latter alone."""


@ti.func
def wake_groups(w: ti.template(), island_id, which):
    """Wake the members of groups of which one is awake; return whether any woke."""
    island, woke = w.island[island_id], False
    label_groups(w, island_id, which)
    stir_groups(w, island_id, which, False)
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        if not w.articulation[a].awake and leader_of(w, a).stirred:
            w.articulation[a].awake = True
            w.articulation[a].ready = True
            woke = True
    return woke


@ti.func
def stir_groups(w: ti.template(), island_id, which, unready):
    """Write STIRRED of the leaders of groups with an awake member, or a pair whose kinematic body moves.

    Args:
        w: the world.
        island_id: the island.
        which: pairs that connect: EVER | LISTED | NOW.
        unready: whether members that are ready to fall asleep do not count.
    """
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        w.articulation[w.member[i].articulation].stirred = False
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        if w.articulation[a].awake and not (unready and w.articulation[a].ready):
            leader_of(w, a).stirred = True
    for at in range(w.pairs):
        g = slot_at(w, at)
        if is_pushed(w, g) and connects(w, g, which):
            leader_of(w, w.slot[g].owner0).stirred = True


@ti.func
def kinematic_side(w: ti.template(), g):
    """Return the kinematic body at side 1 of pair g, or -1."""
    a = -1
    if w.slot[g].owner1 < 0:
        c = w.slot[g].collider_b
        if w.slot[g].reversed:
            c = w.slot[g].collider_a
        a = w.collider[c].articulation
    return a


@ti.func
def is_pushed(w: ti.template(), g):
    """Return whether side 1 of pair g is a kinematic body that moves."""
    pusher, pushed = kinematic_side(w, g), False
    if pusher >= 0:
        pushed = w.articulation[pusher].awake and not w.articulation[pusher].ready
    return pushed


@ti.func
def wake_what_touched(w: ti.template(), island_id):
    """Wake what touched something awake at the end of the last step, before this step begins."""
    wake_groups(w, island_id, LISTED)


@ti.func
def wake_what_touches(w: ti.template(), island_id):
    """Wake what touches something awake; write UPDATES of the pairs whose points are yet to be computed."""
    woke = wake_groups(w, island_id, EVER)
    for at in range(w.pairs):
        g = slot_at(w, at)
        w.slot[g].updates = False
        if woke and not w.slot[g].awake:
            awake = w.articulation[w.slot[g].owner0].awake
            if w.slot[g].owner1 >= 0:
                awake = awake or w.articulation[w.slot[g].owner1].awake
            w.slot[g].awake = awake
            w.slot[g].updates = awake


@ti.func
def choose_sleepers(w: ti.template(), island_id):
    """Write FALLS of the groups that fall asleep in this step, and LOST of what a touch with their members ended."""
    island = w.island[island_id]
    label_groups(w, island_id, NOW)
    stir_groups(w, island_id, NOW, True)
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        if w.articulation[a].awake and not leader_of(w, a).stirred:
            w.articulation[a].falls = True
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].awake and w.slot[g].point_count == 0 and w.contacts.touch_number[g] > 0:
            note_lost_touch(w, w.slot[g].owner0, ti.max(w.slot[g].owner1, kinematic_side(w, g)))


@ti.func
def note_lost_touch(w: ti.template(), one, two):
    """Write LOST of two articulations whose touch ended, if one sleeps after this step and the other does not."""
    if two >= 0:
        first = w.articulation[one].awake and not w.articulation[one].falls
        second = w.articulation[two].awake and not w.articulation[two].falls
        if first != second:
            w.articulation[one].lost = broadcast(LOST_SLEEPER)
            w.articulation[two].lost = broadcast(LOST_SLEEPER)


@ti.func
def connects(w: ti.template(), g, which):
    """Return whether pair g connects its two sides."""
    touches = w.contacts.touch_number[g] > 0
    if which == EVER:
        touches = touches or w.slot[g].point_count > 0
    elif which == NOW:
        if w.slot[g].awake:
            touches = w.slot[g].point_count > 0
    return touches


@ti.func
def label_groups(w: ti.template(), island_id, which):
    """Write LABEL of all articulations: the first articulation of the group."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        w.articulation[a].label = w.articulation[a].joined
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.slot[g].owner1 >= 0:
            if connects(w, g, which):
                one, two = first_of_group(w, w.slot[g].owner0), first_of_group(w, w.slot[g].owner1)
                w.articulation[ti.max(one, two)].label = ti.min(one, two)
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        w.articulation[a].label = first_of_group(w, a)


@ti.func
def first_of_group(w: ti.template(), a):
    """Return the articulation at which the labels end that begin at articulation a."""
    first = a + 0
    while w.articulation[first].label != first:
        first = w.articulation[first].label
    return first


@traced
def leader_of(w, a):
    """Return the first articulation of the group of articulation a."""
    return w.articulation[w.articulation[a].label]
