"""Sleeping and waking: what hardly moves stays where it is until something disturbs it.

Each link has a timer that counts down. In its last 0.2 s the velocities of the steps are summed:

    E = ½ (|Σ v|² + Σωᵀ (I/m) Σω)        v of its centre of mass, ω in its own axes

A link whose E reaches the threshold starts anew: timer = 0.2 s · min(E/threshold, 2) + n h, sums = 0; n maximal
joints on it make the threshold 1 + n times as large. An articulation, and a free body tied to one, may sleep when all
its timers were zero already one step before, other free bodies at the start of the next step. An island falls asleep
when all its members may: its velocities become zero and its poses stay. The velocities are those of the position
iterations; under TGS they are means over the substeps.
"""

import taichi as ti

from . import LANES
from .accessors import (
    NODE_ROW,
    PARAMETER,
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
from .lanes import TINY, Float, any_lane, broadcast, lane_sum, maximum, minimum
from .sleep_buffer import get_sleep, put_sleep
from .spatial import Motion, no_motion, select
from .world_view import (
    ARTICULATION_AT,
    HEADER_AT,
    ISLAND_AT,
    MEMBER_AT,
    NODE_AT,
    articulation,
    header,
    island,
    member,
    node,
)

WAKE_TIME, ACCUMULATION_TIME = 0.4, 0.2  # [s] of a new timer, and below which velocities are summed
SLEEPS_NEXT_STEP = 0.5  # marks what falls asleep at the start of the next step
MIN_COUNTER = 1e-6  # [s] of a timer at zero while others of its articulation are not


@ti.func
def has_timer(w: ti.template(), k):
    """Return whether node k carries a link that can move."""
    return node(w, k, NODE_AT.LAST) == k and node(w, k, NODE_AT.IMMOVABLE) == 0


@ti.func
def wake_island(w: ti.template(), island_id, h):
    """Wake an island that something disturbed and set which of its lanes are awake; return whether any is."""
    first, last = island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)
    least = broadcast(1.0)
    for m in range(first, last):
        least = minimum(least, get_sleep(w, "ASLEEP", member(w, m, MEMBER_AT.ARTICULATION)))
    sleepers = 0.0
    if any_lane(least != 0.0):  # rare: most lanes are awake and undisturbed
        if any_lane(least < 0.0):
            for m in range(first, last):
                reset_wake_counters(w, member(w, m, MEMBER_AT.ARTICULATION), least < 0.0, h)
        if any_lane(least == SLEEPS_NEXT_STEP):
            for m in range(first, last):
                zero_velocities(w, member(w, m, MEMBER_AT.ARTICULATION), least == SLEEPS_NEXT_STEP)
        sleepers = lane_sum(ti.select(least > 0.0, broadcast(1.0), 0.0))
    w.set_awake(ti.select(least > 0.0, 0.0, broadcast(1.0)), sleepers > 0.0)
    return sleepers < LANES


@ti.func
def reset_wake_counters(w: ti.template(), a, woken, h):
    """Reset the timers of articulation a where its island is `woken` and it was disturbed itself, or is asleep."""
    mark = get_sleep(w, "ASLEEP", a)
    for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
        if has_timer(w, k):
            link = node(w, k, NODE_AT.LINK)
            timer = current_wake_counter(w, a, link, h)
            timer = ti.select(mark != 0.0, maximum(timer, WAKE_TIME), timer)
            put_sleep(w, "WAKE_COUNTER", link, ti.select(woken, timer, get_sleep(w, "WAKE_COUNTER", link)))
    for name in ti.static(("PENDING_STEPS", "IDLE_STEPS", "ASLEEP")):
        put_sleep(w, name, a, ti.select(woken, 0.0, get_sleep(w, name, a)))


@ti.func
def current_wake_counter(w: ti.template(), a, link, h):
    """Return the timer of a link after its pending steps; h is subtracted step by step, since each is rounded."""
    timer, pending = get_sleep(w, "WAKE_COUNTER", link), get_sleep(w, "PENDING_STEPS", a)
    i = 0
    while any_lane(pending > ti.cast(i, Float)):
        timer = ti.select(pending > ti.cast(i, Float), timer - h, timer)
        i += 1
    return timer


@ti.func
def average_velocities(w: ti.template(), a, params):
    """Write the velocities of the links of articulation a in its position iterations to BRANCH_DELTA_V of the nodes."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    velocity = no_motion()
    if articulation(w, a, ARTICULATION_AT.FLOATING):
        velocity = get_motion(w, root, NODE_ROW.V)
        alone = (
            articulation(w, a, ARTICULATION_AT.FREE_BODY) > 0
            and articulation(w, a, ARTICULATION_AT.NEEDS_LINK_VELOCITIES) == 0
        )
        if params.tgs > 0 and not alone:
            moved = position(w, node(w, root, NODE_AT.LINK)) - get_vector(w, root, NODE_ROW.START_POSITION)
            velocity = Motion(get_vector(w, root, NODE_ROW.DELTA_ROTATION), moved) * (1.0 / params.h)
    put_spatial(w, root, NODE_ROW.BRANCH_DELTA_V, velocity)
    for k in range(root + 1, end):
        parent = node(w, k, NODE_AT.PARENT)
        if parent != k - 1:
            velocity = get_motion(w, parent, NODE_ROW.BRANCH_DELTA_V)
        velocity = velocity.outward(get_vector(w, k, NODE_ROW.OFFSET))
        if node(w, k, NODE_AT.DOF) >= 0:
            speed = get(w, k, NODE_ROW.QD)
            if params.tgs > 0:
                speed = get(w, k, NODE_ROW.DELTA_Q) * (1.0 / params.h)
            velocity = velocity + get_motion(w, k, NODE_ROW.SUBSPACE) * speed
        put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, velocity)


@ti.func
def accumulate_sleep_energy(w: ti.template(), a, k, timer, h):
    """Add the velocity of node k's link to its sums where its timer is low.

    Returns the timer after this step, reset if E reaches the threshold, and the sums.
    """
    link, velocity = node(w, k, NODE_AT.LINK), get_motion(w, k, NODE_ROW.BRANCH_DELTA_V)
    sums = get_sleep(w, "VELOCITY_SUM", link)
    if articulation(w, a, ARTICULATION_AT.FREE_BODY) == 0:
        velocity = velocity + get_motion(w, k, NODE_ROW.BIAS_ACCELERATION) * h
    more = sums + Motion(orientation(w, link).unrotate(velocity.ang), velocity.lin)
    spin = parameter_tensor(w, PARAMETER.INERTIA, link).apply(more.ang).dot(more.ang)
    energy = 0.5 * (more.lin.dot(more.lin) + spin / maximum(parameter(w, PARAMETER.MASS, link), TINY))
    ties = parameter(w, PARAMETER.MAXIMAL_JOINTS, link)
    threshold = (1.0 + ties) * parameter(w, PARAMETER.SLEEP_THRESHOLD, a)
    low = (timer < ACCUMULATION_TIME) | (timer < h)
    much = low & (energy >= threshold)
    anew = ACCUMULATION_TIME * minimum(energy / maximum(threshold, TINY), 2.0) + h * ties
    return ti.select(much, anew, maximum(timer - h, 0.0)), select(much, no_motion(), select(low, more, sums))


@ti.func
def update_wake_counters(w: ti.template(), a, params):
    """Advance the timers of articulation a by a step; `falls` remains 1 where the articulation may sleep.

    While all of them are high, only the number of pending steps grows.
    """
    pending = get_sleep(w, "PENDING_STEPS", a)
    due = (pending >= get_sleep(w, "IDLE_STEPS", a)) & (w.awake > 0.0)
    if any_lane(due):
        average_velocities(w, a, params)
        decrement_wake_counters(w, a, due, params.h)
    else:
        w.set_falls(broadcast(0.0), 0)
    put_sleep(w, "PENDING_STEPS", a, ti.select(due, 0.0, pending + w.awake))


@ti.func
def decrement_wake_counters(w: ti.template(), a, due, h):
    """Advance every timer of articulation a, with its pending steps, where it is `due`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    before, least, after = broadcast(0.0), broadcast(WAKE_TIME), broadcast(0.0)
    for k in range(root, end):
        if has_timer(w, k):
            link = node(w, k, NODE_AT.LINK)
            timer = current_wake_counter(w, a, link, h)
            before = maximum(before, timer)
            timer, sums = accumulate_sleep_energy(w, a, k, timer, h)
            least, after = minimum(least, timer), maximum(after, timer)
            put_sleep(w, "WAKE_COUNTER", link, ti.select(due, timer, get_sleep(w, "WAKE_COUNTER", link)))
            put_sleep(w, "VELOCITY_SUM", link, select(due, sums, get_sleep(w, "VELOCITY_SUM", link)))
    for k in range(root, end):
        if has_timer(w, k):
            keep_counter_positive(w, node(w, k, NODE_AT.LINK), due, after)
    put_sleep(w, "IDLE_STEPS", a, ti.select(due, (least - ACCUMULATION_TIME) / h - 0.5, get_sleep(w, "IDLE_STEPS", a)))
    if articulation(w, a, ARTICULATION_AT.FREE_BODY) == 1:
        before = broadcast(0.0)
    falls = ti.select(due & (before <= 0.0) & (after <= 0.0), w.falls, 0.0)
    w.set_falls(falls, any_lane(falls > 0.0))


@ti.func
def keep_counter_positive(w: ti.template(), link, due, most):
    """Keep a timer above zero while `most`, the largest of its articulation, is; clear the sums when none is."""
    timer = get_sleep(w, "WAKE_COUNTER", link)
    put_sleep(w, "WAKE_COUNTER", link, ti.select(due & (most > 0.0) & (timer == 0.0), MIN_COUNTER, timer))
    put_sleep(w, "VELOCITY_SUM", link, select(due & (most <= 0.0), no_motion(), get_sleep(w, "VELOCITY_SUM", link)))


@ti.func
def put_island_to_sleep(w: ti.template(), island_id):
    """Put the lanes of an island to sleep that may; single free bodies sleep from the next step on."""
    for m in range(island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        if articulation(w, a, ARTICULATION_AT.FREE_BODY) == 1:
            put_sleep(w, "ASLEEP", a, ti.select(w.falls > 0.0, SLEEPS_NEXT_STEP, get_sleep(w, "ASLEEP", a)))
        else:
            zero_velocities(w, a, w.falls > 0.0)


@ti.func
def zero_velocities(w: ti.template(), a, falls):
    """Set the velocities of articulation a to zero where it falls asleep."""
    put_sleep(w, "ASLEEP", a, ti.select(falls, 1.0, get_sleep(w, "ASLEEP", a)))
    set_root_velocity(w, a, select(falls, no_motion(), root_velocity(w, a)))
    for k in range(articulation(w, a, ARTICULATION_AT.ROOT) + 1, articulation(w, a, ARTICULATION_AT.END)):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            row = header(w, HEADER_AT.QD) + dof
            set_state(w, row, ti.select(falls, 0.0, state(w, row)))
