"""Numbers of one lane: components by index, extremes."""

import taichi as ti

from ..lanes import materialize, traced
from ..spatial import Vec3

FLOAT_EPSILON = 1.1920929e-7
"""Difference of 1 and the next number in single precision: PhysX's tolerance of areas and weights."""


@traced
def least(v):
    """Return the least component of a vector."""
    return materialize(ti.min(ti.min(v.x, v.y), v.z))


@traced
def largest_magnitude(v):
    """Return the largest magnitude of a component of a vector."""
    return materialize(ti.max(ti.max(ti.abs(v.x), ti.abs(v.y)), ti.abs(v.z)))


@traced
def unit_by_reciprocal(v, fallback):
    """Return a vector scaled to length 1, or `fallback` where it has no length."""
    length = materialize(v.norm())
    scale = materialize(1.0 / ti.max(length, 1e-30))
    return Vec3(
        ti.select(length > 0.0, v.x * scale, fallback.x),
        ti.select(length > 0.0, v.y * scale, fallback.y),
        ti.select(length > 0.0, v.z * scale, fallback.z),
    )


@traced
def component(v, i):
    """Return component i of a vector; i is a Python number."""
    return (v.x, v.y, v.z)[i]


@traced
def component_of_rows(m, i, j):
    """Return the number in row i and column j of a matrix; both are Python numbers."""
    return component((m.a, m.b, m.c)[j], i)
