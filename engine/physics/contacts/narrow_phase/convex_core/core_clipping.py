"""Contact points of two cores from their faces along the axis of contact.

    a face of fewer than two points: the nearest points      two parallel edges: their ends over the other one
    else: a polygon across the axis, which both faces clip, and the nearest point; four at most, the deepest first

Every point is half way between the faces, its distance the one along the axis. Faces are in OUTLINE of candidates;
points are written to POINT_B and DISTANCE, the chosen ones are those in CHOSEN.

The points of the face of a core that meets another one along a direction:

    within about 8° of a face's normal: up to four points of it      within 8° across an edge or a round side: its ends
    else none

They are written to OUTLINE of candidates 0 to 3 for core 0, 4 to 7 for core 1, in the frame of the search, on the
surface of the shape. The points of a rim are turned so that the first is beside the nearest point.
"""

import taichi as ti

from ....lanes import broadcast
from ....spatial import Vec3, zero_vector
from ...kinds import BOX, CAPSULE, CONE, CYLINDER, HULL, MESH, SPHERE
from ...scalars import FLOAT_EPSILON, unit_by_reciprocal
from ..reduction import reduce_to_polygon
from .core_depth import basis_around
from .cores import core_point, sign, sine_of_cone, turned, turned_back

CLIP_TOLERANCE = 1e-5
ONE_POINT = 1e-6
"""Squared distance of two points that are one, in stage units."""
MOST_CORNERS = 20
FACE_POINTS = 4
FACING, ACROSS = 0.99, 0.14
IN_FACE = 1e-4
"""Height within which a point is in a face, in stage units."""
CHOICE = 2 * FACE_POINTS
"""First candidate of the points of a face that are chosen from."""


@ti.func
def write_core_points(w: ti.template(), on_a, on_b, axis):
    """Write the contact points of two cores with these nearest points; return their number."""
    count_a, normal_a = write_face(w, 0, axis * -1.0, on_a)
    count_b, normal_b = write_face(w, 1, axis, on_b)
    count = 0
    w.candidate[0].chosen = 0
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
    a, b = w.candidate[0].outline, w.candidate[1].outline
    c, d = w.candidate[FACE_POINTS].outline, w.candidate[FACE_POINTS + 1].outline
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
                count = w.candidate.push(count, point_b=(p + there) * 0.5, distance=axis.dot(p - there) * sense)
        count = merge_points(w, count)
        for i in range(count):
            w.candidate[i].chosen = i
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
    w.candidate[to].point_b = w.candidate[source].point_b
    w.candidate[to].distance = w.candidate[source].distance


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
            w.candidate[i].corner = w.candidate[first + i].outline
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
            s = w.candidate[first + i].outline
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
        p, q = w.candidate[i].corner, w.candidate[(i + 1) % corners].corner
        here, there = offset - n.dot(p), offset - n.dot(q)
        crosses = False
        if here > 0.0 - CLIP_TOLERANCE:
            count = w.candidate.push(count, point_a=p)
            crosses = there < 0.0 - CLIP_TOLERANCE and here - there > CLIP_TOLERANCE
        else:
            crosses = there > 0.0 - CLIP_TOLERANCE and there - here > CLIP_TOLERANCE
        if crosses and count < MOST_CORNERS:
            count = w.candidate.push(count, point_a=p + (q - p) * (here / (here - there)))
    for i in range(count):
        w.candidate[i].corner = w.candidate[i].point_a
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
    first, distance = w.candidate[0].point_b, w.candidate[0].distance
    copy_point(w, 0, deepest)
    w.candidate[deepest].point_b = first
    w.candidate[deepest].distance = distance
    return reduce_to_polygon(w, 0, corners, axis)


@ti.func
def write_face(w: ti.template(), side, direction, nearest):
    """Write the points of a core's face along a direction; return their number and the normal of the face."""
    q, p = w.core[side].orientation, w.core[side].position
    d, ref, kind = turned_back(q, direction), turned_back(q, nearest - p), w.core[side].kind
    count, n = 0, zero_vector()
    if kind == HULL or kind == MESH:
        count, n = face_of_points(w, side, d)
    elif kind != SPHERE:
        d = unit_by_reciprocal(d, d)
        if kind == BOX:
            count, n = face_of_box(w, side, d)
        else:
            count, n = face_of_round(w, side, d, ref)
    n = turned(q, n)
    for i in range(FACE_POINTS * side, FACE_POINTS * side + count):
        point = turned(q, w.candidate[i].outline) + p
        w.candidate[i].outline = point + n * w.core[side].margin
    return count, n


@ti.func
def write_face_corner(w: ti.template(), side, i, x, y, z):
    """Write point i of a face."""
    w.candidate[FACE_POINTS * side + i].outline = Vec3(x, y, z)


@ti.func
def face_of_round(w: ti.template(), side, d, ref):
    """Write the face of a capsule, cylinder or cone along d, beside the point `ref`; return number and normal."""
    kind, size, count = w.core[side].kind, w.core[side].size, 0
    r, half, n = size.x, size.y, zero_vector()
    if kind == CAPSULE:
        r = 0.0
    outward, slope, tip = unit_by_reciprocal(Vec3(0.0, d.y, d.z), n), d.x, r
    facing = kind == CYLINDER and ti.abs(d.x) > FACING
    if kind == CONE:
        sine, tip, facing = sine_of_cone(size), broadcast(0.0), d.x < 0.0 - FACING
        slope = d.x * ti.sqrt(1.0 - sine * sine) - ti.sqrt(ti.max(1.0 - d.x * d.x, 0.0)) * sine
    if facing:
        base = sign(d.x) * half
        count, n = FACE_POINTS, Vec3(sign(d.x), 0.0, 0.0)
        cosine, sine = turn_to(n, base, ref)
        y, z = r * cosine, r * sine
        for i in range(FACE_POINTS):
            write_face_corner(w, side, i, base, y, z)
            last = y
            y = 0.0 - z
            z = last
    elif ti.abs(slope) < ACROSS:
        count, n = 2, outward.copy()
        if kind == CONE:
            n = unit_by_reciprocal(Vec3(r / (2.0 * half), outward.y, outward.z), n)
        write_face_corner(w, side, 0, half, outward.y * tip, outward.z * tip)
        write_face_corner(w, side, 1, 0.0 - half, outward.y * r, outward.z * r)
    return count, n


@ti.func
def turn_to(n, base, ref):
    """Return cosine and sine of the turn about x that takes y towards a point, seen from the middle of a disc."""
    away = ref - Vec3(base, 0.0, 0.0)
    away = away + n * n.dot(away)
    cosine, sine, length = broadcast(1.0), broadcast(0.0), away.norm()
    if length >= FLOAT_EPSILON:
        away = away * (1.0 / length)
        across = ti.sqrt(away.x * away.x + away.z * away.z)
        if across >= FLOAT_EPSILON:
            cosine = ti.max(ti.min(away.y, 1.0), -1.0)
            sine = ti.sqrt((1.0 - cosine) * (1.0 + cosine)) * sign(away.z)
    return cosine, sine


@ti.func
def face_of_box(w: ti.template(), side, d):
    """Write the face or edge of a box along d; return number of points and normal."""
    size, count, n = w.core[side].size, 0, zero_vector()
    x, y, z = sign(d.x) * size.x, sign(d.y) * size.y, sign(d.z) * size.z
    along_x, along_y, along_z = ti.abs(d.x) > FACING, ti.abs(d.y) > FACING, ti.abs(d.z) > FACING
    if along_x:
        count, n = 4, Vec3(sign(d.x), 0.0, 0.0)
        write_rectangle(w, side, Vec3(x, 0.0, 0.0), Vec3(0.0, size.y, 0.0), Vec3(0.0, 0.0, size.z))
    elif ti.abs(d.x) < ACROSS and not along_y and not along_z:
        count, n = 2, unit_by_reciprocal(Vec3(0.0, d.y, d.z), n)
        write_face_corner(w, side, 0, size.x, y, z)
        write_face_corner(w, side, 1, 0.0 - size.x, y, z)
    elif along_y:
        count, n = 4, Vec3(0.0, sign(d.y), 0.0)
        write_rectangle(w, side, Vec3(0.0, y, 0.0), Vec3(0.0, 0.0, size.z), Vec3(size.x, 0.0, 0.0))
    elif ti.abs(d.y) < ACROSS and not along_z:
        count, n = 2, unit_by_reciprocal(Vec3(d.x, 0.0, d.z), n)
        write_face_corner(w, side, 0, x, size.y, z)
        write_face_corner(w, side, 1, x, 0.0 - size.y, z)
    elif along_z:
        count, n = 4, Vec3(0.0, 0.0, sign(d.z))
        write_rectangle(w, side, Vec3(0.0, 0.0, z), Vec3(size.x, 0.0, 0.0), Vec3(0.0, size.y, 0.0))
    elif ti.abs(d.z) < ACROSS:
        count, n = 2, unit_by_reciprocal(Vec3(d.x, d.y, 0.0), n)
        write_face_corner(w, side, 0, x, y, size.z)
        write_face_corner(w, side, 1, x, y, 0.0 - size.z)
    return count, n


@ti.func
def write_rectangle(w: ti.template(), side, middle, u, v):
    """Write the corners of a rectangle with these half sides."""
    for i in range(4):
        one, two = broadcast(1.0), broadcast(1.0)
        if i == 1 or i == 2:
            one = broadcast(-1.0)
        if i >= 2:
            two = broadcast(-1.0)
        w.candidate[FACE_POINTS * side + i].outline = middle + u * one + v * two


@ti.func
def face_of_points(w: ti.template(), side, d):
    """Write up to four points of a hull or triangle that lie on its face along d; return number and normal."""
    end, count = w.core[side].end, 0
    n, farthest = normal_of_points(w, side, d)
    if n.dot(n) > 0.0:
        height = n.dot(core_point(w, side, farthest))
        for k in range(end):
            point = core_point(w, side, k)
            if ti.abs(n.dot(point) - height) < IN_FACE:
                w.candidate[CHOICE].point_b = point
                for i in range(count):
                    w.candidate[CHOICE + 1 + i].point_b = w.candidate[FACE_POINTS * side + i].outline
                for i in range(1, count + 1):
                    one, two = w.candidate[CHOICE].point_b, w.candidate[CHOICE + i].point_b
                    if one.dot(d) < two.dot(d):
                        w.candidate[CHOICE].point_b = two
                        w.candidate[CHOICE + i].point_b = one
                count = reduce_to_polygon(w, CHOICE, count + 1, d)
                for i in range(count):
                    chosen = CHOICE + w.candidate[CHOICE + i].chosen
                    w.candidate[FACE_POINTS * side + i].outline = w.candidate[chosen].point_b
    if count < 2:
        count = 0
    return count, n


@ti.func
def normal_of_points(w: ti.template(), side, d):
    """Return the normal of the plane or edge through the farthest points along d, zero for none; the farthest point."""
    first, second, third = 0, 0, 0
    one, two, three = broadcast(-1e30), broadcast(-1e30), broadcast(-1e30)
    for i in range(w.core[side].end):
        along, place = d.dot(core_point(w, side, i)), i
        if along > one:
            one, along, first, place = along, one, place, first
        if along > two:
            two, along, second, place = along, two, place, second
        if along > three:
            three, third = along, place
    a = core_point(w, side, first)
    ab, ac = core_point(w, side, second) - a, core_point(w, side, third) - a
    zero = zero_vector()
    n = unit_by_reciprocal(ab.cross(ac), zero)
    facing = d.dot(n)
    if facing < 0.0 - FACING:
        n = n * -1.0
    elif facing <= FACING:
        n = unit_by_reciprocal(ab.cross(d).cross(ab), zero)
        if d.dot(n) <= FACING:
            n = unit_by_reciprocal(ac.cross(d).cross(ac), zero)
            if d.dot(n) <= FACING:
                n = zero.copy()
    return n, first
