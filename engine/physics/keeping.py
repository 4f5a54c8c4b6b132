"""Worlds that sleep in a pack with others: computed with them, and put back to the bit."""

import taichi as ti

from . import LANES
from .lanes import traced
from .memory import set_state, state
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


def _kept(w, row):
    return cell(w, w.scratch, w.first_scratch, head(w, HEAD_AT.KEPT), row)


@traced
def keep(w, row):
    """Keep a row of this world's state."""
    _kept(w, row)._assign(state(w, row))


@traced
def bring_back(w, row):
    """Give a row of this world's state back what was kept, in the lanes that are asleep."""
    set_state(w, row, ti.select(w.awake > 0.0, state(w, row), _kept(w, row)))


@ti.func
def keep_sleepers(w: ti.template(), isle, back):
    """Keep the state of an island before a step; bring it `back` after, in the lanes that sleep beside others."""
    if ti.static(LANES > 1):
        if w.mixed:
            for m in range(island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)):
                a = member(w, m, MEMBER_AT.ARTICULATION)
                keep_rows(w, head(w, HEAD_AT.ROOT) + 6 * a, 6, back)
                first, last = articulation(w, a, ARTICULATION_AT.MIMIC), articulation(w, a, ARTICULATION_AT.MIMIC_END)
                keep_rows(w, head(w, HEAD_AT.RUNAWAY) + first, last - first, back)
                for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
                    if node(w, k, NODE_AT.DOF) >= 0:
                        for i in range(3):
                            keep_rows(w, i * head(w, HEAD_AT.DOFS) + node(w, k, NODE_AT.DOF), 1, back)
                    if node(w, k, NODE_AT.CARRIER) == k:
                        keep_rows(w, head(w, HEAD_AT.POSE) + 7 * node(w, k, NODE_AT.LINK), 7, back)


@ti.func
def keep_rows(w: ti.template(), first, count, back):
    """Keep rows of the state, or bring them back."""
    for row in range(first, first + count):
        if back:
            bring_back(w, row)
        else:
            keep(w, row)
