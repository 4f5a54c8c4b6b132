"""Force and torque of the parent on every link through its joint, by Newton and Euler from the tips to the root.

"Articulations", guide of the PhysX SDK, section "Articulation Link Sensors"; PhysX 5 reports it as
eLINK_INCOMING_JOINT_FORCE.

    F_l = I_l b_l + load_l − external_l + Σ F of its children seen at l   b: `accelerations`, load: `bias_forces`

`external` is the wrench of tendons and maximal joints on the link. Along an axis of a joint F is the sum of the efforts
of its rows and the user effort, less armature q̈; across the axes it is the reaction of the joint.
"""

import taichi as ti

from .articulated_body import link_inertia
from .lanes import broadcast
from .spatial import Force, no_force
from .tree import motion_outward, stores_response


@ti.func
def to_joint_frame(w: ti.template(), k, f):
    """Return a wrench about the centre of mass of the link of node k at the origin and in the axes of its joint."""
    turned = w.state.orientation[w.node[k].link]
    lever = turned.rotate(w.param.child_arm[k])
    frame = turned * w.param.frame1[k]
    return Force(frame.unrotate(f.ang - lever.cross(f.lin)), frame.unrotate(f.lin))


@ti.func
def accumulate_joint_wrenches(w: ti.template(), root, end, splits_forces: ti.template()):
    """Write the wrenches of parents on their links, with LINK_ACCELERATION as b.

    `splits_forces`: write FREE_FORCE, the wrench without rows, instead of INCOMING_FORCE.
    Overwrites: IMPULSE of the nodes with several children.
    """
    for k in range(root, end):
        node = w.node[k]
        if stores_response(w, node):
            node.impulse = no_force()
    below = no_force()
    for step in range(end - 1 - root):
        k = end - 1 - step
        node = w.node[k]
        wrench = link_inertia(w, k).apply(node.link_acceleration) + node.total_bias + below
        if stores_response(w, node):
            wrench = wrench + node.impulse
        if node.last == k:
            link = node.link
            if ti.static(splits_forces):
                w.results.free_force[link] = wrench
            else:
                w.results.incoming_force[link] = to_joint_frame(w, k, wrench)
        parent = node.parent
        below = wrench.inward(node.offset)
        if parent != k - 1:  # along a chain the parent is the next node, and everything stays in registers
            w.node[parent].impulse += below
            below = no_force()


@ti.func
def write_unconstrained_joint_forces(w: ti.template(), a):
    """Write the wrenches that joints of articulation a would transmit without rows.

    Must be called between `compute_responses` and the rows. Overwrites: LINK_ACCELERATION of the nodes.
    """
    root, end = w.articulation[a].root, w.articulation[a].end
    change = w.node[root].immediate_acceleration + w.node[root].substep_acceleration
    for k in range(root, end):
        node = w.node[k]
        if k > root:
            above, qdd = w.node[node.parent].link_acceleration, broadcast(0.0)
            if node.dof >= 0:
                qdd = node.qdd_immediate + node.qdd_substep_local - node.u_d_inv.dot(above)
            change = motion_outward(node, above, qdd)
        node.link_acceleration = change
    accumulate_joint_wrenches(w, root, end, True)


@ti.func
def write_incoming_joint_forces(w: ti.template(), a):
    """Write force and torque of the parent on every link of articulation a. Must follow `write_accelerations`."""
    root, end = w.articulation[a].root, w.articulation[a].end
    accumulate_joint_wrenches(w, root, end, False)
