"""Contacts of an island: points and rows at the start of a step, the pairs in their turns, and their results.

Pairs of a link with what is static are solved in the sweep of the link; all others before the sweeps. Results lie at
the place of every pair, or one after the other in shared slots.
"""

import taichi as ti

from ...tables.word_values import LEADS_TO_CONTACT, LOST_STATIC, TOUCHES
from .. import LANES
from ..lanes import any_lane, broadcast, indicator, lane_largest, mask, maximum, traced
from ..link_sides import apply_link_impulse, link_velocity
from ..maximal_joint import solve_maximal_joint
from .broad_phase.active_pairs import slot_at, update_active_pairs
from .broad_phase.broad_phase import find_near_pairs
from .bundles import bundle_of_turn, bundles_pairs, plan_bundles, read_impulses_back, solve_bundle, write_bundles
from .friction.contact_report import clear_results, write_results
from .friction.contact_rows import prepare_pair, read_kinematic_side
from .friction.contact_solver import solve_pair, solve_static_pair
from .friction.friction_patch import update_patches
from .kinds import compiles
from .lane_choice import holds_in_lane, keep_asleep, lane_is_awake, pair_is_updated, single_lanes
from .narrow_phase.points_on_plane import ON_PLANE, rests_on_plane, update_points_on_plane
from .order.lane_order import lanes_of_turn, slot_of_turn, write_outer_turns, write_turns
from .pair_sleep import awake_sides, keep_pair_asleep


@ti.func
def detect_contacts(w: ti.template(), island_id, h):
    """Compute contact points, friction patches and turns of an island at the poses of the step's start."""
    found = find_near_pairs(w, island_id, h)
    if found + w.pairs > 0:
        update_active_pairs(w, island_id, found)
    if ti.static(w.features.sleeps):
        find_points(w, island_id)
        watch_sleep(w, island_id)
    touching, changed = 0, mask(False)
    if w.island[island_id].orders_pairs:
        changed = w.contacts.contact_steps[island_id] > 1.0
    for i in range(w.pairs):
        g = slot_at(w, i)
        near = w.slot[g].near
        if ti.static(not w.features.sleeps):
            w.slot[g].point_count = 0
            update_points(w, g)
        count = w.slot[g].point_count  # 0 in lanes that sleep
        w.slot[g].most_points = lane_largest(count)
        update_patches(w, g)
        touching = ti.select(w.slot[g].most_points > 0, 1, touching)
        w.slot[g].order = indicator(count > 0.0)
        if w.island[island_id].orders_pairs:
            parted = near != (w.contacts.contact_id[g] > 0.0)
            touches = keep_pair_asleep(w, g, count, w.contacts.touch_number[g]) > 0.0
            changed = changed | parted | (touches != (w.contacts.touch_number[g] > 0.0))
            if ti.static(w.features.sleeps):  # what sleeps is not solved
                changed = changed | ((count > 0.0) != (w.contacts.solve_order[g] > 0.0))
        else:
            w.contacts.contact_id[g] = keep_asleep(w, indicator(near), w.contacts.contact_id[g])
            if ti.static(w.features.sleeps):
                w.contacts.touch_number[g] = keep_pair_asleep(w, g, w.slot[g].order, w.contacts.touch_number[g])
    if w.island[island_id].orders_pairs:
        if any_lane(changed):
            for lane in range(LANES):
                if lane_is_awake(w, lane) and holds_in_lane(changed, lane):
                    single_lanes.order_pairs(single_lanes.LaneView(w, lane), island_id)
        steps = w.contacts.contact_steps[island_id]
        w.contacts.contact_steps[island_id] = keep_asleep(w, maximum(steps, 1.0), steps)
    w.set_count("touching", touching)
    w.set_count("early_turns", 0)
    if touching:
        plan_turns(w, island_id)


@ti.func
def find_points(w: ti.template(), island_id):
    """Compute the contact points of the pairs of which a body is awake, and of those that wake by them."""
    for i in range(w.pairs):
        g = slot_at(w, i)
        w.slot[g].awake = awake_sides(w, g)
        w.slot[g].updates = w.slot[g].awake
        w.slot[g].point_count = 0
    updates = True
    while updates:
        for i in range(w.pairs):
            if any_lane(w.slot[slot_at(w, i)].updates):
                update_points(w, slot_at(w, i))
        updates = False
        if w.drowsy:
            for lane in range(LANES):
                if lane_is_awake(w, lane):
                    single_lanes.wake_what_touches(single_lanes.LaneView(w, lane), island_id)
            for i in range(w.pairs):
                updates = updates or any_lane(w.slot[slot_at(w, i)].updates)


@ti.func
def watch_sleep(w: ti.template(), island_id):
    """Write what the timers need of the contacts, and what falls asleep in this step."""
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        for k in range(w.articulation[a].root, w.articulation[a].end):
            w.node[k].near_pairs = broadcast(0.0)
    for i in range(w.pairs):
        g = slot_at(w, i)
        slot = w.slot[g]
        for s in range(2):
            side = w.side[slot.side(s)]
            if side.node >= 0:
                w.node[side.node].near_pairs += indicator(slot.near)
        if slot.owner1 < 0 and w.side[slot.side1].node < 0:
            ended = slot.awake & (slot.point_count == 0.0) & (w.contacts.touch_number[g] > 0.0)
            if any_lane(ended):
                body = w.articulation[slot.owner0]
                body.lost = ti.select(ended, LOST_STATIC, body.lost)
                body.ready = body.ready & ~ended
    if w.drowsy:
        for lane in range(LANES):
            if lane_is_awake(w, lane):
                single_lanes.choose_sleepers(single_lanes.LaneView(w, lane), island_id)


@ti.func
def update_points(w: ti.template(), g):
    """Compute the contact points of pair g in this step."""
    by_lane = True
    if ti.static(compiles(w, *ON_PLANE)):
        if rests_on_plane(w, g):
            update_points_on_plane(w, g)
            by_lane = False
    if by_lane:
        for lane in range(LANES):
            if pair_is_updated(w, g, lane):
                single_lanes.update_pair(single_lanes.LaneView(w, lane), g)


@ti.func
def prepare_contacts(w: ti.template(), island_id, params):
    """Compute the rows of all pairs of an island that touch."""
    if w.touching:
        if ti.static(bundles_pairs(w)):
            plan_bundles(w, island_id)
        for i in range(w.pairs):
            by_itself = any_lane(w.slot[slot_at(w, i)].order > 0.0)
            if ti.static(bundles_pairs(w)):
                by_itself = by_itself and w.slot[slot_at(w, i)].bundled == 0
            if by_itself:
                prepare_pair(w, slot_at(w, i), params)
        if ti.static(bundles_pairs(w)):
            write_bundles(w, params)


@ti.func
def plan_turns(w: ti.template(), island_id):
    """Write the turns of the island: those outside the sweeps, then those of every link."""
    if w.island[island_id].orders_pairs:
        for i in range(w.pairs):
            slot = w.slot[slot_at(w, i)]
            slot.order = ti.select(slot.point_count > 0.0, w.contacts.solve_order[slot_at(w, i)], 0.0)
    mark_touching_nodes(w, island_id)
    turn = write_outer_turns(w, island_id)
    w.set_count("early_turns", turn)
    first = w.early_pairs + 0
    while first < w.pairs:
        body, end = body_of(w, first), first + 1
        while end < w.pairs and body_of(w, ti.min(end, w.pairs - 1)) == body:
            end += 1
        w.body[body].turn = turn
        turn = write_turns(w, first, end, turn)
        w.body[body].turn_end = turn
        first = end + 0


@ti.func
def mark_touching_nodes(w: ti.template(), island_id):
    """Write TOUCHING of the nodes of articulations, and that no link has turns."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        if w.member[i].has_rows > 0:
            a = w.member[i].articulation
            for k in range(w.articulation[a].root, w.articulation[a].end):
                w.node[k].touching = 0
    for i in range(island.body, island.body_end):
        w.body[i].turn = 0
        w.body[i].turn_end = 0
    for i in range(w.pairs):
        g = slot_at(w, i)
        if w.slot[g].has_link > 0 and w.slot[g].most_points > 0:
            for s in range(2):
                side = w.side[w.slot[g].side(s)]
                if side.node >= 0:
                    for at in range(side.path, side.path_end):
                        above = w.node[w.path[at].node]
                        above.touching = ti.max(above.touching, LEADS_TO_CONTACT)
                    w.node[side.node].touching = TOUCHES


@traced
def body_of(w, i):
    """Return the body of the link of an active pair with something static."""
    return w.node[w.side[w.slot[slot_at(w, i)].side0].node].body


@ti.func
def solve_contacts(w: ti.template(), island_id, iteration):
    """Solve the pairs of an island once, except those of a link with what is static; its joints in between."""
    turn, bundle = 0, 0
    while turn < w.early_turns:
        by_itself = True
        if ti.static(bundles_pairs(w)):
            if bundle_of_turn(w, bundle, turn):
                turn = solve_bundle(w, bundle, iteration)
                bundle += 1
                by_itself = False
        if by_itself:
            solve_turn(w, turn, iteration)
            turn += 1


@ti.func
def solve_turn(w: ti.template(), turn, iteration):
    """Solve the pair or joint of a turn outside the sweeps once."""
    g = slot_of_turn(w, turn)
    if ti.static(w.features.joints):
        if g < 0:
            solve_maximal_joint(w, -1 - g, iteration)
        else:
            solve_outer_pair(w, g, lanes_of_turn(w, turn), iteration)
    else:
        solve_outer_pair(w, g, lanes_of_turn(w, turn), iteration)


@ti.func
def solve_outer_pair(w: ti.template(), g, lanes, iteration):
    """Solve pair g, which is not of a link with what is static, once in these lanes."""
    for i in range(2):
        s = w.slot[g].side(i)
        w.side[s].v = link_velocity(w, s, iteration.substep_time, iteration.h)
    read_kinematic_side(w, g, iteration.tgs)
    wrench0, wrench1 = solve_pair(w, g, lanes, iteration)
    apply_link_impulse(w, w.slot[g].side0, wrench0)
    apply_link_impulse(w, w.slot[g].side1, wrench1)


@ti.func
def solve_static_contacts(w: ti.template(), k, settled, dv, iteration):
    """Solve the contacts of the link of node k with what is static once, within a sweep.

    `settled`: the link's velocity without the change `dv` by the impulses of this pass.
    Returns `dv` with the impulses of these contacts; their wrench is added to BRANCH_IMPULSE.
    """
    node = w.node[k]
    now = dv.copy()
    if node.body >= 0:
        for turn in range(w.body[node.body].turn, w.body[node.body].turn_end):
            g = slot_of_turn(w, turn)
            impulse = solve_static_pair(w, g, lanes_of_turn(w, turn), settled + now, iteration)
            now = now + node.response.apply(impulse)
            node.branch_impulse = node.branch_impulse - impulse
    return now


@ti.func
def stop_at_first_touch(w: ti.template(), island_id):
    """Stop the swept bodies of an island where they first meet a shape in this step."""
    for lane in range(LANES):
        if lane_is_awake(w, lane):
            single_lanes.stop_swept_bodies(single_lanes.LaneView(w, lane), island_id)


@ti.func
def write_contact_forces(w: ti.template(), island_id, params):
    """Write number of points, force and contact points of the pairs of an island."""
    read_impulses_back(w)
    if ti.static(w.features.slots):
        for lane in range(LANES):
            if lane_is_awake(w, lane):
                single_lanes.write_own_forces(single_lanes.LaneView(w, lane), island_id, params.h)
    else:
        for g in range(w.island[island_id].pair, w.island[island_id].pair_end):
            if ti.static(w.features.sleeps):
                w.set_writes(awake_sides(w, g), mask(False))
            if any_lane(w.results.pair_points[g] > 0.0):  # of an earlier step
                clear_results(w, g, w.slot[g].contact, w.slot[g].contact_end)
        for i in range(w.pairs):
            g = slot_at(w, i)
            if ti.static(w.features.sleeps):
                w.set_writes(awake_sides(w, g), mask(False))
            write_results(w, g, g, w.slot[g].contact, params.h)
