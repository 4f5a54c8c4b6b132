"""Joint-space inertia M(q). RBDA, composite-rigid-body algorithm.

    M_kj = S_j · (I_c,k S_k seen at j) for j on the way from k to the root,  M_kk = S_k · I_c,k S_k + armature

I_c,k is the inertia of all links beyond k as one rigid body. The base's coordinates are its unit motions.
"""

import taichi as ti

from .host_array import write_spatial, zero_columns
from .inverse_dynamics import compute_kinematics
from .lanes import broadcast
from .spatial import Motion, Vec3, zero_vector
from .spatial_inertia import CompositeInertia


@ti.func
def unit_motion(axis):
    """Return the unit motion of a base along one of its six coordinates: three translations, three rotations."""
    one = [broadcast(ti.select(axis == i, 1.0, 0.0)) for i in ti.static(range(6))]
    return Motion(Vec3(one[3], one[4], one[5]), Vec3(one[0], one[1], one[2]))


@ti.func
def write_symmetric(request, row, column, value):
    """Write an element of the matrix and the one across the diagonal."""
    request.answer[row * request.columns + column] = value
    request.answer[column * request.columns + row] = value


@ti.func
def mass_matrix(w: ti.template(), request):
    """Write M row by row. Elements between coordinates of different branches are 0."""
    compute_kinematics(w, request)
    root, size = request.root, request.columns
    zero_columns(request.answer, 0, size * size)
    for k in range(root, request.end):
        node = w.node[k]
        node.composite_inertia = CompositeInertia(node.mass, zero_vector(), node.world_inertia)
    for step in range(request.end - 1 - root):
        k = request.end - 1 - step
        node = w.node[k]
        body, s, at = node.composite_inertia, node.subspace, request.coordinate[k]
        if at >= 0:
            f = body.apply(s)
            inertia = s.dot(f)
            if request.armature > 0:
                inertia += w.param.armature[node.dof]
            request.answer[at * size + at] = inertia
            j = k
            while j > root:
                f = f.inward(w.node[j].offset)
                j = w.node[j].parent
                if request.coordinate[j] >= 0:
                    write_symmetric(request, at, request.coordinate[j], w.node[j].subspace.dot(f))
            if request.base > 0:
                write_spatial(request.answer, at * size, f)
                write_spatial(request.answer, at, f, size)
        parent = node.parent
        w.node[parent].composite_inertia += body.inward(node.offset)
    for axis in range(request.base):
        write_spatial(request.answer, axis * size, w.node[root].composite_inertia.apply(unit_motion(axis)))
