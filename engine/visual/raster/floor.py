"""The floor with its grid, and what is behind everything."""

import taichi as ti

from .fill import Vec3
from .view_numbers import ANGLE, CELL, EYE, FADE, HORIZON, TOP

FLOOR_COLOR = (0.25, 0.31, 0.40)  # blue, which few robots are
LINE_COLOR = (0.13, 0.17, 0.24)


@ti.func
def vector_at(view: ti.template(), place):
    """Return three numbers of a view."""
    return Vec3(view[place], view[place + 1], view[place + 2])


@ti.func
def line_coverage(place, width, sharpness):
    """Return how much of a pixel lines at all whole numbers cover; `sharpness` is 1 / the size of a pixel."""
    gap = ti.abs(place - ti.floor(place + 0.5))
    sharp = ti.min(1.0, ti.max(0.0, (width - gap) * sharpness + 0.5)) * ti.min(1.0, 2.0 * width * sharpness)
    return sharp * ti.max(0.0, 1.0 - 2.0 / sharpness)  # far away lines fade


@ti.func
def floor_albedo(place, cell, footprint, axis):
    """Return the colour of the floor: fine lines, and a bolder one every fifth."""
    p, q = place[0] / cell, place[1] / cell
    if axis == 1:
        q = place[2] / cell
    sharpness = cell / footprint
    fine = ti.max(line_coverage(p, 0.008, sharpness), line_coverage(q, 0.008, sharpness))
    p, q, sharpness = 0.2 * p, 0.2 * q, 5.0 * sharpness
    bold = ti.max(line_coverage(p, 0.004, sharpness), line_coverage(q, 0.004, sharpness))
    share = ti.max(0.7 * fine, bold)
    return (1.0 - share) * Vec3(*FLOOR_COLOR) + share * Vec3(*LINE_COLOR)


@ti.func
def background(view: ti.template(), ray, axis):
    """Return the colour behind everything in a direction: from the horizon upwards to the top."""
    rise = ti.sqrt(ti.min(1.0, ti.max(0.0, ray[axis])))
    return (1.0 - rise) * vector_at(view, HORIZON) + rise * vector_at(view, TOP)


@ti.func
def floor_surface(view: ti.template(), ray, reach, axis):
    """Return the colour of the floor where a ray meets it, and how much of it fades into the background."""
    footprint = view[ANGLE] * reach / ti.max(0.02, -ray[axis])
    albedo = floor_albedo(vector_at(view, EYE) + reach * ray, view[CELL], footprint, axis)
    return albedo, 1.0 - ti.exp(-(reach / view[FADE]) * (reach / view[FADE]))
