"""Joint friction: sticks up to the static effort, then slides against the dynamic and viscous effort.

impulse = λ − q̇/(r + cfm);  where |impulse| > static T: clamped to ±(dynamic + viscous |q̇|) T
"""

import taichi as ti

from .accessors import NODE_ROW, PARAMETER, get, parameter, put
from .lanes import absolute, clamp


@ti.func
def prepare_friction(w: ti.template(), k, dof):
    """Copy the friction efforts of node k to its scratch rows and clear its impulse."""
    put(w, k, NODE_ROW.FRICTION_IMPULSE, 0.0)
    put(w, k, NODE_ROW.STATIC_FRICTION, parameter(w, PARAMETER.STATIC_FRICTION, dof))
    put(w, k, NODE_ROW.DYNAMIC_FRICTION, parameter(w, PARAMETER.DYNAMIC_FRICTION, dof))
    put(w, k, NODE_ROW.VISCOUS_FRICTION, parameter(w, PARAMETER.VISCOUS_FRICTION, dof))


@ti.func
def solve_friction(w: ti.template(), k, v, iteration):
    """Return the change of the friction impulse of node k at joint velocity v."""
    applied = get(w, k, NODE_ROW.FRICTION_IMPULSE)
    before = applied * iteration.impulse_multiplier
    impulse = before - v * get(w, k, NODE_ROW.INV_RESPONSE)
    slip = (
        get(w, k, NODE_ROW.DYNAMIC_FRICTION) + get(w, k, NODE_ROW.VISCOUS_FRICTION) * absolute(v)
    ) * iteration.duration
    sticks = absolute(impulse) <= get(w, k, NODE_ROW.STATIC_FRICTION) * iteration.duration
    change = ti.select(sticks, impulse, clamp(impulse, 0.0 - slip, slip)) - before
    put(w, k, NODE_ROW.FRICTION_IMPULSE, applied + change)
    return change
