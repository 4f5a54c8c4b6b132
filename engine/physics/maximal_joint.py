"""Maximal joints: their rows are prepared once per step and solved one after the other, each joint as a whole.

Equations of "1d Constraint Formulation", PhysX Team, April 29, 2024. The rows of a joint see each other through the
responses of its two bodies taken alone, also where both are links of one articulation; only the impulse of the whole
joint reaches the rest. A joint between a link and the world is solved within the sweep of the articulation, any other
before the sweeps, among the pairs of colliders that touch.

In TGS the arms of joints between free bodies follow the bodies, and their linear rows stay independent of the locked
angular ones (eq. 66); everything else is that of the start of the step.
"""

import taichi as ti

from .breaking import free_broken_rows
from .constraint import Bodies, orthogonalize_row, prepare_row, solve_row
from .d6_rows import compute_row_geometry
from .gear import GEAR, RACK, compute_gear_row, rack_error_change
from .joint_frame import column, component, compute_joint_frames
from .lanes import Struct, broadcast, clamp, maximum
from .link_sides import apply_link_impulse, link_pose, link_response, link_velocity, side_displacement
from .spatial import Force, Motion, no_force, no_motion, zero_vector
from .views import SPRING


@ti.func
def prepare_maximal_joints(w: ti.template(), island_id, params):
    """Compute the rows of all maximal joints of an island."""
    for j in range(w.island[island_id].joint, w.island[island_id].joint_end):
        prepare_maximal_joint(w, j, params)


@ti.func
def prepare_maximal_joint(w: ti.template(), j, params):
    """Compute the rows of joint j for this step."""
    at = compute_joint_frames(w, j)
    locked_arm = at.arm0.copy()
    for k in ti.static(range(3)):
        if (w.joint[j].locks >> k) & 1:
            locked_arm = locked_arm - column(at.a, k) * component(at.p, k)
    for s in range(2 * j, 2 * j + 2):
        here, lever = w.side[s], locked_arm.copy()
        if s > 2 * j:
            lever = at.arm1
        p, q = link_pose(w, s)
        here.start = p
        here.start_orientation = q
        here.start_arm = lever
        here.v = no_motion()
        here.impulse = no_force()
        if w.joint[j].bounces:
            here.v = link_velocity(w, s, 0.0, params.h)
    v0, v1 = body_velocities(w, j)
    bodies = Bodies(link_response(w, 2 * j), link_response(w, 2 * j + 1), v0, v1)
    for i in range(w.joint[j].constraint, w.joint[j].constraint_end):
        if ti.static(w.features.gears):
            if w.constraint[i].kind == GEAR or w.constraint[i].kind == RACK:
                compute_gear_row(w, j, i, at)
            else:
                compute_row_geometry(w, j, i, at, locked_arm, params)
        else:
            compute_row_geometry(w, j, i, at, locked_arm, params)
        if w.joint[j].has_link == 0:
            orthogonalize_row(w, j, i)
        prepare_row(w, j, i, bodies, params)
    if ti.static(w.features.breaks):
        free_broken_rows(w, j)


@ti.func
def body_velocities(w: ti.template(), j):
    """Return the velocities V of both bodies of joint j."""
    return w.side[2 * j].v, w.side[2 * j + 1].v


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
        here, k = w.side[s], w.side[s].node
        lever, moved, angle = here.start_arm, zero_vector(), zero_vector()
        arm = lever.copy()
        if k >= 0:
            _, q = link_pose(w, s)
            arm = (q * here.start_orientation.conjugate()).rotate(lever)
            moved = (arm - lever) + side_displacement(w, s)
            angle = w.node[k].delta_rotation
        here.arm = arm
        here.moved = moved
        here.angle = angle
    here, there = w.side[2 * j], w.side[2 * j + 1]
    return Displacement(
        here.moved - there.moved,
        here.angle, there.angle,
        here.arm, there.arm,
    )  # fmt: skip


@ti.func
def error_change(w: ti.template(), i, jacobian, since):
    """Return the change of the error of row i since the start of the step."""
    moved = jacobian.lin.dot(since.apart)
    if w.constraint[i].angular:
        moved = jacobian.ang0.dot(since.angle0) - jacobian.ang1.dot(since.angle1)
    return moved


@ti.func
def update_lever_arms(w: ti.template(), j, i, jacobian, since):
    """Update the arms r_0, r_1 of a linear row of free bodies, eq. 66; return the further change of its error."""
    jacobian.ang0 = since.arm0.cross(jacobian.lin)
    jacobian.ang1 = since.arm1.cross(jacobian.lin)
    extra = broadcast(0.0)
    last = w.joint[j].constraint
    if w.constraint[i].group > 0:
        last = i
    for e in range(w.joint[j].constraint, last):
        rigid = w.constraint[e].group > 0 and w.constraint[e].one_sided == 0
        if rigid and w.constraint[e].angular > 0:
            o = w.constraint[e]
            gain0, gain1 = o.response0, o.response1
            share = jacobian.ang0.dot(gain0.ang) + jacobian.ang1.dot(gain1.ang)
            share = share * o.inv_response
            other = o.jacobian
            jacobian.ang0 = jacobian.ang0 - other.ang0 * share
            jacobian.ang1 = jacobian.ang1 - other.ang1 * share
            extra += 0.0 - share * (o.error + error_change(w, e, other, since))
    return extra


@ti.func
def solve_rows(w: ti.template(), j, iteration, loose: ti.template()):
    """Solve every row of joint j once, from the velocities V of its bodies, and add to IMPULSE of its sides.

    `loose`: whether the joint may be between free bodies.
    Returns the impulses on body 0 and on body 1.
    """
    lin, ang0, ang1 = zero_vector(), zero_vector(), zero_vector()
    v0, v1 = body_velocities(w, j)
    if ti.static(w.features.gears):
        if w.joint[j].rack:
            v0 = Motion(v0.ang.copy(), zero_vector())
    since = Displacement(zero_vector(), zero_vector(), zero_vector(), zero_vector(), zero_vector())
    if iteration.tgs:
        since = displacement(w, j)
    for i in range(w.joint[j].constraint, w.joint[j].constraint_end):
        spring = w.constraint[i].spring
        if spring == SPRING.NONE or iteration.corrects_position > 0 or iteration.tgs == 0:
            c = w.constraint[i]
            jacobian = c.jacobian
            gain0, gain1 = c.response0, c.response1
            scale, bias = c.impulse_scale, c.bias
            if iteration.tgs:
                moved = error_change(w, i, jacobian, since)
                if ti.static(w.features.gears):
                    if w.joint[j].rack:
                        moved += rack_error_change(w, j, jacobian)
                if ti.static(loose):
                    if w.joint[j].has_link == 0 and w.constraint[i].angular == 0:
                        moved += update_lever_arms(w, j, i, jacobian, since)
                        gain0 = link_response(w, 2 * j).apply(jacobian.wrench0())
                        gain1 = link_response(w, 2 * j + 1).apply(jacobian.wrench1())
                        if spring == SPRING.NONE:
                            r = jacobian.rate(gain0, gain1 * -1.0)
                            scale = ti.select(r > 0.0, 1.0 / maximum(r, 1e-30), 0.0)
                if spring == SPRING.NONE:
                    moved += 0.0 - c.target_bias * iteration.elapsed
                bias += c.error_multiplier * moved
            bias = clamp(bias, c.min_bias, c.max_bias)
            if iteration.corrects_position == 0:
                bias = bias * c.bias_in_velocity_iterations
            bounds = (c.min_impulse, c.max_impulse)
            f = solve_row(c, jacobian.rate(v0, v1), bias, scale, bounds)  # at J v: eqs. 18, 22
            v0 = v0 + gain0 * f  # v += λ' M⁻¹ Jᵀ: eqs. 19, 24, 25
            v1 = v1 - gain1 * f
            lin = lin + jacobian.lin * f
            ang0 = ang0 + jacobian.ang0 * f
            ang1 = ang1 + jacobian.ang1 * f
    here, there = w.side[2 * j], w.side[2 * j + 1]
    wrench0, wrench1 = Force(ang0, lin.copy()), Force(ang1, lin) * -1.0
    if ti.static(w.features.gears):
        if w.joint[j].rack:
            wrench0 = Force(ang0, zero_vector())
    here.impulse += wrench0
    there.impulse += wrench1
    return wrench0, wrench1


@ti.func
def solve_maximal_joints(w: ti.template(), island_id, iteration):
    """Solve all maximal joints of an island once, except those between a link and the world.

    Where pairs of colliders touch outside the sweeps, joints have their turns among them: `contacts.order.lane_order`.
    """
    end = w.island[island_id].pair_joint_end + 0
    if ti.static(w.features.contacts):
        if w.early_turns > 0:
            end = 0
    for j in range(w.island[island_id].joint, end):
        solve_maximal_joint(w, j, iteration)


@ti.func
def solve_maximal_joint(w: ti.template(), j, iteration):
    """Solve joint j, which is not between a link and the world, once."""
    for s in range(2 * j, 2 * j + 2):
        w.side[s].v = link_velocity(w, s, iteration.substep_time, iteration.h)
    wrench0, wrench1 = solve_rows(w, j, iteration, True)
    for s in range(2 * j, 2 * j + 2):
        impulse = wrench1.copy()
        if s == 2 * j:
            impulse = wrench0
        apply_link_impulse(w, s, impulse)


@ti.func
def solve_world_joints(w: ti.template(), k, settled, dv, iteration):
    """Solve the joints between the link of node k and the world once, within a sweep.

    `settled`: the link's velocity without the change `dv` by the impulses of this pass.
    Returns `dv` with the impulses of these joints; their wrench is added to BRANCH_IMPULSE.
    """
    node = w.node[k]
    now = dv.copy()
    for j in range(node.world_joint, node.world_joint_end):
        for s in range(2 * j, 2 * j + 2):
            v = no_motion()
            if w.side[s].node == k:
                v = settled + now
            w.side[s].v = v
        impulse, wrench1 = solve_rows(w, j, iteration, False)
        if w.side[2 * j + 1].node == k:
            impulse = wrench1.copy()
        now = now + node.response.apply(impulse)
        node.branch_impulse = node.branch_impulse - impulse
    return now
