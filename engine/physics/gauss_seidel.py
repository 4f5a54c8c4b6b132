"""Gauss-Seidel over the rows of an articulation, depth first: each row sees all impulses before it.

Impulses travel as in the articulated-body algorithm: `dv`, the velocity change of the link above, is carried outward;
wrenches are carried inward when a branch is done. A sweep costs the same per degree of freedom in any tree.

    q̇ = QD + D⁻¹ X − Y · dv       dv_l = (dv seen at l) + S (q̇ − QD) + G f       X += f − Sᵀ wrench, inward

X is JOINT_IMPULSE, Y is U_D_INV, G is UNIT_VELOCITY, and f is DELTA_IMPULSE, the impulse of the rows in this sweep.
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
    """Lengths and multipliers of a step and its substeps, shared by all rows."""

    parts = (
        "h",  # the step [s]
        "delta",  # a substep: h under PGS, h / position iterations under TGS [s]
        "remaining",  # what is left of the step after its first substep, h − δ [s]
        "limit_bias",  # share of a violated limit, or of a hard mimic joint's error, that a substep corrects
        "baumgarte",  # share of the error of a maximal joint that a substep corrects, α
        "substeps",  # number of position iterations
        "tgs",  # 1 TGS, 0 PGS
        "forces_per_substep",  # 1 if gravity, user efforts and external forces act in every substep
    )


@ti.func
def step_params(n, h, solver):
    """Return the division of a step of h [s] with n position iterations.

    `solver`: 0 PGS, 1 TGS, 2 TGS with forces per substep.
    """
    delta, share, baumgarte = h, ti.cast(0.8, Float), ti.cast(1.0, Float)
    if solver > 0:
        delta = h / n  # ρ: implicit drives, eq. 40
        baumgarte = 1.0 / ti.sqrt(ti.cast(n, Float))  # α of TGS: 1D constraints, eqs. 10, 11
        share = ti.min(0.9, 2.0 / ti.sqrt(ti.cast(n, Float)))
    return StepParams(h, delta, h - delta, share, baumgarte, n, solver > 0, solver == 2)


class IterationParams(UniformStruct):
    """Parameters that all rows share in one iteration."""

    parts = (
        "h",  # the step [s]
        "delta",  # time over which gaps close: the substep [s]
        "duration",  # time over which impulses add up [s]
        "elapsed",  # time since the start of the step [s]
        "impulse_multiplier",  # 1 if rows continue from their impulses, 0 if each substep starts from 0
        "inv_delta",  # 1/δ: velocity per gap that closes it in δ [1/s]
        "bias_rate",  # correction velocity per violation of a limit [1/s]
        "violation_floor",  # gap below which a violated limit is corrected: 0 in position iterations, else none
        "tgs",  # 1 TGS, 0 PGS
        "corrects_position",  # 1 in position iterations, which correct position errors
        "drive_acts",  # 0 where drives keep their impulse, within its bounds
    )


@ti.func
def prepare_joint_rows(w: ti.template(), root, end, params):
    """Compute the coefficients of all joint rows for this step, with the softness cfm:

    cfm = max over the joint's two links of cfm_scale · the link's largest linear response;  INV_RESPONSE = 1/(r + cfm)
    QD_BIAS = S-row on h ab of the two links: the part of the joint velocity that q̇ does not contain
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
            if node(w, k, NODE_AT.KIND) != KIND.REVOLUTE:  # of a revolute joint it is 0
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
    """Return the row of node k on the velocity products of its two links [rad/s² | m/s²]."""
    below, above = get_motion(w, carrier, NODE_ROW.BIAS_ACCELERATION), get_motion(w, base, NODE_ROW.BIAS_ACCELERATION)
    s = get_motion(w, k, NODE_ROW.SUBSPACE)
    offset = s.ang.dot(below.ang - above.ang)
    if node(w, k, NODE_AT.KIND) == KIND.PRISMATIC:
        offset = s.lin.dot(below.lin - above.lin)
        offset += get_vector(w, k, NODE_ROW.ARM1).dot(below.ang) - get_vector(w, k, NODE_ROW.ARM0).dot(above.ang)
    return offset


@ti.func
def solve_joint_rows(w: ti.template(), k, speed, iteration):
    """Return the impulse of all rows of node k at joint velocity `speed`.

    Drive, friction, limit and velocity limit are solved in this order, each with the impulses of those before it.
    """
    r, v, total = get(w, k, NODE_ROW.UNIT_RESPONSE), speed, broadcast(0.0)
    if node(w, k, NODE_AT.DRIVE) > 0:
        impulse = solve_drive(w, k, v, iteration)
        v += impulse * r
        total += impulse
    if node(w, k, NODE_AT.FRICTION) > 0:
        impulse = solve_friction(w, k, v, iteration)
        v += impulse * r
        total += impulse
    if node(w, k, NODE_AT.LIMITED) > 0:
        impulse = solve_limit(w, k, v, iteration)
        v += impulse * r
        total += impulse
    if node(w, k, NODE_AT.VELOCITY_LIMITED) > 0:
        total += solve_velocity_limit(w, k, v)
    return total


@ti.func
def propagate_impulses_inward(w: ti.template(), tip, top):
    """Carry the wrenches of this sweep from node `tip` inward to node `top`; return the wrench that reaches it."""
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
def velocity_before_pass(w: ti.template(), k, substep_time, iteration):
    """Return the velocity of the link of node k without the impulses of this pass."""
    substep_velocity = get_motion(w, k, NODE_ROW.SUBSTEP_BIAS) * substep_time
    return get_motion(w, k, NODE_ROW.V) + get_motion(w, k, NODE_ROW.BIAS_ACCELERATION) * iteration.h + substep_velocity


@ti.func
def solve_node(w: ti.template(), k, above, substep_time, iteration):
    """Solve the rows of node k.

    `above` is the velocity change of the link of node k − 1 by the impulses of this pass. Returns that of the own link.
    """
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
        if substep_time > 0.0:
            v += substep_time * get(w, k, NODE_ROW.QDD_SUBSTEP)
        if node(w, k, NODE_AT.KIND) != KIND.REVOLUTE:
            v += get(w, k, NODE_ROW.QD_BIAS)
        impulse = solve_joint_rows(w, k, v, iteration)
        put(w, k, NODE_ROW.DELTA_IMPULSE, impulse)
        dv = (
            dv.outward(d)
            + get_motion(w, k, NODE_ROW.SUBSPACE) * change
            + get_motion(w, k, NODE_ROW.UNIT_VELOCITY) * impulse
        )
    else:
        dv = dv.outward(d)
    return dv


@ti.func
def solve_joints(w: ti.template(), root, end, substep_time, iteration):
    """Solve every row of an articulation once.

    `substep_time`: how long the forces per substep act before this iteration [s].
    """
    dv = no_motion()
    if node(w, root, NODE_AT.KIND) == KIND.FLOATING_ROOT:
        dv = get_response(w, root).apply(get_force(w, root, NODE_ROW.IMPULSE)) * -1.0
    if ti.static(w.features.joints):
        for k in range(root, end):
            if k > root:
                dv = solve_node(w, k, dv, substep_time, iteration)
            if node(w, k, NODE_AT.STORES_RESPONSE) > 1:
                dv = solve_world_joints(w, k, velocity_before_pass(w, k, substep_time, iteration), dv, iteration)
            if node(w, k, NODE_AT.STORES_RESPONSE) > 0 or k == root:
                put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, dv)
    else:
        put_spatial(w, root, NODE_ROW.BRANCH_DELTA_V, dv)
        for k in range(root + 1, end):
            dv = solve_node(w, k, dv, substep_time, iteration)
            if node(w, k, NODE_AT.STORES_RESPONSE) > 0:
                put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, dv)
    wrench = propagate_impulses_inward(w, end - 1, root)
    if node(w, root, NODE_AT.STORES_RESPONSE) > 0:
        wrench = wrench + get_force(w, root, NODE_ROW.BRANCH_IMPULSE)
        put_spatial(w, root, NODE_ROW.BRANCH_IMPULSE, no_force())
    put_spatial(w, root, NODE_ROW.IMPULSE, get_force(w, root, NODE_ROW.IMPULSE) + wrench)
