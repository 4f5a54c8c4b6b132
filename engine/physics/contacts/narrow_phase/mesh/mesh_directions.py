"""Directions of contact of a shape with a triangle mesh: points with nearly the same normal.

The points of a triangle join those of the last direction if the normals agree, else they found a new one. Directions
are gathered from the deepest on: those with one normal are joined, points that lie together are one, and each gets room
in the pair's manifolds, up to six directions. Of more points than there is room for, some stay, far apart or deep:

    box, hull: the farthest from the mesh's origin, the farthest from it, one on each side of their line, the deepest
    capsule:   the deepest, the farthest from it, the deepest

Candidates before GATHERED are those of the directions, one after the other; from there on lie those of one normal.
"""

import taichi as ti

from .....tables.contacts import MANIFOLD_POINTS, PATCHES_ON_MESH, POINTS_OF_DIRECTION
from ....lanes import broadcast, materialize, traced
from ...simd import dot, unit
from ..manifold import write_point
from .mesh_triangle import ONE_NORMAL

ON_CAPSULE, OF_TRIANGLE = 3, 5
"""Most points of a capsule in one direction, and of a hull with one triangle."""
GATHERED, END = 80, 112
SAME_PLACE = 2e-7  # [m]
SAME_DEPTH = 2e-7
"""Difference of depths that round-off makes of equal ones [m]: of those of a shape that lies flat, the first counts."""

SAME_DISTANCE = 1.0 + 1e-6
"""Ratio of squared distances that round-off makes of equal ones: of the corners of a centred box, the first counts."""


@ti.func
def thin_out(w: ti.template(), before, end, near, capsule):
    """Drop points of a triangle that repeat others, and of a hull's those beyond the most; return the end of the rest.

    Equal points are one; of few enough, those that are near each other, too.
    """
    count = end + 0
    for part in range(2):
        many = not capsule and count - before > OF_TRIANGLE
        if part == 1 and many:
            reduce_on_mesh(w, before, count, deepest_candidate(w, before, count), OF_TRIANGLE, True)
            for k in range(OF_TRIANGLE):
                move_candidate(w, GATHERED + k, w.candidate[k].chosen)
            for k in range(OF_TRIANGLE):
                move_candidate(w, before + k, GATHERED + k)
            count = before + OF_TRIANGLE
        if part == 1 or many:
            for i in range(before, END):
                if i < count:
                    length = ti.select(part == 0, SAME_PLACE * w.param.metre[0], near)
                    count = drop_near(w, i, i + 1, count, length, False)
    return count


@ti.func
def join_direction(w: ti.template(), pose, normal, before, end, directions, near, capsule):
    """Let the candidates from `before` on join the last direction, or found one; return the numbers of both.

    Args:
        w: the world.
        pose: that of the shape in the frame of the mesh.
        normal: their normal, in the frame of the mesh.
        before: candidates before them.
        end: all candidates.
        directions: number of directions.
        near: distance within which two points are one [m].
        capsule: whether the shape is a capsule, whose points are in the frame of the mesh.
    """
    count, depth = thin_out(w, before, end, near, capsule), broadcast(1e30)
    for i in range(before, count):
        if not capsule:
            w.candidate[i].normal = normal
            w.candidate[i].point_b = pose.apply(w.candidate[i].point_b)
        depth = ti.min(depth, w.candidate[i].distance)
    last, total = directions - 1, directions
    joins = False
    if directions > 0:
        joins = dot(w.direction[last].normal, normal) > ONE_NORMAL
    if joins:
        for i in range(w.direction[last].first, w.direction[last].end):
            count = drop_near(w, i, before, count, near, True)
        w.direction[last].end = count
        w.direction[last].depth = ti.min(w.direction[last].depth, depth)
    else:
        total = w.direction.push(total, normal=normal, depth=depth, first=before, end=count)
    return count, total


@ti.func
def gather_directions(w: ti.template(), g, directions, near, capsule):
    """Add the points of all directions to the manifolds of pair g."""
    m = w.slot[g].manifold
    sort_directions(w, directions)
    link_directions(w, directions)
    drop_repeated(w, directions, near)
    held = 0
    for k in range(PATCHES_ON_MESH):
        if w.contacts.manifold_count[m + k] > 0:
            held = k + 1
    before, going = held, True
    for i in range(directions):
        if going and w.direction[i].root == i:
            end, link = GATHERED, i
            while link >= 0:
                for j in range(w.direction[link].first, w.direction[link].end):
                    if end < END:
                        move_candidate(w, end, j)
                        end += 1
                link = w.direction[link].next
            place = held
            if before > 0:
                place, end = place_among(w, m, i, held, end)
            if place < 0 or (place == PATCHES_ON_MESH and before == 0):
                going = False
            else:
                store_direction(w, g, place, end, capsule)
                held = ti.max(held, place + 1)


@ti.func
def place_among(w: ti.template(), m, i, held, end):
    """Return the place of direction i among those that the pair holds, -1 for none, and the candidates with those.

    It joins one with its normal; else it takes the next place, or that of the shallowest one if it is deeper.
    """
    place, shallowest, most, total = -1, 0, broadcast(-1e30), end + 0
    for k in range(held):
        first, count = MANIFOLD_POINTS * m + POINTS_OF_DIRECTION * k, w.contacts.manifold_count[m + k]
        n, depth = w.contacts.point_normal[first] * 0.0, broadcast(1e30)
        for j in range(first, first + count):
            n = n + w.contacts.point_normal[j]
            depth = ti.min(depth, w.contacts.point_distance[j])
        if depth > most:
            shallowest, most = k, depth
        if place < 0 and dot(unit(n, n), w.direction[i].normal) >= ONE_NORMAL:
            place = k
            for j in range(first, first + count):
                if total < END:
                    a, b, n_j = w.contacts.point_a[j], w.contacts.point_b[j], w.contacts.point_normal[j]
                    d = w.contacts.point_distance[j]
                    total = w.candidate.push(total, point_a=a, point_b=b, normal=n_j, distance=d)
    if place < 0:
        if held < PATCHES_ON_MESH:
            place = held
        elif most > w.direction[i].depth:
            place = shallowest
    return place, total


@ti.func
def store_direction(w: ti.template(), g, place, end, capsule):
    """Store the gathered candidates as direction `place` of a pair, of too many the chosen ones."""
    m, room, count = w.slot[g].manifold, ti.select(capsule, ON_CAPSULE, POINTS_OF_DIRECTION), end - GATHERED
    reduces = count > room
    if reduces:
        lead = deepest_candidate(w, GATHERED, end)
        if not capsule:
            lead = farthest_candidate(w, GATHERED, end, w.param.mesh_origin[w.slot[g].collider_b])
        reduce_on_mesh(w, GATHERED, end, lead, room, not capsule)
        count = room
    first = MANIFOLD_POINTS * m + POINTS_OF_DIRECTION * place
    for k in range(ti.min(count, room)):
        i = GATHERED + k
        if reduces:
            i = w.candidate[k].chosen
        c = w.candidate[i]
        write_point(w, first + k, c.point_a, c.point_b, c.normal, c.distance)
    w.contacts.manifold_count[m + place] = ti.min(count, room)


@traced
def move_direction(w, to, source):
    """Copy normal, depth and candidates of a direction."""
    for name in ("normal", "depth", "first", "end"):
        w.direction[to][name]._assign(materialize(w.direction[source][name]))


@ti.func
def sort_directions(w: ti.template(), directions):
    """Sort the directions by their depth, equal ones as they are."""
    tolerance = SAME_DEPTH * w.param.metre[0]
    for i in range(1, directions):
        k = i + 0
        move_direction(w, directions, i)
        while k > 0 and w.direction[ti.max(k - 1, 0)].depth > w.direction[directions].depth + tolerance:
            move_direction(w, k, k - 1)
            k -= 1
        move_direction(w, k, directions)


@ti.func
def link_directions(w: ti.template(), directions):
    """Write ROOT and NEXT: directions with one normal are a list."""
    for i in range(directions):
        w.direction[i].root = i
        w.direction[i].next = -1
        for back in range(i):
            j = i - 1 - back
            root = w.direction[j].root
            if w.direction[i].root == i and dot(w.direction[i].normal, w.direction[root].normal) >= ONE_NORMAL:
                w.direction[j].next = i
                w.direction[i].root = root


@ti.func
def drop_repeated(w: ti.template(), directions, near):
    """Drop the points of a direction that lie with one of the direction before it in its list."""
    for root in range(directions):
        i = -1
        if w.direction[root].root == root:
            i = root
        while i >= 0:
            follower = w.direction[i].next
            if follower >= 0:
                for k in range(w.direction[i].first, w.direction[i].end):
                    first, end = w.direction[follower].first, w.direction[follower].end
                    w.direction[follower].end = drop_near(w, k, first, end, near, False)
            i = follower


@traced
def move_candidate(w, to, source):
    """Copy a candidate."""
    for name in ("point_a", "point_b", "normal", "distance"):
        w.candidate[to][name]._assign(materialize(w.candidate[source][name]))


@ti.func
def lie_together(w: ti.template(), i, j, near):
    """Return whether two candidates lie within a length on the mesh."""
    d = w.candidate[i].point_b - w.candidate[j].point_b
    return dot(d, d) < near * near


@ti.func
def drop_near(w: ti.template(), i, first, end, near, keeps_deepest: ti.template()):
    """Drop the candidates from `first` to `end` that lie with candidate i; return where the rest ends.

    With `keeps_deepest` candidate i becomes the deepest of them.
    """
    j, last = first + 0, end + 0
    while j < last:
        if lie_together(w, i, j, near):
            if ti.static(keeps_deepest):
                if w.candidate[i].distance > w.candidate[j].distance:
                    move_candidate(w, i, j)
            last -= 1
            move_candidate(w, j, last)
        else:
            j += 1
    return last


@ti.func
def deepest_candidate(w: ti.template(), first, end):
    """Return the index of the deepest candidate from `first` to before `end`, the first of equals."""
    found, least = first, broadcast(1e30)
    for i in range(first, end):
        if w.candidate[i].distance < least:
            found, least = i, w.candidate[i].distance
    return found


@ti.func
def farthest_candidate(w: ti.template(), first, end, point):
    """Return the index of the candidate from `first` to before `end` that is farthest from a point, as above."""
    found, most = first, broadcast(0.0)
    for i in range(first, end):
        d = w.candidate[i].point_b - point
        if dot(d, d) > most * SAME_DISTANCE:
            found, most = i, dot(d, d)
    return found


@ti.func
def reduce_on_mesh(w: ti.template(), first, end, lead, places, sides):
    """Write CHOSEN of the first `places` candidates: numbers of those chosen from `first` to before `end`.

    `lead` is chosen first; `sides`: whether one on each side of the line is chosen.
    """
    for i in range(first, end):
        w.candidate[i].listed = False
    choose_next(w, 0, lead)
    other = farthest_candidate(w, first, end, w.candidate[lead].point_b)
    choose_next(w, 1, other)
    number = 2
    if sides:
        line = w.candidate[other].point_b - w.candidate[lead].point_b
        across = line.cross(w.candidate[lead].normal)
        high, low, top, bottom = -1, -1, broadcast(-1e30), broadcast(1e30)
        for i in range(first, end):
            if not w.candidate[i].listed:
                d = dot(w.candidate[i].point_b - w.candidate[lead].point_b, across)
                if d > top:
                    high, top = i, d
                if d < bottom:
                    low, bottom = i, d
        if high >= 0:
            choose_next(w, 2, high)
            number = 3
            if top * bottom > 0.0:
                low, top = -1, broadcast(-1e30)
                for i in range(first, end):
                    d = dot(w.candidate[i].point_b - w.candidate[lead].point_b, across)
                    if not w.candidate[i].listed and d > top:
                        low, top = i, d
            if low >= 0:
                choose_next(w, 3, low)
                number = 4
    for place in range(number, places):
        best, least = 0, broadcast(1e30)
        for i in range(first, end):
            if not w.candidate[i].listed and w.candidate[i].distance < least - SAME_DEPTH * w.param.metre[0]:
                best, least = i, w.candidate[i].distance
        choose_next(w, place, best)


@ti.func
def choose_next(w: ti.template(), place, i):
    """Choose candidate i for a place."""
    w.candidate[place].chosen = i
    w.candidate[i].listed = True
