"""Cores of the two convex shapes of a pair: poses, farthest points, and the pairs of these that a search keeps.

core: the centre of a sphere, the axis of a capsule, a triangle of a mesh, else the shape; its margin is the radius

A cylinder or cone meets anything but a plane so, as PhysX has it. Poses and rotations follow PhysX's operations: where
faces are parallel, round-off decides which points are found.

A new point of a core that is nearer to a kept one than a hundredth of the core is that one: they are welded. A pair of
welded points, one of each core, is a corner of a simplex or polytope within the differences a − b.
"""

import taichi as ti

from .....tables.contacts import SUPPORT_SLOTS
from ....lanes import broadcast, traced
from ....rotation import Quat
from ....spatial import Vec3, zero_vector
from ...kinds import BOX, CAPSULE, CONE, CYLINDER, HULL, MESH, SPHERE
from ...pose import Pose
from ...scalars import FLOAT_EPSILON, unit_by_reciprocal

WELDED_SHARE = 0.01
"""Accuracy of a core, per its largest extent: points nearer to each other are welded."""
ON_AXIS = 1e-5
MOST_WELDED = SUPPORT_SLOTS // 2


@traced
def sign(x):
    """Return 1 or -1; 1 for zero."""
    return ti.select(x >= 0.0, broadcast(1.0), -1.0)


@traced
def turned(q, v):
    """Return a vector rotated by a quaternion, by PhysX's operations."""
    u, w2 = v * 2.0, q.w * q.w - 0.5
    return u * w2 + q.v.cross(u) * q.w + q.v * q.v.dot(u)


@traced
def turned_back(q, v):
    """Return a vector rotated by the inverse of a quaternion, by PhysX's operations."""
    u, w2 = v * 2.0, q.w * q.w - 0.5
    return u * w2 - q.v.cross(u) * q.w + q.v * q.v.dot(u)


@ti.func
def place_core(w: ti.template(), c):
    """Return the world pose of collider c, by PhysX's operations."""
    p, q, link = w.param.collider_position[c], w.param.collider_rotation[c], w.collider[c].link
    pose = Pose(Vec3(p.x, p.y, p.z), q.copy())
    if w.collider[c].node >= 0:
        body, origin = w.state.orientation[link], w.state.position[link]
        v, cosine = body.v.copy(), body.w
        pose.p = (p * (cosine * cosine - 0.5) + v.cross(p) * cosine + v * v.dot(p)) * 2.0 + origin
        pose.q = Quat(v * q.w + (q.v * cosine + v.cross(q.v)), cosine * q.w - v.dot(q.v))
    return pose


@ti.func
def load_core(w: ti.template(), side, c, pose):
    """Write core 0 or 1: that of collider c at a pose."""
    core, shape, size = w.core[side], w.collider[c].shape, w.param.collider_size[c]
    core.kind = shape
    core.size = size
    core.position = pose.p
    core.orientation = pose.q
    extent, margin = broadcast(0.0), broadcast(0.0)
    if shape == SPHERE:
        margin = size.x
    elif shape == CAPSULE:
        margin, extent = size.x, 2.0 * size.y
    elif shape == BOX:
        extent = 2.0 * ti.max(ti.max(size.x, size.y), size.z)
    elif shape != HULL:
        extent = 2.0 * ti.max(size.x, size.y)
    else:
        hull = w.hull[w.collider[c].hull]
        core.first = hull.vertex
        core.end = hull.vertex_end - hull.vertex
        extent = extent_of_points(w, side)
    core.margin = margin
    write_accuracy(w, side, extent)


@ti.func
def write_accuracy(w: ti.template(), side, extent):
    """Write the distance below which points of a core are welded, from its largest extent."""
    w.core[side].accuracy = ti.max(extent * WELDED_SHARE, FLOAT_EPSILON)


@ti.func
def core_point(w: ti.template(), side, i):
    """Return point i of a core, which is a hull or a triangle."""
    first = w.core[side].first
    at = first + i
    if w.core[side].kind == MESH:
        at = w.triangle[first].vertex0 + 0
        if i == 1:
            at = w.triangle[first].vertex1 + 0
        elif i == 2:
            at = w.triangle[first].vertex2 + 0
    return w.param.vertex[at]


@ti.func
def extent_of_points(w: ti.template(), side):
    """Return the largest extent of the points of a core along the axes of its frame."""
    low = core_point(w, side, 0)
    high = low.copy()
    for i in range(1, w.core[side].end):
        v = core_point(w, side, i)
        low = Vec3(ti.min(low.x, v.x), ti.min(low.y, v.y), ti.min(low.z, v.z))
        high = Vec3(ti.max(high.x, v.x), ti.max(high.y, v.y), ti.max(high.z, v.z))
    return ti.max(ti.max(high.x - low.x, high.y - low.y), high.z - low.z)


@ti.func
def farthest_point(w: ti.template(), side, d):
    """Return the point of a core that is farthest along d, both in its frame."""
    kind, size = w.core[side].kind, w.core[side].size
    point = zero_vector()
    if kind == CAPSULE:
        point.x = sign(d.x) * size.y
    elif kind == BOX:
        point = Vec3(sign(d.x) * size.x, sign(d.y) * size.y, sign(d.z) * size.z)
    elif kind == CYLINDER or kind == CONE:
        along = unit_by_reciprocal(d, Vec3(0.0, 0.0, 0.0))
        base, outward = sign(along.x) * size.y, Vec3(0.0, 1.0, 0.0)
        if kind == CONE:
            base = 0.0 - size.y
        if ti.abs(along.y) >= ON_AXIS or ti.abs(along.z) >= ON_AXIS:
            outward = unit_by_reciprocal(Vec3(0.0, along.y, along.z), outward)
        point = Vec3(base, outward.y * size.x, outward.z * size.x)
        if kind == CONE and along.x > sine_of_cone(size):
            point = Vec3(size.y, 0.0, 0.0)
    elif kind != SPHERE:
        if d.norm() >= FLOAT_EPSILON:
            best, most = 0, broadcast(-1e30)
            for i in range(w.core[side].end):
                along = d.dot(core_point(w, side, i))
                if along > most:
                    best, most = i, along
            point = core_point(w, side, best)
    return point


@traced
def sine_of_cone(size):
    """Return the sine of half the angle of a cone with radius size.x and half height size.y."""
    height = 2.0 * size.y
    return size.x / ti.sqrt(height * height + size.x * size.x)


@ti.func
def farthest_in_frame(w: ti.template(), side, d):
    """Return the point of a core that is farthest along d, both in the frame of the search."""
    q = w.core[side].orientation
    return turned(q, farthest_point(w, side, turned_back(q, d))) + w.core[side].position


@ti.func
def farthest_pair(w: ti.template(), d):
    """Return the numbers of the welded points of core 0 along d and of core 1 along −d."""
    one, two = 0, 0
    for side in range(2):
        direction = d.copy()
        if side == 1:
            direction = d * -1.0
        i = weld(w, side, farthest_in_frame(w, side, direction))
        if side == 0:
            one = i
        else:
            two = i
    return one, two


@ti.func
def weld(w: ti.template(), side, point):
    """Return the number of the welded point of a core that a point is, a new one if it is far from all of them."""
    count, accuracy = w.core[side].points, w.core[side].accuracy
    found, nearest, least = -1, 0, broadcast(1e30)
    for back in range(count):
        i = count - 1 - back
        if found < 0:
            away = welded_point(w, side, i) - point
            squared = away.dot(away)
            if squared < accuracy * accuracy:
                found = i
            elif squared < least:
                nearest, least = i, squared
    if found < 0:
        found = nearest
        if count < MOST_WELDED:
            found = count
            w.core[side].points = count + 1
            if side == 0:
                w.support[count].point_a = point
            else:
                w.support[count].point_b = point
    return found


@ti.func
def welded_point(w: ti.template(), side, i):
    """Return a welded point of a core."""
    point = w.support[i].point_a
    if side == 1:
        point = w.support[i].point_b
    return point


@ti.func
def forget_welded_points(w: ti.template()):
    """Begin a search without welded points."""
    for side in range(2):
        w.core[side].points = 0


@traced
def pair_difference(w, i):
    """Return the difference of the two welded points of pair i: a corner of a simplex or polytope."""
    pair = w.support[i]
    return w.support[pair.vertex_a].point_a - w.support[pair.vertex_b].point_b


@traced
def inverse_basis(q):
    """Return the axes of the outer frame in the frame of a quaternion, by PhysX's operations."""
    x, y, z, w2 = q.v.x, q.v.y, q.v.z, q.w * 2.0
    return (
        Vec3((q.w * w2) - 1.0 + x * (x * 2.0), (0.0 - z) * w2 + y * (x * 2.0), (y * w2) + z * (x * 2.0)),
        Vec3((z * w2) + x * (y * 2.0), (q.w * w2) - 1.0 + y * (y * 2.0), (0.0 - x) * w2 + z * (y * 2.0)),
        Vec3((0.0 - y) * w2 + x * (z * 2.0), (x * w2) + y * (z * 2.0), (q.w * w2) - 1.0 + z * (z * 2.0)),
    )


@ti.func
def direction_between(w: ti.template()):
    """Return the direction from the middle of the box around core 0 to that of core 1; x if they are one."""
    between = zero_vector()
    for side in range(2):
        middle = zero_vector()
        x, y, z = inverse_basis(w.core[side].orientation)
        for k in range(6):  # the ends along three axes; in a loop, as a support is much code
            d = x.copy()
            if k // 2 == 1:
                d = y
            elif k // 2 == 2:
                d = z
            if k % 2 == 0:
                d = d * -1.0
            q = w.core[side].orientation
            point = (turned(q, farthest_point(w, side, d)) + w.core[side].position) * 0.5
            if k // 2 == 0:
                middle.x = middle.x + point.x
            elif k // 2 == 1:
                middle.y = middle.y + point.y
            else:
                middle.z = middle.z + point.z
        between = between + middle * (2.0 * side - 1.0)
    direction = Vec3(1.0, 0.0, 0.0)
    if between.norm() >= FLOAT_EPSILON:
        direction = unit_by_reciprocal(between, direction)
    return direction
