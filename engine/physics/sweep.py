"""Gauss-Seidel over the rows of an articulation, depth first, each row seeing all impulses before it.

Impulses travel as in the articulated body: `dv` is what they did to the velocity of the link above, carried down;
wrenches are carried up when a branch is done. One sweep costs the same per degree of freedom in any tree.

    q̇ = v0 + D⁻¹ X − Y · dv       dv_l = (dv seen at l) + S (q̇ − v0) + G f       X += f − Sᵀ wrench, on the way up
"""

import taichi as ti

from .drive import drive, drive_error, prepare_drive
from .friction import friction, prepare_friction
from .lanes import Float, Shared, larger, real
from .limit import limit, prepare_limit
from .loop_joint import hold_to_world
from .memory import PARAMETER, ROW, get, get_force, get_motion, get_vector, parameter, put, put_spatial, put_vector
from .response import get_response
from .spatial import no_force, no_motion, no_vector
from .speed_limit import prepare_speed_limit, speed_limit
from .world import KIND, NODE_AT, node


class Pace(Shared):
    """How a step is divided."""

    parts = (
        "h",  # the step [s]
        "delta",  # a substep: h under PGS, h / position iterations under TGS [s]
        "rest",  # h − δ [s]
        "bias",  # share of a violated limit that comes back in a substep
        "baumgarte",  # the same of the error of a joint outside the trees
        "substeps",  # position iterations
        "tgs",
        "spread",  # whether gravity and user efforts act in every substep
    )


@ti.func
def pace_of(n, h, solver):
    """How a step of h [s] with n position iterations is divided; `solver`: 0 PGS, 1 TGS, 2 TGS that spreads forces."""
    delta, share, baumgarte = h, ti.cast(0.8, Float), ti.cast(1.0, Float)
    if solver > 0:
        delta = h / n
        baumgarte = 1.0 / ti.sqrt(ti.cast(n, Float))
        share = ti.min(0.9, 2.0 / ti.sqrt(ti.cast(n, Float)))
    return Pace(h, delta, h - delta, share, baumgarte, n, solver > 0, solver == 2)


class Visit(Shared):
    """What the rows of one sweep have in common."""

    parts = (
        "h",  # the step [s]
        "delta",  # time over which gaps close [s]
        "span",  # time over which impulses add up [s]
        "elapsed",  # time into the step [s]
        "keep",  # 1 if rows go on from their impulses, 0 if each substep is its own
        "close",  # speed per gap that closes it in δ [1/s]
        "back",  # speed per violation that brings a limit back [1/s]
        "floor",  # gap below which a violated limit comes back: 0 in position iterations, else none
        "tgs",
        "comes_back",  # whether errors of position are mended: position iterations
        "drives",  # whether drives act, or only keep to their bounds
    )


@ti.func
def prepare(w: ti.template(), root, end, pace):
    """Coefficients of all rows for this step. Law of the softness:

    cfm = max over the joint's two links of cfm_scale · the link's largest linear response;  rr = 1/(r + cfm)
    voff = S-row on h ab of the two links: the part of the joint's speed that the joint speeds do not hold
    """
    put_spatial(w, root, ROW.P, no_force())
    for k in range(root, end):
        if pace.tgs:
            put(w, k, ROW.PD, 0.0)
            put_vector(w, k, ROW.THETA, no_vector())
        if node(w, k, NODE_AT.JUNCTION) > 0:
            put_spatial(w, k, ROW.STASH_P, no_force())
    for k in range(root + 1, end):
        put(w, k, ROW.X, 0.0)
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            base, carrier = node(w, k, NODE_AT.BASE), node(w, k, NODE_AT.CARRIER)
            cfm = larger(get(w, base, ROW.CFM), get(w, carrier, ROW.CFM)) * parameter(w, PARAMETER.CFM_UNIT, dof)
            put(w, k, ROW.RR, 1.0 / (get(w, k, ROW.R) + cfm))
            if node(w, k, NODE_AT.KIND) != KIND.REVOLUTE:  # there it is 0
                put(w, k, ROW.VOFF, velocity_offset(w, k, base, carrier) * pace.h)
            put(w, k, ROW.DRIVE, 0.0)
            if node(w, k, NODE_AT.FRICTION) > 0:
                prepare_friction(w, k, dof)
            if node(w, k, NODE_AT.LIMITED) > 0:
                prepare_limit(w, k, dof)
            if node(w, k, NODE_AT.SPEED_LIMITED) > 0:
                prepare_speed_limit(w, k, dof)
            if carrier == k:
                drive_error(w, k)
                for j in range(node(w, k, NODE_AT.FIRST), k + 1):
                    if node(w, j, NODE_AT.DRIVE) > 0:
                        prepare_drive(w, j, dof + j - k, node(w, j, NODE_AT.DRIVE) == 2, pace)


@ti.func
def velocity_offset(w: ti.template(), k, base, carrier):
    """Row of node k on the velocity products of its two links [rad/s² | m/s²]."""
    below, above = get_motion(w, carrier, ROW.AB), get_motion(w, base, ROW.AB)
    s = get_motion(w, k, ROW.S)
    offset = s.ang.dot(below.ang - above.ang)
    if node(w, k, NODE_AT.KIND) == KIND.PRISMATIC:
        offset = s.lin.dot(below.lin - above.lin)
        offset += get_vector(w, k, ROW.ARM1).dot(below.ang) - get_vector(w, k, ROW.ARM0).dot(above.ang)
    return offset


@ti.func
def rows(w: ti.template(), k, speed, visit):
    """Impulse of all rows of node k at the joint speed: drive, friction, limit, speed limit, each after the other."""
    r, v, total = get(w, k, ROW.R), speed, real(0.0)
    if node(w, k, NODE_AT.DRIVE) > 0:
        f = drive(w, k, v, visit)
        v += f * r
        total += f
    if node(w, k, NODE_AT.FRICTION) > 0:
        f = friction(w, k, v, visit)
        v += f * r
        total += f
    if node(w, k, NODE_AT.LIMITED) > 0:
        f = limit(w, k, v, visit)
        v += f * r
        total += f
    if node(w, k, NODE_AT.SPEED_LIMITED) > 0:
        total += speed_limit(w, k, v)
    return total


@ti.func
def climb(w: ti.template(), tip, top):
    """Carry this sweep's wrenches from a tip up to the link `top`; returns the wrench that reached it."""
    wrench = no_force()
    j = tip
    while j != top:
        if node(w, j, NODE_AT.JUNCTION) > 0:
            wrench = wrench + get_force(w, j, ROW.STASH_P)
            put_spatial(w, j, ROW.STASH_P, no_force())
        d = get_vector(w, j, ROW.D)
        if node(w, j, NODE_AT.DOF) >= 0:
            impulse = get(w, j, ROW.F) - get_motion(w, j, ROW.S).dot(wrench)
            put(w, j, ROW.X, get(w, j, ROW.X) + impulse)
            wrench = wrench.inward(d) + get_force(w, j, ROW.Y) * impulse
        else:
            wrench = wrench.inward(d)
        j = node(w, j, NODE_AT.PARENT)
    return wrench


@ti.func
def known_velocity(w: ti.template(), k, push, visit):
    """Velocity of the link of a held node k but for the impulses of this pass."""
    spread = get_motion(w, k, ROW.BIAS2) * push
    return get_motion(w, k, ROW.V) + get_motion(w, k, ROW.AB) * visit.h + spread


@ti.func
def visit_node(w: ti.template(), k, above, push, visit):
    """Rows of node k; `above` is what impulses did to the link of the node before it. Returns the same of its own."""
    dv = above.copy()
    parent = node(w, k, NODE_AT.PARENT)
    if parent != k - 1:
        wrench = climb(w, k - 1, parent)
        put_spatial(w, parent, ROW.STASH_P, get_force(w, parent, ROW.STASH_P) + wrench)
        dv = get_motion(w, parent, ROW.STASH_V) - get_response(w, parent).apply(wrench)
        put_spatial(w, parent, ROW.STASH_V, dv)
    d = get_vector(w, k, ROW.D)
    if node(w, k, NODE_AT.DOF) >= 0:
        change = get(w, k, ROW.D_INV) * get(w, k, ROW.X) - dv.dot(get_force(w, k, ROW.Y))
        v = get(w, k, ROW.V0) + change
        if push > 0.0:
            v += push * get(w, k, ROW.PUSH)
        if node(w, k, NODE_AT.KIND) != KIND.REVOLUTE:
            v += get(w, k, ROW.VOFF)
        f = rows(w, k, v, visit)
        put(w, k, ROW.F, f)
        dv = dv.outward(d) + get_motion(w, k, ROW.S) * change + get_motion(w, k, ROW.G) * f
    else:
        dv = dv.outward(d)
    return dv


@ti.func
def sweep(w: ti.template(), root, end, push, visit):
    """Visit every row of an articulation once; `push` [s] is the time for which spread forces act before."""
    dv = no_motion()
    if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
        dv = get_response(w, root).apply(get_force(w, root, ROW.P)) * -1.0
    if ti.static(w.parts.joints):
        for k in range(root, end):
            if k > root:
                dv = visit_node(w, k, dv, push, visit)
            if node(w, k, NODE_AT.JUNCTION) > 1:
                dv = hold_to_world(w, k, known_velocity(w, k, push, visit), dv, visit)
            if node(w, k, NODE_AT.JUNCTION) > 0 or k == root:
                put_spatial(w, k, ROW.STASH_V, dv)
    else:
        put_spatial(w, root, ROW.STASH_V, dv)
        for k in range(root + 1, end):
            dv = visit_node(w, k, dv, push, visit)
            if node(w, k, NODE_AT.JUNCTION) > 0:
                put_spatial(w, k, ROW.STASH_V, dv)
    wrench = climb(w, end - 1, root)
    if node(w, root, NODE_AT.JUNCTION) > 0:
        wrench = wrench + get_force(w, root, ROW.STASH_P)
        put_spatial(w, root, ROW.STASH_P, no_force())
    put_spatial(w, root, ROW.P, get_force(w, root, ROW.P) + wrench)
