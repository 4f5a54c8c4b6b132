"""Gauss-Seidel over the rows of an articulation, depth first, each row seeing all impulses before it.

Impulses travel as in the articulated body: `dv` is what they did to the velocity of the link above, carried down;
wrenches are carried up when a branch is done. One sweep costs the same per degree of freedom in any tree.

    q̇ = v0 + D⁻¹ X − Y · dv       dv_l = (dv seen at l) + S (q̇ − v0) + G f       X += f − Sᵀ wrench, on the way up
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_force,
    get_motion,
    get_vector,
    parameter,
    put,
    put_spatial,
    put_vector,
)
from .drive import prepare_drive, prepare_drive_error, solve_drive
from .friction import prepare_friction, solve_friction
from .lanes import Float, UniformStruct, broadcast, maximum
from .limit import prepare_limit, solve_limit
from .maximal_joint import solve_world_joints
from .response import get_response
from .spatial import no_force, no_motion, zero_vector
from .velocity_limit import prepare_velocity_limit, solve_velocity_limit
from .world_view import KIND, NODE_AT, node


class StepParams(UniformStruct):
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
def step_params(n, h, solver):
    """How a step of h [s] with n position iterations is divided; `solver`: 0 PGS, 1 TGS, 2 TGS that spreads forces."""
    delta, share, baumgarte = h, ti.cast(0.8, Float), ti.cast(1.0, Float)
    if solver > 0:
        delta = h / n
        baumgarte = 1.0 / ti.sqrt(ti.cast(n, Float))
        share = ti.min(0.9, 2.0 / ti.sqrt(ti.cast(n, Float)))
    return StepParams(h, delta, h - delta, share, baumgarte, n, solver > 0, solver == 2)


class IterationParams(UniformStruct):
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
def prepare_joint_rows(w: ti.template(), root, end, params):
    """Coefficients of all rows for this step. Law of the softness:

    cfm = max over the joint's two links of cfm_scale · the link's largest linear response;  rr = 1/(r + cfm)
    voff = S-row on h ab of the two links: the part of the joint's speed that the joint speeds do not hold
    """
    put_spatial(w, root, NODE_ROW.IMPULSE, no_force())
    for k in range(root, end):
        if params.tgs:
            put(w, k, NODE_ROW.DELTA_Q, 0.0)
            put_vector(w, k, NODE_ROW.DELTA_ROTATION, zero_vector())
        if node(w, k, NODE_AT.STORES_RESPONSE) > 0:
            put_spatial(w, k, NODE_ROW.BRANCH_IMPULSE, no_force())
    for k in range(root + 1, end):
        put(w, k, NODE_ROW.JOINT_IMPULSE, 0.0)
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            base, carrier = node(w, k, NODE_AT.PARENT_LAST), node(w, k, NODE_AT.LAST)
            cfm = maximum(get(w, base, NODE_ROW.CFM), get(w, carrier, NODE_ROW.CFM)) * parameter(
                w, PARAMETER.CFM_UNIT, dof
            )
            put(w, k, NODE_ROW.INV_RESPONSE, 1.0 / (get(w, k, NODE_ROW.UNIT_RESPONSE) + cfm))
            if node(w, k, NODE_AT.KIND) != KIND.REVOLUTE:  # there it is 0
                put(w, k, NODE_ROW.QD_BIAS, velocity_offset(w, k, base, carrier) * params.h)
            put(w, k, NODE_ROW.DRIVE_IMPULSE, 0.0)
            if node(w, k, NODE_AT.FRICTION) > 0:
                prepare_friction(w, k, dof)
            if node(w, k, NODE_AT.LIMITED) > 0:
                prepare_limit(w, k, dof)
            if node(w, k, NODE_AT.VELOCITY_LIMITED) > 0:
                prepare_velocity_limit(w, k, dof)
            if carrier == k:
                prepare_drive_error(w, k)
                for j in range(node(w, k, NODE_AT.FIRST), k + 1):
                    if node(w, j, NODE_AT.DRIVE) > 0:
                        prepare_drive(w, j, dof + j - k, node(w, j, NODE_AT.DRIVE) == 2, params)


@ti.func
def velocity_offset(w: ti.template(), k, base, carrier):
    """Row of node k on the velocity products of its two links [rad/s² | m/s²]."""
    below, above = get_motion(w, carrier, NODE_ROW.BIAS_ACCELERATION), get_motion(w, base, NODE_ROW.BIAS_ACCELERATION)
    s = get_motion(w, k, NODE_ROW.SUBSPACE)
    offset = s.ang.dot(below.ang - above.ang)
    if node(w, k, NODE_AT.KIND) == KIND.PRISMATIC:
        offset = s.lin.dot(below.lin - above.lin)
        offset += get_vector(w, k, NODE_ROW.ARM1).dot(below.ang) - get_vector(w, k, NODE_ROW.ARM0).dot(above.ang)
    return offset


@ti.func
def solve_joint_rows(w: ti.template(), k, speed, iteration):
    """Impulse of all rows of node k at the joint speed: drive, friction, limit, speed limit, each after the other."""
    r, v, total = get(w, k, NODE_ROW.UNIT_RESPONSE), speed, broadcast(0.0)
    if node(w, k, NODE_AT.DRIVE) > 0:
        f = solve_drive(w, k, v, iteration)
        v += f * r
        total += f
    if node(w, k, NODE_AT.FRICTION) > 0:
        f = solve_friction(w, k, v, iteration)
        v += f * r
        total += f
    if node(w, k, NODE_AT.LIMITED) > 0:
        f = solve_limit(w, k, v, iteration)
        v += f * r
        total += f
    if node(w, k, NODE_AT.VELOCITY_LIMITED) > 0:
        total += solve_velocity_limit(w, k, v)
    return total


@ti.func
def propagate_impulses_inward(w: ti.template(), tip, top):
    """Carry this sweep's wrenches from a tip up to the link `top`; returns the wrench that reached it."""
    wrench = no_force()
    j = tip
    while j != top:
        if node(w, j, NODE_AT.STORES_RESPONSE) > 0:
            wrench = wrench + get_force(w, j, NODE_ROW.BRANCH_IMPULSE)
            put_spatial(w, j, NODE_ROW.BRANCH_IMPULSE, no_force())
        d = get_vector(w, j, NODE_ROW.OFFSET)
        if node(w, j, NODE_AT.DOF) >= 0:
            impulse = get(w, j, NODE_ROW.DELTA_IMPULSE) - get_motion(w, j, NODE_ROW.SUBSPACE).dot(wrench)
            put(w, j, NODE_ROW.JOINT_IMPULSE, get(w, j, NODE_ROW.JOINT_IMPULSE) + impulse)
            wrench = wrench.inward(d) + get_force(w, j, NODE_ROW.U_D_INV) * impulse
        else:
            wrench = wrench.inward(d)
        j = node(w, j, NODE_AT.PARENT)
    return wrench


@ti.func
def velocity_before_pass(w: ti.template(), k, push, iteration):
    """Velocity of the link of a held node k but for the impulses of this pass."""
    spread = get_motion(w, k, NODE_ROW.SUBSTEP_BIAS) * push
    return get_motion(w, k, NODE_ROW.V) + get_motion(w, k, NODE_ROW.BIAS_ACCELERATION) * iteration.h + spread


@ti.func
def solve_node(w: ti.template(), k, above, push, iteration):
    """Rows of node k; `above` is what impulses did to the link of the node before it. Returns the same of its own."""
    dv = above.copy()
    parent = node(w, k, NODE_AT.PARENT)
    if parent != k - 1:
        wrench = propagate_impulses_inward(w, k - 1, parent)
        put_spatial(w, parent, NODE_ROW.BRANCH_IMPULSE, get_force(w, parent, NODE_ROW.BRANCH_IMPULSE) + wrench)
        dv = get_motion(w, parent, NODE_ROW.BRANCH_DELTA_V) - get_response(w, parent).apply(wrench)
        put_spatial(w, parent, NODE_ROW.BRANCH_DELTA_V, dv)
    d = get_vector(w, k, NODE_ROW.OFFSET)
    if node(w, k, NODE_AT.DOF) >= 0:
        change = get(w, k, NODE_ROW.D_INV) * get(w, k, NODE_ROW.JOINT_IMPULSE) - dv.dot(
            get_force(w, k, NODE_ROW.U_D_INV)
        )
        v = get(w, k, NODE_ROW.QD) + change
        if push > 0.0:
            v += push * get(w, k, NODE_ROW.QDD_SUBSTEP)
        if node(w, k, NODE_AT.KIND) != KIND.REVOLUTE:
            v += get(w, k, NODE_ROW.QD_BIAS)
        f = solve_joint_rows(w, k, v, iteration)
        put(w, k, NODE_ROW.DELTA_IMPULSE, f)
        dv = dv.outward(d) + get_motion(w, k, NODE_ROW.SUBSPACE) * change + get_motion(w, k, NODE_ROW.UNIT_VELOCITY) * f
    else:
        dv = dv.outward(d)
    return dv


@ti.func
def solve_joints(w: ti.template(), root, end, push, iteration):
    """Visit every row of an articulation once; `push` [s] is the time for which spread forces act before."""
    dv = no_motion()
    if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
        dv = get_response(w, root).apply(get_force(w, root, NODE_ROW.IMPULSE)) * -1.0
    if ti.static(w.features.joints):
        for k in range(root, end):
            if k > root:
                dv = solve_node(w, k, dv, push, iteration)
            if node(w, k, NODE_AT.STORES_RESPONSE) > 1:
                dv = solve_world_joints(w, k, velocity_before_pass(w, k, push, iteration), dv, iteration)
            if node(w, k, NODE_AT.STORES_RESPONSE) > 0 or k == root:
                put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, dv)
    else:
        put_spatial(w, root, NODE_ROW.BRANCH_DELTA_V, dv)
        for k in range(root + 1, end):
            dv = solve_node(w, k, dv, push, iteration)
            if node(w, k, NODE_AT.STORES_RESPONSE) > 0:
                put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, dv)
    wrench = propagate_impulses_inward(w, end - 1, root)
    if node(w, root, NODE_AT.STORES_RESPONSE) > 0:
        wrench = wrench + get_force(w, root, NODE_ROW.BRANCH_IMPULSE)
        put_spatial(w, root, NODE_ROW.BRANCH_IMPULSE, no_force())
    put_spatial(w, root, NODE_ROW.IMPULSE, get_force(w, root, NODE_ROW.IMPULSE) + wrench)
