"""Bundles: consecutive turns of one world whose pairs share no body, solved at once in the lanes of a vector.

PhysX's colours make most consecutive pairs such, so their order is kept: what pairs without a common body do to each
other is nothing. A row waits for the row before it some 80 cycles, in which a vector solves eight pairs.
"""

import importlib

import taichi as ti

from ...tables.bundles import ANCHORS, BUNDLE_LANES, LEAST_PAIRS
from .. import BUNDLE
from ..lanes import traced
from ..link_sides import apply_link_impulse, body_velocity, link_velocity
from ..spatial import Motion
from .friction.bundle_view import anchor_of_bundle, bundle_at, first_of_bundle, point_of_bundle
from .friction.contact_rows import read_kinematic_side
from .friction.contact_solver import side_motion
from .order.lane_order import slot_of_turn


@traced
def bundles_pairs(w):
    """Return whether a kernel has bundles: one for many bodies of one world, whose pairs have one patch each."""
    return bool(BUNDLE) and w.features.crowds and not w.features.meshes


@traced
def lanes_of_pairs(file):
    """Return a file of friction in the package whose lanes are pairs."""
    return importlib.import_module(f"{BUNDLE}.contacts.friction.{file}")


@ti.func
def plan_bundles(w: ti.template(), island_id):
    """Write the bundles of the turns outside the sweeps, with the rows of their pairs, which are prepared."""
    for i in range(w.island[island_id].member, w.island[island_id].member_end):
        w.articulation[w.member[i].articulation].bundled = 0
    turn, count = 0, 0
    while turn < w.early_turns:
        end = turn + 0
        while end < w.early_turns and end - turn < BUNDLE_LANES and fits_in_bundle(w, end, turn + 1):
            end += 1
        if end - turn >= LEAST_PAIRS and count + 1 < w.header.bundle_count:
            write_bundle(w, count, turn, end)
            count += 1
        turn = ti.max(end, turn + 1)
    if count < w.header.bundle_count:
        bundle_at(w, first_of_bundle(w, count), 0).first = -1


@ti.func
def fits_in_bundle(w: ti.template(), turn, mark):
    """Return whether the pair of a turn fits into the bundle with this mark; if so, mark its bodies."""
    g, fits = slot_of_turn(w, turn), False
    if g >= 0:
        one, two = w.slot[g].owner0, w.slot[g].owner1
        plain = w.slot[g].compliant == 0 and w.slot[g].twists == 0 and w.slot[g].surfaces == 0
        fits = plain and w.articulation[one].bundled != mark
        if two >= 0:
            fits = fits and two != one and w.articulation[ti.max(two, 0)].bundled != mark
        if fits:
            w.articulation[one].bundled = mark
            if two >= 0:
                w.articulation[two].bundled = mark
    return fits


@ti.func
def write_bundle(w: ti.template(), b, turn, end):
    """Write bundle b: the pairs of the turns from one to another, and zeros in the lanes without a pair or a row."""
    first, points, anchors, links = first_of_bundle(w, b), 0, 0, 0
    for i in range(turn, end):
        g = slot_of_turn(w, i)
        links = links | has_links(w, g)
        points = ti.max(points, w.slot[g].most_points)
        anchors = ti.max(anchors, w.patch[g].most_anchors)
    for lane in range(BUNDLE_LANES):
        own = bundle_at(w, first, lane)
        own.clear()
        g, points_here, anchors_here = 0, 0, 0
        if turn + lane < end:
            g = slot_of_turn(w, turn + lane)
            points_here, anchors_here = w.slot[g].most_points + 0, w.patch[g].most_anchors + 0
            copy_pair(w, own, g)
        for i in range(points):
            if i < points_here:
                point_of_bundle(w, first, i, lane).copy(w.contact[w.slot[g].contact + i])
            else:
                point_of_bundle(w, first, i, lane).clear()
        for i in range(anchors):
            if i < anchors_here:
                anchor_of_bundle(w, first, i, lane).copy(w.anchor[ANCHORS * g + i])
            else:
                anchor_of_bundle(w, first, i, lane).clear()
    own = bundle_at(w, first, 0)
    own.first = turn
    own.end = end
    own.most_points = points
    own.most_anchors = anchors
    own.has_links = links


@ti.func
def has_links(w: ti.template(), g):
    """Return 1 if a side of pair g is a link of an articulation, or a kinematic body, else 0."""
    two = w.slot[g].owner1
    links = ti.select(w.articulation[w.slot[g].owner0].free_body > 0, 0, 1)
    if two >= 0:
        links = ti.select(w.articulation[ti.max(two, 0)].free_body > 0, links, 1)
    elif w.side[w.slot[g].side1].node >= 0:
        links = 1
    return links


@ti.func
def copy_pair(w: ti.template(), own: ti.template(), g):
    """Write the numbers of pair g in its lane of a bundle."""
    own.node0 = w.side[w.slot[g].side0].node
    own.node1 = w.side[w.slot[g].side1].node
    own.max_depenetration = w.slot[g].max_depenetration
    own.contact_static_friction = w.slot[g].contact_static_friction
    own.contact_dynamic_friction = w.slot[g].contact_dynamic_friction
    if ti.static(w.features.impulse_limits):
        own.contact_max_impulse = w.slot[g].contact_max_impulse
    own.in_block = w.contacts.in_block[g]
    own.slipped = w.contacts.slipped[g]
    own.min_force = w.patch[g].min_force
    own.share = w.patch[g].share


@ti.func
def bundle_of_turn(w: ti.template(), b, turn):
    """Return whether bundle b begins with a turn."""
    begins = False
    if b < w.header.bundle_count:
        begins = bundle_at(w, first_of_bundle(w, b), 0).first == turn
    return begins


@ti.func
def solve_bundle(w: ti.template(), b, iteration):
    """Solve the pairs of bundle b once; return the turn after its last one."""
    first = first_of_bundle(w, b)
    bundle = bundle_at(w, first, 0)
    turn, end, points, anchors = bundle.first + 0, bundle.end + 0, bundle.most_points + 0, bundle.most_anchors + 0
    if bundle.has_links:
        read_links(w, first, turn, end, iteration)
    else:
        read_bodies(w, first, end - turn, iteration)
    solve_rows_at_once(w, first, points, anchors, iteration)
    if bundle.has_links:
        for i in range(turn, end):
            g, own = slot_of_turn(w, i), bundle_at(w, first, i - turn)
            apply_link_impulse(w, w.slot[g].side0, own.impulse0)
            apply_link_impulse(w, w.slot[g].side1, own.impulse1)
    else:
        for lane in range(end - turn):
            own = bundle_at(w, first, lane)
            w.node[own.node0].impulse += own.impulse0 * -1.0
            if own.node1 >= 0:
                w.node[own.node1].impulse += own.impulse1 * -1.0
    if iteration.last:
        for i in range(turn, end):
            read_back(w, first, i - turn, slot_of_turn(w, i))
    return end


@ti.func
def read_bodies(w: ti.template(), first, count, iteration):
    """Write velocities and motions of the sides of a bundle, which are free bodies and what is static."""
    for lane in range(count):
        own = bundle_at(w, first, lane)
        here, there = own.node0 + 0, own.node1 + 0
        own.v0 = body_velocity(w, here, iteration.substep_time, iteration.h)
        if there >= 0:
            own.v1 = body_velocity(w, there, iteration.substep_time, iteration.h)
        if iteration.tgs:
            own.moved0 = Motion(w.node[here].delta_rotation, w.node[here].root_displacement)
            if there >= 0:
                own.moved1 = Motion(w.node[there].delta_rotation, w.node[there].root_displacement)


@ti.func
def read_links(w: ti.template(), first, turn, end, iteration):
    """Write velocities and motions of the sides of a bundle with links or kinematic bodies."""
    for i in range(turn, end):
        g, own = slot_of_turn(w, i), bundle_at(w, first, i - turn)
        own.v0 = link_velocity(w, w.slot[g].side0, iteration.substep_time, iteration.h)
        own.v1 = link_velocity(w, w.slot[g].side1, iteration.substep_time, iteration.h)
        if ti.static(w.features.kinematics):
            read_kinematic_side(w, g, iteration.tgs)
            if w.slot[g].owner1 < 0:
                own.v1 = w.side[w.slot[g].side1].v
        if iteration.tgs:
            own.moved0 = side_motion(w, w.slot[g].side0)
            own.moved1 = side_motion(w, w.slot[g].side1)


@traced
def solve_rows_at_once(w, first, points, anchors, iteration):
    """Solve the rows of the bundle whose first number is at a place, in lanes."""
    view = lanes_of_pairs("bundle_view").BundleView(w, first, points, anchors)
    lanes_of_pairs("contact_solver").solve_bundled_pairs(view, iteration)


@ti.func
def read_back(w: ti.template(), first, lane, g):
    """Write the impulses of a pair in a lane of a bundle where its other numbers are."""
    for i in range(w.slot[g].most_points):
        w.contact[w.slot[g].contact + i].impulse = point_of_bundle(w, first, i, lane).impulse
    for i in range(w.patch[g].most_anchors):
        w.anchor[ANCHORS * g + i].impulse0 = anchor_of_bundle(w, first, i, lane).impulse0
        w.anchor[ANCHORS * g + i].impulse1 = anchor_of_bundle(w, first, i, lane).impulse1
    w.contacts.slipped[g] = bundle_at(w, first, lane).slipped
