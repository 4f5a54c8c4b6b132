"""Bundles: consecutive turns of one world whose pairs share no body, solved at once in the lanes of a vector.

PhysX's colours make most consecutive pairs such, so their order is kept: what pairs without a common body do to each
other is nothing. A row waits for the row before it some 80 cycles, in which a vector solves eight pairs.
"""

import importlib

import taichi as ti

from ...tables.bundles import ANCHORS, BUNDLE_LANES, LEAST_PAIRS
from ...tables.bundles import POINT_INPUTS as POINT_INPUT_ROWS
from .. import BUNDLE
from ..lanes import materialize, traced
from ..link_sides import apply_link_impulse, link_velocity
from ..spatial import select, zero_vector
from .broad_phase.active_pairs import slot_at
from .friction.bundle_view import (
    anchor_of_bundle,
    anchor_responses,
    bundle_at,
    first_of_bundle,
    point_of_bundle,
    point_responses,
)
from .friction.contact_rows import read_kinematic_side
from .friction.contact_solver import side_motion
from .order.lane_order import slot_of_turn

POINT_INPUTS = tuple(name.lower() for name in POINT_INPUT_ROWS)


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
    """Write the turns of the bundles, of those outside the sweeps, and mark the pairs whose rows bundles compute."""
    for i in range(w.island[island_id].member, w.island[island_id].member_end):
        w.articulation[w.member[i].articulation].bundled = 0
    for i in range(w.pairs):
        w.slot[slot_at(w, i)].bundled = 0
    turn, count = 0, 0
    while turn < w.early_turns:
        end = turn + 0
        while end < w.early_turns and end - turn < BUNDLE_LANES and fits_in_bundle(w, end, turn + 1):
            end += 1
        if end - turn >= LEAST_PAIRS and count + 1 < w.header.bundle_count:
            plan_bundle(w, first_of_bundle(w, count), turn, end)
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
def plan_bundle(w: ti.template(), first, turn, end):
    """Write the turns of a bundle, and the most points and anchors of its pairs; mark pairs of free bodies."""
    points, anchors, links = 0, 0, 0
    for i in range(turn, end):
        g = slot_of_turn(w, i)
        links = links | has_links(w, g)
        points = ti.max(points, w.slot[g].most_points)
        anchors = ti.max(anchors, w.patch[g].most_anchors)
    for lane in range(end - turn, BUNDLE_LANES):
        bundle_at(w, first, lane).clear()
    for i in range(turn, end):
        w.slot[slot_of_turn(w, i)].bundled = 1 - links
    own = bundle_at(w, first, 0)
    own.first = turn
    own.end = end
    own.most_points = points
    own.most_anchors = anchors
    own.has_links = links


@ti.func
def write_bundles(w: ti.template(), params):
    """Write the rows of all bundles: those of free bodies are computed in lanes, others copied from their pairs."""
    b, more = 0, w.header.bundle_count > 0
    while more:
        first = first_of_bundle(w, b)
        bundle = bundle_at(w, first, 0)
        more = bundle.first >= 0
        if more:
            if bundle.has_links:
                copy_rows(w, first)
            else:
                compute_rows(w, first, params)
        b += 1


@ti.func
def copy_rows(w: ti.template(), first):
    """Write the rows of a bundle as its pairs have them, and zeros in the lanes without a pair or a row."""
    bundle = bundle_at(w, first, 0)
    turn, end, points, anchors = bundle.first + 0, bundle.end + 0, bundle.most_points + 0, bundle.most_anchors + 0
    for lane in range(BUNDLE_LANES):
        g, points_here, anchors_here = 0, 0, 0
        if turn + lane < end:
            g = slot_of_turn(w, turn + lane)
            points_here, anchors_here = w.slot[g].most_points + 0, w.patch[g].most_anchors + 0
            own = bundle_at(w, first, lane)
            copy_pair(w, own, g)
            own.min_force = w.patch[g].min_force
            own.share = w.patch[g].share
        for i in range(points):
            if i < points_here:
                point_of_bundle(w, first, i, lane).copy(w.contact[w.slot[g].contact + i])
                point_responses(w, first, i, lane).copy(w.contact[w.slot[g].contact + i])
            else:
                point_of_bundle(w, first, i, lane).clear()
                point_responses(w, first, i, lane).clear()
        for i in range(anchors):
            if i < anchors_here:
                anchor_of_bundle(w, first, i, lane).copy(w.anchor[ANCHORS * g + i])
                anchor_responses(w, first, i, lane).copy(w.anchor[ANCHORS * g + i])
            else:
                anchor_of_bundle(w, first, i, lane).clear()
                anchor_responses(w, first, i, lane).clear()


@ti.func
def compute_rows(w: ti.template(), first, params):
    """Compute the rows of a bundle of free bodies and what is static, in lanes."""
    bundle = bundle_at(w, first, 0)
    turn, end, points, anchors = bundle.first + 0, bundle.end + 0, bundle.most_points + 0, bundle.most_anchors + 0
    for lane in range(end - turn):
        g, own = slot_of_turn(w, turn + lane), bundle_at(w, first, lane)
        copy_pair(w, own, g)
        copy_patch(w, own, g)
        for i in range(points):  # also those that this pair lacks: lanes that end alike take less time
            point_of_bundle(w, first, i, lane).copy(w.contact[w.slot[g].contact + i], POINT_INPUTS)
        for i in range(anchors):
            anchor, exists = anchor_of_bundle(w, first, i, lane), w.contacts.anchor_count[g] > 1.0 * i
            anchor.place0 = select(exists, w.contacts.anchor0[ANCHORS * g + i], zero_vector())  # else it may be NaN
            anchor.place1 = select(exists, w.contacts.anchor1[ANCHORS * g + i], zero_vector())
    for lane in range(end - turn, BUNDLE_LANES):
        for i in range(anchors):
            anchor = anchor_of_bundle(w, first, i, lane)
            anchor.place0 = zero_vector()
            anchor.place1 = zero_vector()
    compute_rows_at_once(w, first, params)


@ti.func
def copy_patch(w: ti.template(), own: ti.template(), g):
    """Write what the rows of pair g are computed from, beside its sides and points."""
    own.moves1 = ti.select(own.node1 >= 0, 1.0, 0.0)
    own.point_count = 1.0 * w.slot[g].point_count
    own.rest_distance = w.slot[g].rest_distance
    own.contact_restitution = w.slot[g].contact_restitution
    if ti.static(w.features.slops):
        own.contact_slop = w.slot[g].contact_slop
    own.normal = w.patch[g].normal
    own.anchor_count = w.contacts.anchor_count[g]


@traced
def compute_rows_at_once(w, first, params):
    """Compute the rows of the bundle whose first number is at a place, in lanes."""
    lanes_of_pairs("contact_rows").prepare_bundled_pairs(bundle_view(w, first, True), params)


@traced
def bundle_view(w, first, free_sides):
    """Return the view, in lanes, of the bundle whose first number is at a place."""
    lanes = [bundle_at(w, first, lane) for lane in range(BUNDLE_LANES)]
    bodies = [[w.node[materialize(ti.max(getattr(own, f"node{i}"), 0))] for own in lanes] for i in range(2)]
    return lanes_of_pairs("bundle_view").BundleView(w, first, bodies, free_sides)


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
    turn, end = bundle.first + 0, bundle.end + 0
    if bundle.has_links:
        read_links(w, first, turn, end, iteration)
        solve_rows_at_once(w, first, iteration, False)
        for i in range(turn, end):
            g, own = slot_of_turn(w, i), bundle_at(w, first, i - turn)
            apply_link_impulse(w, w.slot[g].side0, own.impulse0)
            apply_link_impulse(w, w.slot[g].side1, own.impulse1)
    else:
        solve_rows_at_once(w, first, iteration, True)
        for lane in range(end - turn):
            own = bundle_at(w, first, lane)
            w.node[own.node0].impulse += own.impulse0 * -1.0
            if own.node1 >= 0:
                w.node[own.node1].impulse += own.impulse1 * -1.0
    if iteration.last:
        for i in range(turn, end):
            w.contacts.slipped[slot_of_turn(w, i)] = bundle_at(w, first, i - turn).slipped
    return end


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
def solve_rows_at_once(w, first, iteration, free_sides):
    """Solve the rows of the bundle whose first number is at a place, in lanes."""
    lanes_of_pairs("contact_solver").solve_bundled_pairs(bundle_view(w, first, free_sides), iteration)


@ti.func
def read_impulses_back(w: ti.template()):
    """Write the impulses of all pairs in bundles where their other numbers are, for the results of a step."""
    if ti.static(bundles_pairs(w)):
        b, more = 0, w.touching > 0 and w.header.bundle_count > 0
        while more:
            first = first_of_bundle(w, b)
            bundle = bundle_at(w, first, 0)
            more = bundle.first >= 0
            if more:
                turn, end = bundle.first + 0, bundle.end + 0
                for i in range(turn, end):
                    read_back(w, first, i - turn, slot_of_turn(w, i))
            b += 1


@ti.func
def read_back(w: ti.template(), first, lane, g):
    """Write the impulses of a pair in a lane of a bundle where its other numbers are."""
    if bundle_at(w, first, 0).has_links == 0:  # else its pair has the directions of friction
        w.patch[g].tangent0 = bundle_at(w, first, lane).tangent0
        w.patch[g].tangent1 = bundle_at(w, first, lane).tangent1
    for i in range(w.slot[g].most_points):
        w.contact[w.slot[g].contact + i].impulse = point_of_bundle(w, first, i, lane).impulse
    for i in range(w.patch[g].most_anchors):
        w.anchor[ANCHORS * g + i].impulse0 = anchor_of_bundle(w, first, i, lane).impulse0
        w.anchor[ANCHORS * g + i].impulse1 = anchor_of_bundle(w, first, i, lane).impulse1
