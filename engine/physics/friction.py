"""Joint friction: C = 0, rate −q̇. Sticks up to the static effort, slips with the dynamic and viscous one.

impulse = λ − q̇/(r + cfm);  if |impulse| > static T: clamp to ±(dynamic + viscous |q̇|) T
"""

import taichi as ti

from .lanes import clamp, magnitude
from .memory import PARAMETER, ROW, get, parameter, put


@ti.func
def prepare_friction(w: ti.template(), k, dof):
    """What friction needs of node k for this step."""
    put(w, k, ROW.FRICTION, 0.0)
    put(w, k, ROW.STATIC, parameter(w, PARAMETER.STATIC_FRICTION, dof))
    put(w, k, ROW.DYNAMIC, parameter(w, PARAMETER.DYNAMIC_FRICTION, dof))
    put(w, k, ROW.VISCOUS, parameter(w, PARAMETER.VISCOUS_FRICTION, dof))


@ti.func
def friction(w: ti.template(), k, v, visit):
    """Impulse of the friction of node k at joint speed v."""
    applied = get(w, k, ROW.FRICTION)
    before = applied * visit.keep
    impulse = before - v * get(w, k, ROW.RR)
    slip = (get(w, k, ROW.DYNAMIC) + get(w, k, ROW.VISCOUS) * magnitude(v)) * visit.span
    sticks = magnitude(impulse) <= get(w, k, ROW.STATIC) * visit.span
    f = ti.select(sticks, impulse, clamp(impulse, 0.0 - slip, slip)) - before
    put(w, k, ROW.FRICTION, applied + f)
    return f
