"""Fixed tendon: its length is a weighted sum of joint positions, ℓ = Σ c_j q_j + offset.

"Articulations", guide of the PhysX SDK, section "Fixed Tendons". Strand j is joint j: b_j is the row of the joint on
its own link, a_j that of the *first* joint on the link above it, for all joints where the tendon starts. Rotations pull
at an arm of one stage unit, whatever their gearing.
"""

import taichi as ti

from .accessors import NODE_ROW, PARAMETER, STRAND_ROW, TableItem, get_motion, get_vector, parameter, put_spatial, state
from .lanes import broadcast
from .spatial import no_force
from .world_view import HEADER_AT, KIND, NODE_AT, STRAND_AT, TENDON_AT, header, node, strand, tendon


@ti.func
def joint_row(w: ti.template(), k, arm: ti.template()):
    """Return the row of the joint of node k on the velocity of a link; `arm` is the row of a slider's moment."""
    row, s = no_force(), get_motion(w, k, NODE_ROW.SUBSPACE)
    if node(w, k, NODE_AT.KIND) == KIND.PRISMATIC:
        row.ang = get_vector(w, k, arm)
        row.lin = s.lin
    else:
        row.ang = s.ang * lever_arm(w, k)
    return row


@ti.func
def lever_arm(w: ti.template(), k):
    """Return the arm of the joint of node k: a stage unit for a rotation [m], 1 for a translation."""
    lever = broadcast(1.0)
    if node(w, k, NODE_AT.KIND) != KIND.PRISMATIC:
        lever = parameter(w, PARAMETER.METERS_PER_UNIT, 0)
    return lever


@ti.func
def prepare_fixed_tendon_row(w: ti.template(), t, i):
    """Compute the rows of strand i of fixed tendon t."""
    item, first = TableItem(w, "STRANDS", i), strand(w, tendon(w, t, TENDON_AT.STRAND), STRAND_AT.NODE)
    near = joint_row(w, first, NODE_ROW.ARM0)
    if strand(w, i, STRAND_AT.REVERSED):
        near = near * -1.0
    put_spatial(w, item, STRAND_ROW.NEAR, near)
    put_spatial(w, item, STRAND_ROW.FAR, joint_row(w, strand(w, i, STRAND_AT.NODE), NODE_ROW.ARM1))


@ti.func
def fixed_tendon_length(w: ti.template(), t):
    """Return the length of fixed tendon t without its offset [m]."""
    length = broadcast(0.0)
    for i in range(tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)):
        k = strand(w, i, STRAND_AT.NODE)
        q = state(w, header(w, HEADER_AT.Q) + node(w, k, NODE_AT.DOF))
        length += parameter(w, PARAMETER.TENDON_GEARING, i) * lever_arm(w, k) * q
    return length
