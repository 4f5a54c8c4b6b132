"""Blocks: small subtrees of which every joint velocity is known after every impulse, without a way through the tree.

    Δq̇_k += W_kj f_j  for all joints k of the block        W = block of M⁻¹, f_j impulse on joint j
    Δq̇_k −= Y_k · dv                                       dv  velocity change of the base by impulses elsewhere
    P += Σ Y_j f_j                                         P   wrench −J on the base, by the impulses of the block

The base is the link that holds the block, and Y_k the wrench on it per impulse on joint k. One column of W costs less
than the recursions of `tree` if the block is small; `model.blocks` chooses blocks where the iterations repay W.
"""

import taichi as ti

from ..tables.scratch import BLOCK_NODES
from .dof_rows import free_velocity, solve_joint_rows
from .lanes import broadcast, traced
from .spatial import no_force, no_motion
from .tree import motion_outward, stores_response, wrench_inward


@traced
def responses(w, k):
    """Return row k of W: the change of each joint velocity of its block per impulse on the joint of node k."""
    return w.node[k].block_numbers.part(0)


@traced
def changes(w, first):
    """Return the changes of the joint velocities of the block of node `first` in this pass."""
    return w.node[first].block_numbers.part(BLOCK_NODES)


@ti.func
def prepare_blocks(w: ti.template(), root, end):
    """Compute W and Y of all blocks of an articulation, and clear the changes of their joint velocities.

    Writes: BLOCK_NUMBERS, BASE_WRENCH and BASE_DELTA_V. From the last joint of a block to its first, since W takes the
    place of the responses of links, which joints further out still need.
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
    wrench, dv, own, acts = node.u_d_inv.copy(), node.unit_velocity.copy(), node.unit_response, node.dof >= 0
    if not acts:  # a fixed joint
        wrench, dv, own = no_force(), no_motion(), broadcast(0.0)
        node.delta_impulse = 0.0
    if stores_response(w, node):
        node.branch_delta_v = dv
    row = responses(w, j)
    row[BLOCK_NODES - 1] = 0.0  # may be read in pairs with the last joint
    row[node.block_end - first] = 0.0
    row[j - first] = own
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
        responses(w, k)[j - first] = change
        row[k - first] = change
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
        for i in range(BLOCK_NODES):
            changes(w, first)[i] = 0.0


@ti.func
def solve_block(w: ti.template(), first, above, iteration):
    """Solve the rows of the block that begins at node `first`, whose base gained the velocity `above` in this pass.

    Returns the velocity change of the base; the wrench of the block's impulses is added to its BRANCH_IMPULSE.
    """
    dv, head = above.copy(), w.node[first]
    base, end = head.parent, head.block_end
    moves = w.node[base].immovable == 0
    if moves:
        lost = head.base_delta_v - dv
        for k in range(first, end):
            changes(w, first)[k - first] += lost.dot(w.node[k].base_wrench)
    for k in range(first, end):
        node = w.node[k]
        if node.dof >= 0:
            v = free_velocity(node, iteration) + changes(w, first)[k - first]
            impulse = solve_joint_rows(w, k, v, iteration)
            node.delta_impulse = impulse
            add_block_impulse(w, k, first, impulse)
    if moves:
        wrench = no_force()
        for k in range(first, end):
            wrench = wrench + w.node[k].base_wrench * w.node[k].delta_impulse
        dv = dv - w.node[base].response.apply(wrench)
        w.node[base].branch_impulse += wrench
        w.node[base].branch_delta_v = dv
        head.base_delta_v = dv
    return dv


@ti.func
def add_block_impulse(w: ti.template(), k, first, impulse):
    """Change all joint velocities of the block by an impulse on the joint of node k, in pairs, which share addresses."""
    row, sums = responses(w, k), changes(w, first)
    for pair in range((w.node[k].block_end - first + 1) // 2):
        i = 2 * pair
        change, next_change = sums[i] + row[i] * impulse, sums[i + 1] + row[i + 1] * impulse
        sums[i] = change
        sums[i + 1] = next_change


@ti.func
def block_velocity_change(w: ti.template(), k, dv):
    """Return the change of the joint velocity of node k in this pass and clear it; `dv` is that of the base."""
    node = w.node[k]
    first = node.block
    head = w.node[first]
    total = changes(w, first)[k - first]
    change = total + 0.0
    if w.node[head.parent].immovable == 0:
        change += (head.base_delta_v - dv).dot(node.base_wrench)
        if k == node.block_end - 1:
            head.base_delta_v = no_motion()
    changes(w, first)[k - first] = 0.0
    return change
