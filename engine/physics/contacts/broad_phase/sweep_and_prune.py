"""Near pairs of many bodies: bodies are sorted by bands of space, and each is compared with those that begin beside it.

Bands lie across the axis along which the bodies are spread most, and are as wide as the widest body that moves. They
have layers of that height across the axis of the least spread, in which bodies are sorted along the axis of the next
most spread. A body is compared with those of the two or three bands and layers that it may overlap, which begin within
it along the second axis, or before it by no more than the largest width; wider ones, as the ground, are compared with
every body. If what stands still is as narrow as what moves but higher, there are no layers. Places along the axes are
those of all lanes together; a body lies within its box if it has one collider, else within its cube. Partners come in
the order of their numbers, as groups lie.

These places are those of the room of a body, a grown box in which its partners stay those that they are: bodies are
sorted again only when one has left its room (`kept_partners`).
"""

import taichi as ti

from ....tables.contact_scratch import CROWD_SCRATCH
from ....tables.scratch import rows_of
from ...lanes import UniformStruct, any_lane, broadcast, materialize, traced
from ...stored import cells, stored
from ..binary_search import lower_bound
from ..lane_choice import lane_of_pack
from ..merge_sort import merge_sort
from .kept_partners import any_body_left, forget_partners, keep_partners, recall_partners, write_rooms
from .near_pairs import bodies_meet, list_near_pairs, overlap
from .numbered_pairs import BodyPair, pairs_of_bodies

BANDS = 4
"""Most bands, or layers, that a body and what begins before it overlap: each is as wide as either at most."""

FIRST_START = CROWD_SCRATCH["STARTS"][0]

ENDLESS = 1e30
"""Height of the layers of bodies that have none [stage units]."""

FARTHEST = 1e6
"""Number of the last band, as a float next to which there are others; it has what lies farther, too."""


class PlaceInBand(UniformStruct):
    """A place along the second axis in a layer of a band."""

    parts, types = ("band", "layer", "begin"), (None, None, None)


class Reach(UniformStruct):
    """First and last band and layer in which a body may overlap others, and where these begin at the earliest."""

    parts = ("band", "last_band", "layer", "last_layer", "begin")


class Sorting(UniformStruct):
    """A sorted list of bodies: how many are narrow, the width of bands, the height of layers, first and last layer."""

    parts, types = ("narrow", "width", "height", "lowest", "highest"), (None, None, None, None, None)


@ti.func
def sweep_bodies(w: ti.template(), island_id):
    """List the near pairs of an island but those of sweeps; return their count, those in slots and lost ones."""
    island, count, taken, lost = w.island[island_id], 0, broadcast(0.0), broadcast(0.0)
    sorts, sorting = any_body_left(w, island_id), Sorting(0, 0.0, 0.0, 0.0, 0.0)
    if sorts:
        sorting = sort_bodies(w, island_id)
        forget_partners(w)
    for i in range(island.body_end - island.body):
        listed = 0
        if sorts:
            listed = list_partners(w, island_id, i, sorting)
            keep_partners(w, island_id, i, listed)
        else:
            listed = recall_partners(w, i)
        group = w.body[island.body + i].group + 0
        for k in range(listed):
            partner = island.body + w.crowd[k].partner
            first_pair, end = 0, 0
            meets = any_lane(overlap(w.crowd[i], w.crowd[w.crowd[k].partner]))
            if meets and any_lane(bodies_meet(w, island.body + i, partner)):
                if island.lists_pairs:
                    group = find_group(w, group, w.body[island.body + i].group_end, partner)
                    if group < w.body[island.body + i].group_end:
                        if w.group[group].body1 == partner:
                            first_pair, end = w.group[group].pair + 0, w.group[group].pair_end + 0
                else:
                    first_pair, end = pairs_of_bodies(w, island.body + i, partner)
            if first_pair < end:
                bodies = BodyPair(island.body + i, partner, first_pair, end)
                count, taken, lost = list_near_pairs(w, island_id, bodies, count, taken, lost)
    return count, taken, lost


@ti.func
def sort_bodies(w: ti.template(), island_id):
    """Sort the bodies of an island and write where the partners of each begin; return how they are sorted."""
    first, second = widest_axes(w, island_id)
    write_rooms(w, island_id)
    widest = write_ends(w, island_id, first, second)
    sorting = sort_narrow_bodies(w, island_id, widest)
    write_bounds(w, island_id)
    write_starts(w, sorting)
    return sorting


@ti.func
def widest_axes(w: ti.template(), island_id):
    """Return the axes, 0 to 2, along which the bodies that move are spread most and next most; in the first lane."""
    island = w.island[island_id]
    count, x, y, z, xx, yy, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(island.body, island.body_end):
        if w.body[i].link >= 0:
            p = w.state.position[w.body[i].link]
            a, b, c = lane_of_pack(p.x, 0), lane_of_pack(p.y, 0), lane_of_pack(p.z, 0)
            count += 1.0
            x += a
            y += b
            z += c
            xx += a * a
            yy += b * b
            zz += c * c
    count = ti.max(count, 1.0)
    xx, yy, zz = xx - x * x / count, yy - y * y / count, zz - z * z / count
    first, second = 0, 1
    if yy > xx:
        first, second = 1, 0
    if zz > ti.max(xx, yy):
        first, second = 2, first
    elif zz > ti.min(xx, yy):
        second = 2
    return first, second


@ti.func
def write_ends(w: ti.template(), island_id, first, second):
    """Write where each body begins and ends along all axes, in any lane; return the largest width of one that moves."""
    island, widest, third = w.island[island_id], 0.0, 3 - first - second
    for i in range(island.body_end - island.body):
        low, high = w.crowd[i].room_low, w.crowd[i].room_high
        w.crowd[i].begin0, w.crowd[i].end0 = extent(low, high, first)
        w.crowd[i].begin1, w.crowd[i].end1 = extent(low, high, second)
        w.crowd[i].begin2, w.crowd[i].end2 = extent(low, high, third)
        if w.body[island.body + i].link >= 0:
            widest = ti.max(widest, width_of(w, i), height_of(w, i))
    return widest


@traced
def width_of(w, i):
    """Return the larger width of a body along the first and second axis."""
    item = w.crowd[i]
    return lane_of_pack(ti.max(item.end0 - item.begin0, item.end1 - item.begin1), 0)


@traced
def height_of(w, i):
    """Return the width of a body along the third axis."""
    return lane_of_pack(w.crowd[i].end2 - w.crowd[i].begin2, 0)


@traced
def band_of(x, widest):
    """Return the number of the band of a coordinate, which never falls where the coordinate grows."""
    return ti.max(ti.min(ti.floor(x / widest), FARTHEST), -FARTHEST)


@ti.func
def along(vector, axis):
    """Return the component of a vector along an axis, 0 to 2."""
    component = vector.x
    if axis == 1:
        component = vector.y
    elif axis == 2:
        component = vector.z
    return component


@ti.func
def write_bounds(w: ti.template(), island_id):
    """Write side by side, in the order of the sorted list, where bodies begin and end."""
    for place in range(w.island[island_id].body_end - w.island[island_id].body):
        i = w.crowd[place].listed
        w.crowd[place].start_band = w.crowd[i].band
        w.crowd[place].start_layer = w.crowd[i].layer
        w.crowd[place].start = w.crowd[i].begin1
        w.crowd[place].low0 = w.crowd[i].begin0
        w.crowd[place].high0 = w.crowd[i].end0
        w.crowd[place].low1 = w.crowd[i].begin2
        w.crowd[place].high1 = w.crowd[i].end2


@ti.func
def extent(low, high, axis):
    """Return where a box begins and ends along an axis."""
    return along(low, axis), along(high, axis)


@ti.func
def sort_narrow_bodies(w: ti.template(), island_id, widest):
    """Sort the bodies no wider than `widest` by bands, layers and along the second axis, then list the others."""
    total, narrow = w.island[island_id].body_end - w.island[island_id].body, 0
    wide, height, lowest, highest = total + 0, layer_height(w, island_id, widest), FARTHEST, -FARTHEST
    for i in range(total):
        w.crowd[i].band = broadcast(band_of(lane_of_pack(w.crowd[i].begin0, 0), widest))
        layer = band_of(lane_of_pack(w.crowd[i].begin2, 0), height)
        w.crowd[i].layer = broadcast(layer)
        if width_of(w, i) <= widest:
            w.crowd[narrow].listed = i
            narrow += 1
            lowest, highest = ti.min(lowest, layer), ti.max(highest, layer)
        else:
            wide -= 1
            w.crowd[wide].listed = i
    merge_sort(w, w.crowd, narrow, begins_before)
    for i in range(total):
        w.crowd[w.crowd[i].listed].place = i
    return Sorting(narrow, widest, height, lowest, highest)


@ti.func
def layer_height(w: ti.template(), island_id, widest):
    """Return the height of a layer: that of no narrow body is larger."""
    height = widest + 0.0
    for i in range(w.island[island_id].body_end - w.island[island_id].body):
        if width_of(w, i) <= widest and height_of(w, i) > widest:
            height = ENDLESS
    return height


@ti.func
def begins_before(w: ti.template(), i, j):
    """Return whether body i comes before body j in the order of sorting: by bands, layers and along the second axis."""
    one, two = w.crowd[i], w.crowd[j]
    band, other = lane_of_pack(one.band, 0), lane_of_pack(two.band, 0)
    layer, beside = lane_of_pack(one.layer, 0), lane_of_pack(two.layer, 0)
    earlier = (layer < beside) | ((layer == beside) & (lane_of_pack(one.begin1, 0) < lane_of_pack(two.begin1, 0)))
    return (band < other) | ((band == other) & earlier)


@ti.func
def starts_before(w: ti.template(), at, place):
    """Return whether the body at a place of the sorted list comes before a place in a layer of a band."""
    band, layer = lane_of_pack(w.crowd[at].start_band, 0), lane_of_pack(w.crowd[at].start_layer, 0)
    earlier = layer < place.layer or (layer == place.layer and start_at(w, at) < place.begin)
    return band < place.band or (band == place.band and earlier)


@ti.func
def list_partners(w: ti.template(), island_id, i, sorting):
    """List the bodies after body i whose boxes overlap its own in any lane, by their numbers; return their count."""
    total, place, listed = w.island[island_id].body_end - w.island[island_id].body, w.crowd[i].place, 0
    if place < sorting.narrow:
        reach = reach_of(w, i, sorting)
        for k in range(BANDS):
            for j in range(BANDS):
                layer = reach.layer + j
                if reach.band + k <= reach.last_band and layer <= reach.last_layer:
                    here = PlaceInBand(reach.band + k, layer, reach.begin)
                    listed = list_of_layer(w, island_id, i, sorting.narrow, here, BANDS * k + j, listed)
    for at in range(ti.select(place < sorting.narrow, sorting.narrow, 0), total):  # a wide body is compared with all
        listed = list_if_beside(w, i, at, listed)
    return listed


@ti.func
def reach_of(w: ti.template(), i, sorting):
    """Return the bands and layers in which narrow body i may overlap others."""
    bottom = band_of(lane_of_pack(w.crowd[i].begin2, 0) - sorting.height, sorting.height)
    top = band_of(lane_of_pack(w.crowd[i].end2, 0), sorting.height)
    return Reach(
        band=band_of(lane_of_pack(w.crowd[i].begin0, 0) - sorting.width, sorting.width),
        last_band=band_of(lane_of_pack(w.crowd[i].end0, 0), sorting.width),
        layer=ti.max(bottom, sorting.lowest),
        last_layer=ti.min(top, sorting.highest),
        begin=lane_of_pack(w.crowd[i].begin1, 0) - sorting.width,
    )


@traced
def start_row(w, i, which):
    """Return where in the sorted list the partners of body i in one of its layers and bands begin."""
    row = materialize(w.header.crowd_scratch + i * rows_of("CROWD") + FIRST_START + which)
    return stored(int, cells(w, w.scratch, w.first_island_scratch, row, 1))


@traced
def write_start(w, i, which, at):
    """Write where the partners of body i in one of its layers and bands begin."""
    start_row(w, i, which)._assign(at)


@ti.func
def write_starts(w: ti.template(), sorting):
    """Write where the partners of each narrow body begin in each of its layers and bands.

    In the order of the sorted list these places hardly ever go back: each is sought from that of the body before.
    """
    last = w.crowd[0].listed
    for which in range(BANDS * BANDS):
        write_start(w, last, which, 0)
    for place in range(sorting.narrow):
        i = w.crowd[place].listed
        reach = reach_of(w, i, sorting)
        for k in range(BANDS):
            for j in range(BANDS):
                at = start_row(w, last, BANDS * k + j) + 0
                if reach.band + k <= reach.last_band and reach.layer + j <= reach.last_layer:
                    target = PlaceInBand(reach.band + k, reach.layer + j, reach.begin)
                    while at > 0 and not starts_before(w, ti.max(at - 1, 0), target):
                        at -= 1
                    while at < sorting.narrow and starts_before(w, ti.min(at, sorting.narrow - 1), target):
                        at += 1
                write_start(w, i, BANDS * k + j, at)
        last = i + 0


@ti.func
def list_of_layer(w: ti.template(), island_id, i, narrow, place, which, listed):
    """List the partners of body i from a place in a layer of a band on; return the length of the list."""
    total, count = w.island[island_id].body_end - w.island[island_id].body, listed
    end = lane_of_pack(w.crowd[i].end1, 0)
    at = start_row(w, i, which) + 0
    while at < narrow and is_in_layer(w, ti.min(at, total - 1), place, end):
        count = list_if_beside(w, i, at, count)
        at += 1
    return count


@traced
def is_in_layer(w, at, place, end):
    """Return whether the body at a place of the sorted list is of a layer of a band, and begins before `end`."""
    here = lane_of_pack(w.crowd[at].start_band, 0) == place.band
    return here & (lane_of_pack(w.crowd[at].start_layer, 0) == place.layer) & (start_at(w, at) <= end)


@ti.func
def list_if_beside(w: ti.template(), i, at, listed):
    """List the body at a place of the sorted list if it comes after body i and overlaps it; return the new length."""
    total, j = listed, w.crowd[at].listed
    if (j > i) & overlap_across(w, w.crowd[i].place, at):  # one branch, as either half alone is hard to predict
        total = list_partner(w, i, j, listed)
    return total


@traced
def start_at(w, place):
    """Return where the body at a place of the sorted list begins along the axis."""
    return lane_of_pack(w.crowd[place].start, 0)


@ti.func
def overlap_across(w: ti.template(), here, there):
    """Return whether the bodies at two places of the list overlap along the first and third axis, in any lane."""
    one, two = w.crowd[here], w.crowd[there]
    first = (one.low0 <= two.high0) & (two.low0 <= one.high0)
    second = (one.low1 <= two.high1) & (two.low1 <= one.high1)
    return any_lane(first & second)


@ti.func
def list_partner(w: ti.template(), i, j, listed):
    """Insert body j into the list of partners of body i if it overlaps it; return the length of the list."""
    total, one, two = listed, w.crowd[i], w.crowd[j]
    if any_lane((one.begin1 <= two.end1) & (two.begin1 <= one.end1)):
        place = listed + 0
        while place > 0 and w.crowd[ti.max(place - 1, 0)].partner > j:
            w.crowd[place].partner = w.crowd[place - 1].partner
            place -= 1
        w.crowd[place].partner = j
        total += 1
    return total


@ti.func
def find_group(w: ti.template(), start, end, partner):
    """Return the first group from `start` on, of those before `end`, whose second body is `partner` or comes later.

    Where no pair of bodies is filtered, groups lie as bodies do, and the partner's lies where it is looked for first.
    """
    low, high = start + 0, end + 0
    if low < high:
        middle = ti.min(low + partner - w.group[low].body1, high - 1)  # none of its groups lies farther
        if middle >= low:
            if w.group[middle].body1 >= partner:
                high = middle
                if w.group[middle].body1 == partner:
                    low = middle
    return lower_bound(w, low, high, has_partner_before, partner)


@ti.func
def has_partner_before(w: ti.template(), group, partner):
    """Return whether the second body of a group comes before this one."""
    return w.group[group].body1 < partner
