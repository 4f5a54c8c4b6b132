"""Forces at the start of a step: gravity, velocity products, damping and velocity limits of links, external forces.

    ab_l = ab_p seen at l + (ω_p × μ ; ω_p × (ω_p × d) + 2 ω_p × ν + μ × ν)        (μ ; ν) = Σ S_k q̇_k
    gravity: m (1 − c h) g        drag: −m (c + s/h) v, −I (c' + s'/h) ω        inertial: −m ab, −(I ab + ω × I ω)
    external: f, t + R p × f, immediate as drag is, or per substep as gravity is

c, c' are the link's damping clamped to [0, 1/h]; s = 1 − limit/speed above the link's velocity limit, else 0.
"""

import taichi as ti

from . import TILE
from .articulated_body import link_mass
from .kinematics import clamp_joint_velocities, move_link, place_root
from .lanes import Struct, any_lane, broadcast, clamp, maximum
from .momentum import angular_momentum_correction, momentum_of, no_links, with_link
from .spatial import Force, Motion, no_force, no_motion, no_tensor, zero_vector
from .tree import stores_response
from .views import KIND

VELOCITY_LIMIT_MARGIN = 0.999  # of the square of a limit: far more than what rounding does to it


@ti.func
def velocity_product(w: ti.template(), k, wp):
    """Return ab of the link of node k [rad/s², m/s²]; its parent turns by `wp`.

    Reads: OFFSET, SUBSPACE, START_QD of its joint, BIAS_ACCELERATION of its parent.
    """
    node = w.node[k]
    base, first = node.parent_last, node.first
    d = w.node[first].offset
    joint = no_motion()
    if node.kind != KIND.FIXED:
        for j in range(first, k + 1):
            joint = joint + w.node[j].subspace * w.node[j].start_qd
    mu, nu = joint.ang, joint.lin
    lin = wp.cross(wp.cross(d)) + wp.cross(nu) * 2.0 + mu.cross(nu)
    return w.node[base].bias_acceleration.outward(d) + Motion(wp.cross(mu), lin)


@ti.func
def exceeds_velocity_limit(w: ti.template(), k, v):
    """Return a number that is positive where the link of node k, of velocity v, is beyond or near a velocity limit."""
    node = w.node[k]
    over = broadcast(-1.0)
    if node.last == k:
        link = node.link
        linear = w.param.max_linear_velocity[link]
        angular = w.param.max_angular_velocity[link]
        over = maximum(
            v.lin.dot(v.lin) - VELOCITY_LIMIT_MARGIN * linear * linear,
            v.ang.dot(v.ang) - VELOCITY_LIMIT_MARGIN * angular * angular,
        )
    return over


@ti.func
def velocity_excess_ratio(speed, limit):
    """Return the share of a speed above its limit."""
    return maximum(1.0 - limit / maximum(speed, 1e-9), 0.0)


class LinkMotion(Struct):
    """What a pass from the root outward carries: along a chain it stays in registers."""

    parts = (
        "v",  # velocity of the link
        "at",  # centre of mass from the root's [m]
        "wp",  # angular velocity of the parent link of the joint [rad/s]
    )


@ti.func
def carry_motion_outward(w: ti.template(), k, above):
    """Return the motion of the link of node k from that of node k − 1, `above`, the poses and START_QD.

    Writes: SUBSPACE, OFFSET; V and ROOT_OFFSET of nodes with several children, and of all where contacts read V later.
    """
    node, motion = w.node[k], above.copy()
    if node.kind <= KIND.FLOATING_ROOT:
        place_root(w, k)
    else:
        if node.parent != k - 1:
            motion.v, motion.at = w.node[node.parent].v, w.node[node.parent].root_offset
        if node.first == k:
            motion.wp = motion.v.ang
        motion.v = move_link(w, k, motion.v)
        motion.at = motion.at + node.offset
    stores = stores_response(w, node)
    if ti.static(w.features.continuous):
        stores = True
    if stores:
        node.v = motion.v
        node.root_offset = motion.at
    return motion


@ti.func
def compute_bias_force(w: ti.template(), k, motion, params, floats, reports):
    """Compute the bias wrenches (minus the forces) and the inertia of node k.

    `reports`: whether the step may write the forces that joints transmit, which need TOTAL_BIAS.
    Writes: BIAS_ACCELERATION, WORLD_INERTIA, MASS, TOTAL_BIAS, IMMEDIATE_BIAS; SUBSTEP_BIAS (gravity) where forces act
    per substep.
    Returns the drag about the root and the gyroscopic torque.
    """
    node = w.node[k]
    drag, gyro = no_force(), zero_vector()
    immediate, substep = no_force(), no_force()
    tensor = no_tensor()
    mass = broadcast(0.0)
    if node.last == k:
        ab = no_motion()
        if node.kind > KIND.FLOATING_ROOT:
            ab = velocity_product(w, k, motion.wp)
        node.bias_acceleration = ab
        link = node.link
        mass = w.param.mass[link]
        tensor = w.state.orientation[link].matrix().congruence(w.param.inertia[link])
        v = motion.v
        linear = clamp(w.param.linear_damping[link], 0.0, 1.0 / params.h)
        angular = clamp(w.param.angular_damping[link], 0.0, 1.0 / params.h)
        fast, spin = broadcast(0.0), broadcast(0.0)
        if any_lane(exceeds_velocity_limit(w, k, v) > 0.0):  # rare: saves two roots and four quotients
            fast = velocity_excess_ratio(v.lin.norm(), w.param.max_linear_velocity[link]) / params.h
            spin = velocity_excess_ratio(v.ang.norm(), w.param.max_angular_velocity[link]) / params.h
        momentum = tensor.apply(v.ang)
        gyro = v.ang.cross(momentum)
        drag = Force(momentum * (0.0 - (angular + spin)), v.lin * (0.0 - mass * (linear + fast)))
        weight = mass * (1.0 - linear * params.h) * w.param.gravity_scale[link]
        substep.lin = w.param.gravity[0] * (0.0 - weight)
        immediate = Force(tensor.apply(ab.ang) + gyro, ab.lin * mass) - drag
        if floats:
            drag = drag.inward(motion.at)
    node.world_inertia = tensor
    if ti.static(TILE == 1):  # a GPU reads it anew, see `link_mass`
        node.mass = mass
    if params.forces_per_substep:
        node.immediate_bias = immediate
        node.substep_bias = substep
    else:
        node.immediate_bias = immediate + substep
    if reports:
        node.total_bias = immediate + substep
    return drag, gyro


@ti.func
def external_wrench(w: ti.template(), link):
    """Return the external wrench on a link about its centre of mass, world axes."""
    turned = w.state.orientation[link]
    force, torque = w.param.force[link], w.param.torque[link]
    lever = turned.rotate(w.param.force_position[link])
    share = w.param.force_is_local[link]
    force = turned.rotate(force) * share + force * (1.0 - share)
    torque = turned.rotate(torque) * share + torque * (1.0 - share)
    per_mass = w.param.force_is_acceleration[link]
    if any_lane(per_mass > 0.0):
        inertia = turned.matrix().congruence(w.param.inertia[link])
        share = per_mass * (w.param.mass[link] - 1.0) + 1.0
        unit = 1.0 / w.param.metre[0]  # the host converts its numbers as those of a torque, [N·m]
        torque = torque + (inertia.apply(torque * (unit * unit)) - torque) * per_mass
        force = force * share
    return Force(torque + lever.cross(force), force)


@ti.func
def apply_external_wrenches(w: ti.template(), root, end, forces_per_substep, reports):
    """Apply the external forces to the links of an articulation.

    Writes: TOTAL_BIAS; IMMEDIATE_BIAS, or SUBSTEP_BIAS where forces act per substep.
    Returns the immediate wrench about the root.
    """
    total, at = no_force(), zero_vector()
    for k in range(root, end):
        node = w.node[k]
        if k > root:
            if node.parent != k - 1:
                at = w.node[node.parent].root_offset
            at = at + node.offset
        if node.last == k:
            wrench = external_wrench(w, node.link)
            if reports:
                node.total_bias = node.total_bias - wrench
            if forces_per_substep:
                node.substep_bias = node.substep_bias - wrench
            else:
                node.immediate_bias = node.immediate_bias - wrench
                total = total + wrench.inward(at)
    return total


@ti.func
def compute_link_forces(w: ti.template(), a, params, reports):
    """Compute motion, inertia and forces of all links of articulation a; `reports` as of `compute_bias_force`.

    Writes: ROOT_CORRECTION, the change of a floating root's velocity that keeps the angular momentum.
    """
    root, end = w.articulation[a].root, w.articulation[a].end
    w.node[root].start_position = w.state.position[w.node[root].link]
    w.node[root].start_orientation = w.state.orientation[w.node[root].link]
    w.node[root].root_displacement = zero_vector()
    w.node[root].delta_rotation = zero_vector()
    floats = w.articulation[a].floating
    clamp_joint_velocities(w, root, end, w.articulation[a].has_velocity_clamp)
    velocity = w.state.root_velocity[a]
    w.node[root].v = velocity
    motion = LinkMotion(velocity, zero_vector(), zero_vector())
    drag, gyro, correction, sums = no_force(), zero_vector(), no_motion(), no_links()
    for k in range(root, end):
        motion = carry_motion_outward(w, k, motion)
        drag_k, gyro_k = compute_bias_force(w, k, motion, params, floats, reports)
        if ti.static(w.features.floats):
            node = w.node[k]
            if floats and node.last == k:
                drag, gyro = drag + drag_k, gyro + gyro_k
                sums = with_link(sums, motion.v, motion.at, node.world_inertia, link_mass(w, k))
    if w.articulation[a].has_external_force:
        drag = drag + apply_external_wrenches(w, root, end, params.forces_per_substep, reports)
    if ti.static(w.features.floats):
        if floats:
            now = momentum_of(sums)
            now.h = now.h + (drag.ang - now.com.cross(drag.lin)) * params.h
            before = now.h.norm()
            now.h = now.h - gyro * params.h
            correction = angular_momentum_correction(now, before, 1.0)
    w.node[root].root_correction = correction
