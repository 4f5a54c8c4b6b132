"""Maximal joints: their rows are prepared once per step and solved one after the other, each joint as a whole.

Equations of "1d Constraint Formulation", PhysX Team, April 29, 2024. The rows of a joint see each other through the
responses of its two bodies taken alone, also where both are links of one articulation; only the impulse of the whole
joint reaches the rest. A joint between a link and the world is solved within the sweep of the articulation, any other
before the sweeps.

In TGS the arms of joints between free bodies follow the bodies, and their linear rows stay independent of the locked
angular ones (eq. 66); everything else is that of the start of the step.
"""

import taichi as ti

from .accessors import (
    CONSTRAINT_ROW,
    NODE_ROW,
    SIDE_ROW,
    TableItem,
    get,
    get_force,
    get_motion,
    get_quaternion,
    get_vector,
    put_quaternion,
    put_spatial,
    put_vector,
)
from .constraint import get_jacobian, orthogonalize_row, prepare_row, solve_row
from .d6_rows import compute_row_geometry
from .impulse_propagation import apply_link_impulse, link_pose, link_response, link_velocity
from .joint_frame import column, component, compute_joint_frames
from .lanes import Struct, broadcast, clamp, maximum
from .response import get_response
from .spatial import Force, no_force, no_motion, zero_vector
from .world_view import CONSTRAINT_AT, JOINT_AT, NODE_AT, SIDE_AT, constraint, joint, node, side


@ti.func
def prepare_maximal_joint(w: ti.template(), j, params):
    """Compute the rows of joint j for this step."""
    at = compute_joint_frames(w, j)
    locked_arm = at.arm0.copy()
    for k in ti.static(range(3)):
        if (joint(w, j, JOINT_AT.LOCKS) >> k) & 1:
            locked_arm = locked_arm - column(at.a, k) * component(at.p, k)
    for s in range(2 * j, 2 * j + 2):
        here, lever = TableItem(w, "SIDES", s), locked_arm.copy()
        if s > 2 * j:
            lever = at.arm1
        p, q = link_pose(w, s)
        put_vector(w, here, SIDE_ROW.START, p)
        put_quaternion(w, here, SIDE_ROW.START_ORIENTATION, q)
        put_vector(w, here, SIDE_ROW.START_ARM, lever)
        put_spatial(w, here, SIDE_ROW.V, no_motion())
        put_spatial(w, here, SIDE_ROW.IMPULSE, no_force())
        if joint(w, j, JOINT_AT.BOUNCES):
            put_spatial(w, here, SIDE_ROW.V, link_velocity(w, s, 0.0, params.h))
    v0, v1 = body_velocities(w, j)
    response0, response1 = link_response(w, 2 * j), link_response(w, 2 * j + 1)
    for i in range(joint(w, j, JOINT_AT.CONSTRAINT), joint(w, j, JOINT_AT.CONSTRAINT_END)):
        compute_row_geometry(w, j, i, (at, locked_arm), params)
        if joint(w, j, JOINT_AT.HAS_LINK) == 0:
            orthogonalize_row(w, j, i)
        prepare_row(w, j, i, (response0, response1, v0, v1), params)


@ti.func
def body_velocities(w: ti.template(), j):
    """Return the velocities V of both bodies of joint j."""
    return get_motion(w, TableItem(w, "SIDES", 2 * j), SIDE_ROW.V), get_motion(
        w, TableItem(w, "SIDES", 2 * j + 1), SIDE_ROW.V
    )


class Displacement(Struct):
    """Displacement of the two bodies of a joint since the start of the step."""

    parts = (
        "apart",  # displacement of the joint on body 0 less that on body 1 [m]
        "angle0",  # integral of body 0's angular velocity [rad]
        "angle1",  # integral of body 1's angular velocity [rad]
        "arm0",  # from body 0's centre of mass to the joint, now [m]
        "arm1",  # from body 1's centre of mass to the joint, now [m]
    )


@ti.func
def displacement(w: ti.template(), j):
    """Return the displacement of the bodies of joint j since the start of the step."""
    for s in range(2 * j, 2 * j + 2):
        here, k = TableItem(w, "SIDES", s), side(w, s, SIDE_AT.NODE)
        lever, moved, angle = get_vector(w, here, SIDE_ROW.START_ARM), zero_vector(), zero_vector()
        arm = lever.copy()
        if k >= 0:
            p, q = link_pose(w, s)
            arm = (q * get_quaternion(w, here, SIDE_ROW.START_ORIENTATION).conjugate()).rotate(lever)
            moved = (arm - lever) + (p - get_vector(w, here, SIDE_ROW.START))
            angle = get_vector(w, k, NODE_ROW.DELTA_ROTATION)
        put_vector(w, here, SIDE_ROW.ARM, arm)
        put_vector(w, here, SIDE_ROW.MOVED, moved)
        put_vector(w, here, SIDE_ROW.ANGLE, angle)
    here, there = TableItem(w, "SIDES", 2 * j), TableItem(w, "SIDES", 2 * j + 1)
    return Displacement(
        get_vector(w, here, SIDE_ROW.MOVED) - get_vector(w, there, SIDE_ROW.MOVED),
        get_vector(w, here, SIDE_ROW.ANGLE), get_vector(w, there, SIDE_ROW.ANGLE),
        get_vector(w, here, SIDE_ROW.ARM), get_vector(w, there, SIDE_ROW.ARM),
    )  # fmt: skip


@ti.func
def error_change(w: ti.template(), i, jacobian, since):
    """Return the change of the error of row i since the start of the step."""
    moved = jacobian.lin.dot(since.apart)
    if constraint(w, i, CONSTRAINT_AT.ANGULAR):
        moved = jacobian.ang0.dot(since.angle0) - jacobian.ang1.dot(since.angle1)
    return moved


@ti.func
def update_lever_arms(w: ti.template(), j, i, jacobian, since):
    """Update the arms r_0, r_1 of a linear row of free bodies, eq. 66; return the further change of its error."""
    jacobian.ang0 = since.arm0.cross(jacobian.lin)
    jacobian.ang1 = since.arm1.cross(jacobian.lin)
    extra = broadcast(0.0)
    last = joint(w, j, JOINT_AT.CONSTRAINT)
    if constraint(w, i, CONSTRAINT_AT.GROUP) > 0:
        last = i
    for e in range(joint(w, j, JOINT_AT.CONSTRAINT), last):
        rigid = constraint(w, e, CONSTRAINT_AT.GROUP) > 0 and constraint(w, e, CONSTRAINT_AT.ONE_SIDED) == 0
        if rigid and constraint(w, e, CONSTRAINT_AT.ANGULAR) > 0:
            o = TableItem(w, "CONSTRAINTS", e)
            gain0, gain1 = get_motion(w, o, CONSTRAINT_ROW.RESPONSE0), get_motion(w, o, CONSTRAINT_ROW.RESPONSE1)
            share = jacobian.ang0.dot(gain0.ang) + jacobian.ang1.dot(gain1.ang)
            share = share * get(w, o, CONSTRAINT_ROW.INV_RESPONSE)
            other = get_jacobian(w, o)
            jacobian.ang0 = jacobian.ang0 - other.ang0 * share
            jacobian.ang1 = jacobian.ang1 - other.ang1 * share
            extra += 0.0 - share * (get(w, o, CONSTRAINT_ROW.ERROR) + error_change(w, e, other, since))
    return extra


@ti.func
def solve_rows(w: ti.template(), j, iteration, loose: ti.template()):
    """Solve every row of joint j once, from the velocities V of its bodies, and add to IMPULSE of its sides.

    `loose`: whether the joint may be between free bodies.
    Returns the impulse on body 0, and minus that on body 1.
    """
    lin, ang0, ang1 = zero_vector(), zero_vector(), zero_vector()
    v0, v1 = body_velocities(w, j)
    since = Displacement(zero_vector(), zero_vector(), zero_vector(), zero_vector(), zero_vector())
    if iteration.tgs:
        since = displacement(w, j)
    for i in range(joint(w, j, JOINT_AT.CONSTRAINT), joint(w, j, JOINT_AT.CONSTRAINT_END)):
        spring = constraint(w, i, CONSTRAINT_AT.SPRING)
        if spring == 0 or iteration.corrects_position > 0 or iteration.tgs == 0:
            c = TableItem(w, "CONSTRAINTS", i)
            jacobian = get_jacobian(w, c)
            gain0, gain1 = get_motion(w, c, CONSTRAINT_ROW.RESPONSE0), get_motion(w, c, CONSTRAINT_ROW.RESPONSE1)
            scale, bias = get(w, c, CONSTRAINT_ROW.IMPULSE_SCALE), get(w, c, CONSTRAINT_ROW.BIAS)
            if iteration.tgs:
                moved = error_change(w, i, jacobian, since)
                if ti.static(loose):
                    if joint(w, j, JOINT_AT.HAS_LINK) == 0 and constraint(w, i, CONSTRAINT_AT.ANGULAR) == 0:
                        moved += update_lever_arms(w, j, i, jacobian, since)
                        gain0 = link_response(w, 2 * j).apply(jacobian.wrench0())
                        gain1 = link_response(w, 2 * j + 1).apply(jacobian.wrench1())
                        if spring == 0:
                            r = jacobian.rate(gain0, gain1 * -1.0)
                            scale = ti.select(r > 0.0, 1.0 / maximum(r, 1e-30), 0.0)
                if spring == 0:
                    moved += 0.0 - get(w, c, CONSTRAINT_ROW.TARGET_BIAS) * iteration.elapsed
                bias += get(w, c, CONSTRAINT_ROW.ERROR_MULTIPLIER) * moved
            bias = clamp(bias, get(w, c, CONSTRAINT_ROW.MIN_BIAS), get(w, c, CONSTRAINT_ROW.MAX_BIAS))
            if iteration.corrects_position == 0:
                bias = bias * get(w, c, CONSTRAINT_ROW.BIAS_IN_VELOCITY_ITERATIONS)
            f = solve_row(w, c, jacobian.rate(v0, v1), bias, scale)  # at J v: eqs. 18, 22
            v0 = v0 + gain0 * f  # v += λ' M⁻¹ Jᵀ: eqs. 19, 24, 25
            v1 = v1 - gain1 * f
            lin = lin + jacobian.lin * f
            ang0 = ang0 + jacobian.ang0 * f
            ang1 = ang1 + jacobian.ang1 * f
    here, there = TableItem(w, "SIDES", 2 * j), TableItem(w, "SIDES", 2 * j + 1)
    wrench0, off1 = Force(ang0, lin), Force(ang1, lin)
    put_spatial(w, here, SIDE_ROW.IMPULSE, get_force(w, here, SIDE_ROW.IMPULSE) + wrench0)
    put_spatial(w, there, SIDE_ROW.IMPULSE, get_force(w, there, SIDE_ROW.IMPULSE) - off1)
    return wrench0, off1


@ti.func
def solve_maximal_joint(w: ti.template(), j, substep_time, params, iteration):
    """Solve joint j, which is not between a link and the world, once; `substep_time`: see `impulse_propagation`."""
    for s in range(2 * j, 2 * j + 2):
        put_spatial(w, TableItem(w, "SIDES", s), SIDE_ROW.V, link_velocity(w, s, substep_time, params.h))
    wrench0, off1 = solve_rows(w, j, iteration, True)
    for s in range(2 * j, 2 * j + 2):
        impulse = off1 * -1.0
        if s == 2 * j:
            impulse = wrench0
        apply_link_impulse(w, s, impulse)


@ti.func
def solve_world_joints(w: ti.template(), k, settled, dv, iteration):
    """Solve the joints between the link of node k and the world once, within a sweep.

    `settled`: the link's velocity without the change `dv` by the impulses of this pass.
    Returns `dv` with the impulses of these joints; their wrench is added to BRANCH_IMPULSE.
    """
    now = dv.copy()
    for j in range(node(w, k, NODE_AT.WORLD_JOINT), node(w, k, NODE_AT.WORLD_JOINT_END)):
        for s in range(2 * j, 2 * j + 2):
            v = no_motion()
            if side(w, s, SIDE_AT.NODE) == k:
                v = settled + now
            put_spatial(w, TableItem(w, "SIDES", s), SIDE_ROW.V, v)
        impulse, off1 = solve_rows(w, j, iteration, False)
        if side(w, 2 * j + 1, SIDE_AT.NODE) == k:
            impulse = off1 * -1.0
        now = now + get_response(w, k).apply(impulse)
        put_spatial(w, k, NODE_ROW.BRANCH_IMPULSE, get_force(w, k, NODE_ROW.BRANCH_IMPULSE) - impulse)
    return now
