"""Hits of rays on triangles, with the surface there: normal, colour, texture."""

import taichi as ti

from .fill import Vec3

TURN = 12  # place of what turns normals in a row of frames
UV = 3  # place of texture coordinates in a row of attributes
TEXTURE = 7  # place of the number of a texture, from 0 on, in a row of surfaces
CURVE = 2.4  # of sRGB


@ti.func
def hit_barycentric(arm, ray, one, two):
    """Return the weights (v, w) of a triangle's second and third corner where a ray meets it.

    p + v one + w two = eye + reach · ray, with arm = eye - p. Where the ray grazes the triangle, its middle counts.
    """
    across = ray.cross(two)
    size = one.dot(across)
    v, w = 1.0 / 3.0, 1.0 / 3.0
    if size != 0.0:
        v = ti.min(1.0, ti.max(0.0, arm.dot(across) / size))
        w = ti.min(1.0 - v, ti.max(0.0, ray.dot(arm.cross(one)) / size))
    return v, w


@ti.func
def turn_normal(frames: ti.template(), shape, normal):
    """Return a normal of a shape in the world, of length 1."""
    found = Vec3(0.0, 0.0, 0.0)
    for i in ti.static(range(3)):
        found[i] = (
            frames[shape, TURN + 3 * i] * normal[0]
            + frames[shape, TURN + 3 * i + 1] * normal[1]
            + frames[shape, TURN + 3 * i + 2] * normal[2]
        )
    return found.normalized(1e-12)


@ti.func
def row_vector(rows: ti.template(), row):
    """Return the first three numbers of a row."""
    return Vec3(rows[row, 0], rows[row, 1], rows[row, 2])


@ti.func
def linear_light(value):
    """Return linear light of an sRGB byte."""
    share = ti.cast(value, ti.f32) / 255.0
    linear = share / 12.92
    if share > 0.04045:
        linear = ti.pow((share + 0.055) / 1.055, CURVE)
    return linear


@ti.func
def texture_color(texels: ti.template(), sheets: ti.template(), number, place):
    """Return the colour of a texture at coordinates (u, v): linear between texels; the picture repeats."""
    start, width, height = sheets[number, 0], sheets[number, 1], sheets[number, 2]
    x, y = place[0] * width - 0.5, (1.0 - place[1]) * height - 0.5
    column, row = ti.cast(ti.floor(x), ti.i32), ti.cast(ti.floor(y), ti.i32)
    color = Vec3(0.0, 0.0, 0.0)
    for i, j in ti.static(ti.ndrange(2, 2)):
        across, down = ti.abs(1.0 - i - (x - column)), ti.abs(1.0 - j - (y - row))
        at = start + ((row + j) % height) * width + (column + i) % width
        for k in ti.static(range(3)):
            color[k] += across * down * linear_light(texels[at, k])
    return color


@ti.func
def corner_place(attributes: ti.template(), corners, v, w):
    """Return the texture coordinates within a triangle with the weights v and w of its second and third corner."""
    u = 1.0 - v - w
    a, b, c = corners[0], corners[1], corners[2]
    return ti.Vector(
        [u * attributes[a, UV + k] + v * attributes[b, UV + k] + w * attributes[c, UV + k] for k in ti.static(range(2))]
    )
