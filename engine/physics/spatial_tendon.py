"""Spatial tendon: springs along lines through points of links, ℓ = Σ c |piece| + offset, one strand a leaf.

    stretch = rest − ℓ,   excess = limit − ℓ beyond a limit,   rate = n1 · v(leaf) − n0 · v(root)

n0 is the direction to the root from the first attachment after it, n1 to the attachment before the leaf from the leaf.
Each leaf's `strand` pulls the leaf along n1 and the root along −n0; attachments between them feel nothing, and a gearing
c scales the length, not the force. Directions are those of the start of the step, lengths those of the
substep under TGS.
"""

import taichi as ti

from .lanes import larger
from .link_impulse import pair_response, strike, velocity_of
from .memory import (
    PARAMETER,
    STRAND_ROW,
    Item,
    get,
    get_force,
    orientation,
    parameter,
    parameter_vector,
    position,
    put,
    put_spatial,
)
from .spatial import Force, no_vector
from .strand import excess_of, pull, weigh_strand
from .world import (
    ARTICULATION_AT,
    ATTACHMENT_AT,
    LEAF_AT,
    NODE_AT,
    PIECE_AT,
    SIDE_AT,
    articulation,
    attachment,
    leaf,
    node,
    piece,
    side,
)

CLOSEST = 1e-3  # [m] attachments nearer than this have no direction


@ti.func
def point_of(w: ti.template(), i):
    """World position of attachment i [m]."""
    link = attachment(w, i, ATTACHMENT_AT.LINK)
    return position(w, link) + orientation(w, link).rotate(parameter_vector(w, PARAMETER.ATTACHMENT, i))


@ti.func
def course(w: ti.template(), i):
    """Length of the strand of leaf i [m], its directions at root and leaf, and those two points."""
    first, end = leaf(w, i, LEAF_AT.PIECE), leaf(w, i, LEAF_AT.PIECE_END)
    start = point_of(w, piece(w, first, PIECE_AT.NEAR))
    near, length = start.copy(), parameter(w, PARAMETER.TENDON_OFFSET, leaf(w, i, LEAF_AT.TENDON))
    n0, n1 = no_vector(), no_vector()
    for p in range(first, end):
        far = point_of(w, piece(w, p, PIECE_AT.FAR))
        along = near - far
        distance = along.norm()
        length += distance * parameter(w, PARAMETER.PIECE_GEARING, p)
        n1 = along * ti.select(distance > CLOSEST, 1.0 / larger(distance, CLOSEST), 0.0)
        if p == first:
            n0 = along * (1.0 / larger(distance, 1e-30))
        near = far
    return length, n0, n1, start, near


@ti.func
def prepare_leaf(w: ti.template(), i, pace):
    """The strand of leaf i for this step."""
    strand, start, tip = Item(w, "LEAVES", i), leaf(w, i, LEAF_AT.START), leaf(w, i, LEAF_AT.TIP)
    length, n0, n1, at_start, at_tip = course(w, i)
    put(w, strand, STRAND_ROW.LENGTH, length)
    lever0 = at_start - position(w, node(w, side(w, start, SIDE_AT.NODE), NODE_AT.LINK))
    lever1 = at_tip - position(w, node(w, side(w, tip, SIDE_AT.NODE), NODE_AT.LINK))
    near, far = Force(lever0.cross(n0), n0), Force(lever1.cross(n1), n1)
    put_spatial(w, strand, STRAND_ROW.NEAR, near)
    put_spatial(w, strand, STRAND_ROW.FAR, far)
    weigh_strand(w, strand, leaf(w, i, LEAF_AT.TENDON), pair_response(w, start, tip, near, far), pace)


@ti.func
def spatial_tendons(w: ti.template(), a, push, pace):
    """One iteration of all spatial tendons of an articulation, leaf by leaf; `push` [s]: see `link_impulse`."""
    for i in range(articulation(w, a, ARTICULATION_AT.LEAF), articulation(w, a, ARTICULATION_AT.LEAF_END)):
        strand, bounds = Item(w, "LEAVES", i), leaf(w, i, LEAF_AT.STRAND)
        start, tip = leaf(w, i, LEAF_AT.START), leaf(w, i, LEAF_AT.TIP)
        length = get(w, strand, STRAND_ROW.LENGTH)
        if pace.tgs:
            length, _, _, _, _ = course(w, i)
        near, far = get_force(w, strand, STRAND_ROW.NEAR), get_force(w, strand, STRAND_ROW.FAR)
        rate = far.dot(velocity_of(w, tip, push, pace.h)) - near.dot(velocity_of(w, start, push, pace.h))
        stretch = parameter(w, PARAMETER.REST_LENGTH, bounds) - length
        change = pull(w, strand, rate, stretch, 0.0 - excess_of(w, bounds, length))
        strike(w, tip, far * change)
        strike(w, start, near * (0.0 - change))
