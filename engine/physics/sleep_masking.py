"""Worlds that sleep in a pack with others: they are computed along, and then restored to the bit."""

import taichi as ti

from . import LANES
from .accessors import set_state, state
from .lanes import traced
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


def _kept(w, row):
    return cell(w, w.scratch, w.first_scratch, header(w, HEADER_AT.SLEEP_BACKUP), row)


@traced
def save_row(w, row):
    """Save a row of this world's state."""
    _kept(w, row)._assign(state(w, row))


@traced
def restore_row(w, row):
    """Restore a saved row of this world's state in the lanes that are asleep."""
    set_state(w, row, ti.select(w.awake > 0.0, state(w, row), _kept(w, row)))


@ti.func
def mask_sleeping_lanes(w: ti.template(), island_id, back):
    """Save the state of an island before a step; with `back`, restore it after the step in the lanes that sleep."""
    if ti.static(LANES > 1):
        if w.mixed:
            for m in range(island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)):
                a = member(w, m, MEMBER_AT.ARTICULATION)
                save_or_restore_rows(w, header(w, HEADER_AT.ROOT_VELOCITY) + 6 * a, 6, back)
                first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
                save_or_restore_rows(w, header(w, HEADER_AT.RUNAWAY) + first, last - first, back)
                for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
                    if node(w, k, NODE_AT.DOF) >= 0:
                        for i in range(3):
                            save_or_restore_rows(
                                w, i * header(w, HEADER_AT.DOF_COUNT) + node(w, k, NODE_AT.DOF), 1, back
                            )
                    if node(w, k, NODE_AT.LAST) == k:
                        save_or_restore_rows(w, header(w, HEADER_AT.POSE) + 7 * node(w, k, NODE_AT.LINK), 7, back)


@ti.func
def save_or_restore_rows(w: ti.template(), first, count, back):
    """Save rows of the state, or restore them."""
    for row in range(first, first + count):
        if back:
            restore_row(w, row)
        else:
            save_row(w, row)
