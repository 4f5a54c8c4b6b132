"""Centre of mass, momentum and energy of an articulation.

T = ½ Σ (m v² + ω · I ω) + ½ Σ armature q̇²        U = −Σ m g · x, of links with gravity
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_motion,
    get_tensor,
    orientation,
    parameter,
    parameter_vector,
    position,
    put_spatial,
)
from .host_array import coordinate, write_column, write_spatial, write_vector
from .inverse_dynamics import compute_kinematics
from .lanes import broadcast
from .momentum import compute_momentum
from .spatial import Motion, no_motion
from .world_view import NODE_AT, node


@ti.func
def energies(w: ti.template(), request):
    """Return kinetic and potential energy [J]."""
    kinetic, potential = broadcast(0.0), broadcast(0.0)
    for k in range(request.root, request.end):
        link, mass = node(w, k, NODE_AT.LINK), get(w, k, NODE_ROW.MASS)
        if node(w, k, NODE_AT.LAST) == k:
            v = get_motion(w, k, NODE_ROW.V)
            kinetic += 0.5 * (
                mass * v.lin.dot(v.lin) + v.ang.dot(get_tensor(w, k, NODE_ROW.WORLD_INERTIA).apply(v.ang))
            )
            weight = parameter_vector(w, PARAMETER.GRAVITY, 0) * (mass * parameter(w, PARAMETER.GRAVITY_SCALE, link))
            potential += 0.0 - weight.dot(position(w, link))
        if coordinate(request, k) >= 0:
            speed = get(w, k, NODE_ROW.START_QD)
            kinetic += 0.5 * (parameter(w, PARAMETER.ARMATURE, node(w, k, NODE_AT.DOF)) * speed * speed)
    return kinetic, potential


@ti.func
def com_momentum_and_energy(w: ti.template(), request):
    """Write the rows of `fajin.dynamics.equations.TOTALS`."""
    compute_kinematics(w, request)
    for k in range(request.root, request.end):
        put_spatial(w, k, NODE_ROW.BIAS_ACCELERATION, no_motion())
    now = compute_momentum(w, request.root, request.end, 0.0)
    link = node(w, request.root, NODE_AT.LINK)
    write_spatial(request.answer, 0, Motion(now.com, position(w, link) + now.com))
    write_spatial(request.answer, 6, Motion(now.h, now.p))
    write_vector(request.answer, 12, orientation(w, link).unrotate(now.com))
    kinetic, potential = energies(w, request)
    write_column(request.answer, 15, kinetic)
    write_column(request.answer, 16, potential)
