"""Lanes of a pack, one by one, and lanes that sleep."""

import importlib

import taichi as ti

from .. import LANES, package_of_single_lanes
from ..lanes import indicator, traced
from ..stored import element

single_lanes = importlib.import_module(f"{package_of_single_lanes()}.contacts.single_lane")
"""Functions that compute one lane at a time."""


@traced
def lane_of_pack(x, lane):
    """Return the number of one lane."""
    return element(x, lane) if LANES > 1 else x


@traced
def holds_in_lane(lanes, lane):
    """Return whether a mask has a lane."""
    return lane_of_pack(indicator(lanes), lane) > 0.0


@traced
def lane_is_awake(w, lane):
    """Return whether a step moves the world of a lane; what sleeps keeps its contacts as they are."""
    return holds_in_lane(w.awake, lane) if w.features.sleeps else True


@traced
def pair_is_updated(w, g, lane):
    """Return whether the points of pair g are computed now in a lane."""
    return holds_in_lane(w.slot[g].updates, lane) if w.features.sleeps else True


@traced
def keep_asleep(w, new, old):
    """Return a number of the contacts in the lanes that a step moves, and the old one in those that sleep."""
    return ti.select(w.awake, new, old) if w.features.sleeps else new
