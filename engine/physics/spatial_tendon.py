"""Spatial tendon: its length is that of a line through attachments on links, ℓ = Σ c |segment| + offset.

"Articulations", guide of the PhysX SDK, section "Spatial Tendons". Each leaf makes a tendon of one strand: b points
from the leaf to the attachment before it, a from the first attachment after the root to the root, both with their
moments. Attachments in between get no force, and a gearing c scales the length, not the force. A positive rate shortens
the tendon: stretch and excess have the opposite sign.
"""

import taichi as ti

from .lanes import Struct, broadcast, maximum
from .spatial import Force, zero_vector

MIN_SEGMENT_LENGTH = 1e-3  # [m] shorter segments have no direction


class TendonPath(Struct):
    """Course of a branch of a spatial tendon."""

    parts = (
        "length",  # of all segments, each times its gearing [m]
        "lever0",  # arm of the root attachment about its link's centre of mass [m]
        "lever1",  # arm of the leaf attachment [m]
        "n0",  # direction to the root
        "n1",  # direction from the leaf
    )


@ti.func
def tendon_path(w: ti.template(), t):
    """Return the course of tendon t at the current poses of its links."""
    length, lever0, lever1 = broadcast(0.0), zero_vector(), zero_vector()
    least = MIN_SEGMENT_LENGTH * w.param.metre[0]
    n0, n1, near = zero_vector(), zero_vector(), zero_vector()
    first = w.tendon[t].segment
    for p in range(first - 1, w.tendon[t].segment_end):
        i = w.segment[first].near
        if p >= first:
            i = w.segment[p].far
        link = w.attachment[i].link
        lever1 = w.state.orientation[link].rotate(w.param.attachment[i])
        far = w.state.position[link] + lever1
        if p < first:
            lever0 = lever1
        else:
            along = near - far
            distance = along.norm()
            length += distance * w.param.segment_gearing[p]
            n1 = along * ti.select(distance > least, 1.0 / maximum(distance, least), 0.0)
            if p == first:
                n0 = along * (1.0 / maximum(distance, 1e-30))
        near = far
    return TendonPath(length, lever0, lever1, n0, n1)


@ti.func
def prepare_spatial_tendon_row(w: ti.template(), t, i):
    """Compute the rows of strand i of tendon t."""
    at, item = tendon_path(w, t), w.strand[i]
    item.near = Force(at.lever0.cross(at.n0), at.n0)
    item.far = Force(at.lever1.cross(at.n1), at.n1)
