"""Sleeping and waking: what hardly moves stays where it is until something disturbs it.

Each link has a timer that counts down. In its last 0.2 s the velocities of the steps are summed:

    E = ½ (|Σ v|² + Σωᵀ (I/m) Σω)        v of its centre of mass, ω in its own axes

A link whose E reaches the threshold starts anew: timer = 0.2 s · min(E/threshold, 2) + n h, sums = 0; n maximal
joints and near pairs of colliders on it make the threshold 1 + n times as large. The velocities are those of the
position iterations; under TGS they are means over the substeps. An articulation whose timers are all zero is *ready*.
Bodies that joints or touches connect fall asleep in the step that begins with all of them ready: their velocities
become zero, free bodies stay where they were before the step. What touches something awake wakes, with timers at zero:
see `contacts.order.sleep_groups`. Without contacts, the members of an island are such a group.
"""

import taichi as ti

from ..tables.word_values import ASLEEP, AWAKE, DISTURBED, LOST_SLEEPER, LOST_STATIC, READY
from . import LANES
from .contacts.broad_phase.active_pairs import slot_at
from .contacts.lane_choice import holds_in_lane, single_lanes
from .contacts.patches import patch_at, patches_per_slot
from .lanes import TINY, Float, any_lane, broadcast, indicator, mask, maximum, minimum
from .sleep_masking import awake_lanes, falling_lanes, mask_sleepers, note_moved, zero_velocities
from .spatial import Motion, no_motion, select
from .tree import motion_outward

WAKE_TIME, ACCUMULATION_TIME = 0.4, 0.2  # [s] of a new timer, and below which velocities are summed
MIN_COUNTER = 1e-6  # [s] of a timer at zero while others of its articulation are not
ENDLESS = 1e29  # IDLE_STEPS of timers that stand still


@ti.func
def has_timer(w: ti.template(), k):
    """Return whether node k carries a link that can move."""
    node = w.node[k]
    return node.last == k and node.immovable == 0


@ti.func
def wake_island(w: ti.template(), island_id, h):
    """Wake what was disturbed in an island and set which of its lanes are awake; return whether any is."""
    first, last = w.island[island_id].member, w.island[island_id].member_end
    least, most = broadcast(1.0), broadcast(-1.0)
    for m in range(first, last):
        mark = w.sleep.asleep[w.member[m].articulation]
        least, most = minimum(least, mark), maximum(most, mark)
    stirred = (least < 0.0) & (most == ASLEEP)  # something sleeps that what was disturbed may wake
    if any_lane(least < 0.0):
        for m in range(first, last):
            a = w.member[m].articulation
            reset_wake_counters(w, a, w.sleep.asleep[a] < 0.0, h)
    w.set_awake(least < ASLEEP, any_lane(most > 0.0))
    w.set_falls(least == READY, any_lane(least == READY))
    if ti.static(w.features.contacts):
        wake_groups(w, island_id, stirred)
    elif any_lane(stirred):
        for m in range(first, last):
            a = w.member[m].articulation
            w.sleep.asleep[a] = ti.select(stirred & (w.sleep.asleep[a] == ASLEEP), READY, w.sleep.asleep[a])
    return any_lane(least < ASLEEP)


@ti.func
def wake_groups(w: ti.template(), island_id, stirred):
    """Write which members of an island this step moves; in the lanes `stirred`, wake what touches something awake."""
    first, last = w.island[island_id].member, w.island[island_id].member_end
    apart = w.island[island_id].pair == w.island[island_id].pair_end
    for m in range(first, last):
        a = w.member[m].articulation
        mark = w.sleep.asleep[a]
        w.articulation[a].awake = mark < ASLEEP
        w.articulation[a].ready = mark == READY
        w.articulation[a].falls = False
        w.articulation[a].lost = broadcast(0.0)
        if apart:
            w.articulation[a].awake = w.awake
            w.articulation[a].falls = w.falls
    if apart == 0:
        w.set_falls(mask(False), 0)
        if any_lane(stirred):
            for lane in range(LANES):
                if holds_in_lane(stirred, lane):
                    single_lanes.wake_what_touched(single_lanes.LaneView(w, lane), island_id)
    if any_lane(stirred):
        mark_woken(w, island_id)
    note_moved(w, island_id)


@ti.func
def mark_woken(w: ti.template(), island_id):
    """Mark what woke as awake with timers at zero."""
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        woke = w.articulation[a].awake & (w.sleep.asleep[a] == ASLEEP)
        w.sleep.asleep[a] = ti.select(woke, READY, w.sleep.asleep[a])


@ti.func
def take_changes(w: ti.template(), island_id, h):
    """Take over what contacts changed: what woke, what falls asleep, and the timers of what lost its support."""
    falling = 0
    if w.drowsy:
        mark_woken(w, island_id)
        note_moved(w, island_id)
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        if any_lane(w.articulation[a].lost == LOST_STATIC):
            reset_wake_counters(w, a, w.articulation[a].lost == LOST_STATIC, h)
        if any_lane(w.articulation[a].falls):
            falling = 1
    w.set_falls(mask(False), falling)


@ti.func
def reset_wake_counters(w: ti.template(), a, woken, h):
    """Set the timers of articulation a to the time of a new timer where it is `woken`, and mark it as awake."""
    for k in range(w.articulation[a].root, w.articulation[a].end):
        if has_timer(w, k):
            link = w.node[k].link
            timer = maximum(current_wake_counter(w, a, link, h), WAKE_TIME)
            w.sleep.wake_counter[link] = ti.select(woken, timer, w.sleep.wake_counter[link])
    idle = ti.select(woken & (w.sleep.idle_steps[a] < ENDLESS), 0.0, w.sleep.idle_steps[a])
    w.sleep.idle_steps[a] = idle
    w.sleep.pending_steps[a] = ti.select(woken, 0.0, w.sleep.pending_steps[a])
    w.sleep.asleep[a] = ti.select(woken, AWAKE, w.sleep.asleep[a])


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
    if ti.static(w.features.contacts):
        ties = ties + node.near_pairs
    threshold = (1.0 + ties) * w.param.sleep_threshold[a]
    low = (timer < ACCUMULATION_TIME) | (timer < h)
    much = low & (energy >= threshold)
    share = ti.select(threshold > 0.0, minimum(energy / maximum(threshold, TINY), 2.0), 2.0)
    anew = ACCUMULATION_TIME * share + h * ties
    return ti.select(much, anew, maximum(timer - h, 0.0)), select(much, no_motion(), select(low, more, sums))


@ti.func
def update_wake_counters(w: ti.template(), a, params):
    """Advance the timers of articulation a by a step; while all of them are high, only the pending steps grow."""
    pending = w.sleep.pending_steps[a]
    moves = awake_lanes(w, a) & ~falling_lanes(w, a)
    due = (pending >= w.sleep.idle_steps[a]) & moves
    if any_lane(due):
        average_velocities(w, a, params)
        decrement_wake_counters(w, a, due, params.h)
    w.sleep.pending_steps[a] = ti.select(due, 0.0, pending + indicator(moves))
    if ti.static(w.features.kinematics):
        if w.articulation[a].kinematic:  # it is ready where it stands still
            v = w.state.root_velocity[a]
            mark = ti.select(v.lin.dot(v.lin) + v.ang.dot(v.ang) == 0.0, READY, broadcast(0.0))
            runs = moves & (w.sleep.idle_steps[a] < ENDLESS)
            w.sleep.asleep[a] = ti.select(runs, mark, w.sleep.asleep[a])


@ti.func
def decrement_wake_counters(w: ti.template(), a, due, h):
    """Advance every timer of articulation a, with its pending steps, where it is `due`; mark where it is ready."""
    root, end = w.articulation[a].root, w.articulation[a].end
    least, most = broadcast(WAKE_TIME), broadcast(0.0)
    for k in range(root, end):
        if has_timer(w, k):
            link = w.node[k].link
            timer = current_wake_counter(w, a, link, h)
            timer, sums = accumulate_sleep_energy(w, a, k, timer, h)
            least, most = minimum(least, timer), maximum(most, timer)
            w.sleep.wake_counter[link] = ti.select(due, timer, w.sleep.wake_counter[link])
            w.sleep.velocity_sum[link] = select(due, sums, w.sleep.velocity_sum[link])
    for k in range(root, end):
        if has_timer(w, k):
            keep_counter_positive(w, w.node[k].link, due, most)
    w.sleep.idle_steps[a] = ti.select(due, (least - ACCUMULATION_TIME) / h - 0.5, w.sleep.idle_steps[a])
    w.sleep.asleep[a] = ti.select(due, ti.select(most <= 0.0, READY, broadcast(AWAKE)), w.sleep.asleep[a])


@ti.func
def keep_counter_positive(w: ti.template(), link, due, most):
    """Keep a timer above zero while `most`, the largest of its articulation, is; clear the sums when none is."""
    timer = w.sleep.wake_counter[link]
    w.sleep.wake_counter[link] = ti.select(due & (most > 0.0) & (timer == 0.0), MIN_COUNTER, timer)
    w.sleep.velocity_sum[link] = select(due & (most <= 0.0), no_motion(), w.sleep.velocity_sum[link])


@ti.func
def save_sleepers(w: ti.template(), island_id):
    """Save the state of what sleeps before a step."""
    if ti.static(w.features.sleeps):
        mask_sleepers(w, island_id, False)
        w.set_writes(w.awake, w.falls)


@ti.func
def restore_sleepers(w: ti.template(), island_id):
    """Restore the state of what sleeps after a step, and put to sleep what falls asleep in it."""
    if ti.static(w.features.sleeps):
        mask_sleepers(w, island_id, True)
        if w.falling:
            put_to_sleep(w, island_id)


@ti.func
def put_to_sleep(w: ti.template(), island_id):
    """Put to sleep what falls asleep in this step; what a touch ended with wakes in the next one."""
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        falls = falling_lanes(w, a)
        w.sleep.asleep[a] = ti.select(falls, ASLEEP, w.sleep.asleep[a])
        zero_velocities(w, a, falls)
        if ti.static(w.features.contacts):
            w.sleep.asleep[a] = ti.select(w.articulation[a].lost == LOST_SLEEPER, DISTURBED, w.sleep.asleep[a])
    if ti.static(w.features.contacts):
        forget_contacts(w, island_id)


@ti.func
def forget_contacts(w: ti.template(), island_id):
    """Forget what the pairs keep of which this step moves both bodies for the last time; they still touch."""
    for i in range(w.pairs):
        g = slot_at(w, i)
        stays = stays_awake(w, w.slot[g].collider_a) | stays_awake(w, w.slot[g].collider_b)
        falls = w.slot[g].awake & ~stays
        if any_lane(falls):
            if w.slot[g].manifold >= 0:
                m = w.slot[g].manifold
                w.contacts.manifold_count[m] = ti.select(falls, 0.0, w.contacts.manifold_count[m])
                w.contacts.manifold_made[m] = w.contacts.manifold_made[m] & ~falls
                w.contacts.simplex_count[m] = ti.select(falls, 0.0, w.contacts.simplex_count[m])
            for k in range(patches_per_slot(w)):
                at = patch_at(w, g, k)
                w.contacts.anchor_count[at] = ti.select(falls, 0.0, w.contacts.anchor_count[at])


@ti.func
def stays_awake(w: ti.template(), c):
    """Return whether the body of collider c is awake and does not fall asleep in this step."""
    stays, a = mask(False), w.collider[c].articulation
    if a >= 0:
        stays = w.articulation[a].awake & ~w.articulation[a].falls
    return stays
