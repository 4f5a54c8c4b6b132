"""Lanes of a pack, one by one."""

from .. import LANES
from ..lanes import traced
from ..stored import element


@traced
def lane_of_pack(x, lane):
    """Return the number of one lane."""
    return element(x, lane) if LANES > 1 else x


@traced
def lane_is_awake(w, lane):
    """Return whether a step moves the world of a lane; what sleeps keeps its contacts as they are."""
    return lane_of_pack(w.awake, lane) > 0.0 if w.features.sleeps else True
