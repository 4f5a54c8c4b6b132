"""Lists of candidate points of a shape on a triangle mesh: points that lie together are dropped."""

import taichi as ti

from ....lanes import traced


@traced
def move_candidate(w, to, source):
    """Copy a candidate."""
    for name in ("point_a", "point_b", "normal"):
        getattr(w.candidate[to], name)._assign(getattr(w.candidate[source], name).copy())
    w.candidate[to].distance._assign(w.candidate[source].distance + 0.0)


@ti.func
def lie_together(w: ti.template(), i, j, near):
    """Return whether two candidates lie within a length on the mesh."""
    d = w.candidate[i].point_b - w.candidate[j].point_b
    return d.dot(d) < near * near


@ti.func
def drop_near(w: ti.template(), i, first, end, near):
    """Drop the candidates from `first` to `end` that lie with candidate i; return where the rest ends."""
    j, last = first + 0, end + 0
    while j < last:
        if lie_together(w, i, j, near):
            last -= 1
            move_candidate(w, j, last)
        else:
            j += 1
    return last


@ti.func
def keep_deepest(w: ti.template(), i, first, end, near):
    """Drop the candidates from `first` to `end` that lie with candidate i, which becomes the deepest of them."""
    j, last = first + 0, end + 0
    while j < last:
        if lie_together(w, i, j, near):
            if w.candidate[i].distance > w.candidate[j].distance:
                move_candidate(w, i, j)
            last -= 1
            move_candidate(w, j, last)
        else:
            j += 1
    return last
