"""Persistent manifold: up to four points that a pair keeps while its shapes hardly move.

    refresh: a = T A,  d = (a − B) · n;  a point whose drift |B − (a − d n)| exceeds a threshold is removed

A is in the frame of shape A, B and n in that of shape B, and T takes the former to the latter. The last point takes the
place of a removed one.
"""

import taichi as ti

from ...lanes import traced
from ..scalars import whole

POINTS = 4


@traced
def move_point(w, to, source):
    """Copy a point of a manifold."""
    for name in ("point_a", "point_b", "point_normal", "point_distance"):
        row = getattr(w.contacts, name)
        value = row[source]
        row[to] = value.copy() if hasattr(value, "copy") else value + 0.0


@ti.func
def refresh(w: ti.template(), m, pose, threshold):
    """Update the distances of a manifold and remove points that drifted; return whether any was removed."""
    count = whole(w.contacts.manifold_count[m])
    before = count
    for back in range(POINTS):
        i = POINTS - 1 - back
        if i < count:
            point = POINTS * m + i
            there, n = w.contacts.point_b[point], w.contacts.point_normal[point]
            a = pose.apply(w.contacts.point_a[point])
            distance = (a - there).dot(n)
            drift = there - (a - n * distance)
            if drift.dot(drift) > threshold * threshold:
                count -= 1
                if i < count:
                    move_point(w, point, POINTS * m + count)
            else:
                w.contacts.point_distance[point] = distance
    w.contacts.manifold_count[m] = 1.0 * count
    return count < before


@ti.func
def keep_pose(w: ti.template(), m, pose, orientation_a, orientation_b):
    """Keep the poses at which the points of a manifold are made."""
    w.contacts.manifold_made[m] = 1.0
    w.contacts.manifold_position[m] = pose.p
    w.contacts.manifold_rotation[m] = pose.q
    w.contacts.manifold_orientation_a[m] = orientation_a
    w.contacts.manifold_orientation_b[m] = orientation_b


@ti.func
def forget_points(w: ti.template(), m):
    """Remove all points of a manifold."""
    w.contacts.manifold_count[m] = 0.0


@ti.func
def write_point(w: ti.template(), point, a, b, normal, distance):
    """Write a point of a manifold."""
    w.contacts.point_a[point] = a
    w.contacts.point_b[point] = b
    w.contacts.point_normal[point] = normal
    w.contacts.point_distance[point] = distance


@ti.func
def store_point(w: ti.template(), m, a, b, normal, distance):
    """Append a point to a manifold that has room for it."""
    count = whole(w.contacts.manifold_count[m])
    write_point(w, POINTS * m + count, a, b, normal, distance)
    w.contacts.manifold_count[m] = 1.0 * (count + 1)


@ti.func
def store_candidate(w: ti.template(), m, i):
    """Append candidate i to a manifold."""
    candidate = w.candidate[i]
    store_point(w, m, candidate.point_a, candidate.point_b, candidate.normal, candidate.distance)
