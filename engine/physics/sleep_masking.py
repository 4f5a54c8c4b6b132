"""Worlds that sleep in a pack with others: they are computed along, and then restored to the bit."""

import taichi as ti

from . import LANES
from .lanes import traced
from .stored import cells


def _saved(w, row):
    return cells(w, w.scratch, w.first_scratch, w.header.sleep_backup + row, 1)[0]


@traced
def save_row(w, row):
    """Save a row of this world's state."""
    _saved(w, row)._assign(w.state[row])


@traced
def restore_row(w, row):
    """Restore a saved row of this world's state in the lanes that are asleep."""
    w.state[row] = ti.select(w.awake > 0.0, w.state[row], _saved(w, row))


@ti.func
def mask_sleeping_lanes(w: ti.template(), island_id, back):
    """Save the state of an island before a step; with `back`, restore it after the step in the lanes that sleep."""
    if ti.static(LANES > 1):
        if w.mixed:
            for m in range(w.island[island_id].member, w.island[island_id].member_end):
                a = w.member[m].articulation
                save_or_restore_rows(w, w.header.root_velocity + 6 * a, 6, back)
                first, last = w.articulation[a].mimic, w.articulation[a].mimic_end
                save_or_restore_rows(w, w.header.runaway + first, last - first, back)
                for k in range(w.articulation[a].root, w.articulation[a].end):
                    node = w.node[k]
                    if node.dof >= 0:
                        for i in range(3):
                            save_or_restore_rows(w, i * w.header.dof_count + node.dof, 1, back)
                    if node.last == k:
                        save_or_restore_rows(w, w.header.pose + 7 * node.link, 7, back)


@ti.func
def save_or_restore_rows(w: ti.template(), first, count, back):
    """Save rows of the state, or restore them."""
    for row in range(first, first + count):
        if back:
            restore_row(w, row)
        else:
            save_row(w, row)
