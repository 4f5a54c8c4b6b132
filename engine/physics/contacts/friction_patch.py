"""Friction patch of one lane: which anchors of the last step stay, and which points become new ones.

A patch stays if it did not slip in the last iteration, its normal in both bodies still agrees, and its anchors have not
parted along it by more than the correlation distance. Two anchors much closer than the points are dropped. Points near
enough become anchors: the first, the next one elsewhere, and from then on the farthest. A surviving anchor keeps its
error: it holds a box on a slope.
"""

import taichi as ti

from ..lanes import broadcast
from ..rotation import Quat
from ..spatial import Vec3
from .pose import Pose
from .scalars import whole

SAME_NORMAL = 0.999
SAME_POINT = 1e-8  # squared distance [m²]


@ti.func
def side_pose(w: ti.template(), s):
    """Return the pose of the body at side s: its centre of mass and orientation; for what is static, the world's."""
    pose = Pose(Vec3(0.0, 0.0, 0.0), Quat(Vec3(0.0, 0.0, 0.0), 1.0))
    k = w.side[s].node
    if k >= 0:
        link = w.node[k].link
        pose.p = w.state.position[link]
        pose.q = w.state.orientation[link]
    return pose


@ti.func
def forget_patch(w: ti.template(), g):
    """Remove the anchors of pair g."""
    w.contacts.anchor_count[g] = 0.0
    w.contacts.slipped[g] = 0.0


@ti.func
def update_patch(w: ti.template(), g):
    """Compute the anchors of pair g for this step from its contact points; there is at least one."""
    first = w.slot[g].contact
    here, there = side_pose(w, w.slot[g].side0), side_pose(w, w.slot[g].side1)
    n = w.contact[first].normal
    w.slot[g].normal = n
    if not stays(w, g, here, there, n):
        w.contacts.anchor_count[g] = 0.0
        w.contacts.patch_normal0[g] = here.q.unrotate(n)
        w.contacts.patch_normal1[g] = there.q.unrotate(n)
    w.contacts.slipped[g] = 0.0
    drop_close_anchors(w, g)
    if w.contacts.anchor_count[g] < 2.0:
        grow_anchors(w, g, here, there)


@ti.func
def stays(w: ti.template(), g, here, there, n):
    """Return whether the patch of the last step goes on with normal n."""
    normal0, normal1 = here.q.rotate(w.contacts.patch_normal0[g]), there.q.rotate(w.contacts.patch_normal1[g])
    count = whole(w.contacts.anchor_count[g])
    holds = count > 0 and w.contacts.slipped[g] == 0.0
    if normal0.dot(normal1) <= SAME_NORMAL or n.dot(normal0) < SAME_NORMAL:
        holds = False
    for i in range(count):
        apart = here.apply(w.contacts.anchor0[2 * g + i]) - there.apply(w.contacts.anchor1[2 * g + i])
        if ti.abs(apart.dot(normal0)) >= w.param.friction_correlation[0]:
            holds = False
    return holds


@ti.func
def drop_close_anchors(w: ti.template(), g):
    """Drop two anchors whose distance is below half the diagonal of the box around the points."""
    if w.contacts.anchor_count[g] == 2.0:
        first = w.slot[g].contact
        start = w.contact[first].point
        low, high = start.copy(), start.copy()
        for i in range(first + 1, first + whole(w.slot[g].point_count)):
            p = w.contact[i].point
            low.x, low.y, low.z = ti.min(low.x, p.x), ti.min(low.y, p.y), ti.min(low.z, p.z)
            high.x, high.y, high.z = ti.max(high.x, p.x), ti.max(high.y, p.y), ti.max(high.z, p.z)
        diagonal, apart = high - low, w.contacts.anchor0[2 * g] - w.contacts.anchor0[2 * g + 1]
        if 4.0 * apart.dot(apart) < diagonal.dot(diagonal):
            w.contacts.anchor_count[g] = 0.0


@ti.func
def grow_anchors(w: ti.template(), g, here, there):
    """Make anchors of contact points that are near enough."""
    count = whole(w.contacts.anchor_count[g])
    one, two, best = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0), broadcast(0.0)
    kept = count
    if count == 1:
        one = here.apply(w.contacts.anchor0[2 * g])
    first = w.slot[g].contact
    for i in range(first, first + whole(w.slot[g].point_count)):
        if w.contact[i].separation < w.param.friction_offset[0] + w.param.rest_distance[w.slot[g].pair]:
            p = w.contact[i].point
            away, off = p - one, p - two
            a, b = away.dot(away), off.dot(off)
            if count == 0:
                one = p
                count = 1
            elif count == 1:
                best = a
                if a > SAME_POINT:
                    two = p
                    count = 2
            elif a > b:
                if a > best:
                    two = p
                    best = a
            elif b > best:
                one = p
                best = b
    w.contacts.anchor_count[g] = 1.0 * count
    if kept == 0 and count > 0:
        w.contacts.anchor0[2 * g] = here.unapply(one)
        w.contacts.anchor1[2 * g] = there.unapply(one)
    if count > 1:
        w.contacts.anchor0[2 * g + 1] = here.unapply(two)
        w.contacts.anchor1[2 * g + 1] = there.unapply(two)
