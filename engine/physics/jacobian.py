"""Jacobian J(q): velocities of the links' centres of mass per velocity of each coordinate, in world axes.

v_l = Σ (S.lin + S.ang × (x_l − x_j)) q̇_j,  ω_l = Σ S.ang q̇_j        over the j on the way from l to the root
"""

import taichi as ti

from .host_array import write_spatial, zero_columns
from .inverse_dynamics import compute_kinematics
from .mass_matrix import unit_motion
from .spatial import zero_vector


@ti.func
def jacobian(w: ti.template(), request):
    """Write six rows per requested link, linear ones first."""
    compute_kinematics(w, request)
    size = request.columns
    for k in range(request.root, request.end):
        if request.link_slot[k] >= 0:
            first, offset, j = request.link_slot[k] * 6 * size, zero_vector(), k
            zero_columns(request.answer, first, 6 * size)
            while j > request.root:
                if request.coordinate[j] >= 0:
                    s = w.node[j].subspace.outward(offset)
                    write_spatial(request.answer, first + request.coordinate[j], s, size)
                offset = offset + w.node[j].offset
                j = w.node[j].parent
            for axis in range(request.base):
                write_spatial(request.answer, first + axis, unit_motion(axis).outward(offset), size)
