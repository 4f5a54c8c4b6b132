"""Recursions over the tree of an articulation: motions from the root outward, wrenches from the tips inward.

    outward:  V_l = (V_p seen at l) + S q̇
              dv_l = (dv_p seen at l) + S Δq̇,   Δq̇ = D⁻¹ X − Y · dv_p
    inward:   X += f − Sᵀ P_l,   P_p += (P_l seen at p) + Y ΔX

X is JOINT_IMPULSE, f a new impulse on the joint, P an impulsive wrench −J, and Y is U_D_INV. Along a chain the parent
of node k is node k − 1, so that what is carried stays in registers; nodes with several children store it.
"""

import taichi as ti

from ..tables.word_values import ALWAYS, IN_CONTACT, TOUCHES
from .lanes import broadcast, traced
from .spatial import no_force, no_motion
from .views import KIND


@traced
def stores_response(w, node):
    """Return whether a node stores what the sweeps carry: where the tree branches or a maximal joint holds its link.

    The node of a link does so in the steps in which the link touches something in any lane.
    """
    stores = node.stores_response > 0
    if w.features.contacts:
        stores = stores | ((w.touching > 0) & (node.touching == TOUCHES))
    return stores


@traced
def leads_to_contact(w, node):
    """Return whether a node is on the way from the root to a link that touches something in any lane in this step."""
    return (w.touching > 0) & (node.touching > 0) if w.features.contacts else False


@traced
def needs_velocities(w, articulation):
    """Return whether velocities of links are needed in this step, and their poses in its substeps.

    If contacts alone need them, they need those of the nodes that lead to a contact.
    """
    needs = articulation.needs_link_velocities == ALWAYS
    if w.features.contacts:
        needs = needs | ((articulation.needs_link_velocities == IN_CONTACT) & (w.touching > 0))
    return needs


@ti.func
def motion_outward(node: ti.template(), above, rate):
    """Return the motion of the link of a node: that of its parent, `above`, seen there, and S times the joint's."""
    return above.outward(node.offset) + node.subspace * rate


@ti.func
def joint_velocity_change(node: ti.template(), above):
    """Return Δq̇ of a node by all impulses, where `above` is the velocity change of its parent."""
    return node.d_inv * node.joint_impulse - above.dot(node.u_d_inv)


@ti.func
def impulse_inward(node: ti.template(), wrench, impulse):
    """Add an impulse on the joint of a node and a wrench on its link to X; return the wrench on its parent."""
    passed = wrench.inward(node.offset)
    if node.dof >= 0:
        change = impulse - node.subspace.dot(wrench)
        node.joint_impulse += change
        passed = passed + node.u_d_inv * change
    return passed


@ti.func
def wrench_inward(node: ti.template(), wrench):
    """Return the wrench on the parent of a node by a wrench on its link, without a change of X."""
    return wrench.inward(node.offset) - node.u_d_inv * node.subspace.dot(wrench)


@ti.func
def root_velocity_change(w: ti.template(), root):
    """Return the velocity change −Λ P of the root link by all impulses; 0 if it is fixed."""
    dv = no_motion()
    if w.node[root].kind == KIND.FLOATING_ROOT:
        dv = w.node[root].response.apply(w.node[root].impulse) * -1.0
    return dv


@ti.func
def propagate_velocities_outward(w: ti.template(), root, end):
    """Compute the velocity V of every link from those of root and joints."""
    for k in range(root + 1, end):
        node = w.node[k]
        node.v = motion_outward(node, w.node[node.parent].v, node.qd)


@ti.func
def propagate_velocity_changes_outward(w: ti.template(), root, end):
    """Compute the change of every joint velocity by all impulses: DELTA_QD, and BRANCH_DELTA_V of every node."""
    w.node[root].branch_delta_v = root_velocity_change(w, root)
    for k in range(root + 1, end):
        node = w.node[k]
        above, change = w.node[node.parent].branch_delta_v, broadcast(0.0)
        if node.dof >= 0:
            change = joint_velocity_change(node, above)
            node.delta_qd = change
        node.branch_delta_v = motion_outward(node, above, change)


@ti.func
def propagate_joint_impulses_inward(w: ti.template(), root, end):
    """Carry DELTA_IMPULSE of all joints to the root: JOINT_IMPULSE of every joint, IMPULSE of the root."""
    for k in range(root + 1, end):
        w.node[k].impulse = no_force()
    for step in range(end - 1 - root):
        k = end - 1 - step
        node = w.node[k]
        w.node[node.parent].impulse += impulse_inward(node, node.impulse, node.delta_impulse)


@ti.func
def propagate_branch_impulses_inward(w: ti.template(), tip, top):
    """Carry DELTA_IMPULSE from node `tip` inward to node `top`; return the wrench that reaches it.

    A node with several children adds the wrench of those done before, BRANCH_IMPULSE.
    """
    wrench, k = no_force(), tip
    while k != top:
        if stores_response(w, w.node[k]):
            wrench = wrench + w.node[k].branch_impulse
            w.node[k].branch_impulse = no_force()
        wrench = impulse_inward(w.node[k], wrench, w.node[k].delta_impulse)
        k = w.node[k].parent
    return wrench


@ti.func
def propagate_link_impulse_inward(w: ti.template(), k, root, wrench):
    """Carry a wrench −J on the link of node k to the root."""
    carried, j = wrench.copy(), k
    while j != root:
        carried = impulse_inward(w.node[j], carried, 0.0)
        j = w.node[j].parent
    w.node[root].impulse += carried
