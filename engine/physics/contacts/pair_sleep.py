"""Pairs of colliders that a step computes: those of which a body is awake."""

import taichi as ti

from ..lanes import mask, traced


@ti.func
def awake_side(w: ti.template(), c):
    """Return the mask of the lanes in which a step moves the body of collider c: of none for what is static."""
    awake, a = mask(False), w.collider[c].articulation
    if a >= 0:
        awake = w.articulation[a].awake
    return awake


@ti.func
def awake_sides(w: ti.template(), g):
    """Return the mask of the lanes in which a step moves a body of pair g."""
    return awake_side(w, w.slot[g].collider_a) | awake_side(w, w.slot[g].collider_b)


@traced
def is_awake(w, g):
    """Return whether this step computes pair g, in one lane."""
    return w.slot[g].awake if w.features.sleeps else True


@traced
def keep_pair_asleep(w, g, new, old):
    """Return a number of the contacts of pair g in the lanes that this step computes, else the old one."""
    return ti.select(w.slot[g].awake, new, old) if w.features.sleeps else new


@traced
def updated_lanes(w, g, lanes):
    """Return those of some lanes in which the points of pair g are computed now."""
    return lanes & w.slot[g].updates if w.features.sleeps else lanes
