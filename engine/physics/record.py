"""Copies of the state in recorded steps, and the choice of the step that writes results."""

import taichi as ti

from . import PACKED
from .accessors import copy_state
from .world_view import (
    ARTICULATION_AT,
    HEADER_AT,
    ISLAND_AT,
    MEMBER_AT,
    NODE_AT,
    articulation,
    header,
    island,
    member,
    node,
)


@ti.func
def writes_results(w: ti.template(), final):
    """Return whether this step writes its results: the last one of a launch, or one that puts something to sleep."""
    writes = final & 1
    if ti.static(w.features.sleeps):
        writes = writes | w.falling
    return writes


@ti.func
def record_frame(w: ti.template(), island_id, trace: ti.template(), slot, frames):
    """Copy the state of an island to a slot of the trace, which has `frames` slots."""
    size = header(w, HEADER_AT.ROWS)
    first = w.index
    if ti.static(PACKED):
        first = w.index * frames * size
    for m in range(island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
            dof, link = node(w, k, NODE_AT.DOF), node(w, k, NODE_AT.LINK)
            count = 3 if dof >= 0 else 0
            if node(w, k, NODE_AT.LAST) == k:
                count = 10
            for i in range(0 if dof >= 0 else 3, count):
                row = header(w, HEADER_AT.POSE) + 7 * link + i - 3
                if i < 3:
                    row = i * header(w, HEADER_AT.DOF_COUNT) + dof
                copy_state(w, row, trace, first, slot * size + row)
