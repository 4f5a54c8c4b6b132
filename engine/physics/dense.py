"""Small articulations on a fixed base: an impulse changes all joint velocities by a column of the inverse mass matrix.

    Δq̇_k += W_kj f_j  for all joints k        W = M⁻¹, f_j impulse on joint j

A column of a few numbers costs less than the recursions of `tree`, and the next joint waits for a product and a sum
only. `model.dense` chooses the articulations of which the iterations repay W.
"""

import taichi as ti

from ..tables.scratch import DENSE_NODES
from .dof_rows import free_velocity, solve_joint_rows
from .lanes import Struct, broadcast, materialize, traced
from .spatial import no_force, no_motion
from .tree import motion_outward, stores_response, wrench_inward


class JointChanges(Struct):
    """Changes of all joint velocities by the impulses of a sweep, in registers, from the joint at hand on in turn."""

    parts = tuple(f"change{i}" for i in range(DENSE_NODES))

    @traced
    def number(self, i):
        """Return the change of the joint that is i joints further on."""
        return getattr(self, self.parts[i])

    @traced
    def after(self, row, impulse):
        """Return the changes after an impulse on the joint at hand with this row of W, from the next joint on."""
        changes, impulse = [getattr(self, part) for part in self.parts], materialize(impulse)
        return JointChanges(*(change + row[i] * impulse for i, change in enumerate([*changes[1:], changes[0]])))


@traced
def responses(w, k):
    """Return row k of W: changes of all joint velocities per impulse on the joint of node k, from the next joint on.

    The last number is that of the joint itself. Joints that the articulation lacks have 0.
    """
    return w.node[k].dense_numbers.part(0)


@traced
def changes(w, root):
    """Return the changes of all joint velocities of the articulation by the impulses of this pass."""
    return w.node[root + 1].dense_numbers.part(DENSE_NODES)


@ti.func
def prepare_dense_responses(w: ti.template(), root, end):
    """Compute W of an articulation and clear the changes of its joint velocities.

    From the last joint to the first: W takes the place of the responses of links, which joints further out still need.
    """
    for step in range(end - 1 - root):
        prepare_dense_response(w, end - 1 - step, root, end)
    for i in range(DENSE_NODES):
        changes(w, root)[i] = 0.0


@ti.func
def prepare_dense_response(w: ti.template(), j, root, end):
    """Compute the changes of all joint velocities by a unit impulse on the joint of node j.

    W is symmetric: only the joints after j are computed. Those beyond joint j follow from the velocity of its link,
    UNIT_VELOCITY; a branch that leaves the way to the root follows from the wrench on its link.
    """
    node = w.node[j]
    carrier, acts, row = node.parent, node.dof >= 0, responses(w, j)
    wrench, dv, own = node.u_d_inv, node.unit_velocity, node.unit_response
    if not acts:  # a fixed joint
        wrench, dv, own = no_force(), no_motion(), broadcast(0.0)
    if stores_response(w, node):
        node.branch_delta_v = dv
    for missing in range(end - 1 - root, DENSE_NODES):
        row[missing + root - j] = 0.0
    row[DENSE_NODES - 1] = own
    for k in range(j + 1, end):
        beyond = w.node[k]
        parent, change = beyond.parent, broadcast(0.0)
        if parent >= j and parent != k - 1:
            dv = w.node[parent].branch_delta_v
        if parent < j:
            while carrier != parent:
                wrench = wrench_inward(w.node[carrier], wrench)
                carrier = w.node[carrier].parent
            dv = w.node[parent].response.apply(wrench) * -1.0
        if acts and beyond.dof >= 0:
            change = 0.0 - dv.dot(beyond.u_d_inv)
        responses(w, k)[DENSE_NODES + j - k - 1] = change
        row[k - j - 1] = change
        dv = motion_outward(beyond, dv, change)
        if stores_response(w, beyond):
            beyond.branch_delta_v = dv


@ti.func
def solve_dense_joints(w: ti.template(), a, iteration):
    """Solve every joint row of articulation a once."""
    root, end = w.articulation[a].root, w.articulation[a].end
    stored = changes(w, root)
    sums = load_changes(stored)
    for k in range(root + 1, end):
        node, impulse = w.node[k], broadcast(0.0)
        if node.dof >= 0:
            impulse = solve_joint_rows(w, k, free_velocity(node, iteration) + sums.change0, iteration)
        sums = sums.after(responses(w, k), impulse)
    store_changes(stored, sums, end - 1 - root)


@traced
def load_changes(stored):
    """Return the changes of the articulation's joints, from its first joint on."""
    return JointChanges(*(stored[i] for i in range(DENSE_NODES)))


@ti.func
def store_changes(stored: ti.template(), sums, first):
    """Store the changes, of which the first is that of joint number `first`."""
    for i in ti.static(range(DENSE_NODES)):
        place = first + i
        stored[place - DENSE_NODES if place >= DENSE_NODES else place] = sums.number(i)


@ti.func
def take_dense_velocity_change(w: ti.template(), k, root):
    """Return the change of the joint velocity of node k by the impulses of this pass, and clear it."""
    place = changes(w, root)
    change = place[k - 1 - root]
    place[k - 1 - root] = 0.0
    return change
