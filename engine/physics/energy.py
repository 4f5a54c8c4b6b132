"""Centre of mass, momentum and energy of an articulation.

T = ½ Σ (m v² + ω · I ω) + ½ Σ armature q̇²        U = −Σ m g · x, of links with gravity
"""

import taichi as ti

from .host_array import write_spatial, write_vector
from .inverse_dynamics import compute_kinematics
from .lanes import broadcast
from .momentum import compute_momentum
from .spatial import Motion, no_motion


@ti.func
def energies(w: ti.template(), request):
    """Return kinetic and potential energy [J]."""
    kinetic, potential = broadcast(0.0), broadcast(0.0)
    for k in range(request.root, request.end):
        node = w.node[k]
        link, mass = node.link, node.mass
        if node.last == k:
            v = node.v
            kinetic += 0.5 * (mass * v.lin.dot(v.lin) + v.ang.dot(node.world_inertia.apply(v.ang)))
            weight = w.param.gravity[0] * (mass * w.param.gravity_scale[link])
            potential += 0.0 - weight.dot(w.state.position[link])
        if request.coordinate[k] >= 0:
            speed = node.start_qd
            kinetic += 0.5 * (w.param.armature[node.dof] * speed * speed)
    return kinetic, potential


@ti.func
def com_momentum_and_energy(w: ti.template(), request):
    """Write the rows of `fajin.dynamics.equations.TOTALS`."""
    compute_kinematics(w, request)
    for k in range(request.root, request.end):
        w.node[k].bias_acceleration = no_motion()
    now = compute_momentum(w, request.root, request.end)
    link = w.node[request.root].link
    write_spatial(request.answer, 0, Motion(now.com, w.state.position[link] + now.com))
    write_spatial(request.answer, 6, Motion(now.h, now.p))
    write_vector(request.answer, 12, w.state.orientation[link].unrotate(now.com))
    kinetic, potential = energies(w, request)
    request.answer[15] = kinetic
    request.answer[16] = potential
