"""Contacts of an island: points and rows at the start of a step, and the pairs in their turns.

Pairs of a link with what is static are solved in the sweep of the link; all others before the sweeps.
"""

import importlib

import taichi as ti

from .. import LANES, package_of_single_lanes
from ..lanes import any_lane, broadcast, lane_largest, traced
from ..link_sides import apply_link_impulse, link_velocity
from ..stored import element
from .colliders import boxes_overlap, place_colliders
from .contact_rows import prepare_pair
from .contact_solver import solve_pair, solve_static_pair
from .schedule import first_lane, lanes_of_turn, pair_of_turn, write_turns

single_lanes = importlib.import_module(f"{package_of_single_lanes()}.contacts.single_lane")


@traced
def lane_of_pack(x, lane):
    """Return the number of one lane."""
    return element(x, lane) if LANES > 1 else x


@traced
def lane_is_awake(w, lane):
    """Return whether a step moves the world of a lane; what sleeps keeps its contacts as they are."""
    return lane_of_pack(w.awake, lane) > 0.0 if w.features.sleeps else True


@traced
def keep_asleep(w, new, old):
    """Return a number of the contacts in the lanes that a step moves, and the old one in those that sleep."""
    return ti.select(w.awake > 0.0, new, old) if w.features.sleeps else new


@ti.func
def detect_contacts(w: ti.template(), island_id):
    """Compute contact points, friction patches and turns of an island at the poses of the step's start."""
    island = w.island[island_id]
    place_colliders(w, island_id)
    touching, changed = 0, broadcast(0.0)
    for g in range(island.pair, island.pair_end):
        near = boxes_overlap(w, g)
        w.pair[g].near = ti.select(near, broadcast(1.0), 0.0)
        w.pair[g].point_count = 0.0
        w.pair[g].order = 0.0
        if any_lane(near | (w.contacts.manager[g] > 0.0)):
            for lane in range(LANES):
                if lane_is_awake(w, lane):
                    single_lanes.update_pair(single_lanes.LaneView(w, lane), g)
            count = w.pair[g].point_count  # 0 in lanes that sleep
            touching = ti.select(any_lane(count > 0.0), 1, touching)
            w.pair[g].most_points = broadcast(lane_largest(count))
            w.pair[g].most_anchors = broadcast(lane_largest(w.contacts.anchor_count[g]))
            w.pair[g].order = ti.select(count > 0.0, broadcast(1.0), 0.0)
            if island.orders_pairs:
                parted = near != (w.contacts.manager[g] > 0.0)
                changed = ti.select(parted | ((count > 0.0) != (w.contacts.touch_number[g] > 0.0)), 1.0, changed)
            else:
                w.contacts.manager[g] = keep_asleep(w, w.pair[g].near, w.contacts.manager[g])
    if island.orders_pairs:
        if any_lane(changed > 0.0):
            for lane in range(LANES):
                if lane_is_awake(w, lane) and lane_of_pack(changed, lane) > 0.0:
                    single_lanes.order_pairs(single_lanes.LaneView(w, lane), island_id)
    w.set_touching(touching)
    if touching:
        if island.orders_pairs:
            for g in range(island.pair, island.pair_end):
                if any_lane(w.pair[g].point_count > 0.0):
                    w.pair[g].order = ti.select(w.pair[g].point_count > 0.0, w.contacts.solve_order[g], 0.0)
        plan_turns(w, island_id)


@ti.func
def prepare_contacts(w: ti.template(), island_id, params):
    """Compute the rows of all pairs of an island that touch."""
    if w.touching:
        for g in range(w.island[island_id].pair, w.island[island_id].pair_end):
            if any_lane(w.pair[g].order > 0.0):
                prepare_pair(w, g, params)


@ti.func
def plan_turns(w: ti.template(), island_id):
    """Write the turns of the island: those outside the sweeps, then those of every link."""
    island = w.island[island_id]
    turn = write_turns(w, island.pair, island.early_pair_end, 0)
    if island.pair < island.pair_end:
        w.pair[island.pair].early_turn_end = broadcast(turn)
    g = island.early_pair_end + 0
    while g < island.pair_end:
        node = w.node[w.side[w.pair[g].side].node]
        w.pair[g].turn = broadcast(turn)
        turn = write_turns(w, g, node.pair_end, turn)
        w.pair[g].turn_end = broadcast(turn)
        g = node.pair_end + 0


@ti.func
def solve_contacts(w: ti.template(), island_id, iteration):
    """Solve the pairs of an island once, except those of a link with what is static."""
    island = w.island[island_id]
    if w.touching > 0 and island.pair < island.early_pair_end:
        for turn in range(first_lane(w.pair[island.pair].early_turn_end)):
            g = pair_of_turn(w, turn)
            side = w.pair[g].side
            for s in range(side, side + 2):
                w.side[s].v = link_velocity(w, s, iteration.substep_time, iteration.h)
            wrench0, off1 = solve_pair(w, g, lanes_of_turn(w, turn), iteration)
            apply_link_impulse(w, side, wrench0)
            apply_link_impulse(w, side + 1, off1 * -1.0)


@ti.func
def solve_static_contacts(w: ti.template(), k, settled, dv, iteration):
    """Solve the contacts of the link of node k with what is static once, within a sweep.

    `settled`: the link's velocity without the change `dv` by the impulses of this pass.
    Returns `dv` with the impulses of these contacts; their wrench is added to BRANCH_IMPULSE.
    """
    node = w.node[k]
    now = dv.copy()
    if node.pair < node.pair_end:
        for turn in range(first_lane(w.pair[node.pair].turn), first_lane(w.pair[node.pair].turn_end)):
            g = pair_of_turn(w, turn)
            impulse = solve_static_pair(w, g, lanes_of_turn(w, turn), settled + now, iteration)
            now = now + node.response.apply(impulse)
            node.branch_impulse = node.branch_impulse - impulse
    return now
