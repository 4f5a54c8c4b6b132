"""Explicit actuators: the control laws of Newton, whose effort is that of the start of a step and holds for the step.

    s ← clamp(s + (q* − q) h, ±s_max)                                        integral of the error
    τ = τ_c + u + k_p (q* − q) + k_i s + k_d (q̇* − q̇)                       u: user effort
    DC motor:     max(τ_s (−1 − v/v_0), −τ_m) ≤ τ ≤ min(τ_s (1 − v/v_0), τ_m),   v = clamp(q̇, ±v_0 (1 + τ_m/τ_s))
    by position:  |τ| ≤ b(q), linear between its points and constant beyond them
    |τ| ≤ max_force

τ_s is the effort of the motor at rest, v_0 its speed without effort, τ_m its bound at any speed. With a delay of n
steps, q*, q̇* and u are those of n steps before, or of the first step while there were fewer. Sources:
newton-usd-schemas, newton.actuators.
"""

import taichi as ti

from .lanes import TINY, broadcast, clamp, maximum, minimum

LARGEST_RATIO = 1e30  # `layout.INFINITE`: no quotient of bounds may exceed it


@ti.func
def compute_actuator_efforts(w: ti.template(), a, h):
    """Compute the effort of every joint of articulation a for this step: of its actuator, else that of the user."""
    for k in range(w.articulation[a].root, w.articulation[a].end):
        dof = w.node[k].dof
        if dof >= 0:
            w.node[k].effort = w.param.effort[dof]
    for j in range(w.articulation[a].actuator, w.articulation[a].actuator_end):
        node = w.node[w.actuator[j].node]
        dof = node.dof
        target_q, target_qd, effort = w.param.target_q[dof], w.param.target_qd[dof], w.param.effort[dof]
        if w.actuator[j].command_end > w.actuator[j].command:
            last = w.actuator[j].command_end - 1
            hold_first_command(w, j, target_q, target_qd, effort)
            late_q, late_qd, late_effort = (
                broadcast(0.0) + w.state.held_target_q[last],
                broadcast(0.0) + w.state.held_target_qd[last],
                broadcast(0.0) + w.state.held_effort[last],
            )
            shift_commands(w, j, target_q, target_qd, effort)
            target_q, target_qd, effort = late_q, late_qd, late_effort
        error = target_q - w.state.q[dof]
        most = w.param.integral_max[j]
        integral = clamp(w.state.integral[j] + error * h, 0.0 - most, most)
        w.state.integral[j] = integral
        effort += w.param.constant_effort[j] + w.param.stiffness[dof] * error
        effort += w.param.integral_gain[j] * integral + w.param.damping[dof] * (target_qd - w.state.qd[dof])
        node.effort = clamp_effort(w, j, dof, effort)


@ti.func
def hold_first_command(w: ti.template(), j, target_q, target_qd, effort):
    """Fill the commands that actuator j holds with the present one where it holds none."""
    empty = ~w.state.holds_commands[j]
    for i in range(w.actuator[j].command, w.actuator[j].command_end):
        w.state.held_target_q[i] = ti.select(empty, target_q, w.state.held_target_q[i])
        w.state.held_target_qd[i] = ti.select(empty, target_qd, w.state.held_target_qd[i])
        w.state.held_effort[i] = ti.select(empty, effort, w.state.held_effort[i])
    w.state.holds_commands[j] = True


@ti.func
def shift_commands(w: ti.template(), j, target_q, target_qd, effort):
    """Drop the oldest command that actuator j holds, and hold the present one."""
    first, last = w.actuator[j].command, w.actuator[j].command_end - 1
    for n in range(last - first):
        i = last - n
        w.state.held_target_q[i] = w.state.held_target_q[i - 1]
        w.state.held_target_qd[i] = w.state.held_target_qd[i - 1]
        w.state.held_effort[i] = w.state.held_effort[i - 1]
    w.state.held_target_q[first] = target_q
    w.state.held_target_qd[first] = target_qd
    w.state.held_effort[first] = effort


@ti.func
def clamp_effort(w: ti.template(), j, dof, effort):
    """Return the effort of actuator j within its bounds."""
    rest, most = w.param.saturation_effort[j], w.param.max_motor_effort[j]
    fastest = maximum(w.param.no_load_speed[j], TINY)
    ratio = minimum(most / maximum(rest, TINY), LARGEST_RATIO)
    speed = clamp(w.state.qd[dof] / fastest, -1.0 - ratio, 1.0 + ratio)
    low, high = maximum(rest * (-1.0 - speed), 0.0 - most), minimum(rest * (1.0 - speed), most)
    effort = clamp(effort, low, high)
    first, end = w.actuator[j].point, w.actuator[j].point_end
    if end > first:
        q, bound = w.state.q[dof], w.param.bound_effort[first]
        for i in range(first, end - 1):
            before, after = w.param.bound_position[i], w.param.bound_position[i + 1]
            share = clamp((q - before) / maximum(after - before, TINY), 0.0, 1.0)
            low_end, high_end = w.param.bound_effort[i], w.param.bound_effort[i + 1]
            bound = ti.select(q > before, low_end + (high_end - low_end) * share, bound)
        effort = clamp(effort, 0.0 - bound, bound)
    return clamp(effort, 0.0 - w.param.max_force[dof], w.param.max_force[dof])
