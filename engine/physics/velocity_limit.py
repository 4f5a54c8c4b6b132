"""Joint velocity limit: |q̇| ≤ max_velocity; impulse = (clamped q̇ − q̇)/(r + cfm), without memory."""

import taichi as ti

from .accessors import NODE_ROW, PARAMETER, get, parameter, put
from .lanes import clamp


@ti.func
def prepare_velocity_limit(w: ti.template(), k, dof):
    """Copy the velocity limit of node k to its scratch row and clear its impulse."""
    put(w, k, NODE_ROW.MAX_VELOCITY, parameter(w, PARAMETER.MAX_VELOCITY, dof))
    put(w, k, NODE_ROW.VELOCITY_LIMIT_IMPULSE, 0.0)


@ti.func
def solve_velocity_limit(w: ti.template(), k, v):
    """Return the impulse of the velocity limit of node k at joint velocity v."""
    bound = get(w, k, NODE_ROW.MAX_VELOCITY)
    impulse = (clamp(v, 0.0 - bound, bound) - v) * get(w, k, NODE_ROW.INV_RESPONSE)
    put(w, k, NODE_ROW.VELOCITY_LIMIT_IMPULSE, get(w, k, NODE_ROW.VELOCITY_LIMIT_IMPULSE) + impulse)
    return impulse
