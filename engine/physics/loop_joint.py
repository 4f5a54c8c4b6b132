"""Joints outside the trees: their rows are prepared once a step and solved one after the other, each joint as a whole.

The rows of a joint see each other through the responses of its two bodies taken alone, also where both are links of one
articulation; only its impulse as a whole reaches the rest. A joint between a link and the world is visited within the
articulation's sweep, any other before the sweeps.

In TGS the levers of joints between free bodies follow the bodies, and their linear rows stay independent of the locked
angular ones; all else is that of the start of the step.
"""

import taichi as ti

from .constraint import get_jacobian, impulse_of, separate, weigh
from .joint_frame import column, component, frames
from .joint_rows import shape
from .lanes import Value, clamp, larger, real
from .link_impulse import pose_of, response_of, strike, velocity_of
from .memory import (
    CONSTRAINT_ROW,
    ROW,
    SIDE_ROW,
    Item,
    get,
    get_force,
    get_motion,
    get_quaternion,
    get_vector,
    put_quaternion,
    put_spatial,
    put_vector,
)
from .response import get_response
from .spatial import Force, no_force, no_motion, no_vector
from .world import CONSTRAINT_AT, JOINT_AT, NODE_AT, SIDE_AT, constraint, joint, node, side


@ti.func
def prepare_joint(w: ti.template(), j, pace):
    """Rows of joint j for this step."""
    at = frames(w, j)
    locked_arm = at.arm0.copy()
    for k in ti.static(range(3)):
        if (joint(w, j, JOINT_AT.LOCKS) >> k) & 1:
            locked_arm = locked_arm - column(at.a, k) * component(at.p, k)
    for s in range(2 * j, 2 * j + 2):
        here, lever = Item(w, "SIDES", s), locked_arm.copy()
        if s > 2 * j:
            lever = at.arm1
        p, q = pose_of(w, s)
        put_vector(w, here, SIDE_ROW.START, p)
        put_quaternion(w, here, SIDE_ROW.TURN, q)
        put_vector(w, here, SIDE_ROW.LEVER, lever)
        put_spatial(w, here, SIDE_ROW.V, no_motion())
        put_spatial(w, here, SIDE_ROW.IMPULSE, no_force())
        if joint(w, j, JOINT_AT.BOUNCES):
            put_spatial(w, here, SIDE_ROW.V, velocity_of(w, s, 0.0, pace.h))
    v0, v1 = velocities(w, j)
    response0, response1 = response_of(w, 2 * j), response_of(w, 2 * j + 1)
    for i in range(joint(w, j, JOINT_AT.CONSTRAINT), joint(w, j, JOINT_AT.CONSTRAINT_END)):
        shape(w, j, i, (at, locked_arm), pace)
        if joint(w, j, JOINT_AT.LINKED) == 0:
            separate(w, j, i)
        weigh(w, j, i, (response0, response1, v0, v1), pace)


@ti.func
def velocities(w: ti.template(), j):
    """Velocities V of both bodies of joint j."""
    return get_motion(w, Item(w, "SIDES", 2 * j), SIDE_ROW.V), get_motion(w, Item(w, "SIDES", 2 * j + 1), SIDE_ROW.V)


class Displacement(Value):
    """What the two bodies did since the start of the step."""

    parts = (
        "apart",  # how far body 0's end of the joint went from body 1's [m]
        "angle0",  # integral of body 0's angular velocity [rad]
        "angle1",
        "arm0",  # from its centre of mass to the joint, now [m]
        "arm1",
    )


@ti.func
def displacement(w: ti.template(), j):
    """What the bodies of joint j did since the start of the step."""
    for s in range(2 * j, 2 * j + 2):
        here, k = Item(w, "SIDES", s), side(w, s, SIDE_AT.NODE)
        lever, moved, angle = get_vector(w, here, SIDE_ROW.LEVER), no_vector(), no_vector()
        arm = lever.copy()
        if k >= 0:
            p, q = pose_of(w, s)
            arm = (q * get_quaternion(w, here, SIDE_ROW.TURN).conjugate()).rotate(lever)
            moved = (arm - lever) + (p - get_vector(w, here, SIDE_ROW.START))
            angle = get_vector(w, k, ROW.THETA)
        put_vector(w, here, SIDE_ROW.ARM, arm)
        put_vector(w, here, SIDE_ROW.MOVED, moved)
        put_vector(w, here, SIDE_ROW.ANGLE, angle)
    here, there = Item(w, "SIDES", 2 * j), Item(w, "SIDES", 2 * j + 1)
    return Displacement(
        get_vector(w, here, SIDE_ROW.MOVED) - get_vector(w, there, SIDE_ROW.MOVED),
        get_vector(w, here, SIDE_ROW.ANGLE), get_vector(w, there, SIDE_ROW.ANGLE),
        get_vector(w, here, SIDE_ROW.ARM), get_vector(w, there, SIDE_ROW.ARM),
    )  # fmt: skip


@ti.func
def moved_error(w: ti.template(), i, jacobian, since):
    """How much the error of row i changed since the start of the step."""
    moved = jacobian.lin.dot(since.apart)
    if constraint(w, i, CONSTRAINT_AT.ANGULAR):
        moved = jacobian.ang0.dot(since.angle0) - jacobian.ang1.dot(since.angle1)
    return moved


@ti.func
def follow(w: ti.template(), j, i, jacobian, since):
    """Turn a linear row of free bodies with its levers; returns what else its error has moved by."""
    jacobian.ang0 = since.arm0.cross(jacobian.lin)
    jacobian.ang1 = since.arm1.cross(jacobian.lin)
    extra = real(0.0)
    last = joint(w, j, JOINT_AT.CONSTRAINT)
    if constraint(w, i, CONSTRAINT_AT.GROUP) > 0:
        last = i
    for e in range(joint(w, j, JOINT_AT.CONSTRAINT), last):
        rigid = constraint(w, e, CONSTRAINT_AT.GROUP) > 0 and constraint(w, e, CONSTRAINT_AT.ONE_SIDED) == 0
        if rigid and constraint(w, e, CONSTRAINT_AT.ANGULAR) > 0:
            o = Item(w, "CONSTRAINTS", e)
            gain0, gain1 = get_motion(w, o, CONSTRAINT_ROW.GAIN0), get_motion(w, o, CONSTRAINT_ROW.GAIN1)
            share = jacobian.ang0.dot(gain0.ang) + jacobian.ang1.dot(gain1.ang)
            share = share * get(w, o, CONSTRAINT_ROW.INVERSE)
            other = get_jacobian(w, o)
            jacobian.ang0 = jacobian.ang0 - other.ang0 * share
            jacobian.ang1 = jacobian.ang1 - other.ang1 * share
            extra += 0.0 - share * (get(w, o, CONSTRAINT_ROW.ERROR) + moved_error(w, e, other, since))
    return extra


@ti.func
def solve_rows(w: ti.template(), j, visit, loose: ti.template()):
    """Solve every row of joint j once, from the velocities V of its bodies.

    Adds to IMPULSE of its sides. `loose`: whether it may be a joint between free bodies.
    Returns the impulse on body 0, and minus that on body 1.
    """
    lin, ang0, ang1 = no_vector(), no_vector(), no_vector()
    v0, v1 = velocities(w, j)
    since = Displacement(no_vector(), no_vector(), no_vector(), no_vector(), no_vector())
    if visit.tgs:
        since = displacement(w, j)
    for i in range(joint(w, j, JOINT_AT.CONSTRAINT), joint(w, j, JOINT_AT.CONSTRAINT_END)):
        spring = constraint(w, i, CONSTRAINT_AT.SPRING)
        if spring == 0 or visit.comes_back > 0 or visit.tgs == 0:
            c = Item(w, "CONSTRAINTS", i)
            jacobian = get_jacobian(w, c)
            gain0, gain1 = get_motion(w, c, CONSTRAINT_ROW.GAIN0), get_motion(w, c, CONSTRAINT_ROW.GAIN1)
            scale, bias = get(w, c, CONSTRAINT_ROW.SCALE), get(w, c, CONSTRAINT_ROW.BIAS)
            if visit.tgs:
                moved = moved_error(w, i, jacobian, since)
                if ti.static(loose):
                    if joint(w, j, JOINT_AT.LINKED) == 0 and constraint(w, i, CONSTRAINT_AT.ANGULAR) == 0:
                        moved += follow(w, j, i, jacobian, since)
                        gain0 = response_of(w, 2 * j).apply(jacobian.on0())
                        gain1 = response_of(w, 2 * j + 1).apply(jacobian.on1())
                        if spring == 0:
                            r = jacobian.rate(gain0, gain1 * -1.0)
                            scale = ti.select(r > 0.0, 1.0 / larger(r, 1e-30), 0.0)
                if spring == 0:
                    moved += 0.0 - get(w, c, CONSTRAINT_ROW.AIM) * visit.elapsed
                bias += get(w, c, CONSTRAINT_ROW.CLOSE) * moved
            bias = clamp(bias, get(w, c, CONSTRAINT_ROW.FLOOR), get(w, c, CONSTRAINT_ROW.CAP))
            if visit.comes_back == 0:
                bias = bias * get(w, c, CONSTRAINT_ROW.STAYS)
            f = impulse_of(w, c, jacobian.rate(v0, v1), bias, scale)
            v0 = v0 + gain0 * f
            v1 = v1 - gain1 * f
            lin = lin + jacobian.lin * f
            ang0 = ang0 + jacobian.ang0 * f
            ang1 = ang1 + jacobian.ang1 * f
    here, there = Item(w, "SIDES", 2 * j), Item(w, "SIDES", 2 * j + 1)
    on0, off1 = Force(ang0, lin), Force(ang1, lin)
    put_spatial(w, here, SIDE_ROW.IMPULSE, get_force(w, here, SIDE_ROW.IMPULSE) + on0)
    put_spatial(w, there, SIDE_ROW.IMPULSE, get_force(w, there, SIDE_ROW.IMPULSE) - off1)
    return on0, off1


@ti.func
def solve_joint(w: ti.template(), j, push, pace, visit):
    """One iteration of joint j, which is not between a link and the world; `push` [s]: see `link_impulse`."""
    for s in range(2 * j, 2 * j + 2):
        put_spatial(w, Item(w, "SIDES", s), SIDE_ROW.V, velocity_of(w, s, push, pace.h))
    on0, off1 = solve_rows(w, j, visit, True)
    for s in range(2 * j, 2 * j + 2):
        impulse = off1 * -1.0
        if s == 2 * j:
            impulse = on0
        strike(w, s, impulse)


@ti.func
def hold_to_world(w: ti.template(), k, settled, dv, visit):
    """One iteration of the joints that hold the link of node k to the world, within a sweep.

    `settled`: the link's velocity but for what the impulses of this pass did to it, which is `dv`.
    Returns `dv` with these joints' impulses; their wrench waits in STASH_P.
    """
    now = dv.copy()
    for j in range(node(w, k, NODE_AT.HELD), node(w, k, NODE_AT.HELD_END)):
        for s in range(2 * j, 2 * j + 2):
            v = no_motion()
            if side(w, s, SIDE_AT.NODE) == k:
                v = settled + now
            put_spatial(w, Item(w, "SIDES", s), SIDE_ROW.V, v)
        impulse, off1 = solve_rows(w, j, visit, False)
        if side(w, 2 * j + 1, SIDE_AT.NODE) == k:
            impulse = off1 * -1.0
        now = now + get_response(w, k).apply(impulse)
        put_spatial(w, k, ROW.STASH_P, get_force(w, k, ROW.STASH_P) - impulse)
    return now
