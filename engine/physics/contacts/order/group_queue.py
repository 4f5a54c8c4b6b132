"""Queue of the visits of a search, fewest steps to the root first: a heap, in PhysX's order of equals.

Place i of the queue, QUEUED of member `first` + i, holds a visit.
"""

import taichi as ti

from ..scalars import whole


@ti.func
def steps_left(w: ti.template(), first, visit):
    """Return the steps that are said to be left to the root from where a visit came."""
    return w.contacts.hops[whole(w.member[first + visit].travelled)] + 0.0


@ti.func
def push(w: ti.template(), first, size, visit):
    """Add a visit to a queue of this size; return the new size."""
    i, above, steps = size + 0, (size - 1) // 2, steps_left(w, first, visit)
    while i > 0 and steps < steps_left(w, first, whole(w.member[first + ti.max(above, 0)].queued)):
        w.member[first + i].queued = w.member[first + above].queued + 0.0
        i = above
        above = (i - 1) // 2
    w.member[first + i].queued = 1.0 * visit
    return size + 1


@ti.func
def pop(w: ti.template(), first, size):
    """Take the first visit out of a queue of this size; return it."""
    answer, last, left = whole(w.member[first].queued), whole(w.member[first + size - 1].queued), size - 1
    i, child, sinks, steps = 0, 1, size > 2, steps_left(w, first, last)
    while sinks:
        if child + 1 < left:
            if steps_left(w, first, visit_at(w, first, child + 1)) < steps_left(w, first, visit_at(w, first, child)):
                child += 1
        if steps < steps_left(w, first, visit_at(w, first, child)):
            sinks = False
        else:
            w.member[first + i].queued = w.member[first + child].queued + 0.0
            i = child
            child = 2 * i + 1
            sinks = child < left
    w.member[first + i].queued = 1.0 * last
    return answer


@ti.func
def visit_at(w: ti.template(), first, i):
    """Return the visit at a place of the queue."""
    return whole(w.member[first + i].queued)
