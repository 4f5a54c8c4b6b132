"""Joint friction: C = 0, rate −q̇. Sticks up to the static effort, slips with the dynamic and viscous one.

impulse = λ − q̇/(r + cfm);  if |impulse| > static T: clamp to ±(dynamic + viscous |q̇|) T
"""

import taichi as ti

from .accessors import NODE_ROW, PARAMETER, get, parameter, put
from .lanes import absolute, clamp


@ti.func
def prepare_friction(w: ti.template(), k, dof):
    """What friction needs of node k for this step."""
    put(w, k, NODE_ROW.FRICTION_IMPULSE, 0.0)
    put(w, k, NODE_ROW.STATIC_FRICTION, parameter(w, PARAMETER.STATIC_FRICTION, dof))
    put(w, k, NODE_ROW.DYNAMIC_FRICTION, parameter(w, PARAMETER.DYNAMIC_FRICTION, dof))
    put(w, k, NODE_ROW.VISCOUS_FRICTION, parameter(w, PARAMETER.VISCOUS_FRICTION, dof))


@ti.func
def solve_friction(w: ti.template(), k, v, iteration):
    """Impulse of the friction of node k at joint speed v."""
    applied = get(w, k, NODE_ROW.FRICTION_IMPULSE)
    before = applied * iteration.keep
    impulse = before - v * get(w, k, NODE_ROW.INV_RESPONSE)
    slip = (get(w, k, NODE_ROW.DYNAMIC_FRICTION) + get(w, k, NODE_ROW.VISCOUS_FRICTION) * absolute(v)) * iteration.span
    sticks = absolute(impulse) <= get(w, k, NODE_ROW.STATIC_FRICTION) * iteration.span
    f = ti.select(sticks, impulse, clamp(impulse, 0.0 - slip, slip)) - before
    put(w, k, NODE_ROW.FRICTION_IMPULSE, applied + f)
    return f
