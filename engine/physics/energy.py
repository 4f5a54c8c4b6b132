"""Where the mass of an articulation is, how it moves, and its energy.

T = ½ Σ (m v² + ω · I ω) + ½ Σ armature q̇²        U = −Σ m g · x, of links that have gravity
"""

import taichi as ti

from .inverse_dynamics import survey
from .lanes import real
from .memory import (
    PARAMETER,
    ROW,
    get,
    get_motion,
    get_tensor,
    orientation,
    parameter,
    parameter_vector,
    position,
    put_spatial,
)
from .momentum import measure
from .sheet import coordinate, write, write_spatial, write_vector
from .spatial import Motion, no_motion
from .world import NODE_AT, node


@ti.func
def energies(w: ti.template(), request):
    """Kinetic and potential energy [J]."""
    kinetic, potential = real(0.0), real(0.0)
    for k in range(request.root, request.end):
        link, mass = node(w, k, NODE_AT.LINK), get(w, k, ROW.MASS)
        if node(w, k, NODE_AT.CARRIER) == k:
            v = get_motion(w, k, ROW.V)
            kinetic += 0.5 * (mass * v.lin.dot(v.lin) + v.ang.dot(get_tensor(w, k, ROW.IW).apply(v.ang)))
            weight = parameter_vector(w, PARAMETER.GRAVITY, 0) * (mass * parameter(w, PARAMETER.GRAVITY_SCALE, link))
            potential += 0.0 - weight.dot(position(w, link))
        if coordinate(request, k) >= 0:
            speed = get(w, k, ROW.QD0)
            kinetic += 0.5 * (parameter(w, PARAMETER.ARMATURE, node(w, k, NODE_AT.DOF)) * speed * speed)
    return kinetic, potential


@ti.func
def totals(w: ti.template(), request):
    """The answer, rows as in `fajin.dynamics.equations.TOTALS`."""
    survey(w, request)
    for k in range(request.root, request.end):
        put_spatial(w, k, ROW.AB, no_motion())
    now = measure(w, request.root, request.end, 0.0)
    link = node(w, request.root, NODE_AT.LINK)
    write_spatial(request.answer, 0, Motion(now.com, position(w, link) + now.com))
    write_spatial(request.answer, 6, Motion(now.h, now.p))
    write_vector(request.answer, 12, orientation(w, link).unrotate(now.com))
    kinetic, potential = energies(w, request)
    write(request.answer, 15, kinetic)
    write(request.answer, 16, potential)
