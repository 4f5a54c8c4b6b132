"""Triangles: corners, and the nearest point to the origin."""

import taichi as ti

from ...lanes import Struct, broadcast
from ...spatial import Vec3
from ..simd import dot


class Corners(Struct):
    """Corners of a triangle."""

    parts, types = ("x", "y", "z"), (Vec3, Vec3, Vec3)


@ti.func
def nearest_weights(a, b, c):
    """Return the weights of a, b and c in the point of their triangle nearest to the origin.

    The weights of the corners that the point does not need are 0. The corners b and c may coincide, or all three.
    """
    ab, ac = b - a, c - a
    d1, d2 = 0.0 - dot(ab, a), 0.0 - dot(ac, a)
    d3, d4 = 0.0 - dot(ab, b), 0.0 - dot(ac, b)
    d5, d6 = 0.0 - dot(ab, c), 0.0 - dot(ac, c)
    n = ab.cross(ac)
    wa, wb, wc = dot(n, b.cross(c)), dot(n, c.cross(a)), dot(n, a.cross(b))
    x, y, z = broadcast(0.0), broadcast(0.0), broadcast(0.0)
    if d1 <= 0.0 and d2 <= 0.0:
        x = broadcast(1.0)
    elif d3 >= 0.0 and d4 <= d3:
        y = broadcast(1.0)
    elif d6 >= 0.0 and d5 <= d6:
        z = broadcast(1.0)
    elif wc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        y = d1 / (d1 - d3)
        x = 1.0 - y
    elif wb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        z = d2 / (d2 - d6)
        x = 1.0 - z
    elif wa <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        z = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        y = 1.0 - z
    else:
        total = ti.max(wa + wb + wc, 1e-30)
        y, z = wb / total, wc / total
        x = 1.0 - y - z
    return x, y, z
