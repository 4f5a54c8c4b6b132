"""Contact points of spheres, capsules and boxes on a plane, whose normal n is the x axis of its frame; of all lanes.

    sphere: c − r n      capsule: both ends      box: up to four corners

Lanes whose capsule or box moved so far that its points are made anew make them one by one: see `plane`.
"""

import taichi as ti

from ... import LANES
from ...lanes import absolute, any_lane, broadcast, maximum, minimum, traced
from ...spatial import select
from ..broad_phase.speculation import contact_distance
from ..kinds import CAPSULE, SPHERE, has_law
from ..lane_choice import holds_in_lane, single_lanes
from ..pair_sleep import updated_lanes
from ..pose import collider_pose
from ..simd import dot, quaternion_dot, unit, x_axis
from .manifold import POINTS, TURNED_ON_PLANE

ON_PLANE = ("SPHERE_ON_PLANE", "CAPSULE_ON_PLANE", "BOX_ON_PLANE")
"""Laws of all lanes at once."""

MARGIN_OF_BOX, MOST_MARGIN = 0.15, 0.15
DRIFT, MOTION = (0.05, 0.2), (0.02, 0.2)
"""Limits of a point's drift and of the motion of the shape, per margin, of a capsule and of a box."""


@traced
def rests_on_plane(w, g):
    """Return whether pair g is one of a sphere, capsule or box with a plane."""
    return has_law(w, g, *ON_PLANE)


@ti.func
def update_points_on_plane(w: ti.template(), g):
    """Compute the contact points of pair g, a sphere, capsule or box on a plane, in this step."""
    a, near = w.slot[g].collider_a, updated_lanes(w, g, w.slot[g].near)
    shape, plane = collider_pose(w, a), collider_pose(w, w.slot[g].collider_b)
    n, size = x_axis(plane.q), w.param.collider_size[a]
    if w.collider[a].shape != SPHERE:  # in single precision the quaternion of a quarter turn is no unit one
        n = unit(n, n)
    if w.collider[a].shape == SPHERE:
        separation = plane.unapply(shape.p).x - size.x
        add_where(w, g, near & (separation <= contact_distance(w, g)), shape.p - n * size.x, n, separation)
    else:
        update_kept_points(w, g, shape, plane, near)
        radius = broadcast(0.0)
        if w.collider[a].shape == CAPSULE:
            radius = size.x
        m = w.slot[g].manifold
        for i in range(POINTS):
            depth = w.contacts.point_distance[POINTS * m + i] - radius
            exists = near & (w.contacts.manifold_count[m] > 1.0 * i)
            point = plane.apply(w.contacts.point_b[POINTS * m + i])
            if w.collider[a].shape == CAPSULE:
                point = shape.apply(w.contacts.point_a[POINTS * m + i]) - n * radius
            add_where(w, g, exists & (depth <= contact_distance(w, g)), point, n, depth)


@ti.func
def add_where(w: ti.template(), g, lanes, point, n, separation):
    """Add a contact point of pair g in some lanes; the normal n points from the plane to the shape."""
    count, normal = w.slot[g].point_count, n.copy()
    if w.slot[g].reversed:
        normal = n * -1.0
    for i in range(w.slot[g].points):
        here, contact = lanes & (count == 1.0 * i), w.contact[w.slot[g].contact + i]
        if any_lane(here):
            contact.point = select(here, point, contact.point)
            contact.normal = select(here, normal, contact.normal)
            contact.separation = ti.select(here, separation, contact.separation)
    w.slot[g].point_count = ti.select(lanes & (count < 1.0 * w.slot[g].points), count + 1.0, count)


@ti.func
def update_kept_points(w: ti.template(), g, shape, plane, near):
    """Update the manifold of a capsule or box on a plane; where they are not near, forget it."""
    a, m, pose = w.slot[g].collider_a, w.slot[g].manifold, shape.within(plane)
    size = w.param.collider_size[a]
    margin = minimum(MARGIN_OF_BOX * minimum(minimum(size.x, size.y), size.z), MOST_MARGIN * w.param.metre[0])
    drift, motion = margin * DRIFT[1], margin * MOTION[1]
    if w.collider[a].shape == CAPSULE:
        drift, motion = size.x * DRIFT[0], size.x * MOTION[0]
    before = w.contacts.manifold_count[m]
    count = refresh_where(w, m, pose, drift, near)
    kept, moved = w.contacts.manifold_rotation[m], pose.p - w.contacts.manifold_position[m]
    cosine = quaternion_dot(pose.q, kept)
    far = maximum(maximum(absolute(moved.x), absolute(moved.y)), absolute(moved.z)) > motion
    far = far | ~w.contacts.manifold_made[m] | (cosine < TURNED_ON_PLANE)
    remakes = near & (far | (count < before))
    parts = updated_lanes(w, g, ~w.slot[g].near)
    w.contacts.manifold_count[m] = ti.select(near, count, ti.select(parts, 0.0, before))
    w.contacts.manifold_made[m] = w.contacts.manifold_made[m] & ~parts
    if any_lane(remakes):
        for lane in range(LANES):
            if holds_in_lane(remakes, lane):
                single_lanes.remake_points(single_lanes.LaneView(w, lane), g)


@ti.func
def refresh_where(w: ti.template(), m, pose, threshold, near):
    """Update the distances of a manifold and remove points that drifted; return how many stay: see `manifold`."""
    count, axes = w.contacts.manifold_count[m], pose.q.columns()
    for back in ti.static(range(POINTS)):
        i = POINTS * m + (POINTS - 1 - back)
        there, n = w.contacts.point_b[i], w.contacts.point_normal[i]
        a = axes.apply(w.contacts.point_a[i]) + pose.p
        distance = dot(a - there, n)
        drift = there - (a - n * distance)
        exists = near & (count > 1.0 * (POINTS - 1 - back))
        gone = exists & (dot(drift, drift) > threshold * threshold)
        w.contacts.point_distance[i] = ti.select(exists & ~gone, distance, w.contacts.point_distance[i])
        count = ti.select(gone, count - 1.0, count)
        if any_lane(gone):
            for ahead in range(1, back + 1):
                last = gone & (count == 1.0 * (POINTS - 1 - back + ahead))
                move_where(w, last, i, i + ahead)
    return count


@traced
def move_where(w, lanes, to, source):
    """Copy a point of a manifold in some lanes."""
    for name in ("point_a", "point_b", "point_normal", "point_distance"):
        row = getattr(w.contacts, name)
        row[to] = select(lanes, row[source], row[to])
