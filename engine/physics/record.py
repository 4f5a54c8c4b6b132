"""What a launch tells: the state of chosen steps, row by row, and in which step its rates are written."""

import taichi as ti

from . import PACKED
from .memory import copy_state
from .world import ARTICULATION_AT, HEAD_AT, ISLAND_AT, MEMBER_AT, NODE_AT, articulation, head, island, member, node


@ti.func
def is_told(w: ti.template(), final):
    """Whether this step writes what it did: the last one of a launch, or one that puts something to sleep."""
    told = final & 1
    if ti.static(w.parts.sleeps):
        told = told | w.falling
    return told


@ti.func
def record(w: ti.template(), isle, trace: ti.template(), slot, frames):
    """Copy the state of an island to a slot of the trace, which holds `frames` of them."""
    size = head(w, HEAD_AT.ROWS)
    first = w.index
    if ti.static(PACKED):
        first = w.index * frames * size
    for m in range(island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
            dof, link = node(w, k, NODE_AT.DOF), node(w, k, NODE_AT.LINK)
            count = 3 if dof >= 0 else 0
            if node(w, k, NODE_AT.CARRIER) == k:
                count = 10
            for i in range(0 if dof >= 0 else 3, count):
                row = head(w, HEAD_AT.POSE) + 7 * link + i - 3
                if i < 3:
                    row = i * head(w, HEAD_AT.DOFS) + dof
                copy_state(w, row, trace, first, slot * size + row)
