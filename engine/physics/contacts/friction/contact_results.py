"""Results of all contacts of an island: at the place of every pair, or one after the other in shared slots."""

import taichi as ti

from ... import LANES
from ...lanes import any_lane, broadcast
from ..broad_phase.active_pairs import slot_at
from ..lane_choice import lane_is_awake, single_lanes
from ..pair_sleep import awake_sides
from .contact_report import clear_results, write_results


@ti.func
def write_contact_forces(w: ti.template(), island_id, params):
    """Write number of points, force and contact points of the pairs of an island."""
    if ti.static(w.features.slots):
        for lane in range(LANES):
            if lane_is_awake(w, lane):
                single_lanes.write_own_forces(single_lanes.LaneView(w, lane), island_id, params.h)
    else:
        for g in range(w.island[island_id].pair, w.island[island_id].pair_end):
            if ti.static(w.features.sleeps):
                w.set_writes(awake_sides(w, g), broadcast(0.0))
            if any_lane(w.results.pair_points[g] > 0.0):  # of an earlier step
                clear_results(w, g, w.slot[g].contact, w.slot[g].contact_end)
        for i in range(w.pairs):
            g = slot_at(w, i)
            if ti.static(w.features.sleeps):
                w.set_writes(awake_sides(w, g), broadcast(0.0))
            write_results(w, g, g, w.slot[g].contact, params.h)
