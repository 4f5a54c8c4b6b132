"""Implicit joint drive. Equations of "Implicit Spring Joint Drives", PhysX Team, April 23, 2024.

    C = q* − q        position error, x_T − x_0 in the document
    a = δ (δ k + d);  force drive: x = 1/(1 + a r), scale = 1;  acceleration drive: x = 1/(1 + a), scale = 1/(r + cfm)
    driveBiasCoefficient = x δ k scale
    driveTargetPosBias = driveBiasCoefficient q̇* (TGS), 0 (PGS)
    driveTargetVelPlusInitialBias = x δ d q̇* scale + driveBiasCoefficient (C − (h − δ) q̇*)
    driveVelMultiplier = −x a scale
    driveImpulseMultiplier = 1 (TGS), 1 − x (PGS)
    impulse = driveImpulseMultiplier λ + driveTargetVelPlusInitialBias + driveVelMultiplier q̇
              + driveTargetPosBias t − driveBiasCoefficient Δq
    clamp: |impulse + effort T| ≤ max_force T

k is the stiffness, d the damping, h the step and δ the substep (τ and ρ in the document); under PGS δ = h. λ is the
impulse that the drive has applied so far [N·m·s | N·s], Δq the displacement within the step, t the time since the step
began, T the time over which impulses add up: a substep when forces act per substep, else the whole step.

Equations 42, 43 and 45 have slips, and the code follows their corrected forms: 42 and 43 write v_i τ and k_v for v_i ρ
and k_p, as the derived equation 44 has it; 45 adds driveTargetPosBias (τ − i ρ), which 44 subtracts. τ − i ρ is split
here: (h − δ) is in the constant, and the elapsed time t = (i − 1) ρ is added back in each iteration.
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
    """Compute C of every degree of freedom of the joint whose last node is k.

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
    """Compute the five coefficients of node k for this step.

    Without max_force the coefficients are 0 and user efforts are unbounded.
    """
    r, delta, bound = get(w, k, NODE_ROW.UNIT_RESPONSE), params.delta, parameter(w, PARAMETER.MAX_FORCE, dof)
    stiffness, damping = parameter(w, PARAMETER.STIFFNESS, dof), parameter(w, PARAMETER.DAMPING, dof)
    target_qd = parameter(w, PARAMETER.TARGET_QD, dof)
    a = delta * (delta * stiffness + damping)  # eqs. 13, 30
    x = 1.0 / (1.0 + a * r)  # eq. 15
    scale = broadcast(1.0)
    if acceleration:  # gains per acceleration: eqs. 25, 26
        x = 1.0 / (1.0 + a)  # eq. 32
        scale = get(w, k, NODE_ROW.INV_RESPONSE)  # r⁻¹ of eqs. 27-29, softened: 1/(r + cfm)
    multiplier = ti.select(bound > 0.0, x * scale, 0.0)
    bias_coefficient = multiplier * delta * stiffness  # eqs. 23, 38
    velocity_bias = multiplier * delta * damping * target_qd  # x b scale, with b of eqs. 14, 31
    error = get(w, k, NODE_ROW.DRIVE_ERROR) - params.remaining * target_qd  # x_subT − x_0, first substep: eq. 41
    put(w, k, NODE_ROW.DRIVE_BIAS_COEFFICIENT, bias_coefficient)
    put(w, k, NODE_ROW.DRIVE_VEL_MULTIPLIER, multiplier * a * -1.0)  # eqs. 21, 36
    put(w, k, NODE_ROW.DRIVE_INITIAL_BIAS, velocity_bias + bias_coefficient * error)  # eqs. 20, 35
    put(w, k, NODE_ROW.MAX_EFFORT, ti.select(bound > 0.0, bound, UNBOUNDED_EFFORT))
    if params.tgs:
        put(w, k, NODE_ROW.DRIVE_IMPULSE_MULTIPLIER, 1.0)  # impulses of the substeps add up: eqs. 44, 45
        put(w, k, NODE_ROW.DRIVE_TARGET_POS_BIAS, bias_coefficient * target_qd)  # eqs. 24, 39
    else:
        put(w, k, NODE_ROW.DRIVE_IMPULSE_MULTIPLIER, 1.0 - x)  # eqs. 22, 37
    if node(w, k, NODE_AT.ENVELOPE) > 0:
        prepare_envelope(w, k, dof)


@ti.func
def solve_drive(w: ti.template(), k, v, iteration):
    """Return the change of the drive impulse of node k at joint velocity v; 0 for a drive without max_force."""
    applied, effort = get(w, k, NODE_ROW.DRIVE_IMPULSE), get(w, k, NODE_ROW.EFFORT) * iteration.duration
    before = applied * iteration.impulse_multiplier
    total_before = before + effort
    wanted = total_before
    if iteration.drive_acts:
        constant = before * get(w, k, NODE_ROW.DRIVE_IMPULSE_MULTIPLIER) + (
            get(w, k, NODE_ROW.DRIVE_INITIAL_BIAS) + effort
        )
        if iteration.tgs:  # eqs. 42-45
            constant += iteration.elapsed * get(w, k, NODE_ROW.DRIVE_TARGET_POS_BIAS) - get(
                w, k, NODE_ROW.DRIVE_BIAS_COEFFICIENT
            ) * get(w, k, NODE_ROW.DELTA_Q)
        wanted = constant + v * get(w, k, NODE_ROW.DRIVE_VEL_MULTIPLIER)  # eqs. 16-19, 33, 34 (PGS), 45 (TGS)
    bound = get(w, k, NODE_ROW.MAX_EFFORT) * iteration.duration
    allowed = clamp(wanted, 0.0 - bound, bound)
    if node(w, k, NODE_AT.ENVELOPE) > 0:
        allowed = clamp_to_envelope(w, k, (v, total_before, wanted), bound, iteration.duration)
    change = allowed - total_before  # Δλ of eq. 6
    put(w, k, NODE_ROW.DRIVE_IMPULSE, applied + change)
    return change
