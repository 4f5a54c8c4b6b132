"""Locked axes of a free body: PhysX removes components of its velocity along world axes.

    start of a step    ω_j = 0; under TGS also v_i = 0
    TGS, per substep   v_i = 0, ω = I^-½ M I^½ ω                   before the pose follows
    PGS, per step      v_i = 0, ω = ω₀ + I^-½ M I^½ (ω − ω₀)       for the motion, and at the end of the step

M removes the components j. PhysX's rows act on I^½ ω (momocity, eqs. 51-62 of "1d Constraint Formulation"), with the
world inertia I at the start of the step, and that is what it cuts: a body that lies askew turns a little about a locked
axis. Mass and inertia keep their values. Gravity per substep does not act along a locked axis. Under TGS, velocity
iterations add to the velocity that the step ends with.
"""

import taichi as ti

from .lanes import broadcast
from .spatial import Motion, Sym3, Vec3, zero_vector

ROOT_ITERATIONS = 12  # of the square root; each doubles its digits once the error is small


@ti.func
def without_axes(v, bits):
    """Return a vector without its components along the axes x, y, z of the bits 1, 2, 4."""
    x, y, z = v.x, v.y, v.z
    if bits & 1:
        x = broadcast(0.0)
    if bits & 2:
        y = broadcast(0.0)
    if bits & 4:
        z = broadcast(0.0)
    return Vec3(x, y, z)


@ti.func
def square_root(tensor):
    """Return the square root of a positive definite matrix, up to a factor, by the iteration of Denman and Beavers."""
    one, none = broadcast(1.0), broadcast(0.0)
    y = tensor * (1.0 / (tensor.xx + tensor.yy + tensor.zz))
    z = Sym3(one, none, none, one, none, one)
    for _ in range(ROOT_ITERATIONS):
        inverse = y.inverse()
        y = (y + z.inverse()) * 0.5
        z = (z + inverse) * 0.5
    return y


@ti.func
def lock_start(w: ti.template(), a, velocity, params):
    """Return the velocity of locked free body a with which a step starts."""
    locked, linear = w.articulation[a].locked, velocity.lin.copy()
    if params.tgs:
        linear = without_axes(linear, locked)
    return Motion(without_axes(velocity.ang, locked >> 3), linear)


@ti.func
def prepare_locks(w: ti.template(), a, tensor, velocity):
    """Write START_VELOCITY, and SQRT_INERTIA if a rotation is locked, of locked free body a with this world inertia."""
    root = w.articulation[a].root
    w.node[root].start_velocity = velocity
    if w.articulation[a].locked >> 3:
        w.node[root].sqrt_inertia = square_root(tensor)


@ti.func
def lock_axes(w: ti.template(), a, velocity, params):
    """Return the velocity of locked free body a by which its pose follows."""
    locked, node = w.articulation[a].locked, w.node[w.articulation[a].root]
    spin = velocity.ang.copy()
    if locked >> 3:
        base = zero_vector()
        if params.tgs == 0:
            base = node.start_velocity.ang
        root = node.sqrt_inertia
        spin = base + root.inverse().apply(without_axes(root.apply(spin - base), locked >> 3))
    return Motion(spin, without_axes(velocity.lin, locked))
