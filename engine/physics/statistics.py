"""Statistics over the steps of every world while a launch runs: `layout.STATISTICS` names them.

error e = q* − q;   a response begins where q* changes:  RISE = e then,  settled while |e| ≤ 2 % |RISE|
work of a step: τ h (q̇₀ + q̇₁)/2, τ the effort of drive and user, q̇₀ and q̇₁ the joint velocities before and after

Sums are Kahan's: a million small steps lose no digits. An articulation is counted until END_STEP or until one of its
numbers is not finite, whichever comes first; its numbers up to there stay.
"""

import taichi as ti

from . import BITS
from .contacts.bundles import read_impulses_back
from .contacts.friction.contact_statistics import update_contact_statistics
from .drive import UNBOUNDED_EFFORT
from .lanes import absolute, broadcast, indicator, materialize, maximum, traced
from .sleep_masking import write_where_awake

SETTLING_BAND = 0.02
"""Share of a response's rise below which its error counts as settled."""

BOUND_TOLERANCE = 1e-3
"""Distance to a bound, relative to it, within which an effort or a velocity counts as at the bound."""

LARGEST = 1.7e308 if BITS == 64 else 3.4e38


@ti.func
def update_statistics(w: ti.template(), island_id, h):
    """Add the step that ended to the statistics of every articulation of an island.

    What sleeps counts with the efforts of its last step.
    """
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        counted = w.statistics.articulation[a]
        on = is_active(w, a, counted)
        ended = counted.steps + on
        counted.steps = ended
        if ti.static(w.features.contacts):
            w.articulation[a].counted = on
        if ti.static(w.features.sleeps):
            write_where_awake(w, a)
        for k in range(w.articulation[a].root, w.articulation[a].end):
            dof = w.node[k].dof
            if dof >= 0:
                update_tracking(w, dof, w.statistics.dof[dof], on, ended)
                update_effort(w, k, w.statistics.dof[dof], on, h)
                update_bounds(w, k, w.statistics.dof[dof], on)
    if ti.static(w.features.contacts):
        read_impulses_back(w)
        update_contact_statistics(w, island_id, h)


@ti.func
def is_active(w: ti.template(), a, counted):
    """Return 1 while an articulation is counted, else 0."""
    on = indicator(counted.steps < counted.end_step)
    root, end = w.articulation[a].root, w.articulation[a].end
    v, x = w.state.root_velocity[a], w.state.position[w.node[root].link]
    on = still_finite(on, v.ang.dot(v.ang) + v.lin.dot(v.lin) + x.dot(x))
    for k in range(root, end):
        dof = w.node[k].dof
        if dof >= 0:
            on = still_finite(on, w.state.q[dof])
            on = still_finite(on, w.state.qd[dof])
    return on


@traced
def still_finite(on, x):
    """Return `on`, or 0 where x is not finite."""
    return materialize(ti.select(absolute(x) <= LARGEST, on, 0.0))


@ti.func
def update_tracking(w: ti.template(), dof, counted, on, ended):
    """Update the statistics of a joint's tracking of its target."""
    runs = on > 0.0
    q, target = w.state.q[dof], w.param.target_q[dof]
    begins = runs & (target != counted.target)
    rise = ti.select(begins, target - counted.last_q, counted.rise)
    counted.target = ti.select(begins, target, counted.target)
    counted.rise = rise
    counted.response_start = ti.select(begins, ended - 1.0, counted.response_start)
    error = target - q
    past = ti.select(rise < 0.0, error, 0.0 - error)
    before = ti.select(begins, 0.0, counted.overshoot)
    counted.overshoot = ti.select(runs, maximum(before, past), counted.overshoot)
    away = absolute(error) > SETTLING_BAND * absolute(rise)
    last = ti.select(begins, ended - 1.0, counted.last_unsettled_step)
    counted.last_unsettled_step = ti.select(runs & away, ended, last)
    counted.squared_error += ti.select(runs, error * error, 0.0)
    counted.last_q = ti.select(runs, q, counted.last_q)


@ti.func
def update_effort(w: ti.template(), k, counted, on, h):
    """Update the statistics of the effort of a joint's drive and user."""
    runs, dof = on > 0.0, w.node[k].dof
    effort = ti.select(runs, w.state.applied_effort[dof], 0.0)
    qd, before = w.state.qd[dof], counted.last_qd
    qd = ti.select(runs, qd, before)
    size, work = absolute(effort), effort * (0.5 * h) * (before + qd)
    counted.last_qd = qd
    counted.absolute_effort += size
    counted.squared_effort += effort * effort
    counted.work += work
    counted.absolute_work += absolute(work)
    counted.peak_effort = maximum(counted.peak_effort, size)
    counted.peak_speed = maximum(counted.peak_speed, ti.select(runs, absolute(qd), 0.0))


@ti.func
def update_bounds(w: ti.template(), k, counted, on):
    """Update the counts of the bounds that a joint is at."""
    node = w.node[k]
    dof = node.dof
    if node.limited > 0:
        counted.at_lower += ti.select(limit_impulse(w, dof, node.lower_impulse) > 0.0, on, 0.0)
        counted.at_upper += ti.select(limit_impulse(w, dof, node.upper_impulse) < 0.0, on, 0.0)
    if node.drive > 0:
        size, bound = absolute(w.state.applied_effort[dof]), w.param.max_force[dof]
        bound = ti.select(bound > 0.0, bound, UNBOUNDED_EFFORT)
        counted.saturated += ti.select(size >= bound * (1.0 - BOUND_TOLERANCE), on, 0.0)
        if node.envelope > 0:
            speed = absolute(w.state.qd[dof])
            resistance = w.param.velocity_dependent_resistance[dof]
            gradient = w.param.speed_effort_gradient[dof]
            most = maximum(bound - resistance * speed, broadcast(0.0))
            fastest = maximum(w.param.max_actuator_velocity[dof] - gradient * size, broadcast(0.0))
            edge = (size >= most * (1.0 - BOUND_TOLERANCE)) | (speed >= fastest * (1.0 - BOUND_TOLERANCE))
            counted.on_envelope += ti.select(edge, on, 0.0)


@traced
def limit_impulse(w, dof, now):
    """Return the impulse of a limit; for a joint that sleeps, and has no rows, the limit effort of its last step."""
    return ti.select(w.writes, now, w.results.limit_effort[dof]) if w.features.sleeps else now
