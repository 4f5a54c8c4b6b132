"""World poses and bounding boxes of colliders at the start of a step.

sphere: c ± r      capsule: c ± (|R x| h + r)      box, mesh: c ± |R| e      hull: around its vertices
each grown by the contact offset; the frame of a mesh is at the centre of its box
"""

import taichi as ti

from ...tables.contacts import SHAPES
from ..lanes import absolute, broadcast, maximum, minimum, traced
from ..spatial import Vec3
from .pose import Pose

FAR = 1e30


@ti.func
def place_colliders(w: ti.template(), island_id):
    """Compute pose and bounding box of the colliders of an island: POSITION, ORIENTATION, LOW, HIGH."""
    for c in range(w.island[island_id].collider, w.island[island_id].collider_end):
        collider = w.collider[c]
        p, q = w.param.collider_position[c], w.param.collider_rotation[c]
        pose = Pose(Vec3(p.x, p.y, p.z), q)
        if collider.node >= 0:
            body = Pose(w.state.position[collider.link], w.state.orientation[collider.link])
            pose = Pose(body.apply(p), body.q * q)
        collider.position = pose.p
        collider.orientation = pose.q
        half = half_extent(w, c, pose.q)
        grown = w.param.contact_offset[c]
        offset = Vec3(grown, grown, grown)
        low, high = pose.p - half, pose.p + half
        if collider.shape == ti.static(SHAPES["CONVEX_HULL"]):
            low, high = bounds_of_hull(w, collider.hull, pose)
        collider.low = low - offset
        collider.high = high + offset


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
    elif shape == ti.static(SHAPES["CYLINDER"]) or shape == ti.static(SHAPES["CONE"]):
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


@ti.func
def boxes_overlap(w: ti.template(), g):
    """Return whether the bounding boxes of a pair overlap; a plane is a half space, if it is along an axis."""
    one, two = w.collider[w.pair[g].collider_a], w.collider[w.pair[g].collider_b]
    a, b, c, d = one.low, one.high, two.low, two.high
    near = (a.x <= d.x) & (a.y <= d.y) & (a.z <= d.z) & (c.x <= b.x) & (c.y <= b.y) & (c.z <= b.z)
    if two.shape == ti.static(SHAPES["PLANE"]):
        n, p = two.orientation.rotate(Vec3(1.0, 0.0, 0.0)), two.position
        grown = w.param.contact_offset[w.pair[g].collider_b]
        near = above(n.x, p.x + grown, p.x - grown, a.x, b.x)
        near = near & above(n.y, p.y + grown, p.y - grown, a.y, b.y)
        near = near & above(n.z, p.z + grown, p.z - grown, a.z, b.z)
    return near


@ti.func
def above(n, top, bottom, low, high):
    """Return whether a range reaches a half space whose normal has this component; True if it is not along the axis."""
    up, down = n > 0.999999, n < -0.999999
    return ((low <= top) | ~up) & ((high >= bottom) | ~down)
