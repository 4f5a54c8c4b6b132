"""Joint speed limit: |q̇| ≤ max_velocity; impulse = (clamped q̇ − q̇)/(r + cfm), no memory."""

import taichi as ti

from .lanes import clamp
from .memory import PARAMETER, ROW, get, parameter, put


@ti.func
def prepare_speed_limit(w: ti.template(), k, dof):
    """What the speed limit needs of node k for this step."""
    put(w, k, ROW.VMAX, parameter(w, PARAMETER.MAX_VELOCITY, dof))
    put(w, k, ROW.BRAKE, 0.0)


@ti.func
def speed_limit(w: ti.template(), k, v):
    """Impulse of the speed limit of node k at joint speed v."""
    bound = get(w, k, ROW.VMAX)
    f = (clamp(v, 0.0 - bound, bound) - v) * get(w, k, ROW.RR)
    put(w, k, ROW.BRAKE, get(w, k, ROW.BRAKE) + f)
    return f
