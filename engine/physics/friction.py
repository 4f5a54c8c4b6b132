"""Joint friction: sticks up to the static effort, then slides against the dynamic and viscous effort.

impulse = λ − q̇/(r + cfm);  where |impulse| > static T: clamped to ±(dynamic + viscous |q̇|) T
"""

import taichi as ti

from .lanes import absolute, clamp


@ti.func
def prepare_friction(w: ti.template(), k, dof):
    """Copy the friction efforts of node k to its scratch rows and clear its impulse."""
    node = w.node[k]
    node.friction_impulse = 0.0
    node.static_friction = w.param.static_friction[dof]
    node.dynamic_friction = w.param.dynamic_friction[dof]
    node.viscous_friction = w.param.viscous_friction[dof]


@ti.func
def solve_friction(w: ti.template(), k, v, iteration):
    """Return the change of the friction impulse of node k at joint velocity v."""
    node = w.node[k]
    applied = node.friction_impulse
    before = applied * iteration.impulse_multiplier
    impulse = before - v * node.inv_response
    slip = (node.dynamic_friction + node.viscous_friction * absolute(v)) * iteration.duration
    sticks = absolute(impulse) <= node.static_friction * iteration.duration
    change = ti.select(sticks, impulse, clamp(impulse, 0.0 - slip, slip)) - before
    node.friction_impulse = applied + change
    return change
