"""A floating base keeps its momentum: a rigid velocity field corrects the drift of time stepping.

Δω = I_c⁻¹ H (|H0|/|H| − 1),  Δv = Δω × (x − c)        H about the centre of mass c, I_c the compound inertia
"""

import taichi as ti

from .articulated_body import link_mass
from .kinematics import joint_geometry
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


class LinkSums(Struct):
    """Sums over links, about the root."""

    parts = (
        "p",  # linear momentum [kg·m/s]
        "h",  # angular momentum [kg·m²/s]
        "moment",  # Σ m x [kg·m]
        "inertia",  # [kg·m²]
        "mass",  # [kg]
    )


@traced
def no_links():
    """Return the sums over no link."""
    return LinkSums(zero_vector(), zero_vector(), zero_vector(), no_tensor(), broadcast(0.0))


@ti.func
def with_link(sums, v, at, own, m):
    """Return sums with a link of velocity `v`, inertia `own` and mass m at `at` from the root."""
    return LinkSums(
        sums.p + v.lin * m,
        sums.h + own.apply(v.ang) + at.cross(v.lin * m),
        sums.moment + at * m,
        sums.inertia + own + point_mass_inertia(at, m),
        sums.mass + m,
    )


@ti.func
def momentum_of(sums):
    """Return the momentum about the centre of mass from sums about the root."""
    com = sums.moment * (1.0 / sums.mass)
    inertia = sums.inertia + point_mass_inertia(com, sums.mass) * -1.0
    return Momentum(sums.p, sums.h - com.cross(sums.p), com, inertia, sums.mass)


@ti.func
def compute_momentum(w: ti.template(), root, end):
    """Return the momentum from V, ROOT_OFFSET and WORLD_INERTIA of the links."""
    sums = no_links()
    for k in range(root, end):
        node = w.node[k]
        if node.last == k:
            sums = with_link(sums, node.v, node.root_offset, node.world_inertia, link_mass(w, k))
    return momentum_of(sums)


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
def momentum_of_step(w: ti.template(), root, end, h):
    """Return the momentum from V + h · BIAS_ACCELERATION at the poses of the step's start, and Σ m Δx [kg·m].

    V follows from the velocities of root and joints, and is stored of nodes with several children only.
    Δx is the displacement of a link by the velocities of the step's position iterations: Δx = Σ v δ + h² a_b follows
    from the displacements of root and joints, since the step's geometry is frozen.
    """
    base = w.node[root]
    v, at, sums = base.v.copy(), zero_vector(), no_links()
    moved = Motion(base.delta_rotation, base.root_displacement)
    base.displacement = moved
    total = moved.lin * link_mass(w, root)
    for k in range(root, end):
        node = w.node[k]
        if k > root:
            if node.parent != k - 1:
                v, at, moved = w.node[node.parent].v, w.node[node.parent].root_offset, w.node[node.parent].displacement
            v, at = motion_outward(node, v, node.qd), at + node.offset
            change = broadcast(0.0)
            if node.dof >= 0:
                change = node.delta_q
                if node.kind == KIND.PRISMATIC or node.kind == KIND.SPHERICAL:
                    change = node.slide
            moved = motion_outward(node, moved, change)
            if stores_response(w, node):
                node.v = v
                node.displacement = moved
        if node.last == k:
            bias, m = node.bias_acceleration, link_mass(w, k)
            sums = with_link(sums, v + bias * h, at, node.world_inertia, m)
            if k > root:
                total = total + (moved.lin + bias.lin * (h * h)) * m
    return momentum_of(sums), total


@ti.func
def momentum_now(w: ti.template(), root, end):
    """Return the momentum of the velocities QD at the poses that the step reached.

    Along a chain everything stays in registers. Overwrites: V and ROOT_OFFSET of nodes with several children.
    """
    v, at, sums = w.node[root].v.copy(), zero_vector(), no_links()
    w.node[root].root_offset = at
    for k in range(root, end):
        node = w.node[k]
        if k > root:
            if node.parent != k - 1:
                v, at = w.node[node.parent].v, w.node[node.parent].root_offset
            s, d = joint_geometry(w, k, False)
            v, at = v.outward(d), at + d
            if node.kind != KIND.FIXED:
                v = v + s * node.qd
            if stores_response(w, node):
                node.v = v
                node.root_offset = at
        if node.last == k:
            own = w.state.orientation[node.link].matrix().congruence(w.param.inertia[node.link])
            sums = with_link(sums, v, at, own, link_mass(w, k))
    return momentum_of(sums)


@ti.func
def restore_momentum(w: ti.template(), a, h):
    """Restore momentum and centre of mass of a floating articulation at the poses that the step reached."""
    root, end = w.articulation[a].root, w.articulation[a].end
    before, drift = momentum_of_step(w, root, end, h)
    now = momentum_now(w, root, end)
    field = angular_momentum_correction(now, before.h.norm(), 0.0)
    back = Motion(zero_vector(), (before.p - now.p) * (1.0 / now.mass))
    w.node[root].v = w.node[root].v + field + back
    start, link = w.node[root].start_position, w.node[root].link
    shift = start - w.state.position[link] + before.com - now.com + drift * (1.0 / now.mass)
    for step in range(end - root):  # from the last link on, whose position was just read
        node = w.node[end - 1 - step]
        if node.last == end - 1 - step:
            at = node.link
            w.state.position[at] += shift
