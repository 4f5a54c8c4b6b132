"""Joint velocity limit: |q̇| ≤ max_velocity; impulse = (clamped q̇ − q̇)/(r + cfm), without memory."""

import taichi as ti

from .lanes import absolute, any_lane, clamp


@ti.func
def prepare_velocity_limit(w: ti.template(), k, dof):
    """Copy the velocity limit of node k to its scratch row and clear its impulse."""
    node = w.node[k]
    node.max_velocity = w.param.max_velocity[dof]
    node.velocity_limit_impulse = 0.0


@ti.func
def is_beyond_velocity_limit(w: ti.template(), k, v):
    """Return whether joint velocity v of node k is beyond its limit in any lane."""
    return any_lane(absolute(v) > w.node[k].max_velocity)


@ti.func
def solve_velocity_limit(w: ti.template(), k, v):
    """Return the impulse of the velocity limit of node k at joint velocity v."""
    node = w.node[k]
    bound = node.max_velocity
    impulse = (clamp(v, 0.0 - bound, bound) - v) * node.inv_response
    node.velocity_limit_impulse += impulse
    return impulse
