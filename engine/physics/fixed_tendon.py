"""Fixed tendon: its length is a weighted sum of joint positions, ℓ = Σ c_j q_j + offset.

"Articulations", guide of the PhysX SDK, section "Fixed Tendons". Strand j is joint j: b_j is the row of the joint on
its own link, a_j that of the *first* joint on the link above it, for all joints where the tendon starts. Rotations pull
at an arm of one stage unit, whatever their gearing.
"""

import taichi as ti

from .lanes import broadcast
from .spatial import no_force
from .views import KIND


@ti.func
def joint_row(w: ti.template(), k, arm: ti.template()):
    """Return the row of the joint of node k on the velocity of a link; `arm` is the row of a slider's moment."""
    node = w.node[k]
    row, s = no_force(), node.subspace
    if node.kind == KIND.PRISMATIC:
        row.ang = node[arm]
        row.lin = s.lin
    else:
        row.ang = s.ang
    return row


@ti.func
def prepare_fixed_tendon_row(w: ti.template(), t, i):
    """Compute the rows of strand i of fixed tendon t."""
    item, first = w.strand[i], w.strand[w.tendon[t].strand].node
    near = joint_row(w, first, "arm0")
    if w.strand[i].reversed:
        near = near * -1.0
    item.near = near
    item.far = joint_row(w, w.strand[i].node, "arm1")


@ti.func
def fixed_tendon_length(w: ti.template(), t):
    """Return the length of fixed tendon t without its offset."""
    length = broadcast(0.0)
    for i in range(w.tendon[t].strand, w.tendon[t].strand_end):
        k = w.strand[i].node
        q = w.state.q[w.node[k].dof]
        length += w.param.tendon_gearing[i] * q
    return length
