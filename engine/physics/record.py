"""Copies of the state in recorded steps, and the choice of the step that writes results."""

import taichi as ti

from . import PACKED
from .lanes import traced
from .stored import cells


@ti.func
def writes_results(w: ti.template(), final):
    """Return whether this step writes its results: the last one of a launch, or one that puts something to sleep."""
    writes = final & 1
    if ti.static(w.features.sleeps):
        writes = writes | w.falling
    return writes


@traced
def copy_row(w, row, buffer, first, to):
    """Copy a row of this world's state to row `to` of another buffer."""
    cells(w, buffer, first, to, 1)[0]._assign(w.state[row])


@ti.func
def record_frame(w: ti.template(), island_id, trace: ti.template(), slot, frames):
    """Copy the state of an island to a slot of the trace, which has `frames` slots."""
    size = w.header.rows
    first = w.index
    if ti.static(PACKED):
        first = w.index * frames * size
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        for k in range(w.articulation[a].root, w.articulation[a].end):
            node = w.node[k]
            dof, link = node.dof, node.link
            count = 3 if dof >= 0 else 0
            if node.last == k:
                count = 10
            for i in range(0 if dof >= 0 else 3, count):
                row = w.header.pose + 7 * link + i - 3
                if i < 3:
                    row = i * w.header.dof_count + dof
                copy_row(w, row, trace, first, slot * size + row)
