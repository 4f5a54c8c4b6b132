"""A floating base keeps its momentum: a rigid velocity field corrects the drift of time stepping.

Δω = I_c⁻¹ H (|H0|/|H| − 1),  Δv = Δω × (x − c)        H about the centre of mass c, I_c the compound inertia
"""

import taichi as ti

from .kinematics import compute_joint_motion
from .lanes import TINY, Struct, broadcast, materialize, maximum, traced
from .spatial import Motion, Sym3, no_tensor, zero_vector
from .tree import motion_outward, stores_response
from .views import KIND


class Momentum(Struct):
    """Momentum of all links of an articulation about its centre of mass."""

    parts = (
        "p",  # linear [kg·m/s]
        "h",  # angular [kg·m²/s]
        "com",  # centre of mass from the root's [m]
        "inertia",  # compound inertia [kg·m²]
        "mass",  # [kg]
    )


@traced
def point_mass_inertia(o, m):
    """Return the inertia of a point mass m at o: m (|o|² − o oᵀ)."""
    o2 = materialize(o.dot(o) * m)
    return Sym3(o2, broadcast(0.0), broadcast(0.0), o2, broadcast(0.0), o2).plus_outer(o, o * (0.0 - m))


@ti.func
def compute_momentum(w: ti.template(), root, end, offset):
    """Return the momentum from V + offset · BIAS_ACCELERATION, ROOT_OFFSET and WORLD_INERTIA of the links."""
    p, h, moment, mass = zero_vector(), zero_vector(), zero_vector(), broadcast(0.0)
    inertia = no_tensor()
    for k in range(root, end):
        node = w.node[k]
        if node.last == k:
            m = node.mass
            v = node.v + node.bias_acceleration * offset
            at, own = node.root_offset, node.world_inertia
            p = p + v.lin * m
            h = h + own.apply(v.ang) + at.cross(v.lin * m)
            moment = moment + at * m
            inertia = inertia + own + point_mass_inertia(at, m)
            mass += m
    com = moment * (1.0 / mass)
    return Momentum(p, h - com.cross(p), com, inertia + point_mass_inertia(com, mass) * -1.0, mass)


@ti.func
def angular_momentum_correction(momentum, before, empty):
    """Return the change of the root's velocity after which the angular momentum has the length `before`.

    `empty` stands for the ratio of the lengths where |H| = 0.
    """
    length = momentum.h.norm()
    ratio = ti.select(length > TINY, before / maximum(length, TINY), empty) - 1.0
    spin = momentum.inertia.inverse().apply(momentum.h * ratio)
    return Motion(spin, momentum.com.cross(spin))


@ti.func
def mass_displacement(w: ti.template(), root, end, h):
    """Return Σ m Δx of all links by the velocities of the step's position iterations [kg·m].

    Δx = Σ v δ + h² a_b follows from the displacements of root and joints, since the step's geometry is frozen.
    """
    base = w.node[root]
    moved = Motion(base.delta_rotation, base.root_displacement)
    base.displacement = moved
    total = moved.lin * base.mass
    for k in range(root + 1, end):
        node = w.node[k]
        if node.parent != k - 1:
            moved = w.node[node.parent].displacement
        change = broadcast(0.0)
        if node.dof >= 0:
            change = node.delta_q
            if node.kind == KIND.PRISMATIC or node.kind == KIND.SPHERICAL:
                change = node.slide
        moved = motion_outward(node, moved, change)
        if stores_response(w, node):
            node.displacement = moved
        if node.last == k:
            total = total + (moved.lin + node.bias_acceleration.lin * (h * h)) * node.mass
    return total


@ti.func
def restore_momentum(w: ti.template(), a, h):
    """Restore momentum and centre of mass of a floating articulation at the poses that the step reached."""
    root, end = w.articulation[a].root, w.articulation[a].end
    before, drift = compute_momentum(w, root, end, h), mass_displacement(w, root, end, h)
    for k in range(root, end):
        node = w.node[k]
        node.start_qd = node.qd
        compute_joint_motion(w, k, 1)
        link = node.link
        tensor = w.state.orientation[link].matrix().congruence(w.param.inertia[link])
        node.world_inertia = tensor
    now = compute_momentum(w, root, end, 0.0)
    field = angular_momentum_correction(now, before.h.norm(), 0.0)
    back = Motion(zero_vector(), (before.p - now.p) * (1.0 / now.mass))
    w.node[root].v = w.node[root].v + field + back
    start, link = w.node[root].start_position, w.node[root].link
    shift = start - w.state.position[link] + before.com - now.com + drift * (1.0 / now.mass)
    for k in range(root, end):
        node = w.node[k]
        if node.last == k:
            at = node.link
            w.state.position[at] += shift
