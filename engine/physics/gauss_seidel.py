"""Gauss-Seidel over the rows of an articulation, depth first: each row sees all impulses before it.

Impulses travel as in the articulated-body algorithm: `dv`, the velocity change of the link above, is carried outward;
wrenches are carried inward when a branch is done. A sweep costs the same per degree of freedom in any tree.

    q̇ = QD + D⁻¹ X − Y · dv       dv_l = (dv seen at l) + S (q̇ − QD) + G f       X += f − Sᵀ wrench, inward

X is JOINT_IMPULSE, Y is U_D_INV, G is UNIT_VELOCITY, and f is DELTA_IMPULSE, the impulse of the rows in this sweep.
Small articulations on a fixed base take the shorter way of `dense`.
"""

import taichi as ti

from ..tables.word_values import STORES_FOR_WORLD_JOINT
from .contacts.pipeline import solve_static_contacts
from .dense import solve_dense_joints
from .dof_rows import free_velocity, solve_joint_rows
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

    `above` is the velocity change of the link of node k − 1 by the impulses of this pass. Returns that of the own link.
    """
    node = w.node[k]
    dv = above.copy()
    parent = node.parent
    if parent != k - 1:
        wrench = propagate_branch_impulses_inward(w, k - 1, parent)
        w.node[parent].branch_impulse += wrench
        dv = w.node[parent].branch_delta_v - w.node[parent].response.apply(wrench)
        w.node[parent].branch_delta_v = dv
    if node.dof >= 0:
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
    if ti.static(w.features.dense):
        if w.articulation[a].dense > 0:
            solve_dense_joints(w, a, iteration)
        else:
            solve_tree(w, a, iteration)
    else:
        solve_tree(w, a, iteration)


@ti.func
def solve_tree(w: ti.template(), a, iteration):
    """Solve every joint row of articulation a once on a way through its tree, and its maximal joints to the world."""
    root, end = w.articulation[a].root, w.articulation[a].end
    dv = root_velocity_change(w, root)
    for k in range(root, end):
        node = w.node[k]
        if k > root:
            dv = solve_node(w, k, dv, iteration)
        if ti.static(w.features.joints):
            if node.stores_response == STORES_FOR_WORLD_JOINT:
                dv = solve_world_joints(w, k, velocity_before_pass(w, k, iteration), dv, iteration)
        if ti.static(w.features.contacts):
            if w.touching > 0 and node.body >= 0:
                dv = solve_static_contacts(w, k, velocity_before_pass(w, k, iteration), dv, iteration)
        if stores_response(w, node):
            node.branch_delta_v = dv
    wrench = propagate_branch_impulses_inward(w, end - 1, root)
    if stores_response(w, w.node[root]):
        wrench = wrench + w.node[root].branch_impulse
        w.node[root].branch_impulse = no_force()
    if w.node[root].kind == KIND.FLOATING_ROOT:
        w.node[root].impulse += wrench
