"""Fixed tendon: its length is a weighted sum of joint positions, ℓ = Σ c_j q_j + offset. Articulations seed.

Strand j is joint j: b_j is the joint's row on its own link, a_j that of the *first* joint on the link above it, which
stands for all where the tendon starts. Rotations pull at a lever of one stage unit, whatever their gearing.
"""

import taichi as ti

from .lanes import real
from .memory import PARAMETER, ROW, STRAND_ROW, Item, get_motion, get_vector, parameter, put_spatial, state
from .spatial import no_force
from .world import HEAD_AT, KIND, NODE_AT, STRAND_AT, TENDON_AT, head, node, strand, tendon


@ti.func
def row_of(w: ti.template(), k, arm: ti.template()):
    """Row of the joint of node k on the velocity of a link; `arm`: the scratch row of a slider's moment about it."""
    row, s = no_force(), get_motion(w, k, ROW.S)
    if node(w, k, NODE_AT.KIND) == KIND.PRISMATIC:
        row.ang = get_vector(w, k, arm)
        row.lin = s.lin
    else:
        row.ang = s.ang * lever_of(w, k)
    return row


@ti.func
def lever_of(w: ti.template(), k):
    """Lever at which the joint of node k counts: a stage unit for a rotation [m], 1 for a translation."""
    lever = real(1.0)
    if node(w, k, NODE_AT.KIND) != KIND.PRISMATIC:
        lever = parameter(w, PARAMETER.METRES, 0)
    return lever


@ti.func
def axis_rows(w: ti.template(), t, i):
    """Rows of strand i of fixed tendon t."""
    item, first = Item(w, "STRANDS", i), strand(w, tendon(w, t, TENDON_AT.STRAND), STRAND_AT.NODE)
    near = row_of(w, first, ROW.ARM0)
    if strand(w, i, STRAND_AT.AGAINST):
        near = near * -1.0
    put_spatial(w, item, STRAND_ROW.NEAR, near)
    put_spatial(w, item, STRAND_ROW.FAR, row_of(w, strand(w, i, STRAND_AT.NODE), ROW.ARM1))


@ti.func
def joint_length(w: ti.template(), t):
    """Length of fixed tendon t without its offset [m]."""
    length = real(0.0)
    for i in range(tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)):
        k = strand(w, i, STRAND_AT.NODE)
        q = state(w, head(w, HEAD_AT.Q) + node(w, k, NODE_AT.DOF))
        length += parameter(w, PARAMETER.GEAR, i) * lever_of(w, k) * q
    return length
