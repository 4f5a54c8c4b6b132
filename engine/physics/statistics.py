"""Statistics over the steps of every world while a launch runs: `layout.STATISTICS` names them.

error e = q* − q;   a response begins where q* changes:  RISE = e then,  settled while |e| ≤ 2 % |RISE|
work of a step: τ h (q̇₀ + q̇₁)/2, τ the effort of drive and user, q̇₀ and q̇₁ the joint velocities before and after

Sums are Kahan's: a million small steps lose no digits. An articulation is counted until END_STEP or until one of its
numbers is not finite, whichever comes first; its numbers up to there stay.
"""

import taichi as ti

from ..tables.layout import STATISTICS
from . import BITS, PACKED
from .accessors import NODE_ROW, PARAMETER, get, parameter, position, root_velocity, state
from .drive import UNBOUNDED_EFFORT
from .lanes import absolute, broadcast, materialize, maximum, traced
from .step_results import get_result
from .world_view import (
    ARTICULATION_AT,
    HEADER_AT,
    ISLAND_AT,
    MEMBER_AT,
    NODE_AT,
    articulation,
    cell,
    header,
    island,
    member,
    node,
)

SETTLING_BAND = 0.02
"""Share of a response's rise below which its error counts as settled."""

BOUND_TOLERANCE = 1e-3
"""Distance to a bound, relative to it, within which an effort or a velocity counts as at the bound."""

LARGEST = 1.7e308 if BITS == 64 else 3.4e38
WIDTHS = {owner: sum(width for _, of, width, _ in STATISTICS if of == owner) for owner in "AD"}


def _places():
    """Return the row of each number among those of its owner."""
    places, first = {}, {"A": 0, "D": 0}
    for name, owner, width, _ in STATISTICS:
        places[name] = first[owner]
        first[owner] += width
    return places


PLACES = _places()


@traced
class StatisticsView:
    """Statistics of one articulation or degree of freedom of a world (or pack)."""

    _data_oriented = True

    def __init__(self, w, statistics, owner, item):
        self.w, self.array = w, statistics
        roots = header(w, HEADER_AT.ARTICULATION_COUNT) * WIDTHS["A"]
        size = roots + header(w, HEADER_AT.DOF_COUNT) * WIDTHS["D"]
        self.first = materialize(w.index * size) if PACKED else w.index
        before = 0 if owner == "A" else roots
        self.row = materialize(before + item * WIDTHS[owner])

    def at(self, name, offset=0):
        """Return the place of a number."""
        return cell(self.w, self.array, self.first, self.row, PLACES[name] + offset)


@traced
def get_statistic(view, name):
    """Return a number."""
    return materialize(view.at(name))


@traced
def put_statistic(view, name, value):
    """Write a number."""
    view.at(name)._assign(value)


@traced
def add(view, name, value):
    """Add to a sum; its second number is the rounding error so far."""
    total, lost = materialize(view.at(name)), materialize(view.at(name, 1))
    more = materialize(value - lost)
    grown = materialize(total + more)
    view.at(name, 1)._assign((grown - total) - more)
    view.at(name)._assign(grown)


@ti.func
def update_statistics(w: ti.template(), island_id, h, statistics: ti.template(), results: ti.template()):
    """Add the step that ended to the statistics of every articulation of an island.

    What sleeps counts with the efforts of its last step.
    """
    for m in range(island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        counted = StatisticsView(w, statistics, "A", a)
        on = is_active(w, a, counted)
        ended = get_statistic(counted, "STEPS") + on
        put_statistic(counted, "STEPS", ended)
        for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
            dof = node(w, k, NODE_AT.DOF)
            if dof >= 0:
                update_tracking(w, dof, StatisticsView(w, statistics, "D", dof), on, ended)
                update_effort(w, k, StatisticsView(w, statistics, "D", dof), on, h)
                update_bounds(w, k, StatisticsView(w, statistics, "D", dof), on, results)


@ti.func
def is_active(w: ti.template(), a, counted):
    """Return 1 while an articulation is counted, else 0."""
    on = ti.select(get_statistic(counted, "STEPS") < get_statistic(counted, "END_STEP"), broadcast(1.0), 0.0)
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    v, x = root_velocity(w, a), position(w, node(w, root, NODE_AT.LINK))
    on = still_finite(on, v.ang.dot(v.ang) + v.lin.dot(v.lin) + x.dot(x))
    for k in range(root, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            on = still_finite(on, state(w, header(w, HEADER_AT.Q) + dof))
            on = still_finite(on, state(w, header(w, HEADER_AT.QD) + dof))
    return on


@traced
def still_finite(on, x):
    """Return `on`, or 0 where x is not finite."""
    return materialize(ti.select(absolute(x) <= LARGEST, on, 0.0))


@ti.func
def update_tracking(w: ti.template(), dof, counted, on, ended):
    """Update the statistics of a joint's tracking of its target."""
    runs = on > 0.0
    q, target = state(w, header(w, HEADER_AT.Q) + dof), parameter(w, PARAMETER.TARGET_Q, dof)
    begins = runs & (target != get_statistic(counted, "TARGET"))
    rise = ti.select(begins, target - get_statistic(counted, "LAST_Q"), get_statistic(counted, "RISE"))
    put_statistic(counted, "TARGET", ti.select(begins, target, get_statistic(counted, "TARGET")))
    put_statistic(counted, "RISE", rise)
    put_statistic(counted, "RESPONSE_START", ti.select(begins, ended - 1.0, get_statistic(counted, "RESPONSE_START")))
    error = target - q
    past = ti.select(rise < 0.0, error, 0.0 - error)
    before = ti.select(begins, 0.0, get_statistic(counted, "OVERSHOOT"))
    put_statistic(counted, "OVERSHOOT", ti.select(runs, maximum(before, past), get_statistic(counted, "OVERSHOOT")))
    away = absolute(error) > SETTLING_BAND * absolute(rise)
    last = ti.select(begins, ended - 1.0, get_statistic(counted, "LAST_UNSETTLED_STEP"))
    put_statistic(counted, "LAST_UNSETTLED_STEP", ti.select(runs & away, ended, last))
    add(counted, "SQUARED_ERROR", ti.select(runs, error * error, 0.0))
    put_statistic(counted, "LAST_Q", ti.select(runs, q, get_statistic(counted, "LAST_Q")))


@ti.func
def update_effort(w: ti.template(), k, counted, on, h):
    """Update the statistics of the effort of a joint's drive and user."""
    runs, dof = on > 0.0, node(w, k, NODE_AT.DOF)
    effort = ti.select(runs, state(w, header(w, HEADER_AT.APPLIED_EFFORT) + dof), 0.0)
    qd, before = state(w, header(w, HEADER_AT.QD) + dof), get_statistic(counted, "LAST_QD")
    qd = ti.select(runs, qd, before)
    size, work = absolute(effort), effort * (0.5 * h) * (before + qd)
    put_statistic(counted, "LAST_QD", qd)
    add(counted, "ABSOLUTE_EFFORT", size)
    add(counted, "SQUARED_EFFORT", effort * effort)
    add(counted, "WORK", work)
    add(counted, "ABSOLUTE_WORK", absolute(work))
    put_statistic(counted, "PEAK_EFFORT", maximum(get_statistic(counted, "PEAK_EFFORT"), size))
    put_statistic(
        counted, "PEAK_SPEED", maximum(get_statistic(counted, "PEAK_SPEED"), ti.select(runs, absolute(qd), 0.0))
    )


@ti.func
def update_bounds(w: ti.template(), k, counted, on, results: ti.template()):
    """Update the counts of the bounds that a joint is at."""
    dof = node(w, k, NODE_AT.DOF)
    if node(w, k, NODE_AT.LIMITED) > 0:
        count_if(counted, "AT_LOWER", limit_impulse(w, k, NODE_ROW.LOWER_IMPULSE, dof, results) > 0.0, on)
        count_if(counted, "AT_UPPER", limit_impulse(w, k, NODE_ROW.UPPER_IMPULSE, dof, results) < 0.0, on)
    if node(w, k, NODE_AT.DRIVE) > 0:
        size, bound = (
            absolute(state(w, header(w, HEADER_AT.APPLIED_EFFORT) + dof)),
            parameter(w, PARAMETER.MAX_FORCE, dof),
        )
        bound = ti.select(bound > 0.0, bound, UNBOUNDED_EFFORT)
        count_if(counted, "SATURATED", size >= bound * (1.0 - BOUND_TOLERANCE), on)
        if node(w, k, NODE_AT.ENVELOPE) > 0:
            speed = absolute(state(w, header(w, HEADER_AT.QD) + dof))
            resistance = parameter(w, PARAMETER.VELOCITY_DEPENDENT_RESISTANCE, dof)
            gradient = parameter(w, PARAMETER.SPEED_EFFORT_GRADIENT, dof)
            most = maximum(bound - resistance * speed, broadcast(0.0))
            fastest = maximum(parameter(w, PARAMETER.MAX_ACTUATOR_VELOCITY, dof) - gradient * size, broadcast(0.0))
            edge = (size >= most * (1.0 - BOUND_TOLERANCE)) | (speed >= fastest * (1.0 - BOUND_TOLERANCE))
            count_if(counted, "ON_ENVELOPE", edge, on)


@traced
def limit_impulse(w, k, row, dof, results):
    """Return the impulse of a limit; for a joint that sleeps, and has no rows, the limit effort of its last step."""
    now = get(w, k, row)
    return ti.select(w.awake > 0.0, now, get_result(w, results, "LIMIT_EFFORT", dof)) if w.features.sleeps else now


@traced
def count_if(counted, name, true, on):
    """Add a step to a count where a condition is true."""
    put_statistic(counted, name, get_statistic(counted, name) + ti.select(true, on, 0.0))
