"""Blocks: small subtrees of which every joint velocity is known after every impulse, without a way through the tree.

    Δq̇_k += W_kj f_j  for all joints k of the block        W = block of M⁻¹, f_j impulse on joint j
    Δq̇_k −= Y_k · dv                                       dv  velocity change of the base by impulses elsewhere
    P += Σ Y_j f_j                                         P   wrench −J on the base, by the impulses of the block

The base is the link that holds the block, and Y_k the wrench on it per impulse on joint k. One column of W costs less
than the recursions of `tree` if the block is small; `model.blocks` chooses blocks where the iterations repay W.
"""

import taichi as ti

from .lanes import broadcast
from .spatial import no_force, no_motion
from .tree import motion_outward, stores_response, wrench_inward


@ti.func
def prepare_blocks(w: ti.template(), root, end):
    """Compute W and Y of all blocks of an articulation, and clear the changes of their joint velocities.

    Writes: BLOCK_RESPONSE, BASE_WRENCH, DELTA_QD and BASE_DELTA_V. From the last joint of a block to its first, since
    W takes the place of the responses of links, which joints further out still need.
    """
    for step in range(end - 1 - root):
        k = end - 1 - step
        if w.node[k].block >= 0:
            prepare_block_response(w, k)


@ti.func
def prepare_block_response(w: ti.template(), j):
    """Compute the changes of all joint velocities of the block by a unit impulse on joint j.

    W is symmetric: only the joints after j are computed. Those beyond joint j follow from the velocity of its link,
    UNIT_VELOCITY; a branch that leaves the way to the base follows from the wrench on its link.
    """
    node = w.node[j]
    first, carrier = node.block, node.parent
    wrench, dv, acts = node.u_d_inv.copy(), node.unit_velocity.copy(), node.dof >= 0
    if not acts:  # a fixed joint
        wrench, dv = no_force(), no_motion()
        node.delta_impulse = 0.0
    node.delta_qd = 0.0
    node.block_response[j - first] = node.unit_response
    if stores_response(w, node):
        node.branch_delta_v = dv
    for k in range(j + 1, node.block_end):
        beyond = w.node[k]
        parent, change = beyond.parent, broadcast(0.0)
        if parent != k - 1:
            if parent < j:
                while carrier != parent:
                    wrench = wrench_inward(w.node[carrier], wrench)
                    carrier = w.node[carrier].parent
                dv = w.node[parent].response.apply(wrench) * -1.0
            else:
                dv = w.node[parent].branch_delta_v
        if acts and beyond.dof >= 0:
            change = 0.0 - dv.dot(beyond.u_d_inv)
        beyond.block_response[j - first] = change
        node.block_response[k - first] = change
        dv = motion_outward(beyond, dv, change)
        if stores_response(w, beyond):
            beyond.branch_delta_v = dv
    base = w.node[first].parent
    while carrier != base:
        wrench = wrench_inward(w.node[carrier], wrench)
        carrier = w.node[carrier].parent
    node.base_wrench = wrench
    if j == first:
        node.base_delta_v = no_motion()


@ti.func
def enter_block(w: ti.template(), first, dv):
    """Change the joint velocities of the block that begins at node `first` by what its base gained elsewhere."""
    base = w.node[first]
    if w.node[base.parent].immovable == 0:
        lost = base.base_delta_v - dv
        for j in range(first, base.block_end):
            node = w.node[j]
            node.delta_qd += lost.dot(node.base_wrench)


@ti.func
def add_block_impulse(w: ti.template(), k, impulse):
    """Change all joint velocities of the block by an impulse on the joint of node k."""
    node = w.node[k]
    first = node.block
    node.delta_impulse = impulse
    pairs = (node.block_end - first) // 2
    for i in range(pairs):  # two at a time share the address
        j, response = w.node[first + 2 * i], node.block_response
        change, next_change = j.delta_qd, w.node[first + 2 * i + 1].delta_qd
        own, next_own = response[2 * i], response[2 * i + 1]
        j.delta_qd = change + own * impulse
        w.node[first + 2 * i + 1].delta_qd = next_change + next_own * impulse
    if first + 2 * pairs < node.block_end:
        w.node[node.block_end - 1].delta_qd += node.block_response[2 * pairs] * impulse


@ti.func
def leave_block(w: ti.template(), first, dv):
    """Add the wrench of the block's impulses in this sweep to BRANCH_IMPULSE of its base; return the base's dv."""
    after = dv.copy()
    node = w.node[first]
    base = node.parent
    if w.node[base].immovable == 0:
        wrench = no_force()
        for j in range(first, node.block_end):
            wrench = wrench + w.node[j].base_wrench * w.node[j].delta_impulse
        after = after - w.node[base].response.apply(wrench)
        w.node[base].branch_impulse += wrench
        w.node[base].branch_delta_v = after
        node.base_delta_v = after
    return after


@ti.func
def block_velocity_change(w: ti.template(), k, dv):
    """Return the change of the joint velocity of node k in this pass and clear it; `dv` is that of the base."""
    node = w.node[k]
    first = w.node[node.block]
    change = node.delta_qd
    if w.node[first.parent].immovable == 0:
        change += (first.base_delta_v - dv).dot(node.base_wrench)
        if k == node.block_end - 1:
            first.base_delta_v = no_motion()
    node.delta_qd = 0.0
    return change
