"""Contact points of two cores from their faces along the axis of contact.

    a face of fewer than two points: the nearest points      two parallel edges: their ends over the other one
    else: a polygon across the axis, which both faces clip, and the nearest point; four at most, the deepest first

Every point is half way between the faces, its distance the one along the axis. Faces are in OUTLINE of candidates, see
`core_faces`; points are written to POINT_B and DISTANCE, the chosen ones are those in CHOSEN.
"""

import taichi as ti

from ....lanes import broadcast
from ..polygon_reduction import reduce_to_polygon
from .core_depth import basis_around
from .core_faces import FACE_POINTS, write_face

CLIP_TOLERANCE = 1e-5
ONE_POINT = 1e-6
"""Squared distance of two points that are one [m²]."""
MOST_CORNERS = 20


@ti.func
def write_core_points(w: ti.template(), on_a, on_b, axis):
    """Write the contact points of two cores with these nearest points; return their number."""
    count_a, normal_a = write_face(w, 0, axis * -1.0, on_a)
    count_b, normal_b = write_face(w, 1, axis, on_b)
    count = 0
    w.candidate[0].chosen = 0.0
    if count_a == 2 and count_b == 2:
        count = clip_edges(w, axis)
    elif count_a >= 2 and count_b >= 2:
        corners = write_polygon(w, count_a, count_b, axis, (on_a + on_b) * 0.5)
        for side in range(2):
            points = count_a
            if side == 1:
                points = count_b
            if points > 2:
                corners = clip_by_face(w, side, points, corners, axis)
        w.candidate[corners].corner = (on_a + on_b) * 0.5
        count = choose_corners(w, corners + 1, axis, normal_a, normal_b)
    if count < 0 or count_a < 2 or count_b < 2:
        count = 1
        w.candidate[0].point_b = (on_a + on_b) * 0.5
        w.candidate[0].distance = axis.dot(on_a - on_b)
    return count


@ti.func
def clip_edges(w: ti.template(), axis):
    """Write the ends of two edges that lie over the other one; return their number, -1 if they are not parallel."""
    a, b = w.candidate[0].outline.copy(), w.candidate[1].outline.copy()
    c, d = w.candidate[FACE_POINTS].outline.copy(), w.candidate[FACE_POINTS + 1].outline.copy()
    count = -1
    if ti.abs((b - a).cross(d - c).dot(axis)) <= CLIP_TOLERANCE:
        count = 0
        for k in range(4):
            p, u, v, sense = a.copy(), c.copy(), d.copy(), broadcast(1.0)
            if k == 1:
                p = b
            elif k >= 2:
                u, v, sense = a, b, broadcast(-1.0)
                p = c
                if k == 3:
                    p = d
            uv = v - u
            if (p - u).dot(uv) > 0.0 - CLIP_TOLERANCE and (p - v).dot(u - v) > 0.0 - CLIP_TOLERANCE:
                there = u + (uv * uv.dot(p - u)) * (1.0 / uv.dot(uv))
                w.candidate[count].point_b = (p + there) * 0.5
                w.candidate[count].distance = axis.dot(p - there) * sense
                count += 1
        count = merge_points(w, count)
        for i in range(count):
            w.candidate[i].chosen = 1.0 * i
    return count


@ti.func
def merge_points(w: ti.template(), points):
    """Merge points that are one, of which the deeper one stays; return their number."""
    count = points
    for back in range(points):
        i, merged = points - 1 - back, False
        for behind in range(i):
            j = i - 1 - behind
            away = w.candidate[i].point_b - w.candidate[j].point_b
            if not merged and away.dot(away) < ONE_POINT:
                merged = True
                if w.candidate[i].distance < w.candidate[j].distance:
                    copy_point(w, j, i)
                count -= 1
                copy_point(w, i, count)
    return count


@ti.func
def copy_point(w: ti.template(), to, source):
    """Copy a contact point."""
    w.candidate[to].point_b = w.candidate[source].point_b.copy()
    w.candidate[to].distance = w.candidate[source].distance + 0.0


@ti.func
def write_polygon(w: ti.template(), count_a, count_b, axis, middle):
    """Write the polygon that faces clip, CORNER: an edge, or a rectangle across the axis around both faces."""
    count = 4
    if count_a == 2 or count_b == 2:
        first = 0
        if count_a != 2:
            first = FACE_POINTS
        count = 2
        for i in range(2):
            w.candidate[i].corner = w.candidate[first + i].outline.copy()
    else:
        across, up = basis_around(axis)
        low_x, low_y, high_x, high_y = broadcast(1e30), broadcast(1e30), broadcast(-1e30), broadcast(-1e30)
        for i in range(2 * FACE_POINTS):
            if i < count_a or (i >= FACE_POINTS and i < FACE_POINTS + count_b):
                p = w.candidate[i].outline
                x, y = p.dot(across), p.dot(up)
                low_x, low_y = ti.min(low_x, x), ti.min(low_y, y)
                high_x, high_y = ti.max(high_x, x), ti.max(high_y, y)
        x, y = middle.dot(across), middle.dot(up)
        for i in range(4):
            u, v = low_x - x, low_y - y
            if i == 1 or i == 2:
                u = high_x - x
            if i >= 2:
                v = high_y - y
            w.candidate[i].corner = middle + across * u + up * v
    return count


@ti.func
def clip_by_face(w: ti.template(), side, points, start, axis):
    """Clip the polygon by the planes along the axis through the sides of a face; return its number of corners."""
    first, corners = FACE_POINTS * side, start
    for i in range(points):
        for j in range(i + 1, points):
            s = w.candidate[first + i].outline.copy()
            n = (w.candidate[first + j].outline - s).cross(axis)
            if n.dot(n) >= CLIP_TOLERANCE * CLIP_TOLERANCE:
                n = n * (1.0 / n.norm())
                above, below = 0, 0
                for k in range(points):
                    if k != i and k != j:
                        if (w.candidate[first + k].outline - s).dot(n) > CLIP_TOLERANCE:
                            above += 1
                        else:
                            below += 1
                if above == 0 or below == 0:
                    if above > 0:
                        n = n * -1.0
                    corners = clip_by_plane(w, n, s, corners)
    return corners


@ti.func
def clip_by_plane(w: ti.template(), n, s, corners):
    """Keep the part of the polygon below a plane with normal n through s; return its number of corners."""
    offset, count = n.dot(s), 0
    for i in range(corners):
        p, q = w.candidate[i].corner.copy(), w.candidate[(i + 1) % corners].corner.copy()
        here, there = offset - n.dot(p), offset - n.dot(q)
        crosses = False
        if here > 0.0 - CLIP_TOLERANCE:
            w.candidate[count].point_a = p
            count += 1
            crosses = there < 0.0 - CLIP_TOLERANCE and here - there > CLIP_TOLERANCE
        else:
            crosses = there > 0.0 - CLIP_TOLERANCE and there - here > CLIP_TOLERANCE
        if crosses and count < MOST_CORNERS:
            w.candidate[count].point_a = p + (q - p) * (here / (here - there))
            count += 1
    for i in range(count):
        w.candidate[i].corner = w.candidate[i].point_a.copy()
    return count


@ti.func
def choose_corners(w: ti.template(), corners, axis, normal_a, normal_b):
    """Write the points between the faces at the corners of the polygon, the deepest first; return how many stay."""
    height_a = 0.0 - normal_a.dot(w.candidate[0].outline)
    height_b = 0.0 - normal_b.dot(w.candidate[FACE_POINTS].outline)
    deepest = 0
    for i in range(corners):
        p = w.candidate[i].corner
        a = p - (axis * (normal_a.dot(p) + height_a)) * (1.0 / axis.dot(normal_a))
        b = p - (axis * (normal_b.dot(p) + height_b)) * (1.0 / axis.dot(normal_b))
        w.candidate[i].point_b = (a + b) * 0.5
        w.candidate[i].distance = axis.dot(a - b)
        if w.candidate[i].distance < w.candidate[deepest].distance:
            deepest = i
    first, distance = w.candidate[0].point_b.copy(), w.candidate[0].distance + 0.0
    copy_point(w, 0, deepest)
    w.candidate[deepest].point_b = first
    w.candidate[deepest].distance = distance
    return reduce_to_polygon(w, 0, corners, axis)
