"""Continuous collision detection: a fast free body stops where one of its shapes first meets another shape in a step.

    way      d, from the place of a shape at the start of the step to that at its end, relative to the other shape's;
             rotations are those of the end
    meets    at the first share t of the way at which the cores are within radii and margin, by GJK along the way
    counts   |d| > θ and −d · N ≥ θ;  θ = Σ ¾ r, r the radius inside a shape;  its own shape moved by at least ¾ r
    answer   x ← x₀ + t (x₁ − x₀), the rotation likewise;  v ± N (1 + e) v_N / Σ 1/m,  v at the origin of the shape

The first pair of all answers first. A body stops once in a step, and is at rest for the pairs that follow. As in PhysX
planes, cylinders and cones are not swept. Links are not either, and what begins the step in touch is left to the
contacts. Triangle meshes: `swept_mesh`.
"""

import taichi as ti

from ...tables.word_values import SWEPT
from ..lanes import broadcast
from ..locked_axes import without_axes
from ..rotation import from_rotation_vector
from ..spatial import Motion, Vec3, zero_vector
from .broad_phase.active_pairs import slot_at
from .broad_phase.colliders import present_pose
from .kinds import BOX, HULL, MESH, has_radius
from .pair_sleep import is_awake
from .pose import Pose, collider_pose
from .sweep import ACCURACY, margin, sweep_cores, threshold
from .swept_mesh import first_touch_of_mesh

STILL = 1e-6
"""Approach that is not answered [m/s]."""


@ti.func
def stop_swept_bodies(w: ti.template(), island_id):
    """Stop the swept bodies of an island where they first meet a shape in this step, in one lane."""
    for i in range(w.island[island_id].body, w.island[island_id].body_end):
        w.collider[w.body[i].collider].stopped = False
    seeks = True
    while seeks:
        first, share, normal = -1, broadcast(1.0), zero_vector()
        for at in range(w.pairs):
            g = slot_at(w, at)
            if may_meet(w, g):
                when, n = meet(w, g)
                if when < share:
                    first, share, normal = g, when, n
        seeks = first >= 0
        if seeks:
            answer(w, island_id, first, share, normal)


@ti.func
def may_meet(w: ti.template(), g):
    """Return whether a body of pair g is swept and moved far, and its body or the other one has not stopped yet."""
    meets, fast, free = w.slot[g].near and is_awake(w, g), False, False
    for side in range(2):
        c = collider_of(w, g, side)
        shape, a = w.collider[c].shape, w.collider[c].articulation
        if not (has_radius(shape) or shape == BOX or shape == HULL or (side == 1 and shape == MESH)):
            meets = False
        if a >= 0:
            if w.articulation[ti.max(a, 0)].free_body == 0:
                meets = False
            elif moves(w, c) and not has_stopped(w, c):
                free = True
        if meets and (w.collider[c].speculates & SWEPT) > 0:
            away = present_pose(w, c).p - w.collider[c].position
            if away.norm() >= threshold(w, c):
                fast = True
    return meets and fast and free


@ti.func
def collider_of(w: ti.template(), g, side):
    """Return collider A (0) or B (1) of pair g."""
    c = w.slot[g].collider_a
    if side == 1:
        c = w.slot[g].collider_b
    return c


@ti.func
def moves(w: ti.template(), c):
    """Return whether an impulse moves the body of collider c, which is not a link of an articulation."""
    a = w.collider[c].articulation
    return a >= 0 and w.articulation[ti.max(a, 0)].kinematic == 0


@ti.func
def has_stopped(w: ti.template(), c):
    """Return whether the body of collider c was stopped in this step."""
    return w.collider[w.collider[c].first].stopped


@ti.func
def meet(w: ti.template(), g):
    """Return the share of its way at which pair g first touches, 1 for none, and the normal from B to A then."""
    share, normal = broadcast(1.0), zero_vector()
    if ti.static(w.features.meshes):
        if w.collider[w.slot[g].collider_b].shape == MESH:
            share, normal = first_touch_of_mesh(w, g)
        else:
            share, normal = first_touch(w, g)
    else:
        share, normal = first_touch(w, g)
    return share, normal


@ti.func
def first_touch(w: ti.template(), g):
    """Return `meet` of a pair of convex shapes."""
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    one, two = present_pose(w, a), present_pose(w, b)
    way = (one.p - w.collider[a].position) - (two.p - w.collider[b].position)
    share, normal, most = broadcast(1.0), zero_vector(), threshold(w, a) + threshold(w, b)
    if way.norm() > most:
        near = ACCURACY * ti.min(threshold(w, a), threshold(w, b))
        reach = ti.max(w.slot[g].rest_distance, 0.0) + ti.min(margin(w, a), margin(w, b))
        for side in range(2):
            c = collider_of(w, g, side)
            if has_radius(w.collider[c].shape):
                reach = reach + w.param.collider_size[c].x
        start = Pose(w.collider[a].position, one.q).within(Pose(w.collider[b].position, two.q))
        share, normal = sweep_cores(w, g, -1, start, two.q.unrotate(way), reach, near)
        normal = two.q.rotate(normal)
        if share == 0.0 or 0.0 - way.dot(normal) < most:
            share = broadcast(1.0)
    return share, normal


@ti.func
def answer(w: ti.template(), island_id, g, share, n):
    """Reflect the velocities of the bodies of pair g along the normal, and stop them after a share of their way."""
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    speed, total, stopped = n.dot(velocity_at(w, a) - velocity_at(w, b)), broadcast(0.0), False
    for side in range(2):
        c = collider_of(w, g, side)
        if moves(w, c):
            total = total + 1.0 / w.param.mass[w.collider[c].link]
            stopped = stopped or has_stopped(w, c)
    if speed < 0.0 - STILL * w.param.metre[0] and not stopped:
        change = n * ((1.0 + w.slot[g].contact_restitution) * speed)
        push(w, a, change * -1.0, total)
        push(w, b, change, total)
    for side in range(2):
        c = collider_of(w, g, side)
        if moves(w, c):
            if not has_stopped(w, c):
                stop(w, island_id, c, share)


@ti.func
def velocity_at(w: ti.template(), c):
    """Return the velocity of the origin of collider c; 0 of what is static."""
    v = zero_vector()
    if w.collider[c].node >= 0:
        motion = w.node[w.collider[c].node].v
        v = motion.lin + motion.ang.cross(present_pose(w, c).p - w.state.position[w.collider[c].link])
    return v


@ti.func
def push(w: ti.template(), c, change, total):
    """Change the velocity of the body of collider c, if it moves, by its share of a relative velocity.

    `total`: sum of the inverse masses of both bodies. One body alone has all of it, and stops without a rest.
    """
    if moves(w, c):
        k, link = w.collider[c].node, w.collider[c].link
        mine = change * ((1.0 / w.param.mass[link]) / total)
        if ti.static(w.features.locks):
            mine = without_axes(mine, w.articulation[w.collider[c].articulation].locked)
        w.node[k].v = Motion(w.node[k].v.ang, w.node[k].v.lin + mine)


@ti.func
def stop(w: ti.template(), island_id, c, share):
    """Move the body of collider c to where it was after a share of its step, where its shapes stay."""
    link = w.collider[c].link
    start, place = collider_pose(w, c), w.param.collider_position[c]
    q0 = start.q * w.param.collider_rotation[c].conjugate()
    p0 = start.p - q0.rotate(Vec3(place.x, place.y, place.z))
    turn = (w.state.orientation[link] * q0.conjugate()).rotation_vector()
    w.state.position[link] = p0 + (w.state.position[link] - p0) * share
    w.state.orientation[link] = (from_rotation_vector(turn * share) * q0).normalized()
    for i in range(w.island[island_id].body, w.island[island_id].body_end):
        if w.body[i].link == link:
            for k in range(w.body[i].collider, w.body[i].collider_end):
                pose = present_pose(w, k)
                w.collider[k].position = pose.p
                w.collider[k].orientation = pose.q
    w.collider[w.collider[c].first].stopped = True
