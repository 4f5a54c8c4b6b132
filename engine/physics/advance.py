"""Moving: the joint speeds that a sweep's impulses leave, then positions, then poses.

    q += q̇ δ;  root: x += v δ, R ← exp(ω δ) R;  a spherical link turns by its own angular velocity, q follows from it
    pd += (q̇ + voff) δ of a rotation; of a translation what the poses really moved, with the axis and levers frozen

q grows by δ in every substep, in the precision of the lanes: slow motion depends on that rounding.
"""

import taichi as ti

from .kinematics import place
from .lanes import real
from .limit import is_limited
from .memory import (
    ROW,
    get,
    get_force,
    get_motion,
    get_vector,
    orientation,
    position,
    put,
    put_spatial,
    put_vector,
    set_orientation,
    set_position,
    set_state,
    state,
)
from .response import get_response
from .rotation import Quat, turn_by
from .spatial import Vec3, no_force, no_motion, no_vector
from .world import HEAD_AT, KIND, NODE_AT, head, node


@ti.func
def settle(w: ti.template(), k, dv, push, spatial):
    """Joint speed of node k after all impulses; `dv` is what they did to the link above.

    Writes: V0, and V (without velocity products) if `spatial`. Clears X: the next impulses start from here.
    Returns what the impulses did to the link.
    """
    s, d = get_motion(w, k, ROW.S), get_vector(w, k, ROW.D)
    v, change = get(w, k, ROW.V0), real(0.0)
    if node(w, k, NODE_AT.DOF) >= 0:
        change = get(w, k, ROW.D_INV) * get(w, k, ROW.X) - dv.dot(get_force(w, k, ROW.Y))
        gain = change
        if push > 0.0:
            gain += push * get(w, k, ROW.PUSH)
        v += gain  # one rounding of the speed a substep
        put(w, k, ROW.V0, v)
        put(w, k, ROW.X, 0.0)
    if spatial:
        put_spatial(w, k, ROW.V, get_motion(w, node(w, k, NODE_AT.PARENT), ROW.V).outward(d) + s * v)
    return dv.outward(d) + s * change


@ti.func
def turn_link(w: ti.template(), link, angle, substeps):
    """Turn a link by a rotation vector; substeps of spherical joints below 1e-6 rad do not turn, as in PhysX."""
    turned = orientation(w, link)
    new = (turn_by(angle) * turned).normalized()
    if substeps:
        slow = angle.dot(angle) <= 1e-12
        new = Quat(
            Vec3(
                ti.select(slow, turned.v.x, new.v.x), ti.select(slow, turned.v.y, new.v.y),
                ti.select(slow, turned.v.z, new.v.z),
            ),
            ti.select(slow, turned.w, new.w),
        )  # fmt: skip
    set_orientation(w, link, new)


@ti.func
def move_joint(w: ti.template(), k, delta, substeps):
    """Q of node k grows by the joint speed, and pd where a step has substeps."""
    kind = node(w, k, NODE_AT.KIND)
    row = head(w, HEAD_AT.Q) + node(w, k, NODE_AT.DOF)
    v = get(w, k, ROW.V0)
    if kind == KIND.REVOLUTE or kind == KIND.PRISMATIC:
        set_state(w, row, state(w, row) + v * delta)
    if substeps > 0 and kind == KIND.REVOLUTE:
        put(w, k, ROW.PD, get(w, k, ROW.PD) + v * delta)
    if substeps > 0 and kind == KIND.SPHERICAL:
        put(w, k, ROW.PD, get(w, k, ROW.PD) + (v + get(w, k, ROW.VOFF)) * delta)


@ti.func
def slide(w: ti.template(), k):
    """Displacement pd of a prismatic joint within the step, from the poses."""
    base = node(w, k, NODE_AT.BASE)
    apart = position(w, node(w, k, NODE_AT.LINK)) - position(w, node(w, base, NODE_AT.LINK))
    pd = get_motion(w, k, ROW.S).lin.dot(apart - get_vector(w, k, ROW.D))
    pd += get_vector(w, k, ROW.ARM1).dot(get_vector(w, k, ROW.THETA))
    put(w, k, ROW.PD, pd - get_vector(w, k, ROW.ARM0).dot(get_vector(w, base, ROW.THETA)))


@ti.func
def advance(w: ti.template(), root, end, pace, what, push):
    """Settle the speeds of an articulation.

    `what` = (moves, places, spatial): whether positions move by δ, whether the links' poses follow, and whether link
    velocities matter. `push` [s]: for how long spread forces acted since the speeds were settled last.
    Returns the momentum m (v + h ab) of all links of a floating articulation [kg·m/s].
    """
    moves, places, spatial = what
    dv, momentum = no_motion(), no_vector()
    if ti.static(w.parts.floats):
        if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
            link = node(w, root, NODE_AT.LINK)
            dv = get_response(w, root).apply(get_force(w, root, ROW.P)) * -1.0
            put_spatial(w, root, ROW.P, no_force())
            velocity = get_motion(w, root, ROW.V) + (dv + get_motion(w, root, ROW.BIAS2) * push)
            put_spatial(w, root, ROW.V, velocity)
            momentum = velocity.lin * get(w, root, ROW.MASS)
            if moves:
                set_position(w, link, position(w, link) + velocity.lin * pace.delta)
                turn_link(w, link, velocity.ang * pace.delta, 0)
                put_vector(w, root, ROW.THETA, get_vector(w, root, ROW.THETA) + velocity.ang * pace.delta)
    put_spatial(w, root, ROW.STASH_V, dv)
    for k in range(root + 1, end):
        parent, kind = node(w, k, NODE_AT.PARENT), node(w, k, NODE_AT.KIND)
        if parent != k - 1:
            dv = get_motion(w, parent, ROW.STASH_V)
        dv = settle(w, k, dv, push, spatial)
        if node(w, k, NODE_AT.JUNCTION) > 0:
            put_spatial(w, k, ROW.STASH_V, dv)
        if moves:
            move_joint(w, k, pace.delta, pace.tgs)
        if node(w, k, NODE_AT.CARRIER) == k:
            link = node(w, k, NODE_AT.LINK)
            if spatial:
                full = get_motion(w, k, ROW.V) + get_motion(w, k, ROW.AB) * pace.h
                momentum = momentum + full.lin * get(w, k, ROW.MASS)
                if moves:
                    angle = full.ang * pace.delta
                    put_vector(w, k, ROW.THETA, get_vector(w, k, ROW.THETA) + angle)
                    if kind == KIND.SPHERICAL:
                        turn_link(w, link, angle, pace.tgs)
            if places:
                place(w, k, False)
                if kind == KIND.PRISMATIC and pace.tgs > 0:
                    slide(w, k)
    return momentum


@ti.func
def wrap(w: ti.template(), root, end):
    """Take two turns off a revolute joint without limits once it is beyond one turn."""
    for k in range(root + 1, end):
        if node(w, k, NODE_AT.WRAPS) > 0:
            row = head(w, HEAD_AT.Q) + node(w, k, NODE_AT.DOF)
            q = state(w, row)
            wrapped = ti.select(q > 6.283185307179586, q - 12.566370614359172, q)
            wrapped = ti.select(wrapped < -6.283185307179586, wrapped + 12.566370614359172, wrapped)
            set_state(w, row, ti.select(is_limited(w, node(w, k, NODE_AT.DOF)), q, wrapped))
