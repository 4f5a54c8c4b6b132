"""Implicit joint drive: C = q* − q, rate q̇* − q̇. ImplicitDrives seed; names of its five coefficients in comments.

    a = δ (δ k + d);  force drive x = 1/(1 + a r), scale 1;  acceleration drive x = 1/(1 + a), scale 1/(r + cfm)
    impulse = Cl λ + Cv q̇ + C0 − K pd + t Ct
    K = x δ k scale                     driveTargetPosBias
    C0 = x δ d q̇* scale + K (C − (h − δ) q̇*)     driveTargetVelPlusInitialBias
    Cv = −x a scale                     driveVelMultiplier
    Cl = 1 (TGS), 1 − x (PGS)           driveImpulseMultiplier
    Ct = K q̇* (TGS), 0 (PGS)            driveBiasCoefficient
    clamp: |impulse + effort T| ≤ max_force T

λ is what the drive applied before [N·m·s | N·s], pd the displacement within the step, t the time into it, T the time
over which impulses add up: a substep when forces are spread over the substeps, else the whole step.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    orientation,
    parameter,
    parameter_quaternion,
    parameter_vector,
    put,
    state,
)
from .lanes import broadcast, clamp
from .performance_envelope import clamp_to_envelope, prepare_envelope
from .rotation import from_rotation_vector
from .spatial import zero_vector
from .world_view import HEADER_AT, NODE_AT, header, node

UNBOUNDED_EFFORT = 1e37


@ti.func
def prepare_drive_error(w: ti.template(), k):
    """C of every degree of freedom of the joint that node k completes.

    Joints of two or three rotations: C_k = −2 e_k · Im(T⁻¹ B), B the joint's rotation, T = exp(Σ e_k q*_k) over the
    driven axes e_k of the joint frame.
    """
    first, dof = node(w, k, NODE_AT.FIRST), node(w, k, NODE_AT.DOF)
    if first == k:
        put(w, k, NODE_ROW.DRIVE_ERROR, parameter(w, PARAMETER.TARGET_Q, dof) - state(w, header(w, HEADER_AT.Q) + dof))
    else:
        target, frame = zero_vector(), parameter_quaternion(w, PARAMETER.FRAME1, k)
        for j in range(first, k + 1):
            if node(w, j, NODE_AT.DRIVE) > 0:
                e = frame.unrotate(parameter_vector(w, PARAMETER.AXIS, j))
                target = target + e * parameter(w, PARAMETER.TARGET_Q, dof + j - k)
        parent = orientation(w, node(w, node(w, k, NODE_AT.PARENT_LAST), NODE_AT.LINK))
        parent = parent * parameter_quaternion(w, PARAMETER.FRAME0, k)
        turned = parent.conjugate() * (orientation(w, node(w, k, NODE_AT.LINK)) * frame)
        wanted = from_rotation_vector(target)
        side = ti.select(wanted.v.dot(turned.v) + wanted.w * turned.w < 0.0, 2.0, -2.0)
        error = (wanted.conjugate() * turned).v * side
        for j in range(first, k + 1):
            e = frame.unrotate(parameter_vector(w, PARAMETER.AXIS, j))
            put(w, j, NODE_ROW.DRIVE_ERROR, e.dot(error))


@ti.func
def prepare_drive(w: ti.template(), k, dof, acceleration, params):
    """The five coefficients of node k for this step; without max_force they are 0 and user efforts have no bound."""
    r, delta, bound = get(w, k, NODE_ROW.UNIT_RESPONSE), params.delta, parameter(w, PARAMETER.MAX_FORCE, dof)
    stiffness, damping = parameter(w, PARAMETER.STIFFNESS, dof), parameter(w, PARAMETER.DAMPING, dof)
    target_qd = parameter(w, PARAMETER.TARGET_QD, dof)
    a = delta * (delta * stiffness + damping)
    x = 1.0 / (1.0 + a * r)
    scale = broadcast(1.0)
    if acceleration:
        x = 1.0 / (1.0 + a)
        scale = get(w, k, NODE_ROW.INV_RESPONSE)
    multiplier = ti.select(bound > 0.0, x * scale, 0.0)
    gain = multiplier * delta * stiffness
    put(w, k, NODE_ROW.DRIVE_BIAS_COEFFICIENT, gain)
    put(w, k, NODE_ROW.DRIVE_VEL_MULTIPLIER, multiplier * a * -1.0)
    put(
        w,
        k,
        NODE_ROW.DRIVE_INITIAL_BIAS,
        multiplier * delta * damping * target_qd + gain * (get(w, k, NODE_ROW.DRIVE_ERROR) - params.rest * target_qd),
    )
    put(w, k, NODE_ROW.MAX_EFFORT, ti.select(bound > 0.0, bound, UNBOUNDED_EFFORT))
    if params.tgs:
        put(w, k, NODE_ROW.DRIVE_IMPULSE_MULTIPLIER, 1.0)
        put(w, k, NODE_ROW.DRIVE_TARGET_POS_BIAS, gain * target_qd)
    else:
        put(w, k, NODE_ROW.DRIVE_IMPULSE_MULTIPLIER, 1.0 - x)
    if node(w, k, NODE_AT.ENVELOPE) > 0:
        prepare_envelope(w, k, dof)


@ti.func
def solve_drive(w: ti.template(), k, v, iteration):
    """Impulse of the drive of node k at joint speed v; a drive without max_force does nothing."""
    applied, effort = get(w, k, NODE_ROW.DRIVE_IMPULSE), get(w, k, NODE_ROW.EFFORT) * iteration.span
    before = applied * iteration.keep
    given = before + effort
    wanted = given
    if iteration.drives:
        constant = before * get(w, k, NODE_ROW.DRIVE_IMPULSE_MULTIPLIER) + (
            get(w, k, NODE_ROW.DRIVE_INITIAL_BIAS) + effort
        )
        if iteration.tgs:
            constant += iteration.elapsed * get(w, k, NODE_ROW.DRIVE_TARGET_POS_BIAS) - get(
                w, k, NODE_ROW.DRIVE_BIAS_COEFFICIENT
            ) * get(w, k, NODE_ROW.DELTA_Q)
        wanted = constant + v * get(w, k, NODE_ROW.DRIVE_VEL_MULTIPLIER)
    bound = get(w, k, NODE_ROW.MAX_EFFORT) * iteration.span
    allowed = clamp(wanted, 0.0 - bound, bound)
    if node(w, k, NODE_AT.ENVELOPE) > 0:
        allowed = clamp_to_envelope(w, k, (v, given, wanted), bound, iteration.span)
    f = allowed - given
    put(w, k, NODE_ROW.DRIVE_IMPULSE, applied + f)
    return f
