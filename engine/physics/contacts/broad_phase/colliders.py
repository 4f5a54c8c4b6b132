"""World poses and bounding boxes of colliders at the start of a step.

sphere: c ± r      capsule: c ± (|R x| h + r)      box, mesh: c ± |R| e      hull: around its vertices
cylinder: c ± (|R x| h + r √(1 − (R x)²))      cone: around its tip and its rim
plane: a half space, if its normal is along an axis
each grown by the contact offset, and by what its body may move (`speculation`); the frame of a mesh is at the centre of
its box
"""

import taichi as ti

from ....tables.contacts import SHAPES
from ...lanes import absolute, broadcast, maximum, minimum, traced
from ...spatial import Vec3
from ..pose import Pose
from .speculation import distance_ahead

FAR = 1e30


@ti.func
def place_collider(w: ti.template(), c):
    """Compute pose and bounding box of a collider: POSITION, ORIENTATION, LOW, HIGH."""
    collider = w.collider[c]
    pose = present_pose(w, c)
    collider.position = pose.p
    collider.orientation = pose.q
    half = half_extent(w, c, pose.q)
    low, high = pose.p - half, pose.p + half
    if collider.shape == ti.static(SHAPES["CONVEX_HULL"]):
        low, high = bounds_of_hull(w, collider.hull, pose)
    elif collider.shape == ti.static(SHAPES["PLANE"]):
        low, high = bounds_of_plane(pose)
    elif collider.shape == ti.static(SHAPES["CONE"]):
        low, high = bounds_of_cone(pose, w.param.collider_size[c])
    grown = w.param.contact_offset[c]
    if ti.static(w.features.speculation):
        grown = grown + distance_ahead(w, c, low, high)
    offset = Vec3(grown, grown, grown)
    collider.low = low - offset
    collider.high = high + offset


@ti.func
def present_pose(w: ti.template(), c):
    """Return the world pose of a collider at the present pose of its body."""
    p, q = w.param.collider_position[c], w.param.collider_rotation[c]
    pose = Pose(Vec3(p.x, p.y, p.z), q)
    if w.collider[c].node >= 0:
        body = Pose(w.state.position[w.collider[c].link], w.state.orientation[w.collider[c].link])
        pose = Pose(body.apply(p), body.q * q)
    return pose


@traced
def bounds_of_plane(pose):
    """Return the corners of the box around a half space, which is endless unless the normal is along an axis."""
    n, p = pose.q.rotate(Vec3(1.0, 0.0, 0.0)), pose.p
    low = Vec3(below(n.x, p.x), below(n.y, p.y), below(n.z, p.z))
    return low, Vec3(above(n.x, p.x), above(n.y, p.y), above(n.z, p.z))


@traced
def bounds_of_cone(pose, size):
    """Return the corners of the box around a cone: around its tip and its rim."""
    axis, p = pose.q.rotate(Vec3(1.0, 0.0, 0.0)), pose.p
    x, y, z = cone_reach(axis.x, size), cone_reach(axis.y, size), cone_reach(axis.z, size)
    return Vec3(p.x + x[0], p.y + y[0], p.z + z[0]), Vec3(p.x + x[1], p.y + y[1], p.z + z[1])


@traced
def cone_reach(along, size):
    """Return from where to where a cone reaches along an axis of the world, from the component of its own axis."""
    tip, across = along * size.y, size.x * ti.sqrt(maximum(1.0 - along * along, 0.0))
    return minimum(tip, 0.0 - tip - across), maximum(tip, across - tip)


@traced
def below(n, at):
    """Return where a half space begins whose normal has this component along an axis."""
    return ti.select(n < -0.999999, at, 0.0 - FAR)


@traced
def above(n, at):
    """Return where a half space ends whose normal has this component along an axis."""
    return ti.select(n > 0.999999, at, FAR)


@ti.func
def bounds_of_hull(w: ti.template(), hull, pose):
    """Return the corners of the box around the vertices of a hull."""
    low, high = (
        Vec3(broadcast(FAR), broadcast(FAR), broadcast(FAR)),
        Vec3(broadcast(-FAR), broadcast(-FAR), broadcast(-FAR)),
    )
    for i in range(w.hull[hull].vertex, w.hull[hull].vertex_end):
        v = pose.apply(w.param.vertex[i])
        low = Vec3(minimum(low.x, v.x), minimum(low.y, v.y), minimum(low.z, v.z))
        high = Vec3(maximum(high.x, v.x), maximum(high.y, v.y), maximum(high.z, v.z))
    return low, high


@ti.func
def half_extent(w: ti.template(), c, q):
    """Return half the sides of the bounding box of a shape about its origin."""
    shape, size = w.collider[c].shape, w.param.collider_size[c]
    half = Vec3(broadcast(FAR), broadcast(FAR), broadcast(FAR))
    if shape == ti.static(SHAPES["SPHERE"]):
        half = Vec3(size.x, size.x, size.x)
    elif shape == ti.static(SHAPES["CAPSULE"]):
        axis = q.rotate(Vec3(1.0, 0.0, 0.0))
        half = Vec3(
            absolute(axis.x) * size.y + size.x, absolute(axis.y) * size.y + size.x, absolute(axis.z) * size.y + size.x
        )
    elif shape == ti.static(SHAPES["BOX"]) or shape == ti.static(SHAPES["TRIANGLE_MESH"]):
        x, y, z = q.matrix().rows()
        half = Vec3(magnitude_dot(x, size), magnitude_dot(y, size), magnitude_dot(z, size))
    elif shape == ti.static(SHAPES["CYLINDER"]):
        axis = q.rotate(Vec3(1.0, 0.0, 0.0))
        half = Vec3(disc_reach(axis.x, size), disc_reach(axis.y, size), disc_reach(axis.z, size))
    return half


@traced
def magnitude_dot(row, half):
    """Return the reach of a box with these half sides along an axis of the world."""
    return absolute(row.x) * half.x + absolute(row.y) * half.y + absolute(row.z) * half.z


@traced
def disc_reach(along, size):
    """Return the reach of a cylinder along an axis of the world, from the component of its own axis."""
    return absolute(along) * size.y + size.x * ti.sqrt(maximum(1.0 - along * along, 0.0))
