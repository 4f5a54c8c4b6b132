"""Free rigid body: gravity, damping, velocity limits, gyroscopic torque and motion, in PhysX's order.

    v ← v + g h,  v ← v max(0, 1 − c h),  ω ← ω max(0, 1 − c' h),  |v| ≤ limit,  |ω| ≤ limit'
    L = I ω,  L' = L − ω × L h scaled to |L|,  ω = I⁻¹ L'          in body axes, if the body is gyroscopic
    ω ← I^-½ (I^½ ω)                                              under TGS, which solves for I^½ ω
    x += v δ,  R ← exp(ω δ) R                                    δ = h, or in each substep of TGS

A kinematic body keeps its velocity, and does not respond to impulses.

TGS with forces per substep does v += g δ in each substep instead, after damping and limits: there a falling body
exceeds its velocity limit by g h. An external force and torque act as gravity does. Joints on it: `maximal_joint`.
"""

import taichi as ti

from .bias_forces import external_wrench
from .lanes import TINY, broadcast, maximum, traced
from .locked_axes import lock_axes, lock_start, prepare_locks, without_axes
from .rotation import Quat
from .spatial import Motion, Sym3, Vec3, no_force, no_matrix, no_motion, select, zero_vector
from .spatial_inertia import Response


@ti.func
def damp_and_clamp(velocity, damping, limit, h):
    """Return a velocity after a step's damping, clamped to its limit."""
    damped = velocity * maximum(1.0 - damping * h, 0.0)
    speed = damped.norm()
    return damped * ti.select(speed > limit, limit / maximum(speed, TINY), 1.0)


@traced
def is_diagonal(tensor):
    """Return whether the principal axes of an inertia are those of its link."""
    return (tensor.xy == 0.0) & (tensor.xz == 0.0) & (tensor.yz == 0.0)


@traced
def along_axes(axes, d):
    """Return Σ d_i a_i a_iᵀ of the axes of a rotation matrix, by PhysX's operations."""
    a, b, c = axes.a * d.x, axes.b * d.y, axes.c * d.z
    own = (a, axes.a), (b, axes.b), (c, axes.c)
    parts = ("x", "x"), ("x", "y"), ("x", "z"), ("y", "y"), ("y", "z"), ("z", "z")
    products = ([getattr(u, i) * getattr(v, j) for u, v in own] for i, j in parts)
    return Sym3(*(one + two + three for one, two, three in products))


@ti.func
def apply_gyroscopic_torque(w: ti.template(), link, spin, h):
    """Return the angular velocity after a step's gyroscopic torque, which keeps the length of the momentum.

    Operations are PhysX's where the principal axes are those of the link. Elsewhere only ratios of moments count, as a
    small scale might underflow, and the change of the momentum is what is transformed, which keeps the round-off small.
    """
    frame, tensor = w.state.orientation[link], w.param.inertia[link]
    own = frame.unrotate(spin)
    scaled = tensor * (1.0 / (tensor.xx + tensor.yy + tensor.zz))
    before = scaled.apply(own)
    after = before - own.cross(before) * h
    change = scaled.inverse().apply(after * (before.norm() / maximum(after.norm(), TINY)) - before)
    inverse = Vec3(1.0 / tensor.xx, 1.0 / tensor.yy, 1.0 / tensor.zz)
    momentum = Vec3(own.x * (1.0 / inverse.x), own.y * (1.0 / inverse.y), own.z * (1.0 / inverse.z))
    turned = momentum - own.cross(momentum) * h
    turned = turned * (momentum.norm() / maximum(turned.norm(), TINY))
    exact = Vec3(turned.x * inverse.x, turned.y * inverse.y, turned.z * inverse.z) - own
    return spin + frame.rotate(select(is_diagonal(tensor), exact, change))


@ti.func
def spin_in_solver(w: ti.template(), link, spin):
    """Return the angular velocity that TGS has of a body: it solves for I^½ ω, and I^-½ I^½ is not 1 in round-off.

    A body turned by PhysX spins up or down for it by some 1e-6 per step. Of bodies whose principal axes are not those
    of the link it is left out.
    """
    tensor, axes = w.param.inertia[link], w.state.orientation[link].columns()
    inverse = Vec3(ti.sqrt(1.0 / tensor.xx), ti.sqrt(1.0 / tensor.yy), ti.sqrt(1.0 / tensor.zz))
    root = Vec3(1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z)
    found = along_axes(axes, inverse).apply(along_axes(axes, root).apply(spin))
    return select(is_diagonal(tensor), found, spin)


@ti.func
def unconstrained_velocity(w: ti.template(), a, params):
    """Return the velocity of free body a after immediate forces, damping, velocity limits and gyroscopic torque."""
    link = w.node[w.articulation[a].root].link
    start, immediate = w.state.root_velocity[a], no_motion()
    if params.forces_per_substep == 0:
        immediate = external_acceleration(w, a, link) * params.h
    velocity, spin = start.lin.copy(), start.ang.copy()
    if w.articulation[a].kinematic == 0:
        damping, limit = w.param.linear_damping[link], w.param.max_linear_velocity[link]
        velocity = damp_and_clamp(start.lin + immediate.lin, damping, limit, params.h)
        damping, limit = w.param.angular_damping[link], w.param.max_angular_velocity[link]
        spin = damp_and_clamp(start.ang + immediate.ang, damping, limit, params.h)
    if w.articulation[a].gyroscopic:
        spin = apply_gyroscopic_torque(w, link, spin, params.h)
    result = Motion(spin, velocity)
    if ti.static(w.features.locks):
        if w.articulation[a].locked:
            result = lock_start(w, a, result, params)
            prepare_locks(w, a, world_inertia(w, link), result)
    if params.tgs:
        if w.articulation[a].kinematic == 0 and w.articulation[a].locked == 0:  # `locked_axes` has its own root
            result.ang = spin_in_solver(w, link, result.ang)
    return result


@ti.func
def external_acceleration(w: ti.template(), a, link):
    """Return the acceleration of free body a by gravity and the external force and torque."""
    acceleration, free = no_motion(), w.articulation[a].kinematic == 0
    if free:
        acceleration.lin = w.param.gravity[0] * w.param.gravity_scale[link]
    if free and w.articulation[a].has_external_force:
        wrench = external_wrench(w, link)
        acceleration.lin = acceleration.lin + wrench.lin * (1.0 / w.param.mass[link])
        acceleration.ang = world_inertia(w, link).inverse().apply(wrench.ang)
    return acceleration


@ti.func
def world_inertia(w: ti.template(), link):
    """Return the inertia of a link about its centre of mass, world axes."""
    return w.state.orientation[link].matrix().congruence(w.param.inertia[link])


@ti.func
def integrate_free_body(w: ti.template(), a, params):
    """Advance free body a of one world by one step."""
    link = w.node[w.articulation[a].root].link
    substep_velocity, substeps = no_motion(), 1
    if params.forces_per_substep:
        substep_velocity = external_acceleration(w, a, link) * params.delta
    if params.tgs:
        substeps = params.substeps
    velocity = unconstrained_velocity(w, a, params)
    place, frame = w.state.position[link], w.state.orientation[link]
    turn = Quat(zero_vector(), broadcast(1.0))
    for _ in range(substeps):
        velocity = velocity + substep_velocity
        if ti.static(w.features.locks):
            if w.articulation[a].locked:
                velocity = lock_axes(w, a, velocity, params)
        place = place + velocity.lin * params.delta
        if params.tgs:
            turn = turn.advanced(velocity.ang, params.delta)
        else:
            frame = frame.advanced(velocity.ang, params.delta)
    w.state.position[link] = place
    if params.tgs:
        frame = turn.after(frame)
    w.state.orientation[link] = frame
    w.state.root_velocity[a] = velocity


@ti.func
def turn_free_body(w: ti.template(), root, spin, params):
    """Turn the free body of a root node by an angular velocity for a substep; TGS adds up the turns of a step."""
    node = w.node[root]
    if params.tgs:
        node.body_turn = node.body_turn.advanced(spin, params.delta)
        w.state.orientation[node.link] = node.body_turn.after(node.start_orientation)
    else:
        w.state.orientation[node.link] = w.state.orientation[node.link].advanced(spin, params.delta)


@ti.func
def prepare_free_body(w: ti.template(), a, params):
    """Write the rows that joints read of free body a: those that the root of an articulation has."""
    root = w.articulation[a].root
    link = w.node[root].link
    w.node[root].v = unconstrained_velocity(w, a, params)
    substep, mass = no_motion(), w.param.mass[link]
    if params.forces_per_substep:
        substep = external_acceleration(w, a, link)
        if ti.static(w.features.locks):
            substep.lin = without_axes(substep.lin, w.articulation[a].locked)
    w.node[root].substep_acceleration = substep
    w.node[root].bias_acceleration = no_motion()
    w.node[root].root_correction = no_motion()
    w.node[root].impulse = no_force()
    w.node[root].branch_impulse = no_force()
    w.node[root].start_position = w.state.position[link]
    w.node[root].start_orientation = w.state.orientation[link]
    w.node[root].body_turn = Quat(zero_vector(), broadcast(1.0))
    w.node[root].root_displacement = zero_vector()
    w.node[root].delta_rotation = zero_vector()
    tensor, free = world_inertia(w, link), 1.0 - w.articulation[a].kinematic
    light, none = free / mass, broadcast(0.0)
    w.node[root].response = Response(tensor.inverse() * free, no_matrix(), Sym3(light, none, none, light, none, light))
    w.node[root].mass = mass
    w.node[root].cfm = 0.0
