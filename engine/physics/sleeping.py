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
from .lanes import TINY, Float, any_lane, broadcast, lane_sum, maximum, minimum
from .spatial import Motion, no_motion, select
from .tree import motion_outward

WAKE_TIME, ACCUMULATION_TIME = 0.4, 0.2  # [s] of a new timer, and below which velocities are summed
SLEEPS_NEXT_STEP = 0.5  # marks what falls asleep at the start of the next step
MIN_COUNTER = 1e-6  # [s] of a timer at zero while others of its articulation are not


@ti.func
def has_timer(w: ti.template(), k):
    """Return whether node k carries a link that can move."""
    node = w.node[k]
    return node.last == k and node.immovable == 0


@ti.func
def wake_island(w: ti.template(), island_id, h):
    """Wake an island that something disturbed and set which of its lanes are awake; return whether any is."""
    first, last = w.island[island_id].member, w.island[island_id].member_end
    least = broadcast(1.0)
    for m in range(first, last):
        least = minimum(least, w.sleep.asleep[w.member[m].articulation])
    sleepers = 0.0
    if any_lane(least != 0.0):  # rare: most lanes are awake and undisturbed
        if any_lane(least < 0.0):
            for m in range(first, last):
                reset_wake_counters(w, w.member[m].articulation, least < 0.0, h)
        if any_lane(least == SLEEPS_NEXT_STEP):
            for m in range(first, last):
                zero_velocities(w, w.member[m].articulation, least == SLEEPS_NEXT_STEP)
        sleepers = lane_sum(ti.select(least > 0.0, broadcast(1.0), 0.0))
    w.set_awake(ti.select(least > 0.0, 0.0, broadcast(1.0)), sleepers > 0.0)
    return sleepers < LANES


@ti.func
def reset_wake_counters(w: ti.template(), a, woken, h):
    """Reset the timers of articulation a where its island is `woken` and it was disturbed itself, or is asleep."""
    mark = w.sleep.asleep[a]
    for k in range(w.articulation[a].root, w.articulation[a].end):
        if has_timer(w, k):
            link = w.node[k].link
            timer = current_wake_counter(w, a, link, h)
            timer = ti.select(mark != 0.0, maximum(timer, WAKE_TIME), timer)
            w.sleep.wake_counter[link] = ti.select(woken, timer, w.sleep.wake_counter[link])
    w.sleep.pending_steps[a] = ti.select(woken, 0.0, w.sleep.pending_steps[a])
    w.sleep.idle_steps[a] = ti.select(woken, 0.0, w.sleep.idle_steps[a])
    w.sleep.asleep[a] = ti.select(woken, 0.0, mark)


@ti.func
def current_wake_counter(w: ti.template(), a, link, h):
    """Return the timer of a link after its pending steps; h is subtracted step by step, since each is rounded."""
    timer, pending = w.sleep.wake_counter[link], w.sleep.pending_steps[a]
    i = 0
    while any_lane(pending > ti.cast(i, Float)):
        timer = ti.select(pending > ti.cast(i, Float), timer - h, timer)
        i += 1
    return timer


@ti.func
def average_velocities(w: ti.template(), a, params):
    """Write the velocities of the links of articulation a in its position iterations to MEAN_VELOCITY of the nodes."""
    root, end = w.articulation[a].root, w.articulation[a].end
    velocity = no_motion()
    if w.articulation[a].floating:
        velocity = w.node[root].v
        alone = w.articulation[a].free_body > 0 and w.articulation[a].needs_link_velocities == 0
        if params.tgs > 0 and not alone:
            moved = w.state.position[w.node[root].link] - w.node[root].start_position
            velocity = Motion(w.node[root].delta_rotation, moved) * (1.0 / params.h)
    w.node[root].mean_velocity = velocity
    for k in range(root + 1, end):
        node = w.node[k]
        parent = node.parent
        if parent != k - 1:
            velocity = w.node[parent].mean_velocity
        qd = broadcast(0.0)
        if node.dof >= 0:
            qd = node.qd
            if params.tgs > 0:
                qd = node.delta_q * (1.0 / params.h)
        velocity = motion_outward(node, velocity, qd)
        node.mean_velocity = velocity


@ti.func
def accumulate_sleep_energy(w: ti.template(), a, k, timer, h):
    """Add the velocity of node k's link to its sums where its timer is low.

    Returns the timer after this step, reset if E reaches the threshold, and the sums.
    """
    node = w.node[k]
    link, velocity = node.link, node.mean_velocity
    sums = w.sleep.velocity_sum[link]
    if w.articulation[a].free_body == 0:
        velocity = velocity + node.bias_acceleration * h
    more = sums + Motion(w.state.orientation[link].unrotate(velocity.ang), velocity.lin)
    spin = w.param.inertia[link].apply(more.ang).dot(more.ang)
    energy = 0.5 * (more.lin.dot(more.lin) + spin / maximum(w.param.mass[link], TINY))
    ties = w.param.maximal_joints[link]
    threshold = (1.0 + ties) * w.param.sleep_threshold[a]
    low = (timer < ACCUMULATION_TIME) | (timer < h)
    much = low & (energy >= threshold)
    anew = ACCUMULATION_TIME * minimum(energy / maximum(threshold, TINY), 2.0) + h * ties
    return ti.select(much, anew, maximum(timer - h, 0.0)), select(much, no_motion(), select(low, more, sums))


@ti.func
def update_wake_counters(w: ti.template(), a, params):
    """Advance the timers of articulation a by a step; `falls` remains 1 where the articulation may sleep.

    While all of them are high, only the number of pending steps grows.
    """
    pending = w.sleep.pending_steps[a]
    due = (pending >= w.sleep.idle_steps[a]) & (w.awake > 0.0)
    if any_lane(due):
        average_velocities(w, a, params)
        decrement_wake_counters(w, a, due, params.h)
    else:
        w.set_falls(broadcast(0.0), 0)
    w.sleep.pending_steps[a] = ti.select(due, 0.0, pending + w.awake)


@ti.func
def decrement_wake_counters(w: ti.template(), a, due, h):
    """Advance every timer of articulation a, with its pending steps, where it is `due`."""
    root, end = w.articulation[a].root, w.articulation[a].end
    before, least, after = broadcast(0.0), broadcast(WAKE_TIME), broadcast(0.0)
    for k in range(root, end):
        if has_timer(w, k):
            link = w.node[k].link
            timer = current_wake_counter(w, a, link, h)
            before = maximum(before, timer)
            timer, sums = accumulate_sleep_energy(w, a, k, timer, h)
            least, after = minimum(least, timer), maximum(after, timer)
            w.sleep.wake_counter[link] = ti.select(due, timer, w.sleep.wake_counter[link])
            w.sleep.velocity_sum[link] = select(due, sums, w.sleep.velocity_sum[link])
    for k in range(root, end):
        if has_timer(w, k):
            keep_counter_positive(w, w.node[k].link, due, after)
    w.sleep.idle_steps[a] = ti.select(due, (least - ACCUMULATION_TIME) / h - 0.5, w.sleep.idle_steps[a])
    if w.articulation[a].free_body == 1:
        before = broadcast(0.0)
    falls = ti.select(due & (before <= 0.0) & (after <= 0.0), w.falls, 0.0)
    w.set_falls(falls, any_lane(falls > 0.0))


@ti.func
def keep_counter_positive(w: ti.template(), link, due, most):
    """Keep a timer above zero while `most`, the largest of its articulation, is; clear the sums when none is."""
    timer = w.sleep.wake_counter[link]
    w.sleep.wake_counter[link] = ti.select(due & (most > 0.0) & (timer == 0.0), MIN_COUNTER, timer)
    w.sleep.velocity_sum[link] = select(due & (most <= 0.0), no_motion(), w.sleep.velocity_sum[link])


@ti.func
def put_island_to_sleep(w: ti.template(), island_id):
    """Put the lanes of an island to sleep that may; single free bodies sleep from the next step on."""
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        if w.articulation[a].free_body == 1:
            w.sleep.asleep[a] = ti.select(w.falls > 0.0, SLEEPS_NEXT_STEP, w.sleep.asleep[a])
        else:
            zero_velocities(w, a, w.falls > 0.0)


@ti.func
def zero_velocities(w: ti.template(), a, falls):
    """Set the velocities of articulation a to zero where it falls asleep."""
    w.sleep.asleep[a] = ti.select(falls, 1.0, w.sleep.asleep[a])
    w.state.root_velocity[a] = select(falls, no_motion(), w.state.root_velocity[a])
    for k in range(w.articulation[a].root + 1, w.articulation[a].end):
        dof = w.node[k].dof
        if dof >= 0:
            row = w.header.qd + dof
            w.state[row] = ti.select(falls, 0.0, w.state[row])
