"""Gauss-Seidel over the rows of an articulation, depth first: each row sees all impulses before it.

Impulses travel as in the articulated-body algorithm: `dv`, the velocity change of the link above, is carried outward;
wrenches are carried inward when a branch is done. A sweep costs the same per degree of freedom in any tree.

    q̇ = QD + D⁻¹ X − Y · dv       dv_l = (dv seen at l) + S (q̇ − QD) + G f       X += f − Sᵀ wrench, inward

X is JOINT_IMPULSE, Y is U_D_INV, G is UNIT_VELOCITY, and f is DELTA_IMPULSE, the impulse of the rows in this sweep.
The joints of a block take the shorter way of `block`.
"""

import taichi as ti

from .block import add_block_impulse, enter_block, leave_block
from .contacts.contacts import solve_static_contacts
from .dof_rows import solve_joint_rows
from .lanes import broadcast
from .maximal_joint import solve_world_joints
from .spatial import no_force
from .tree import joint_velocity_change, propagate_branch_impulses_inward, root_velocity_change, stores_response
from .views import KIND


@ti.func
def velocity_before_pass(w: ti.template(), k, iteration):
    """Return the velocity of the link of node k without the impulses of this pass."""
    node = w.node[k]
    substep_velocity = node.substep_acceleration * iteration.substep_time
    return node.v + node.bias_acceleration * iteration.h + substep_velocity


@ti.func
def solve_node(w: ti.template(), k, above, iteration):
    """Solve the rows of node k.

    `above` is the velocity change of the link of the node before by the impulses of this pass. Returns that of the own
    link, within a block that of its base.
    """
    node = w.node[k]
    dv = above.copy()
    parent, block = node.parent, node.block
    if parent != node.previous:
        wrench = propagate_branch_impulses_inward(w, node.previous, parent)
        w.node[parent].branch_impulse += wrench
        dv = w.node[parent].branch_delta_v - w.node[parent].response.apply(wrench)
        w.node[parent].branch_delta_v = dv
    if block == k:
        enter_block(w, k, dv)
    if node.dof >= 0:
        change = broadcast(0.0)
        if block >= 0:
            change = node.delta_qd
        else:
            change = joint_velocity_change(node, dv)
        v = node.qd
        if iteration.substep_time > 0.0:
            v += iteration.substep_time * node.qdd_substep
        if node.kind != KIND.REVOLUTE:
            v += node.qd_bias
        v += change  # last: the sweep waits for it
        impulse = solve_joint_rows(w, k, v, iteration)
        if block >= 0:
            add_block_impulse(w, k, impulse)
        else:
            node.delta_impulse = impulse
            dv = dv.outward(node.offset) + node.subspace * change + node.unit_velocity * impulse
    elif block < 0:
        dv = dv.outward(node.offset)
    if k == node.block_end - 1:
        dv = leave_block(w, block, dv)
    return dv


@ti.func
def solve_joints(w: ti.template(), a, iteration):
    """Solve every joint row of articulation a once, and its maximal joints to the world."""
    root, end = w.articulation[a].root, w.articulation[a].end
    dv = root_velocity_change(w, root)
    if ti.static(w.features.joints or w.features.contacts):
        for k in range(root, end):
            node = w.node[k]
            if k > root:
                dv = solve_node(w, k, dv, iteration)
            if ti.static(w.features.joints):
                if node.stores_response > 1:
                    dv = solve_world_joints(w, k, velocity_before_pass(w, k, iteration), dv, iteration)
            if ti.static(w.features.contacts):
                if w.touching > 0 and node.body >= 0:
                    dv = solve_static_contacts(w, k, velocity_before_pass(w, k, iteration), dv, iteration)
            if stores_response(w, node) or k == root:
                node.branch_delta_v = dv
    else:
        w.node[root].branch_delta_v = dv
        for k in range(root + 1, end):
            node = w.node[k]
            dv = solve_node(w, k, dv, iteration)
            if stores_response(w, node):
                node.branch_delta_v = dv
    wrench = propagate_branch_impulses_inward(w, w.articulation[a].tip, root)
    if stores_response(w, w.node[root]):
        wrench = wrench + w.node[root].branch_impulse
        w.node[root].branch_impulse = no_force()
    w.node[root].impulse += wrench
