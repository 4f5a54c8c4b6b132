"""J(q): velocities of the links' centres of mass per speed of each coordinate, in world axes.

v_l = Σ (S.lin + S.ang × (x_l − x_j)) q̇_j,  ω_l = Σ S.ang q̇_j        over the j on the way from l to the root
"""

import taichi as ti

from .inverse_dynamics import survey
from .mass_matrix import unit
from .memory import ROW, get_motion, get_vector
from .sheet import ASKED, asked, clear, coordinate, place, write_spatial
from .spatial import no_vector
from .world import NODE_AT, node


@ti.func
def jacobian(w: ti.template(), request):
    """Six rows a link that is asked for, linear ones first: the answer."""
    survey(w, request)
    size = request.columns
    for k in range(request.root, request.end):
        if place(request, k) >= 0:
            first, offset, j = place(request, k) * 6 * size, no_vector(), k
            clear(request.answer, first, 6 * size)
            while j > request.root:
                if coordinate(request, j) >= 0:
                    s = get_motion(w, j, ROW.S).outward(offset)
                    write_spatial(request.answer, first + coordinate(request, j), s, size)
                offset = offset + get_vector(w, j, ROW.D)
                j = node(w, j, NODE_AT.PARENT)
            for axis in range(asked(request, ASKED.BASE)):
                write_spatial(request.answer, first + axis, unit(axis).outward(offset), size)
