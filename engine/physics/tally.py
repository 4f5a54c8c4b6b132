"""What is counted of every step, world by world, while a launch runs: `layout.TALLY` names it.

error e = q* − q;   a response begins where q* changes:  RISE = e then,  settled while |e| ≤ 2 % |RISE|
work of a step: τ h (q̇₀ + q̇₁)/2, τ the effort of drive and user, q̇₀ and q̇₁ the joint speeds before and after

Sums are Kahan's: a million small steps lose no digits. An articulation is counted until its LAST step or until one of
its numbers is not finite, whichever comes first; what it counted up to there stays.
"""

import taichi as ti

from ..tables.layout import TALLY
from . import BITS, PACKED
from .drive import UNBOUNDED
from .lanes import hold, larger, magnitude, real, traced
from .memory import PARAMETER, ROW, get, parameter, position, root_velocity, state
from .rates import rate
from .world import (
    ARTICULATION_AT,
    HEAD_AT,
    ISLAND_AT,
    MEMBER_AT,
    NODE_AT,
    articulation,
    cell,
    head,
    island,
    member,
    node,
)

SETTLED = 0.02
"""Share of a response's rise below which its error counts as none."""

EDGE = 1e-3
"""How near to a bound, relative to it, an effort or a speed counts as at the bound."""

LARGEST = 1.7e308 if BITS == 64 else 3.4e38
WIDTHS = {owner: sum(width for _, of, width, _ in TALLY if of == owner) for owner in "AD"}


def _places():
    """Row of each number among those of its owner."""
    places, first = {}, {"A": 0, "D": 0}
    for name, owner, width, _ in TALLY:
        places[name] = first[owner]
        first[owner] += width
    return places


PLACES = _places()


@traced
class Sheet:
    """The numbers of one articulation or degree of freedom of a world (or pack)."""

    _data_oriented = True

    def __init__(self, w, tallies, owner, item):
        self.w, self.array = w, tallies
        roots = head(w, HEAD_AT.TREES) * WIDTHS["A"]
        size = roots + head(w, HEAD_AT.DOFS) * WIDTHS["D"]
        self.first = hold(w.index * size) if PACKED else w.index
        before = 0 if owner == "A" else roots
        self.row = hold(before + item * WIDTHS[owner])

    def at(self, name, offset=0):
        """Return where a number lies."""
        return cell(self.w, self.array, self.first, self.row, PLACES[name] + offset)


@traced
def told(sheet, name):
    """Return a number."""
    return hold(sheet.at(name))


@traced
def tell(sheet, name, value):
    """Write a number."""
    sheet.at(name)._assign(value)


@traced
def add(sheet, name, value):
    """Add to a sum; its second number is what rounding took of it."""
    total, lost = hold(sheet.at(name)), hold(sheet.at(name, 1))
    more = hold(value - lost)
    grown = hold(total + more)
    sheet.at(name, 1)._assign((grown - total) - more)
    sheet.at(name)._assign(grown)


@ti.func
def count(w: ti.template(), isle, h, tallies: ti.template(), rates: ti.template()):
    """Count the step that ended of every articulation of an island. What sleeps is held as in its last step."""
    for m in range(island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        counted = Sheet(w, tallies, "A", a)
        on = going(w, a, counted)
        ended = told(counted, "ENDED") + on
        tell(counted, "ENDED", ended)
        for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
            dof = node(w, k, NODE_AT.DOF)
            if dof >= 0:
                follow(w, dof, Sheet(w, tallies, "D", dof), on, ended)
                weigh(w, k, Sheet(w, tallies, "D", dof), on, h)
                stand(w, k, Sheet(w, tallies, "D", dof), on, rates)


@ti.func
def going(w: ti.template(), a, counted):
    """1 while an articulation is counted, else 0."""
    on = ti.select(told(counted, "ENDED") < told(counted, "LAST"), real(1.0), 0.0)
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    v, x = root_velocity(w, a), position(w, node(w, root, NODE_AT.LINK))
    on = still_finite(on, v.ang.dot(v.ang) + v.lin.dot(v.lin) + x.dot(x))
    for k in range(root, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            on = still_finite(on, state(w, head(w, HEAD_AT.Q) + dof))
            on = still_finite(on, state(w, head(w, HEAD_AT.QD) + dof))
    return on


@traced
def still_finite(on, x):
    """Return `on`, or 0 where x is not finite."""
    return hold(ti.select(magnitude(x) <= LARGEST, on, 0.0))


@ti.func
def follow(w: ti.template(), dof, counted, on, ended):
    """How a joint follows its target."""
    runs = on > 0.0
    q, target = state(w, head(w, HEAD_AT.Q) + dof), parameter(w, PARAMETER.TARGET_Q, dof)
    begins = runs & (target != told(counted, "TARGET"))
    rise = ti.select(begins, target - told(counted, "LAST_Q"), told(counted, "RISE"))
    tell(counted, "TARGET", ti.select(begins, target, told(counted, "TARGET")))
    tell(counted, "RISE", rise)
    tell(counted, "SINCE", ti.select(begins, ended - 1.0, told(counted, "SINCE")))
    error = target - q
    past = ti.select(rise < 0.0, error, 0.0 - error)
    before = ti.select(begins, 0.0, told(counted, "OVERSHOOT"))
    tell(counted, "OVERSHOOT", ti.select(runs, larger(before, past), told(counted, "OVERSHOOT")))
    away = magnitude(error) > SETTLED * magnitude(rise)
    last = ti.select(begins, ended - 1.0, told(counted, "UNSETTLED"))
    tell(counted, "UNSETTLED", ti.select(runs & away, ended, last))
    add(counted, "SQUARED_ERROR", ti.select(runs, error * error, 0.0))
    tell(counted, "LAST_Q", ti.select(runs, q, told(counted, "LAST_Q")))


@ti.func
def weigh(w: ti.template(), k, counted, on, h):
    """What a joint's drive and its user gave."""
    runs, dof = on > 0.0, node(w, k, NODE_AT.DOF)
    effort = ti.select(runs, state(w, head(w, HEAD_AT.DRIVEN) + dof), 0.0)
    qd, before = state(w, head(w, HEAD_AT.QD) + dof), told(counted, "LAST_QD")
    qd = ti.select(runs, qd, before)
    size, work = magnitude(effort), effort * (0.5 * h) * (before + qd)
    tell(counted, "LAST_QD", qd)
    add(counted, "ABSOLUTE_EFFORT", size)
    add(counted, "SQUARED_EFFORT", effort * effort)
    add(counted, "WORK", work)
    add(counted, "ENERGY", magnitude(work))
    tell(counted, "PEAK_EFFORT", larger(told(counted, "PEAK_EFFORT"), size))
    tell(counted, "PEAK_SPEED", larger(told(counted, "PEAK_SPEED"), ti.select(runs, magnitude(qd), 0.0)))


@ti.func
def stand(w: ti.template(), k, counted, on, rates: ti.template()):
    """Which of its bounds a joint is at."""
    dof = node(w, k, NODE_AT.DOF)
    if node(w, k, NODE_AT.LIMITED) > 0:
        note(counted, "AT_LOWER", pressure(w, k, ROW.LOW, dof, rates) > 0.0, on)
        note(counted, "AT_UPPER", pressure(w, k, ROW.HIGH, dof, rates) < 0.0, on)
    if node(w, k, NODE_AT.DRIVE) > 0:
        size, bound = magnitude(state(w, head(w, HEAD_AT.DRIVEN) + dof)), parameter(w, PARAMETER.MAX_FORCE, dof)
        bound = ti.select(bound > 0.0, bound, UNBOUNDED)
        note(counted, "SATURATED", size >= bound * (1.0 - EDGE), on)
        if node(w, k, NODE_AT.ENVELOPE) > 0:
            speed = magnitude(state(w, head(w, HEAD_AT.QD) + dof))
            resistance = parameter(w, PARAMETER.VELOCITY_DEPENDENT_RESISTANCE, dof)
            gradient = parameter(w, PARAMETER.SPEED_EFFORT_GRADIENT, dof)
            most = larger(bound - resistance * speed, real(0.0))
            fastest = larger(parameter(w, PARAMETER.MAX_ACTUATOR_VELOCITY, dof) - gradient * size, real(0.0))
            edge = (size >= most * (1.0 - EDGE)) | (speed >= fastest * (1.0 - EDGE))
            note(counted, "ON_ENVELOPE", edge, on)


@traced
def pressure(w, k, row, dof, rates):
    """Return what a limit's row gave; where the joint sleeps, and has no rows, the limits' effort of its last step."""
    now = get(w, k, row)
    return ti.select(w.awake > 0.0, now, rate(w, rates, "LIMIT_EFFORT", dof)) if w.parts.sleeps else now


@traced
def note(counted, name, true, on):
    """Count a step in which something is true."""
    tell(counted, name, told(counted, name) + ti.select(true, on, 0.0))
