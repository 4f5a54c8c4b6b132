"""Poses of the prims of all links and velocities of their centres of mass, computed from the state.

x_prim = x − R com        V_l = V_p seen at l + Σ S_k q̇_k
"""

import taichi as ti

from . import PACKED
from .accessors import NODE_ROW, get_motion, orientation, position, put, put_numbers, put_spatial, root_velocity, state
from .kinematics import compute_joint_motion
from .lanes import Array, Float, Real, broadcast
from .spatial import Vec3
from .world_view import ARTICULATION_AT, HEADER_AT, NODE_AT, WorldView, articulation, header, node, share_of


@ti.func
def write_link_states(w: ti.template(), a, coms: ti.template(), links: ti.template()):
    """Write pose and velocity of every link of articulation a."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    count = header(w, HEADER_AT.LINK_COUNT)
    put_spatial(w, root, NODE_ROW.V, root_velocity(w, a))
    for k in range(root, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            put(w, k, NODE_ROW.START_QD, state(w, header(w, HEADER_AT.QD) + dof))
        compute_joint_motion(w, k, 0)
        if node(w, k, NODE_AT.LAST) == k:
            link = node(w, k, NODE_AT.LINK)
            q, v = orientation(w, link), get_motion(w, k, NODE_ROW.V)
            com = Vec3(broadcast(coms[3 * link]), broadcast(coms[3 * link + 1]), broadcast(coms[3 * link + 2]))
            p = position(w, link) - q.rotate(com)
            put_numbers(w, links, 13 * count, 7 * link, p.x, p.y, p.z, q.v.x, q.v.y, q.v.z, q.w)
            velocity = v.lin.x, v.lin.y, v.lin.z, v.ang.x, v.ang.y, v.ang.z
            put_numbers(w, links, 13 * count, 7 * count + 6 * link, *velocity)


@ti.kernel
def link_state_kernel(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    coms: Array(Float, 1),
    links: Array(Real, 1),
    articulations: ti.i32,
    places: ti.i32,
    workers: ti.i32,
):
    """Write pose and velocity of every link of every world; `coms` are the centres of mass in the prims."""
    ti.loop_config(block_dim=1 if ti.static(PACKED) else 32)
    for worker in range(workers):
        first, end = share_of(worker, workers, places)
        for index in range(first, end):
            here = WorldView(states, parameters, scratch, topology, index, worker)
            for a in range(articulations):
                write_link_states(here, a, coms, links)
