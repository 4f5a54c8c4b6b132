"""Accelerations of joints and links in a step, as PhysX reports them.

    q̈ = (q̇ − q̇_start) / h, q̇_start after `clamp_joint_velocities`;  of a root (V − V_start) / h less that of `momentum`
    a_l = ab_l + b_l,  b_l = b_p seen at l + Σ S_k q̈_k        at the poses of the start of the step

ab are the velocity products of `bias_forces`: a_l is the acceleration of a point, not a spatial one.
"""

import taichi as ti

from .lanes import broadcast, traced
from .tree import motion_outward


@traced
def joint_acceleration(node, h):
    """Return the acceleration of the joint of a node."""
    return (node.qd - node.start_qd) * (1.0 / h)


@ti.func
def write_accelerations(w: ti.template(), a, h):
    """Write the accelerations of the joints and links of articulation a, before its geometry is updated.

    Overwrites: LINK_ACCELERATION of the nodes, with b.
    """
    root, end = w.articulation[a].root, w.articulation[a].end
    change = (w.node[root].v - w.node[root].root_correction - w.state.root_velocity[a]) * (1.0 / h)
    for k in range(root, end):
        node = w.node[k]
        if k > root:
            qdd = broadcast(0.0)
            if node.dof >= 0:
                qdd = joint_acceleration(node, h)
                w.results.qdd[node.dof] = qdd
            change = motion_outward(node, w.node[node.parent].link_acceleration, qdd)
        node.link_acceleration = change
        if node.last == k:
            link = node.link
            w.results.acceleration[link] = change + node.bias_acceleration


@ti.func
def write_joint_accelerations(w: ti.template(), a, h):
    """Write the accelerations of the joints of articulation a alone."""
    for k in range(w.articulation[a].root + 1, w.articulation[a].end):
        node = w.node[k]
        if node.dof >= 0:
            w.results.qdd[node.dof] = joint_acceleration(node, h)


@ti.func
def write_free_body_acceleration(w: ti.template(), a, change):
    """Write the acceleration of free body a, which no joint holds."""
    link = w.node[w.articulation[a].root].link
    w.results.acceleration[link] = change
