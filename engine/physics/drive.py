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

from . import TILE
from .lanes import broadcast, clamp, traced
from .performance_envelope import clamp_to_envelope, prepare_envelope
from .rotation import from_rotation_vector
from .spatial import zero_vector
from .views import DRIVE

UNBOUNDED_EFFORT = 1e37


@ti.func
def prepare_drive_error(w: ti.template(), k):
    """Compute C of every degree of freedom of the joint whose last node is k.

    Joints of two or three rotations: C_k = −2 e_k · Im(T⁻¹ B), B the joint's rotation, T = exp(Σ e_k q*_k) over the
    driven axes e_k of the joint frame.
    """
    node = w.node[k]
    first, dof = node.first, node.dof
    if first == k:
        node.drive_error = w.param.target_q[dof] - w.state.q[dof]
    else:
        target, frame = zero_vector(), w.param.frame1[k]
        for j in range(first, k + 1):
            if w.node[j].drive > 0:
                e = frame.unrotate(w.param.axis[j])
                target = target + e * w.param.target_q[dof + j - k]
        parent = w.state.orientation[w.node[node.parent_last].link]
        parent = parent * w.param.frame0[k]
        turned = parent.conjugate() * (w.state.orientation[node.link] * frame)
        wanted = from_rotation_vector(target)
        side = ti.select(wanted.v.dot(turned.v) + wanted.w * turned.w < 0.0, 2.0, -2.0)
        error = (wanted.conjugate() * turned).v * side
        for j in range(first, k + 1):
            e = frame.unrotate(w.param.axis[j])
            w.node[j].drive_error = e.dot(error)


@ti.func
def prepare_drive(w: ti.template(), k, dof, acceleration, params):
    """Compute the five coefficients of node k for this step.

    Without max_force the coefficients are 0 and user efforts are unbounded.
    """
    node = w.node[k]
    r, delta, bound = node.unit_response, params.delta, w.param.max_force[dof]
    stiffness, damping = w.param.stiffness[dof], w.param.damping[dof]
    if ti.static(w.features.actuators):
        if node.drive == DRIVE.ACTUATOR:  # it uses the gains, and the row bounds its effort
            stiffness, damping = broadcast(0.0), broadcast(0.0)
    target_qd = w.param.target_qd[dof]
    a = delta * (delta * stiffness + damping)  # eqs. 13, 30
    x = 1.0 / (1.0 + a * r)  # eq. 15
    scale = broadcast(1.0)
    if acceleration:  # gains per acceleration: eqs. 25, 26
        x = 1.0 / (1.0 + a)  # eq. 32
        scale = node.inv_response  # r⁻¹ of eqs. 27-29, softened: 1/(r + cfm)
    multiplier = ti.select(bound > 0.0, x * scale, 0.0)
    bias_coefficient = multiplier * delta * stiffness  # eqs. 23, 38
    velocity_bias = multiplier * delta * damping * target_qd  # x b scale, with b of eqs. 14, 31
    error = node.drive_error - params.remaining * target_qd  # x_subT − x_0, first substep: eq. 41
    node.drive_vel_multiplier = multiplier * a * -1.0  # eqs. 21, 36
    node.drive_initial_bias = velocity_bias + bias_coefficient * error  # eqs. 20, 35
    if ti.static(TILE == 1):
        node.max_effort = ti.select(bound > 0.0, bound, UNBOUNDED_EFFORT)
    if params.tgs:
        node.drive_impulse_multiplier = 1.0  # impulses of the substeps add up: eqs. 44, 45
        node.drive_bias_coefficient = bias_coefficient
        node.drive_target_pos_bias = bias_coefficient * target_qd  # eqs. 24, 39
    else:
        node.drive_impulse_multiplier = 1.0 - x  # eqs. 22, 37
    if node.envelope > 0:
        prepare_envelope(w, k, dof)


@traced
def effort_bound(w, k):
    """Return MAX_EFFORT of node k. A GPU computes it anew: its caches hold the parameters, which worlds share."""
    if TILE == 1:
        return w.node[k].max_effort
    bound = w.param.max_force[w.node[k].dof]
    return ti.select(bound > 0.0, bound, UNBOUNDED_EFFORT)


@traced
def user_effort(w, k):
    """Return EFFORT of node k, as `effort_bound`."""
    node = w.node[k]
    return node.effort if TILE == 1 or w.features.actuators else w.param.effort[node.dof]


@ti.func
def solve_drive(w: ti.template(), k, v, iteration):
    """Return the change of the drive impulse of node k at joint velocity v; 0 for a drive without max_force."""
    node = w.node[k]
    applied, effort = node.drive_impulse, user_effort(w, k) * iteration.duration
    before = applied * iteration.impulse_multiplier
    total_before = before + effort
    wanted = total_before
    if iteration.drive_acts:
        constant = before * node.drive_impulse_multiplier + (node.drive_initial_bias + effort)
        if iteration.tgs:  # eqs. 42-45
            constant += iteration.elapsed * node.drive_target_pos_bias - node.drive_bias_coefficient * node.delta_q
        wanted = constant + v * node.drive_vel_multiplier  # eqs. 16-19, 33, 34 (PGS), 45 (TGS)
    bound = effort_bound(w, k) * iteration.duration
    allowed = clamp(wanted, 0.0 - bound, bound)
    if node.envelope > 0:
        allowed = clamp_to_envelope(w, k, v, total_before, wanted, bound, iteration.duration)
    change = allowed - total_before  # Δλ of eq. 6
    node.drive_impulse = applied + change
    return change
