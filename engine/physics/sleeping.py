"""Falling asleep and waking: what hardly moves is not moved at all, until something disturbs it.

Each link has a timer that counts down. In its last 0.2 s the velocities of the steps are summed up:

    E = ½ (|Σ v|² + Σωᵀ (I/m) Σω)        v of its centre of mass, ω in its own axes

A link whose E reaches the threshold starts anew: timer = 0.2 s · min(E/threshold, 2) + n h, sums = 0; n joints outside
the trees that hold it make the threshold 1 + n times as large. An articulation, and a free body tied to one, may sleep
when all its timers were at zero already a step before, other free bodies at the start of the next; an island falls
asleep when all its members may: its velocities become zero and its poses stay. The velocities are those of the position
iterations, under TGS their means over the substeps.
"""

import taichi as ti

from . import LANES
from .lanes import TINY, Float, any_lane, lane_sum, larger, real, smaller
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
NODDING = 0.5  # marks what falls asleep at the start of the next step
HELD_UP = 1e-6  # [s] of a timer at zero while others of its articulation are not


@ti.func
def has_timer(w: ti.template(), k):
    """Whether node k carries a link that may move."""
    return node(w, k, NODE_AT.CARRIER) == k and node(w, k, NODE_AT.STILL) == 0


@ti.func
def wake(w: ti.template(), isle, h):
    """Wake an island that something disturbed, and tell which lanes of it are awake; returns whether any is."""
    first, last = island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)
    least = real(1.0)
    for m in range(first, last):
        least = smaller(least, get_rest(w, "ASLEEP", member(w, m, MEMBER_AT.ARTICULATION)))
    sleepers = 0.0
    if any_lane(least != 0.0):  # seldom: lanes are awake and undisturbed as a rule
        if any_lane(least < 0.0):
            for m in range(first, last):
                start_anew(w, member(w, m, MEMBER_AT.ARTICULATION), least < 0.0, h)
        if any_lane(least == NODDING):
            for m in range(first, last):
                stop(w, member(w, m, MEMBER_AT.ARTICULATION), least == NODDING)
        sleepers = lane_sum(ti.select(least > 0.0, real(1.0), 0.0))
    w.set_awake(ti.select(least > 0.0, 0.0, real(1.0)), sleepers > 0.0)
    return sleepers < LANES


@ti.func
def start_anew(w: ti.template(), a, woken, h):
    """Fill the timers of articulation a where its island is `woken` and it was disturbed itself, or is asleep."""
    mark = get_rest(w, "ASLEEP", a)
    for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
        if has_timer(w, k):
            link = node(w, k, NODE_AT.LINK)
            timer = up_to_date(w, a, link, h)
            timer = ti.select(mark != 0.0, larger(timer, FULL), timer)
            put_rest(w, "WAKE", link, ti.select(woken, timer, get_rest(w, "WAKE", link)))
    for name in ti.static(("OWED", "SPARE", "ASLEEP")):
        put_rest(w, name, a, ti.select(woken, 0.0, get_rest(w, name, a)))


@ti.func
def up_to_date(w: ti.template(), a, link, h):
    """The timer of a link, from which h is taken for every step that is owed: one by one, since each is rounded."""
    timer, owed = get_rest(w, "WAKE", link), get_rest(w, "OWED", a)
    i = 0
    while any_lane(owed > ti.cast(i, Float)):
        timer = ti.select(owed > ti.cast(i, Float), timer - h, timer)
        i += 1
    return timer


@ti.func
def mean_velocities(w: ti.template(), a, pace):
    """Velocities of the links of articulation a in its position iterations, to STASH_V of the nodes."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    velocity = no_motion()
    if articulation(w, a, ARTICULATION_AT.FLOATING):
        velocity = get_motion(w, root, ROW.V)
        alone = articulation(w, a, ARTICULATION_AT.FREE) > 0 and articulation(w, a, ARTICULATION_AT.SPATIAL) == 0
        if pace.tgs > 0 and not alone:
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
    """Sum up the velocity of node k's link where its timer is low.

    Returns the timer after this step, set anew if E is too much, and the sums.
    """
    link, velocity = node(w, k, NODE_AT.LINK), get_motion(w, k, ROW.STASH_V)
    sums = get_rest(w, "STIR", link)
    if articulation(w, a, ARTICULATION_AT.FREE) == 0:
        velocity = velocity + get_motion(w, k, ROW.AB) * h
    more = sums + Motion(orientation(w, link).unrotate(velocity.ang), velocity.lin)
    spin = parameter_tensor(w, PARAMETER.INERTIA, link).apply(more.ang).dot(more.ang)
    energy = 0.5 * (more.lin.dot(more.lin) + spin / larger(parameter(w, PARAMETER.MASS, link), TINY))
    ties = parameter(w, PARAMETER.TIES, link)
    threshold = (1.0 + ties) * parameter(w, PARAMETER.SLEEP_THRESHOLD, a)
    low = (timer < HALF) | (timer < h)
    much = low & (energy >= threshold)
    anew = HALF * smaller(energy / larger(threshold, TINY), 2.0) + h * ties
    return ti.select(much, anew, larger(timer - h, 0.0)), chosen(much, no_motion(), chosen(low, more, sums))


@ti.func
def count_down(w: ti.template(), a, pace):
    """Run the timers of articulation a down by a step; `falls` stays where it may sleep.

    While all of them are high nothing else happens, so that the step is only noted down.
    """
    owed = get_rest(w, "OWED", a)
    due = (owed >= get_rest(w, "SPARE", a)) & (w.awake > 0.0)
    if any_lane(due):
        mean_velocities(w, a, pace)
        count(w, a, due, pace.h)
    else:
        w.set_falls(real(0.0), 0)
    put_rest(w, "OWED", a, ti.select(due, 0.0, owed + w.awake))


@ti.func
def count(w: ti.template(), a, due, h):
    """The same, timer by timer, where it is `due`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    before, least, after = real(0.0), real(FULL), real(0.0)
    for k in range(root, end):
        if has_timer(w, k):
            link = node(w, k, NODE_AT.LINK)
            timer = up_to_date(w, a, link, h)
            before = larger(before, timer)
            timer, sums = stir(w, a, k, timer, h)
            least, after = smaller(least, timer), larger(after, timer)
            put_rest(w, "WAKE", link, ti.select(due, timer, get_rest(w, "WAKE", link)))
            put_rest(w, "STIR", link, chosen(due, sums, get_rest(w, "STIR", link)))
    for k in range(root, end):
        if has_timer(w, k):
            hold_up(w, node(w, k, NODE_AT.LINK), due, after)
    put_rest(w, "SPARE", a, ti.select(due, (least - HALF) / h - 0.5, get_rest(w, "SPARE", a)))
    if articulation(w, a, ARTICULATION_AT.FREE) == 1:
        before = real(0.0)
    falls = ti.select(due & (before <= 0.0) & (after <= 0.0), w.falls, 0.0)
    w.set_falls(falls, any_lane(falls > 0.0))


@ti.func
def hold_up(w: ti.template(), link, due, most):
    """Keep a timer above zero while `most`, the largest of its articulation, is; clear the sums when none is."""
    timer = get_rest(w, "WAKE", link)
    put_rest(w, "WAKE", link, ti.select(due & (most > 0.0) & (timer == 0.0), HELD_UP, timer))
    put_rest(w, "STIR", link, chosen(due & (most <= 0.0), no_motion(), get_rest(w, "STIR", link)))


@ti.func
def fall_asleep(w: ti.template(), isle):
    """Put the lanes of an island to sleep that may; free bodies by themselves nod first, until the next step."""
    for m in range(island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        if articulation(w, a, ARTICULATION_AT.FREE) == 1:
            put_rest(w, "ASLEEP", a, ti.select(w.falls > 0.0, NODDING, get_rest(w, "ASLEEP", a)))
        else:
            stop(w, a, w.falls > 0.0)


@ti.func
def stop(w: ti.template(), a, falls):
    """Take its velocities from articulation a where it falls asleep."""
    put_rest(w, "ASLEEP", a, ti.select(falls, 1.0, get_rest(w, "ASLEEP", a)))
    set_root_velocity(w, a, chosen(falls, no_motion(), root_velocity(w, a)))
    for k in range(articulation(w, a, ARTICULATION_AT.ROOT) + 1, articulation(w, a, ARTICULATION_AT.END)):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            row = head(w, HEAD_AT.QD) + dof
            set_state(w, row, ti.select(falls, 0.0, state(w, row)))
