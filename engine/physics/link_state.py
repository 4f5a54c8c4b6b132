"""Poses of the prims of all links and velocities of their centres of mass, computed from the state.

x_prim = x − R com        V_l = V_p seen at l + Σ S_k q̇_k
"""

import taichi as ti

from ..tables.layout import LINKS
from . import TILE
from .buffer_views import BufferView
from .kinematics import compute_joint_motion
from .lanes import Array, Float, Real, broadcast
from .spatial import Vec3
from .world_view import WorldView, share_of


@ti.func
def write_link_states(w: ti.template(), a, coms: ti.template(), links: ti.template()):
    """Write pose and velocity of every link of articulation a."""
    root, end = w.articulation[a].root, w.articulation[a].end
    view = BufferView(w, links, LINKS)
    w.node[root].v = w.state.root_velocity[a]
    for k in range(root, end):
        node = w.node[k]
        dof = node.dof
        if dof >= 0:
            node.start_qd = w.state.qd[dof]
        compute_joint_motion(w, k, 0)
        if node.last == k:
            link = node.link
            q, v = w.state.orientation[link], node.v
            com = Vec3(broadcast(coms[3 * link]), broadcast(coms[3 * link + 1]), broadcast(coms[3 * link + 2]))
            p = w.state.position[link] - q.rotate(com)
            view.write("LINK_POSE", link, p, q)
            view.write("LINK_VELOCITY", link, v.lin, v.ang)


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
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, places)
        for turn in range(share.first, share.end):
            index, _, place = share.task(turn)
            here = WorldView(states, parameters, scratch, topology, index, place)
            for a in range(articulations):
                write_link_states(here, a, coms, links)
