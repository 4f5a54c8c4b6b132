"""Friction patch: which anchors of the last step stay, and which points become new ones; of all lanes at once.

A patch stays if it did not slip in the last iteration, its normal in both bodies still agrees, and its anchors have not
parted along it by more than the correlation distance. Two anchors much closer than the points are dropped. Points near
enough become anchors: the first, the next one elsewhere, and from then on the farthest. A surviving anchor keeps its
error: it holds a box on a slope.
"""

import taichi as ti

from ..lanes import absolute, broadcast, maximum, minimum
from ..rotation import Quat
from ..spatial import Vec3, select, zero_vector
from ..stored import first_lane
from .lane_choice import keep_asleep
from .pose import Pose

SAME_NORMAL = 0.999
SAME_POINT = 1e-8  # squared distance [m²]


@ti.func
def side_pose(w: ti.template(), s):
    """Return the pose of the body at side s: its centre of mass and orientation; for what is static, the world's."""
    pose = Pose(zero_vector(), Quat(zero_vector(), broadcast(1.0)))
    k = w.side[s].node
    if k >= 0:
        link = w.node[k].link
        pose.p = w.state.position[link]
        pose.q = w.state.orientation[link]
    return pose


@ti.func
def update_patch(w: ti.template(), g):
    """Compute the anchors of pair g for this step from its contact points; without points it forgets them."""
    touches = w.slot[g].point_count > 0.0
    count = broadcast(0.0)
    if first_lane(w.slot[g].most_points) > 0:
        here, there = side_pose(w, w.slot[g].side0), side_pose(w, w.slot[g].side1)
        n = select(touches, w.contact[w.slot[g].contact].normal, zero_vector())
        w.slot[g].normal = n
        holds = stays(w, g, here, there, n)
        fresh = touches & ~holds
        w.contacts.patch_normal0[g] = select(fresh, here.q.unrotate(n), w.contacts.patch_normal0[g])
        w.contacts.patch_normal1[g] = select(fresh, there.q.unrotate(n), w.contacts.patch_normal1[g])
        count = ti.select(touches & holds, w.contacts.anchor_count[g], 0.0)
        count = ti.select((count == 2.0) & anchors_are_close(w, g), 0.0, count)
        count = grow_anchors(w, g, here, there, count)
    w.contacts.anchor_count[g] = keep_asleep(w, count, w.contacts.anchor_count[g])
    w.contacts.slipped[g] = keep_asleep(w, broadcast(0.0), w.contacts.slipped[g])


@ti.func
def stays(w: ti.template(), g, here, there, n):
    """Return whether the patch of the last step goes on with normal n."""
    normal0, normal1 = here.q.rotate(w.contacts.patch_normal0[g]), there.q.rotate(w.contacts.patch_normal1[g])
    count = w.contacts.anchor_count[g]
    holds = (count > 0.0) & (w.contacts.slipped[g] == 0.0)
    holds = holds & (normal0.dot(normal1) > SAME_NORMAL) & (n.dot(normal0) >= SAME_NORMAL)
    for i in range(2):
        apart = here.apply(w.contacts.anchor0[2 * g + i]) - there.apply(w.contacts.anchor1[2 * g + i])
        parted = absolute(apart.dot(normal0)) >= w.param.friction_correlation[0]
        holds = holds & ~(parted & (count > 1.0 * i))
    return holds


@ti.func
def anchors_are_close(w: ti.template(), g):
    """Return whether the distance of two anchors is below half the diagonal of the box around the points."""
    first = w.slot[g].contact
    start = w.contact[first].point
    low, high = start.copy(), start.copy()
    for i in range(1, first_lane(w.slot[g].most_points)):
        exists, p = w.slot[g].point_count > 1.0 * i, w.contact[first + i].point
        least = Vec3(minimum(low.x, p.x), minimum(low.y, p.y), minimum(low.z, p.z))
        most = Vec3(maximum(high.x, p.x), maximum(high.y, p.y), maximum(high.z, p.z))
        low, high = select(exists, least, low), select(exists, most, high)
    diagonal, apart = high - low, w.contacts.anchor0[2 * g] - w.contacts.anchor0[2 * g + 1]
    return 4.0 * apart.dot(apart) < diagonal.dot(diagonal)


@ti.func
def grow_anchors(w: ti.template(), g, here, there, kept):
    """Make anchors of contact points that are near enough where there are less than two; return their number."""
    one = select(kept == 1.0, here.apply(w.contacts.anchor0[2 * g]), zero_vector())
    two, best, count = zero_vector(), broadcast(0.0), kept + 0.0
    limit = w.param.friction_offset[0] + w.param.rest_distance[w.slot[g].pair]
    for i in range(first_lane(w.slot[g].most_points)):
        contact = w.contact[w.slot[g].contact + i]
        p, near = contact.point, (w.slot[g].point_count > 1.0 * i) & (contact.separation < limit) & (kept < 2.0)
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
    w.contacts.anchor0[2 * g] = select(first, here.unapply(one), w.contacts.anchor0[2 * g])
    w.contacts.anchor1[2 * g] = select(first, there.unapply(one), w.contacts.anchor1[2 * g])
    w.contacts.anchor0[2 * g + 1] = select(second, here.unapply(two), w.contacts.anchor0[2 * g + 1])
    w.contacts.anchor1[2 * g + 1] = select(second, there.unapply(two), w.contacts.anchor1[2 * g + 1])
    return count
