"""Friction patches: which anchors of the last step stay, and which points become new ones; of all lanes at once.

A patch stays if it did not slip in the last iteration, its normal in both bodies still agrees, and its anchors have not
parted along it by more than the correlation distance. Two anchors much closer than the points are dropped. Points near
enough become anchors: the first, the next one elsewhere, and from then on the farthest. A surviving anchor keeps its
error: it holds a box on a slope. A pair with a triangle mesh has a patch per normal: see `mesh_patches`.
"""

import taichi as ti

from ... import LANES
from ...lanes import any_lane, broadcast, lane_largest, maximum, minimum, traced
from ...spatial import Vec3, select, zero_vector
from ..kinds import MESH
from ..lane_choice import lane_of_pack, single_lanes
from ..pair_sleep import keep_pair_asleep
from ..patches import is_in_patch, patch_at, patch_count, patch_stays, patches_per_slot, side_pose
from .surface_velocity import forget_anchors

SAME_POINT = 1e-8
"""Squared distance up to which two points are one anchor, in stage units."""
BEYOND = 1e15  # what no point is [m]


@ti.func
def update_patches(w: ti.template(), g):
    """Compute the friction patches of pair g for this step and their anchors; without points it forgets them."""
    touches, most = w.slot[g].point_count > 0.0, 1
    if ti.static(w.features.surfaces):
        forget_anchors(w, g)
    if ti.static(w.features.meshes):
        if has_one_patch(w, g):
            for i in range(w.slot[g].most_points):
                w.contact[w.slot[g].contact + i].patch = broadcast(0.0)
        else:
            most = patches_per_slot(w) + 0
            for lane in range(LANES):
                if lane_of_pack(w.slot[g].point_count, lane) > 0.0:
                    single_lanes.sort_into_patches(single_lanes.LaneView(w, lane), g)
        w.slot[g].most_patches = most
    if w.slot[g].most_points > 0:
        here, there = side_pose(w, w.slot[g].side0), side_pose(w, w.slot[g].side1)
        if has_one_patch(w, g):
            keep_patch(w, g, here, there, touches)
        for k in range(patch_count(w, g)):
            at = patch_at(w, g, k)
            count = ti.select(touches, w.contacts.anchor_count[at], 0.0)
            if any_lane(count == 2.0):
                count = ti.select((count == 2.0) & anchors_are_close(w, g, k), 0.0, count)
            if any_lane(count < 2.0):
                count = grow_anchors(w, g, k, here, there, count)
            set_anchor_count(w, g, at, count)
    else:
        for k in range(patch_count(w, g)):
            set_anchor_count(w, g, patch_at(w, g, k), broadcast(0.0))


@ti.func
def set_anchor_count(w: ti.template(), g, at, count):
    """Write the number of anchors of the patch at a place, which has not slipped so far."""
    w.contacts.anchor_count[at] = keep_pair_asleep(w, g, count, w.contacts.anchor_count[at])
    w.contacts.slipped[at] = keep_pair_asleep(w, g, broadcast(0.0), w.contacts.slipped[at])
    w.patch[at].most_anchors = lane_largest(w.contacts.anchor_count[at])


@traced
def has_one_patch(w, g):
    """Return whether pair g has one patch at most: it is none with a triangle mesh."""
    return w.collider[w.slot[g].collider_b].shape != MESH if w.features.meshes else True


@ti.func
def keep_patch(w: ti.template(), g, here, there, touches):
    """Write normal and number of kept anchors of the only patch of pair g, where the pair touches."""
    at = patch_at(w, g, 0)
    n = select(touches, w.contact[w.slot[g].contact].normal, zero_vector())
    w.patch[at].normal = n
    holds = patch_stays(w, at, here, there, n)
    fresh = touches & ~holds
    if any_lane(fresh):
        w.contacts.patch_normal0[at] = select(fresh, here.q.unrotate(n), w.contacts.patch_normal0[at])
        w.contacts.patch_normal1[at] = select(fresh, there.q.unrotate(n), w.contacts.patch_normal1[at])
        w.contacts.anchor_count[at] = ti.select(fresh, 0.0, w.contacts.anchor_count[at])


@traced
def filled(x):
    """Return a vector with three equal components."""
    return Vec3(broadcast(x), broadcast(x), broadcast(x))


@ti.func
def anchors_are_close(w: ti.template(), g, k):
    """Return whether the distance of two anchors is below half the diagonal of the box around the patch's points."""
    first, at = w.slot[g].contact, patch_at(w, g, k)
    low, high = filled(BEYOND), filled(-BEYOND)
    for i in range(w.slot[g].most_points):
        exists, p = point_is_in_patch(w, g, i, k), w.contact[first + i].point
        least = Vec3(minimum(low.x, p.x), minimum(low.y, p.y), minimum(low.z, p.z))
        most = Vec3(maximum(high.x, p.x), maximum(high.y, p.y), maximum(high.z, p.z))
        low, high = select(exists, least, low), select(exists, most, high)
    diagonal, apart = high - low, w.contacts.anchor0[2 * at] - w.contacts.anchor0[2 * at + 1]
    return 4.0 * apart.dot(apart) < diagonal.dot(diagonal)


@ti.func
def grow_anchors(w: ti.template(), g, k, here, there, kept):
    """Make anchors of contact points that are near enough where there are less than two; return their number."""
    at = patch_at(w, g, k)
    one = select(kept == 1.0, here.apply(w.contacts.anchor0[2 * at]), zero_vector())
    two, best, count = zero_vector(), broadcast(0.0), kept
    limit = w.param.friction_offset[0] + w.slot[g].rest_distance
    for i in range(w.slot[g].most_points):
        contact = w.contact[w.slot[g].contact + i]
        p, near = contact.point, point_is_in_patch(w, g, i, k) & (contact.separation < limit) & (kept < 2.0)
        away, off = p - one, p - two
        a, b = away.dot(away), off.dot(off)
        is_first, is_second, is_later = near & (count == 0.0), near & (count == 1.0), near & (count == 2.0)
        adds = is_second & (a > SAME_POINT)
        second = adds | (is_later & (a > b) & (a > best))
        first = is_first | (is_later & ~(a > b) & (b > best))
        best = ti.select(is_second | (is_later & second), a, ti.select(is_later & first, b, best))
        one, two = select(first, p, one), select(second, p, two)
        count = ti.select(is_first | adds, count + 1.0, count)
    first, second = (kept == 0.0) & (count > 0.0), (kept < 2.0) & (count > 1.0)
    w.contacts.anchor0[2 * at] = select(first, here.unapply(one), w.contacts.anchor0[2 * at])
    w.contacts.anchor1[2 * at] = select(first, there.unapply(one), w.contacts.anchor1[2 * at])
    w.contacts.anchor0[2 * at + 1] = select(second, here.unapply(two), w.contacts.anchor0[2 * at + 1])
    w.contacts.anchor1[2 * at + 1] = select(second, there.unapply(two), w.contacts.anchor1[2 * at + 1])
    return count


@traced
def point_is_in_patch(w, g, i, k):
    """Return whether the pair has a contact point i, and it is in patch k."""
    return is_in_patch(w, w.contact[w.slot[g].contact + i], k, w.slot[g].point_count > 1.0 * i)
