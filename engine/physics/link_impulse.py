"""Links held from outside the tree: what velocity they have between two sweeps, and what an impulse on them does.

    velocity: V + h ab + dv,   dv_root = −Λ P + t A_root,   dv_l = (dv seen at l) + S (D⁻¹ X + t q̈ − Y · dv)
    impulse:  a wrench −J on the link, carried up its path: X −= Sᵀ wrench,  wrench_p = (wrench seen at p) + Y ΔX

V is what the last settling left, t the time for which spread forces have acted since, q̈ their joint acceleration with
the parent held.

A joint between a link and one of its own ancestors sees a velocity that PhysX gets wrong: what happened since the last
settling and went through the ancestor's joint is missing. That joint's nodes are the side's LOST ones.
"""

import taichi as ti

from .lanes import real
from .memory import ROW, get, get_force, get_motion, get_vector, orientation, position, put, put_spatial
from .response import Response, get_response
from .rotation import Quat
from .spatial import no_force, no_matrix, no_motion, no_tensor, no_vector
from .world import KIND, NODE_AT, PATH_AT, SIDE_AT, node, path, side


@ti.func
def change_of(w: ti.template(), s, push):
    """Velocity that the link at side s gained since the speeds were settled, `push` [s] of spread forces included."""
    root = side(w, s, SIDE_AT.ROOT)
    dv = get_motion(w, root, ROW.BIAS2) * push
    if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
        dv = dv - get_response(w, root).apply(get_force(w, root, ROW.P))
    for i in range(side(w, s, SIDE_AT.PATH), side(w, s, SIDE_AT.PATH_END)):
        k = path(w, i, PATH_AT.NODE)
        if k < side(w, s, SIDE_AT.LOST) or k > side(w, s, SIDE_AT.LOST_END):
            change = real(0.0)
            if node(w, k, NODE_AT.DOF) >= 0:
                change = get(w, k, ROW.D_INV) * get(w, k, ROW.X) + push * get(w, k, ROW.PUSHED)
                change += 0.0 - dv.dot(get_force(w, k, ROW.Y))
            dv = dv.outward(get_vector(w, k, ROW.D)) + get_motion(w, k, ROW.S) * change
    return dv


@ti.func
def spread_velocities(w: ti.template(), root, end):
    """Velocity V of every link from the root's and the joint speeds, before the first impulse of a step."""
    for k in range(root + 1, end):
        above = get_motion(w, node(w, k, NODE_AT.PARENT), ROW.V)
        put_spatial(w, k, ROW.V, above.outward(get_vector(w, k, ROW.D)) + get_motion(w, k, ROW.S) * get(w, k, ROW.V0))


@ti.func
def velocity_of(w: ti.template(), s, push, h):
    """Velocity of the link at side s as rows see it; the world's is 0."""
    v = no_motion()
    k = side(w, s, SIDE_AT.NODE)
    if k >= 0:
        v = get_motion(w, k, ROW.V) + get_motion(w, k, ROW.AB) * h + change_of(w, s, push)
    return v


@ti.func
def strike(w: ti.template(), s, impulse):
    """Apply an impulse [N·m·s, N·s] to the link at side s, about its centre of mass; nothing moves the world."""
    k = side(w, s, SIDE_AT.NODE)
    if k >= 0:
        root = side(w, s, SIDE_AT.ROOT)
        wrench = impulse * -1.0
        while k != root:
            d = get_vector(w, k, ROW.D)
            passed = wrench.inward(d)
            if node(w, k, NODE_AT.DOF) >= 0:
                x = 0.0 - get_motion(w, k, ROW.S).dot(wrench)
                put(w, k, ROW.X, get(w, k, ROW.X) + x)
                passed = passed + get_force(w, k, ROW.Y) * x
            wrench = passed
            k = node(w, k, NODE_AT.PARENT)
        put_spatial(w, root, ROW.P, get_force(w, root, ROW.P) + wrench)


@ti.func
def forget(w: ti.template(), s):
    """Take back all impulses on the path of side s: only while there are no others."""
    if side(w, s, SIDE_AT.NODE) >= 0:
        put_spatial(w, side(w, s, SIDE_AT.ROOT), ROW.P, no_force())
        for i in range(side(w, s, SIDE_AT.PATH), side(w, s, SIDE_AT.PATH_END)):
            put(w, path(w, i, PATH_AT.NODE), ROW.X, 0.0)


@ti.func
def response_of(w: ti.template(), s):
    """Response of the link at side s by itself; the world gives none."""
    response = Response(no_tensor(), no_matrix(), no_tensor())
    if side(w, s, SIDE_AT.NODE) >= 0:
        response = get_response(w, side(w, s, SIDE_AT.NODE))
    return response


@ti.func
def pose_of(w: ti.template(), s):
    """Centre of mass and orientation of the link at side s; of the world, its origin."""
    p, q = no_vector(), Quat(no_vector(), real(1.0))
    if side(w, s, SIDE_AT.NODE) >= 0:
        link = node(w, side(w, s, SIDE_AT.NODE), NODE_AT.LINK)
        p = position(w, link)
        q = orientation(w, link)
    return p, q
