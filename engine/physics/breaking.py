"""Joints that break: PhysX compares the force and the torque of a maximal joint with its bounds after each step.

    broken  if |F| > break_force or |τ| > break_torque      F, τ about the joint: impulses of all its rows / h

The rows of a broken joint have no impulse from the next step on. That it is broken is part of the state.
"""

import taichi as ti

from .lanes import broadcast


@ti.func
def free_broken_rows(w: ti.template(), j):
    """Bound the impulses of all rows of joint j to 0 where it is broken."""
    broken = w.state.joint_broken[j]
    for i in range(w.joint[j].constraint, w.joint[j].constraint_end):
        c = w.constraint[i]
        c.min_impulse = ti.select(broken, broadcast(0.0), c.min_impulse)
        c.max_impulse = ti.select(broken, broadcast(0.0), c.max_impulse)


@ti.func
def break_joints(w: ti.template(), island_id, h):
    """Break the joints of an island whose force or torque of the step exceeds its bounds."""
    for j in range(w.island[island_id].joint, w.island[island_id].joint_end):
        here = w.side[2 * j + 1]
        impulse, arm = here.impulse, here.start_arm
        torque = impulse.ang - arm.cross(impulse.lin)
        over = (impulse.lin.norm() > w.param.break_force[j] * h) | (torque.norm() > w.param.break_torque[j] * h)
        w.state.joint_broken[j] = w.state.joint_broken[j] | over
