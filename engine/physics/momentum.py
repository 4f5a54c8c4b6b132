"""A floating base keeps its momentum: what time stepping takes from it, a rigid velocity field gives back.

Δω = I_c⁻¹ H (|H0|/|H| − 1),  Δv = Δω × (x − c)        H about the centre of mass c, I_c the compound inertia
"""

import taichi as ti

from .kinematics import motion
from .lanes import TINY, Value, hold, larger, real, traced
from .memory import (
    PARAMETER,
    ROW,
    get,
    get_motion,
    get_tensor,
    get_vector,
    orientation,
    parameter_tensor,
    position,
    put,
    put_spatial,
    put_tensor,
    set_position,
)
from .spatial import Motion, Sym3, no_tensor, no_vector
from .world import ARTICULATION_AT, NODE_AT, articulation, node


class Momentum(Value):
    """Of all links of an articulation, about its centre of mass."""

    parts = (
        "p",  # linear [kg·m/s]
        "h",  # angular [kg·m²/s]
        "com",  # centre of mass from the root's [m]
        "inertia",  # compound inertia [kg·m²]
        "mass",  # [kg]
    )


@traced
def around(o, m):
    """Inertia of a point mass m at o: m (|o|² − o oᵀ)."""
    o2 = hold(o.dot(o) * m)
    return Sym3(o2, real(0.0), real(0.0), o2, real(0.0), o2).plus_outer(o, o * (0.0 - m))


@ti.func
def measure(w: ti.template(), root, end, offset):
    """Momentum from V + offset · AB, positions O and inertias IW of the links."""
    p, h, moment, mass = no_vector(), no_vector(), no_vector(), real(0.0)
    inertia = no_tensor()
    for k in range(root, end):
        if node(w, k, NODE_AT.CARRIER) == k:
            m = get(w, k, ROW.MASS)
            v = get_motion(w, k, ROW.V) + get_motion(w, k, ROW.AB) * offset
            at, own = get_vector(w, k, ROW.O), get_tensor(w, k, ROW.IW)
            p = p + v.lin * m
            h = h + own.apply(v.ang) + at.cross(v.lin * m)
            moment = moment + at * m
            inertia = inertia + own + around(at, m)
            mass += m
    com = moment * (1.0 / mass)
    return Momentum(p, h - com.cross(p), com, inertia + around(com, mass) * -1.0, mass)


@ti.func
def restored(momentum, before, empty):
    """Change of the root's velocity that gives the angular momentum the length `before`; `empty` counts for |H| = 0."""
    length = momentum.h.norm()
    ratio = ti.select(length > TINY, before / larger(length, TINY), empty) - 1.0
    spin = momentum.inertia.inverse().apply(momentum.h * ratio)
    return Motion(spin, momentum.com.cross(spin))


@ti.func
def keep_momentum(w: ti.template(), a, h):
    """Restore momentum and centre of mass of a floating articulation in the geometry that the step reached."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    before = measure(w, root, end, h)
    for k in range(root, end):
        put(w, k, ROW.QD0, get(w, k, ROW.V0))
        motion(w, k, 1)
        link = node(w, k, NODE_AT.LINK)
        tensor = orientation(w, link).matrix().turned(parameter_tensor(w, PARAMETER.INERTIA, link))
        put_tensor(w, k, ROW.IW, tensor)
    now = measure(w, root, end, 0.0)
    field = restored(now, before.h.norm(), 0.0)
    back = Motion(no_vector(), (before.p - now.p) * (1.0 / now.mass))
    put_spatial(w, root, ROW.V, get_motion(w, root, ROW.V) + field + back)
    start, drift = get_vector(w, root, ROW.START), get_vector(w, root, ROW.DRIFT)
    link = node(w, root, NODE_AT.LINK)
    shift = start - position(w, link) + before.com - now.com + drift * (1.0 / now.mass)
    for k in range(root, end):
        if node(w, k, NODE_AT.CARRIER) == k:
            at = node(w, k, NODE_AT.LINK)
            set_position(w, at, position(w, at) + shift)
