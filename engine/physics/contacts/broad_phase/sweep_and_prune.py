"""Near pairs of many bodies: bodies are sorted by bands of space, and each is compared with those that begin beside it.

Bands lie across the axis along which the bodies are spread most, and are as wide as the widest body that moves; in a
band bodies are sorted along the axis of the next most spread. A body is compared with those of the two or three bands
that it may overlap, which begin within it along the second axis, or before it by no more than the largest width; wider
ones, as the ground, are compared with every body. Places along the axes are those of all lanes together. Partners come
in the order of their numbers, as groups lie.
"""

import taichi as ti

from ...lanes import UniformStruct, any_lane, broadcast, lane_largest, lane_least, traced
from ...spatial import Vec3
from ..binary_search import lower_bound
from ..lane_choice import lane_of_pack
from ..merge_sort import merge_sort
from .near_pairs import bodies_meet, list_near_pairs
from .numbered_pairs import BodyPair, pairs_of_bodies
from .speculation import reach_ahead

ROUNDING = 1e-6
"""Share of a coordinate by which a box is grown so that none is lost to rounding."""

BANDS = 4
"""Most bands that a body and what begins before it overlap: each is as wide as either at most."""

FARTHEST = 1e6
"""Number of the last band, as a float next to which there are others; it has what lies farther, too."""


class PlaceInBand(UniformStruct):
    """A place along the second axis in a band."""

    parts, types = ("band", "begin"), (None, None)


@ti.func
def sweep_bodies(w: ti.template(), island_id):
    """List the near pairs of an island but those of sweeps; return their count, those in slots and lost ones."""
    island, count, taken, lost = w.island[island_id], 0, broadcast(0.0), broadcast(0.0)
    first, second = widest_axes(w, island_id)
    widest = write_ends(w, island_id, first, second)
    narrow = sort_narrow_bodies(w, island_id, widest)
    write_bounds(w, island_id, first, second)
    for i in range(island.body_end - island.body):
        listed = list_partners(w, island_id, i, narrow, widest)
        group = w.body[island.body + i].group + 0
        for k in range(listed):
            partner = island.body + w.crowd[k].partner
            first_pair, end = 0, 0
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
    """Write where each body begins and ends along two axes, in any lane; return the largest width of one that moves."""
    island, widest = w.island[island_id], 0.0
    for i in range(island.body_end - island.body):
        low, high = bounds_of_body(w, island.body + i)
        w.crowd[i].begin0 = broadcast(lane_least(along(low, first)))
        w.crowd[i].end0 = broadcast(lane_largest(along(high, first)))
        w.crowd[i].begin1 = broadcast(lane_least(along(low, second)))
        w.crowd[i].end1 = broadcast(lane_largest(along(high, second)))
        if w.body[island.body + i].link >= 0:
            widest = ti.max(widest, width_of(w, i))
    return widest


@traced
def width_of(w, i):
    """Return the larger width of a body along both axes."""
    item = w.crowd[i]
    return lane_of_pack(ti.max(item.end0 - item.begin0, item.end1 - item.begin1), 0)


@traced
def band_of(x, widest):
    """Return the number of the band of a coordinate, which never falls where the coordinate grows."""
    return ti.max(ti.min(ti.floor(x / widest), FARTHEST), -FARTHEST)


@ti.func
def bounds_of_body(w: ti.template(), body):
    """Return the lower and upper corner of the cube of a body that may move, or of the box of a static one."""
    low, high = w.body[body].low, w.body[body].high
    if w.body[body].link >= 0:
        p, r = w.state.position[w.body[body].link], reach_ahead(w, body)
        reach = Vec3(r, r, r)
        low, high = p - reach, p + reach
    return low, high


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
def write_bounds(w: ti.template(), island_id, first, second):
    """Write side by side, in the order of the sorted list, where bodies begin and end; but along the second with slack.

    Bodies that do not overlap there do not meet by `bodies_meet`, whose sums round otherwise.
    """
    body = w.island[island_id].body
    for place in range(w.island[island_id].body_end - body):
        i = w.crowd[place].listed
        low, high = bounds_of_body(w, body + i)
        w.crowd[place].start_band = w.crowd[i].band
        w.crowd[place].start = w.crowd[i].begin1
        w.crowd[place].low0, w.crowd[place].high0 = extent(low, high, first)
        w.crowd[place].low1, w.crowd[place].high1 = extent(low, high, 3 - first - second)


@ti.func
def extent(low, high, axis):
    """Return where a box begins and ends along an axis in any lane, with slack for rounding."""
    least, most = lane_least(along(low, axis)), lane_largest(along(high, axis))
    slack = ROUNDING * (ti.abs(least) + ti.abs(most))
    return broadcast(least - slack), broadcast(most + slack)


@ti.func
def sort_narrow_bodies(w: ti.template(), island_id, widest):
    """Sort the bodies no wider than `widest` by bands, then along the second axis, then list the others.

    Returns how many are narrow.
    """
    total, narrow = w.island[island_id].body_end - w.island[island_id].body, 0
    wide = total + 0
    for i in range(total):
        w.crowd[i].band = broadcast(band_of(lane_of_pack(w.crowd[i].begin0, 0), widest))
        if width_of(w, i) <= widest:
            w.crowd[narrow].listed = i
            narrow += 1
        else:
            wide -= 1
            w.crowd[wide].listed = i
    merge_sort(w, w.crowd, narrow, begins_before)
    for i in range(narrow):
        w.crowd[w.crowd[i].listed].place = i
    for i in range(narrow, total):
        w.crowd[w.crowd[i].listed].place = i
    return narrow


@ti.func
def begins_before(w: ti.template(), i, j):
    """Return whether body i comes before body j in the order of sorting: by bands, then along the second axis."""
    one, two = w.crowd[i], w.crowd[j]
    band, other = lane_of_pack(one.band, 0), lane_of_pack(two.band, 0)
    return (band < other) | ((band == other) & (lane_of_pack(one.begin1, 0) < lane_of_pack(two.begin1, 0)))


@ti.func
def first_from(w: ti.template(), narrow, band, begin):
    """Return the place of the first sorted body of a band, or behind it, that begins at `begin` or after it."""
    return lower_bound(w, 0, narrow, starts_before, PlaceInBand(band, begin))


@ti.func
def starts_before(w: ti.template(), at, place):
    """Return whether the body at a place of the sorted list comes before a place in a band."""
    own = lane_of_pack(w.crowd[at].start_band, 0)
    return own < place.band or (own == place.band and start_at(w, at) < place.begin)


@ti.func
def list_partners(w: ti.template(), island_id, i, narrow, widest):
    """List the bodies after body i whose boxes overlap its own in any lane, by their numbers; return their count."""
    total, place, listed = w.island[island_id].body_end - w.island[island_id].body, w.crowd[i].place, 0
    if place < narrow:
        begin, end = lane_of_pack(w.crowd[i].begin1, 0), lane_of_pack(w.crowd[i].end1, 0)
        band = band_of(lane_of_pack(w.crowd[i].begin0, 0) - widest, widest)
        last = band_of(lane_of_pack(w.crowd[i].end0, 0), widest)
        for _k in range(BANDS):
            if band <= last:
                at = first_from(w, narrow, band, begin - widest)
                while at < narrow and is_in_band(w, ti.min(at, total - 1), band, end):
                    listed = list_if_beside(w, island_id, i, at, listed)
                    at += 1
            band += 1.0
    for at in range(ti.select(place < narrow, narrow, 0), total):  # a wide body is compared with all
        listed = list_if_beside(w, island_id, i, at, listed)
    return listed


@traced
def is_in_band(w, place, band, end):
    """Return whether the body at a place of the sorted list is of a band, and begins before `end`."""
    return (lane_of_pack(w.crowd[place].start_band, 0) == band) & (start_at(w, place) <= end)


@ti.func
def list_if_beside(w: ti.template(), island_id, i, at, listed):
    """List the body at a place of the sorted list if it comes after body i and overlaps it; return the new length."""
    total, j = listed, w.crowd[at].listed
    if j > i:
        if overlap_across(w, w.crowd[i].place, at):
            total = list_partner(w, island_id, i, j, listed)
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
def list_partner(w: ti.template(), island_id, i, j, listed):
    """Insert body j into the list of partners of body i if it overlaps it; return the length of the list."""
    total, first = listed, w.island[island_id].body
    if any_lane(bodies_meet(w, first + i, first + j)):
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
