"""Falling asleep and waking: what hardly moves is not moved at all, until something disturbs it.

Each link has a timer that counts down. In its last 0.2 s the velocities of the steps are summed up:

    E = ½ (|Σ v|² + Σωᵀ (I/m) Σω)        v of its centre of mass, ω in its own axes

A link whose E reaches the threshold starts anew: timer = 0.2 s · min(E/threshold, 2), sums = 0. An articulation may
sleep once all its timers are at zero; an island whose members all may does in the step after that: its velocities become
zero and its poses stay. The velocities are those of the position iterations, under TGS their means over the substeps.
"""

import taichi as ti

from .lanes import TINY, any_lane, larger, real, smaller
from .memory import (
    PARAMETER,
    ROW,
    get,
    get_motion,
    get_vector,
    orientation,
    parameter,
    parameter_tensor,
    position,
    put_spatial,
    root_velocity,
    set_root_velocity,
    set_state,
    state,
)
from .rest import get_rest, put_rest
from .spatial import Motion, chosen, no_motion
from .world import ARTICULATION_AT, HEAD_AT, ISLAND_AT, MEMBER_AT, NODE_AT, articulation, head, island, member, node

FULL, HALF = 0.4, 0.2  # [s] of a timer that was set anew, and below which velocities are summed up
HELD_UP = 1e-6  # [s] of a timer at zero while others of its articulation are not


@ti.func
def wake(w: ti.template(), isle):
    """Wake an island that something disturbed, and tell which lanes of it are awake; returns whether any is."""
    first, last = island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)
    least = real(1.0)
    for m in range(first, last):
        least = smaller(least, get_rest(w, "ASLEEP", member(w, m, MEMBER_AT.ARTICULATION)))
    if any_lane(least < 0.0):
        for m in range(first, last):
            a = member(w, m, MEMBER_AT.ARTICULATION)
            mark = get_rest(w, "ASLEEP", a)
            put_rest(w, "ASLEEP", a, ti.select(least < 0.0, 0.0, mark))
            for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
                if node(w, k, NODE_AT.CARRIER) == k:
                    link = node(w, k, NODE_AT.LINK)
                    timer = get_rest(w, "WAKE", link)
                    disturbed = (least < 0.0) & (mark != 0.0)  # itself, or asleep beside what was
                    put_rest(w, "WAKE", link, ti.select(disturbed, larger(timer, FULL), timer))
    w.set_awake(ti.select(least > 0.0, 0.0, real(1.0)))
    return any_lane(least <= 0.0)


@ti.func
def mean_velocities(w: ti.template(), a, pace):
    """Velocities of the links of articulation a in its position iterations, to STASH_V of the nodes."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    velocity = no_motion()
    if articulation(w, a, ARTICULATION_AT.FREE):
        velocity = get_motion(w, root, ROW.V)
    elif articulation(w, a, ARTICULATION_AT.FLOATING):
        velocity = get_motion(w, root, ROW.V)
        if pace.tgs > 0:
            moved = position(w, node(w, root, NODE_AT.LINK)) - get_vector(w, root, ROW.START)
            velocity = Motion(get_vector(w, root, ROW.THETA), moved) * (1.0 / pace.h)
    put_spatial(w, root, ROW.STASH_V, velocity)
    for k in range(root + 1, end):
        parent = node(w, k, NODE_AT.PARENT)
        if parent != k - 1:
            velocity = get_motion(w, parent, ROW.STASH_V)
        velocity = velocity.outward(get_vector(w, k, ROW.D))
        if node(w, k, NODE_AT.DOF) >= 0:
            speed = get(w, k, ROW.V0)
            if pace.tgs > 0:
                speed = get(w, k, ROW.PD) * (1.0 / pace.h)
            velocity = velocity + get_motion(w, k, ROW.S) * speed
        put_spatial(w, k, ROW.STASH_V, velocity)


@ti.func
def stir(w: ti.template(), a, k, timer, h):
    """Sum up the velocity of node k's link where its timer is low; returns the timer, set anew if E is too much."""
    link, velocity = node(w, k, NODE_AT.LINK), get_motion(w, k, ROW.STASH_V)
    sums = get_rest(w, "STIR", link)
    low = ((timer < HALF) | (timer < h)) & (w.awake > 0.0)
    more = sums + Motion(orientation(w, link).unrotate(velocity.ang), velocity.lin)
    spin = parameter_tensor(w, PARAMETER.INERTIA, link).apply(more.ang).dot(more.ang)
    energy = 0.5 * (more.lin.dot(more.lin) + spin / larger(parameter(w, PARAMETER.MASS, link), TINY))
    threshold = parameter(w, PARAMETER.SLEEP_THRESHOLD, a)
    much = low & (energy >= threshold)
    put_rest(w, "STIR", link, chosen(much, no_motion(), chosen(low, more, sums)))
    return ti.select(much, HALF * smaller(energy / larger(threshold, TINY), 2.0), larger(timer - h, 0.0))


@ti.func
def count_down(w: ti.template(), a, pace):
    """Run the timers of articulation a down by a step; `falls` stays where it may sleep and might the step before."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    before, least, after = real(0.0), real(FULL), real(0.0)
    for k in range(root, end):
        if node(w, k, NODE_AT.CARRIER) == k:
            timer = get_rest(w, "WAKE", node(w, k, NODE_AT.LINK))
            before, least = larger(before, timer), smaller(least, timer)
    low = any_lane((least < HALF) | (least < pace.h))
    if low:
        mean_velocities(w, a, pace)
    for k in range(root, end):
        if node(w, k, NODE_AT.CARRIER) == k:
            link = node(w, k, NODE_AT.LINK)
            timer = get_rest(w, "WAKE", link)
            if low:
                timer = stir(w, a, k, timer, pace.h)
            else:
                timer -= pace.h
            put_rest(w, "WAKE", link, timer)
            after = larger(after, timer)
    if low:
        for k in range(root, end):
            if node(w, k, NODE_AT.CARRIER) == k:
                hold_up(w, node(w, k, NODE_AT.LINK), after)
    w.set_falls(ti.select((before > 0.0) | (after > 0.0), 0.0, w.falls))


@ti.func
def hold_up(w: ti.template(), link, most):
    """Keep a timer above zero while `most`, the largest of its articulation, is; clear the sums when none is."""
    timer = get_rest(w, "WAKE", link)
    put_rest(w, "WAKE", link, ti.select((most > 0.0) & (timer == 0.0), HELD_UP, timer))
    put_rest(w, "STIR", link, chosen(most > 0.0, get_rest(w, "STIR", link), no_motion()))


@ti.func
def fall_asleep(w: ti.template(), isle):
    """Take the velocities from the lanes of an island that fall asleep."""
    for m in range(island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
        put_rest(w, "ASLEEP", a, ti.select(w.falls > 0.0, 1.0, get_rest(w, "ASLEEP", a)))
        set_root_velocity(w, a, chosen(w.falls > 0.0, no_motion(), root_velocity(w, a)))
        for k in range(root + 1, end):
            dof = node(w, k, NODE_AT.DOF)
            if dof >= 0:
                row = head(w, HEAD_AT.QD) + dof
                set_state(w, row, ti.select(w.falls > 0.0, 0.0, state(w, row)))
