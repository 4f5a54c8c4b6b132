"""Joint-space inertia M(q). RBDA, composite-rigid-body algorithm.

    M_kj = S_j · (I_c,k S_k seen at j) for j on the way from k to the root,  M_kk = S_k · I_c,k S_k + armature

I_c,k is the inertia of all links beyond k as one rigid body. The base's coordinates are its unit motions.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_motion,
    get_tensor,
    get_vector,
    parameter,
    put,
    put_tensor,
    put_vector,
)
from .host_array import ASKED, coordinate, request_word, write_column, write_spatial, zero_columns
from .inverse_dynamics import compute_kinematics
from .lanes import Struct, broadcast, materialize, traced
from .spatial import Force, Motion, Sym3, Vec3, zero_vector
from .world_view import NODE_AT, node


class CompositeInertia(Struct):
    """Rigid body about a point: mass, mass times centre of mass, inertia."""

    parts = ("mass", "moment", "inertia")

    @traced
    def apply(self, v):
        """Return the momentum of a motion, or the wrench of an acceleration."""
        lin = v.lin * self.mass - self.moment.cross(v.ang)
        return Force(self.inertia.apply(v.ang) + self.moment.cross(v.lin), lin)

    @traced
    def __add__(self, o):
        return CompositeInertia(self.mass + o.mass, self.moment + o.moment, self.inertia + o.inertia)

    @traced
    def inward(self, d):
        """Return this body about the parent's origin: I + (h·d + d·h + m |d|²) 1 − h dᵀ − d hᵀ − m d dᵀ."""
        moment = self.moment + d * self.mass
        size = materialize(d.dot(self.moment) + d.dot(moment))
        inertia = self.inertia + Sym3(size, broadcast(0.0), broadcast(0.0), size, broadcast(0.0), size)
        return CompositeInertia(self.mass, moment, inertia.plus_symmetric((self.moment + moment) * -0.5, d))


@traced
def get_body(w: ti.template(), k):
    """Return the composite inertia accumulated at node k."""
    return CompositeInertia(
        get(w, k, NODE_ROW.ARTICULATED_INERTIA),
        get_vector(w, k, NODE_ROW.ARTICULATED_INERTIA + 1),
        get_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA + 4),
    )


@traced
def put_body(w: ti.template(), k, body):
    """Write the composite inertia accumulated at node k."""
    put(w, k, NODE_ROW.ARTICULATED_INERTIA, body.mass)
    put_vector(w, k, NODE_ROW.ARTICULATED_INERTIA + 1, body.moment)
    put_tensor(w, k, NODE_ROW.ARTICULATED_INERTIA + 4, body.inertia)


@ti.func
def unit_motion(axis):
    """Return the unit motion of a base along one of its six coordinates: three translations, three rotations."""
    one = [broadcast(ti.select(axis == i, 1.0, 0.0)) for i in ti.static(range(6))]
    return Motion(Vec3(one[3], one[4], one[5]), Vec3(one[0], one[1], one[2]))


@ti.func
def write_symmetric(request, row, column, value):
    """Write an element of the matrix and the one across the diagonal."""
    write_column(request.answer, row * request.columns + column, value)
    write_column(request.answer, column * request.columns + row, value)


@ti.func
def mass_matrix(w: ti.template(), request):
    """Write M row by row. Elements between coordinates of different branches are 0."""
    compute_kinematics(w, request)
    root, size = request.root, request.columns
    zero_columns(request.answer, 0, size * size)
    for k in range(root, request.end):
        put_body(
            w, k, CompositeInertia(get(w, k, NODE_ROW.MASS), zero_vector(), get_tensor(w, k, NODE_ROW.WORLD_INERTIA))
        )
    for step in range(request.end - 1 - root):
        k = request.end - 1 - step
        body, s, at = get_body(w, k), get_motion(w, k, NODE_ROW.SUBSPACE), coordinate(request, k)
        if at >= 0:
            f = body.apply(s)
            inertia = s.dot(f)
            if request_word(request, ASKED.ARMATURE) > 0:
                inertia += parameter(w, PARAMETER.ARMATURE, node(w, k, NODE_AT.DOF))
            write_column(request.answer, at * size + at, inertia)
            j = k
            while j > root:
                f = f.inward(get_vector(w, j, NODE_ROW.OFFSET))
                j = node(w, j, NODE_AT.PARENT)
                if coordinate(request, j) >= 0:
                    write_symmetric(request, at, coordinate(request, j), get_motion(w, j, NODE_ROW.SUBSPACE).dot(f))
            if request_word(request, ASKED.BASE) > 0:
                write_spatial(request.answer, at * size, f)
                write_spatial(request.answer, at, f, size)
        parent = node(w, k, NODE_AT.PARENT)
        put_body(w, parent, get_body(w, parent) + body.inward(get_vector(w, k, NODE_ROW.OFFSET)))
    for axis in range(request_word(request, ASKED.BASE)):
        write_spatial(request.answer, axis * size, get_body(w, root).apply(unit_motion(axis)))
