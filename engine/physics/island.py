"""An island: articulations and free bodies that joints outside the trees tie, iterated together.

Position iterations, each: joints outside the trees, then every articulation's tendons, mimic joints and joints; TGS
moves everything by a substep after each of them, PGS by the whole step after the last. Then velocity iterations, which
mend no errors. Their numbers are those of the batch, `model.batches`.
"""

import taichi as ti

from .advance import advance
from .lanes import any_lane
from .loop_joint import solve_joint
from .memory import ROW, get_vector, put_vector
from .mimic import mimics
from .runaway import ran_away, watch_mimics
from .sleeping import count_down
from .sweep import Visit, sweep
from .tendon import tendons
from .world import ARTICULATION_AT, ISLAND_AT, MEMBER_AT, articulation, island, member

NEVER = -1e37  # no gap is as low


@ti.func
def visit_of(i, pace):
    """What the rows of iteration i have in common: first the position iterations, then the velocity iterations."""
    visit = Visit(pace.h, pace.delta, pace.h, 0.0, 1.0, 1.0 / pace.delta, pace.bias / pace.delta, NEVER, pace.tgs, 0, 1)
    if i < pace.substeps:
        visit.floor = 0.0
        visit.comes_back = 1
        if pace.spread:
            visit.span = pace.delta
            visit.keep = 0.0
        if pace.tgs:
            visit.elapsed = i * pace.delta
    elif pace.tgs:
        visit.drives = 0
    return visit


@ti.func
def sweep_all(w: ti.template(), a, push, pace, visit):
    """One iteration of articulation a: tendons, mimic joints, then joint by joint."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    if ti.static(w.parts.tendons):
        tendons(w, a, push, pace)
    if ti.static(w.parts.mimics):
        if articulation(w, a, ARTICULATION_AT.MIMIC_END) > articulation(w, a, ARTICULATION_AT.MIMIC):
            mimics(w, a, push, visit, 0)
    sweep(w, root, end, push, visit)


@ti.func
def mend_again(w: ti.template(), a, push, visit):
    """Visit mimic joints once more, where their errors ran away."""
    first = articulation(w, a, ARTICULATION_AT.MIMIC)
    if articulation(w, a, ARTICULATION_AT.MIMIC_END) > first:
        if any_lane(ran_away(w, first)):
            mimics(w, a, push, visit, 1)


@ti.func
def move(w: ti.template(), a, i, pace, push):
    """Settle the speeds of articulation a after iteration i, and move it where a step or a substep ends."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    poses, floats = articulation(w, a, ARTICULATION_AT.POSES), articulation(w, a, ARTICULATION_AT.FLOATING)
    spatial = floats > 0 or articulation(w, a, ARTICULATION_AT.SPATIAL) > 0 or (poses > 0 and pace.tgs > 0)
    moves = i < pace.substeps and (pace.tgs > 0 or i == pace.substeps - 1)
    places = moves and (poses > 0 or i == pace.substeps - 1)
    momentum = advance(w, root, end, pace, (moves, places, spatial), push)
    if ti.static(w.parts.mimics):
        if moves:
            watch_mimics(w, a, pace)
    if floats > 0 and moves:
        put_vector(w, root, ROW.DRIFT, get_vector(w, root, ROW.DRIFT) + momentum * pace.delta)


@ti.func
def iterate(w: ti.template(), isle, pace):
    """Position iterations, motion, velocity iterations of an island."""
    iterations = pace.substeps + island(w, isle, ISLAND_AT.VELOCITY_ITERATIONS)
    first, last = island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)
    for i in range(iterations):
        visit = visit_of(i, pace)
        push = 0.0
        if i < pace.substeps and pace.spread > 0:
            push = pace.delta
        if ti.static(w.parts.joints):
            for j in range(island(w, isle, ISLAND_AT.JOINT), island(w, isle, ISLAND_AT.BETWEEN_END)):
                solve_joint(w, j, push, pace, visit)
        settles = i == iterations - 1 or i == pace.substeps - 1 or (pace.tgs > 0 and i < pace.substeps)
        for m in range(first, last):
            a = member(w, m, MEMBER_AT.ARTICULATION)
            sweep_all(w, a, push, pace, visit)
            if ti.static(w.parts.mimics):
                if i < pace.substeps and iterations > pace.substeps:  # limits hold in what comes after
                    mend_again(w, a, push, visit)
            if settles:
                move(w, a, i, pace, push)
            if ti.static(w.parts.sleeps):
                if i == pace.substeps - 1:
                    count_down(w, a, pace)
