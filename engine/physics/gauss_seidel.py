"""Gauss-Seidel over the rows of an articulation, depth first: each row sees all impulses before it.

Impulses travel as in the articulated-body algorithm: `dv`, the velocity change of the link above, is carried outward;
wrenches are carried inward when a branch is done. A sweep costs the same per degree of freedom in any tree.

    q̇ = QD + D⁻¹ X − Y · dv       dv_l = (dv seen at l) + S (q̇ − QD) + G f       X += f − Sᵀ wrench, inward

X is JOINT_IMPULSE, Y is U_D_INV, G is UNIT_VELOCITY, and f is DELTA_IMPULSE, the impulse of the rows in this sweep.
The joints of a block take the shorter way of `block`.
"""

import taichi as ti

from .block import solve_block
from .contacts.contacts import solve_static_contacts
from .dof_rows import free_velocity, solve_joint_rows
from .maximal_joint import solve_world_joints
from .spatial import no_force
from .tree import joint_velocity_change, propagate_branch_impulses_inward, root_velocity_change, stores_response


@ti.func
def velocity_before_pass(w: ti.template(), k, iteration):
    """Return the velocity of the link of node k without the impulses of this pass."""
    node = w.node[k]
    substep_velocity = node.substep_acceleration * iteration.substep_time
    return node.v + node.bias_acceleration * iteration.h + substep_velocity


@ti.func
def solve_node(w: ti.template(), k, above, iteration):
    """Solve the rows of node k, or of the block that begins with it; return the velocity change of its link, or base.

    `above` is the velocity change of the link of node PREVIOUS by the impulses of this pass.
    """
    node = w.node[k]
    dv = above.copy()
    parent = node.parent
    if parent != node.previous:
        wrench = propagate_branch_impulses_inward(w, node.previous, parent)
        w.node[parent].branch_impulse += wrench
        dv = w.node[parent].branch_delta_v - w.node[parent].response.apply(wrench)
        w.node[parent].branch_delta_v = dv
    if node.block >= 0:
        dv = solve_block(w, k, dv, iteration)
    elif node.dof >= 0:
        change = joint_velocity_change(node, dv)
        impulse = solve_joint_rows(w, k, free_velocity(node, iteration) + change, iteration)
        node.delta_impulse = impulse
        dv = dv.outward(node.offset) + node.subspace * change + node.unit_velocity * impulse
    else:
        dv = dv.outward(node.offset)
    return dv


@ti.func
def solve_joints(w: ti.template(), a, iteration):
    """Solve every joint row of articulation a once, and its maximal joints to the world."""
    root, end = w.articulation[a].root, w.articulation[a].end
    dv = root_velocity_change(w, root)
    w.node[root].branch_delta_v = dv
    for k in range(root, end):
        node = w.node[k]
        if k > root and node.block < 0 or node.block == k:  # a block is solved at its first node
            dv = solve_node(w, k, dv, iteration)
        if ti.static(w.features.joints):
            if node.stores_response > 1:
                dv = solve_world_joints(w, k, velocity_before_pass(w, k, iteration), dv, iteration)
        if ti.static(w.features.contacts):
            if w.touching > 0 and node.body >= 0:
                dv = solve_static_contacts(w, k, velocity_before_pass(w, k, iteration), dv, iteration)
        if stores_response(w, node) and node.block < 0:
            node.branch_delta_v = dv
    wrench = propagate_branch_impulses_inward(w, w.articulation[a].tip, root)
    if stores_response(w, w.node[root]):
        wrench = wrench + w.node[root].branch_impulse
        w.node[root].branch_impulse = no_force()
    w.node[root].impulse += wrench
