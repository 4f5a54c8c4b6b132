"""Copies of the state in recorded steps, and the choice of the step that writes results."""

import taichi as ti

from .lanes import materialize, traced
from .stored import cells, first_of


@ti.func
def writes_results(w: ti.template(), last):
    """Return whether this step writes its results: the last one of a launch, or one that puts something to sleep."""
    writes = last + 0
    if ti.static(w.features.sleeps):
        writes = writes | w.falling
    return writes


@traced
def copy_row(w, row, buffer, first, to):
    """Copy a row of this world's state to row `to` of another buffer."""
    cells(w, buffer, first, to, 1)[0]._assign(w.state[row])


@traced
def places_in_frame(w, recorded):
    """Return the first row of q, qd, effort and pose in a frame of these quantities, and its number of rows."""
    places, size = [], materialize(recorded * 0)
    for i, width in enumerate((w.header.dof_count,) * 3 + (7 * w.header.link_count,)):
        places.append(size)
        size = materialize(size + width * ((recorded >> i) & 1))
    return (*places, size)


@ti.func
def record_frame(w: ti.template(), island_id, trace: ti.template(), recorded, place):
    """Copy the recorded quantities of an island to a slot of the trace.

    recorded: bits of the quantities, `layout.FRAME`.
    place: the slot, and the number of slots.
    """
    q, qd, effort, pose, size = places_in_frame(w, recorded)
    first = first_of(w.index, place[1] * size)
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        for k in range(w.articulation[a].root, w.articulation[a].end):
            node = w.node[k]
            dof, link = node.dof, node.link
            if dof >= 0:
                for i in ti.static(range(3)):
                    if (recorded >> i) & 1:
                        copy_row(
                            w, i * w.header.dof_count + dof, trace, first, place[0] * size + (q, qd, effort)[i] + dof
                        )
            if node.last == k and recorded >> 3:
                for i in range(7):
                    row = 7 * link + i
                    copy_row(w, w.header.pose + row, trace, first, place[0] * size + pose + row)
