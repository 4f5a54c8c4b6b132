"""One step of PhysX's reduced-coordinate articulation, law by law.

Geometry, inertia and responses are those of the start of the step and stay frozen, also through TGS substeps.
What moves together is an island: one articulation, or several and free bodies tied by joints outside the trees.
A new constraint is a file beside `drive.py` or `limit.py` and one call in `sweep.rows` (one degree of freedom) or
beside `mimics` in `island.sweep_all` (several).
"""

import taichi as ti

from .acceleration import accelerate, accelerate_body
from .advance import wrap
from .articulated_body import articulate
from .forces import bias, overspeed, push
from .free_body import fly, prepare_free_body
from .holding import hold
from .island import iterate
from .joint_force import foresee, transmit
from .keeping import keep_sleepers
from .kinematics import motion, slow_down
from .lanes import any_lane, larger, real
from .link_impulse import spread_velocities
from .loop_joint import prepare_joint
from .memory import (
    ROW,
    get,
    get_motion,
    position,
    put_spatial,
    put_vector,
    root_velocity,
    set_root_velocity,
    set_state,
)
from .mimic import prepare_mimics
from .momentum import keep_momentum, measure, restored
from .outer_force import exert
from .record import is_told
from .response import respond
from .sleeping import count_down, fall_asleep
from .spatial import no_force, no_motion, no_vector
from .sweep import prepare
from .tendon import prepare_tendon
from .world import (
    ARTICULATION_AT,
    HEAD_AT,
    ISLAND_AT,
    MEMBER_AT,
    NODE_AT,
    articulation,
    head,
    island,
    member,
    node,
)


@ti.func
def find_forces(w: ti.template(), a, pace):
    """Motion, inertia and forces of all links of articulation a; V of the root.

    Returns the velocity that the angular momentum of a floating articulation gives back.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    floats = articulation(w, a, ARTICULATION_AT.FLOATING)
    slow_down(w, root, end, articulation(w, a, ARTICULATION_AT.CLAMPS))
    put_spatial(w, root, ROW.V, root_velocity(w, a))
    drag, gyro, field = no_force(), no_vector(), no_motion()
    fastest = real(-1.0)
    for k in range(root, end):
        motion(w, k, floats)
        fastest = larger(fastest, overspeed(w, k))
    too_fast = any_lane(fastest > 0.0)  # seldom: two roots and four quotients a link are saved
    for k in range(root, end):
        drag_k, gyro_k = bias(w, k, pace, floats, too_fast)
        if ti.static(w.parts.floats):
            if floats:
                drag, gyro = drag + drag_k, gyro + gyro_k
    if articulation(w, a, ARTICULATION_AT.FORCED):
        drag = drag + push(w, root, end, pace.spread)
    if ti.static(w.parts.floats):
        if floats:
            now = measure(w, root, end, 0.0)
            now.h = now.h + (drag.ang - now.com.cross(drag.lin)) * pace.h
            before = now.h.norm()
            now.h = now.h - gyro * pace.h
            field = restored(now, before, 1.0)
    return field


@ti.func
def unconstrained(w: ti.template(), a, pace):
    """Velocities at the end of the step if no joint had a row: V0 and PUSH of every node, V of the root."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    field = find_forces(w, a, pace)
    articulate(w, root, end, pace.spread)
    acceleration = respond(w, root, end, pace.h, pace.spread)
    put_spatial(w, root, ROW.Y, field)
    put_spatial(w, root, ROW.V, root_velocity(w, a) + acceleration * pace.h + field)


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
def begin(w: ti.template(), a, pace, rates: ti.template(), foreseen):
    """Forces, responses and rows of articulation a for this step; `foreseen`: whether to write what forces alone do."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    put_vector(w, root, ROW.START, position(w, node(w, root, NODE_AT.LINK)))
    put_vector(w, root, ROW.DRIFT, no_vector())
    unconstrained(w, a, pace)
    if ti.static(w.parts.tells):
        if foreseen:
            foresee(w, a, rates)
    prepare(w, root, end, pace)
    if ti.static(w.parts.mimics):
        prepare_mimics(w, a)
    if ti.static(w.parts.joints or w.parts.tendons):
        if articulation(w, a, ARTICULATION_AT.SPATIAL):
            spread_velocities(w, root, end)
    if ti.static(w.parts.tendons):
        for t in range(articulation(w, a, ARTICULATION_AT.TENDON), articulation(w, a, ARTICULATION_AT.TENDON_END)):
            prepare_tendon(w, t, pace)


@ti.func
def finish(w: ti.template(), a, pace, rates: ti.template(), final):
    """What is left of articulation a when the iterations are over."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    if ti.static(w.parts.tells):
        if final:
            accelerate(w, a, pace.h, rates)
            hold(w, a, pace.h, rates)
            transmit(w, a, rates)
    wrap(w, root, end)
    if ti.static(w.parts.floats):
        if articulation(w, a, ARTICULATION_AT.FLOATING) > 0 and articulation(w, a, ARTICULATION_AT.FREE) == 0:
            keep_momentum(w, a, pace.h)
    store(w, a, pace.h)


@ti.func
def step(w: ti.template(), isle, pace, rates: ti.template(), final):
    """Advance an island of one world by one step; the last of a launch writes `rates`, and the last before it sleeps.

    final: 1 for the last of a launch, else 0; 2 more if what forces alone do is written, too.
    """
    if ti.static(w.parts.sleeps):
        keep_sleepers(w, isle, False)
    if ti.static(w.parts.floats):
        alone = member(w, island(w, isle, ISLAND_AT.MEMBER), MEMBER_AT.ARTICULATION)
        if articulation(w, alone, ARTICULATION_AT.FREE) > 0 and articulation(w, alone, ARTICULATION_AT.SPATIAL) == 0:
            fly_alone(w, alone, pace, rates, final)
        else:
            advance_island(w, isle, pace, rates, final)
    else:
        advance_island(w, isle, pace, rates, final)
    if ti.static(w.parts.sleeps):
        if w.falling:
            fall_asleep(w, isle)
        keep_sleepers(w, isle, True)


@ti.func
def fly_alone(w: ti.template(), a, pace, rates: ti.template(), final):
    """Advance a free body that nothing holds."""
    before = root_velocity(w, a)
    fly(w, a, pace)
    if ti.static(w.parts.sleeps):
        put_spatial(w, articulation(w, a, ARTICULATION_AT.ROOT), ROW.V, root_velocity(w, a))
        count_down(w, a, pace)
    if ti.static(w.parts.tells):
        if is_told(w, final):
            accelerate_body(w, a, (root_velocity(w, a) - before) * (1.0 / pace.h), rates)


@ti.func
def advance_island(w: ti.template(), isle, pace, rates: ti.template(), final):
    """Advance what iterates, in PhysX's order."""
    first, last = island(w, isle, ISLAND_AT.MEMBER), island(w, isle, ISLAND_AT.MEMBER_END)
    for m in range(first, last):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        if articulation(w, a, ARTICULATION_AT.FREE):
            if ti.static(w.parts.joints):
                prepare_free_body(w, a, pace)
        else:
            begin(w, a, pace, rates, final > 1)
    if ti.static(w.parts.joints):
        for j in range(island(w, isle, ISLAND_AT.JOINT), island(w, isle, ISLAND_AT.JOINT_END)):
            prepare_joint(w, j, pace)
    iterate(w, isle, pace)
    told = is_told(w, final)
    if ti.static(w.parts.tells and (w.parts.joints or w.parts.tendons)):
        if told:
            exert(w, isle, pace.h, rates)
    for m in range(first, last):
        finish(w, member(w, m, MEMBER_AT.ARTICULATION), pace, rates, told)
