"""One step of PhysX's reduced-coordinate articulation, law by law, and the kernels that run it.

Geometry, inertia and responses are those of the start of the step and stay frozen, also through TGS substeps.
A new constraint is a file beside `drive.py` or `limit.py` and one call in `sweep.rows` (one degree of freedom) or
beside `mimics` in `iterate` (several: tendons, loop joints, contacts).
"""

import taichi as ti

from . import PACKED
from .advance import advance, wrap
from .articulated_body import articulate
from .forces import bias
from .free_body import fly
from .kinematics import motion, place, slow_down
from .lanes import Float, Real
from .memory import (
    PARAMETER,
    ROW,
    copy_state,
    get,
    get_motion,
    orientation,
    parameter_tensor,
    position,
    put,
    put_spatial,
    put_tensor,
    root_velocity,
    set_position,
    set_root_velocity,
    set_state,
)
from .mimic import mimics, prepare_mimics
from .momentum import measure, restored
from .response import respond
from .spatial import Motion, no_force, no_motion, no_vector
from .sweep import Pace, Visit, prepare, sweep
from .world import ARTICULATION_AT, HEAD_AT, NODE_AT, World, articulation, head, node, share_out

Array = ti.types.ndarray
NEVER = -1e37  # no gap is as low


@ti.func
def unconstrained(w: ti.template(), a, pace):
    """Velocities at the end of the step if no joint had a row: V0 and PUSH of every node, V of the root."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    floats = articulation(w, a, ARTICULATION_AT.FLOATING)
    slow_down(w, root, end, articulation(w, a, ARTICULATION_AT.CLAMPS))
    put_spatial(w, root, ROW.V, root_velocity(w, a))
    drag, gyro, field = no_force(), no_vector(), no_motion()
    for k in range(root, end):
        motion(w, k, floats)
        drag_k, gyro_k = bias(w, k, pace.h, pace.spread, floats)
        drag, gyro = drag + drag_k, gyro + gyro_k
    if floats:
        now = measure(w, root, end, 0.0)
        now.h = now.h + (drag.ang - now.com.cross(drag.lin)) * pace.h
        before = now.h.norm()
        now.h = now.h - gyro * pace.h
        field = restored(now, before, 1.0)
    articulate(w, root, end, pace.spread)
    acceleration = respond(w, root, end, pace.h, pace.spread)
    put_spatial(w, root, ROW.V, root_velocity(w, a) + acceleration * pace.h + field)


@ti.func
def iterate(w: ti.template(), a, pace):
    """Position iterations, motion, velocity iterations. Returns how far m·x of a floating articulation moved [kg·m]."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    positions = articulation(w, a, ARTICULATION_AT.POSITION_ITERATIONS)
    velocities = articulation(w, a, ARTICULATION_AT.VELOCITY_ITERATIONS)
    slides = articulation(w, a, ARTICULATION_AT.SLIDES)
    floats = articulation(w, a, ARTICULATION_AT.FLOATING)
    spatial = floats > 0 or articulation(w, a, ARTICULATION_AT.TURNS) > 0 or (slides > 0 and pace.tgs > 0)
    drift = no_vector()
    for i in range(positions + velocities):
        moving = i < positions
        visit = Visit(pace.delta, pace.h, 0.0, 1.0, 1.0 / pace.delta, pace.bias / pace.delta, NEVER, pace.tgs, 0, 1)
        push = 0.0
        if moving:
            visit.floor = 0.0
            visit.comes_back = 1
            if pace.spread:
                push = pace.delta
                visit.span = pace.delta
                visit.keep = 0.0
            if pace.tgs:
                visit.elapsed = i * pace.delta
        elif pace.tgs:
            visit.drives = 0
        if articulation(w, a, ARTICULATION_AT.MIMIC_END) > articulation(w, a, ARTICULATION_AT.MIMIC):
            mimics(w, a, push, visit)
        sweep(w, root, end, push, visit)
        moves = moving and (pace.tgs > 0 or i == positions - 1)
        if moves or i == positions + velocities - 1:
            places = moves and (slides > 0 or i == positions - 1)
            momentum = advance(w, root, end, pace, (moves, places, spatial), push)
            if moves:
                drift = drift + momentum * pace.delta
    return drift


@ti.func
def keep_momentum(w: ti.template(), a, h, start, drift):
    """Restore momentum and centre of mass of a floating articulation in the geometry that the step reached."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    before = measure(w, root, end, h)
    for k in range(root, end):
        put(w, k, ROW.QD0, get(w, k, ROW.V0))
        motion(w, k, 1)
        link = node(w, k, NODE_AT.LINK)
        tensor = orientation(w, link).matrix().turned(parameter_tensor(w, PARAMETER.INERTIA, link))
        put_tensor(w, k, ROW.IW, tensor)
    now = measure(w, root, end, 0.0)
    field = restored(now, before.h.norm(), 0.0)
    back = Motion(no_vector(), (before.p - now.p) * (1.0 / now.mass))
    put_spatial(w, root, ROW.V, get_motion(w, root, ROW.V) + field + back)
    link = node(w, root, NODE_AT.LINK)
    shift = start - position(w, link) + before.com - now.com + drift * (1.0 / now.mass)
    for k in range(root, end):
        if node(w, k, NODE_AT.CARRIER) == k:
            at = node(w, k, NODE_AT.LINK)
            set_position(w, at, position(w, at) + shift)


@ti.func
def store(w: ti.template(), a, h):
    """Joint speeds, efforts and root velocity for the next step."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    for k in range(root + 1, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            set_state(w, head(w, HEAD_AT.QD) + dof, get(w, k, ROW.V0))
            set_state(w, head(w, HEAD_AT.DRIVEN) + dof, get(w, k, ROW.DRIVE) * (1.0 / h) + get(w, k, ROW.EFFORT))
    set_root_velocity(w, a, get_motion(w, root, ROW.V))


@ti.func
def articulated_step(w: ti.template(), a, pace):
    """Advance articulation a of one world by one step. PhysX's order."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    start = position(w, node(w, root, NODE_AT.LINK))
    unconstrained(w, a, pace)
    prepare(w, root, end, pace)
    prepare_mimics(w, a)
    drift = iterate(w, a, pace)
    wrap(w, root, end)
    if articulation(w, a, ARTICULATION_AT.FLOATING):
        keep_momentum(w, a, pace.h, start, drift)
    store(w, a, pace.h)


@ti.func
def step(w: ti.template(), a, pace):
    """Advance articulation a, or the free body that stands in its place, by one step."""
    if articulation(w, a, ARTICULATION_AT.FREE):
        fly(w, a, pace)
    else:
        articulated_step(w, a, pace)


@ti.func
def record(w: ti.template(), a, trace: ti.template(), slot, frames):
    """Copy the state of articulation a to a slot of the trace, which holds `frames` of them."""
    size = head(w, HEAD_AT.ROWS)
    first = w.index
    if ti.static(PACKED):
        first = w.index * frames * size
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


@ti.kernel
def run(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    trace: Array(Real, 1),
    steps: ti.i32,
    every: ti.i32,
    h: Float,
    solver: ti.i32,
    tasks: ti.i32,
    workers: ti.i32,
):
    """Advance every articulation of every world by `steps` steps of h [s], recording every `every`-th (0: none).

    solver: 0 PGS, 1 TGS with all forces at once, 2 TGS with gravity and efforts spread over the substeps.
    A worker takes a run of neighbouring tasks; a task is one articulation of one world (or pack of worlds).
    """
    ti.loop_config(block_dim=1 if ti.static(PACKED) else 32)
    for worker in range(workers):
        for task in range(worker * tasks // workers, (worker + 1) * tasks // workers):
            index, a = share_out(topology, task)
            here = World(states, parameters, scratch, topology, index, worker)
            n = articulation(here, a, ARTICULATION_AT.POSITION_ITERATIONS)
            delta, share = h, ti.cast(0.8, Float)
            if solver > 0:
                delta = h / n
                share = ti.min(0.9, 2.0 / ti.sqrt(ti.cast(n, Float)))
            pace = Pace(h, delta, h - delta, share, solver > 0, solver == 2)
            for i in range(steps):
                step(here, a, pace)
                if every > 0 and (i + 1) % every == 0:
                    record(here, a, trace, (i + 1) // every - 1, steps // every)


@ti.kernel
def settle_poses(states: Array(Real, 1), parameters: Array(Real, 1), topology: Array(ti.i32, 1), tasks: ti.i32):
    """Put every link where the joint positions say, from the poses of the roots."""
    ti.loop_config(block_dim=1 if ti.static(PACKED) else 32)
    for task in range(tasks):
        index, a = share_out(topology, task)
        here = World(states, parameters, states, topology, index, 0)
        root = articulation(here, a, ARTICULATION_AT.ROOT)
        for k in range(root + 1, articulation(here, a, ARTICULATION_AT.END)):
            if node(here, k, NODE_AT.CARRIER) == k:
                place(here, k, True)
