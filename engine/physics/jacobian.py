"""Jacobian J(q): velocities of the links' centres of mass per velocity of each coordinate, in world axes.

v_l = Σ (S.lin + S.ang × (x_l − x_j)) q̇_j,  ω_l = Σ S.ang q̇_j        over the j on the way from l to the root
"""

import taichi as ti

from .accessors import NODE_ROW, get_motion, get_vector
from .host_array import ASKED, coordinate, link_slot, request_word, write_spatial, zero_columns
from .inverse_dynamics import compute_kinematics
from .mass_matrix import unit_motion
from .spatial import zero_vector
from .world_view import NODE_AT, node


@ti.func
def jacobian(w: ti.template(), request):
    """Write six rows per requested link, linear ones first."""
    compute_kinematics(w, request)
    size = request.columns
    for k in range(request.root, request.end):
        if link_slot(request, k) >= 0:
            first, offset, j = link_slot(request, k) * 6 * size, zero_vector(), k
            zero_columns(request.answer, first, 6 * size)
            while j > request.root:
                if coordinate(request, j) >= 0:
                    s = get_motion(w, j, NODE_ROW.SUBSPACE).outward(offset)
                    write_spatial(request.answer, first + coordinate(request, j), s, size)
                offset = offset + get_vector(w, j, NODE_ROW.OFFSET)
                j = node(w, j, NODE_AT.PARENT)
            for axis in range(request_word(request, ASKED.BASE)):
                write_spatial(request.answer, first + axis, unit_motion(axis).outward(offset), size)
