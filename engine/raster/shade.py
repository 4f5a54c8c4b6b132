"""Colour of each pixel: sun with shadows, sky, a highlight, and a floor with a grid.

colour = albedo · (sky(n) + sun · max(0, n · s) · visible) + highlight · visible, in linear light
"""

import taichi as ti

from .fill import Floats1, Floats2, Keys, Rows, Vec3, Words1, Words2, apply_rows, place_point

# Places of the numbers in `view`
EYE, FORWARD, RIGHT, UP, SUN = 0, 3, 6, 9, 12
FLOOR, FADE, CELL, ANGLE, BIAS = 15, 16, 17, 18, 19
TOP, HORIZON = 20, 23
VIEW = 26
"""Number of numbers that describe a view."""

SUNLIGHT = 0.78
SKY, GROUND = 0.46, 0.2  # light from above and from below
FLOOR_COLOR = (0.44, 0.455, 0.48)
LINE_COLOR = (0.31, 0.32, 0.34)
SHADOW = 0.5  # opacity of shadows on a transparent floor
TABLE = 4095  # last index of the table from linear light to bytes

Bytes1 = ti.types.ndarray(ti.u8, 1)
Bytes3 = ti.types.ndarray(ti.u8, 3)


@ti.func
def vector_at(view: ti.template(), place):
    """Return three numbers of a view."""
    return Vec3(view[place], view[place + 1], view[place + 2])


@ti.func
def sun_visibility(shadows: ti.template(), texel):
    """Return the share of nine texels about a place that the sun reaches; all outside the map."""
    hits = 0.0
    x, y = ti.cast(ti.floor(texel[0]), ti.i32), ti.cast(ti.floor(texel[1]), ti.i32)
    if x > 0 and y > 0 and x < shadows.shape[1] - 1 and y < shadows.shape[0] - 1 and texel[2] > 0.0:
        depth = ti.bit_cast(texel[2], ti.i32)
        fx, fy = texel[0] - ti.floor(texel[0]), texel[1] - ti.floor(texel[1])
        for i, j in ti.static(ti.ndrange(3, 3)):
            if shadows[y + j - 1, x + i - 1] < depth:
                across = (1.0 - fx, 1.0, fx)[i]
                down = (1.0 - fy, 1.0, fy)[j]
                hits += 0.25 * across * down
    return 1.0 - hits


@ti.func
def line_coverage(place, cell, width, footprint):
    """Return how much of a pixel lines at all multiples of `cell` cover; far away they fade."""
    gap = ti.abs(place / cell - ti.floor(place / cell + 0.5)) * cell
    sharp = ti.min(1.0, ti.max(0.0, (width - gap) / footprint + 0.5)) * ti.min(1.0, 2.0 * width / footprint)
    return sharp * ti.max(0.0, 1.0 - 2.0 * footprint / cell)


@ti.func
def floor_albedo(place, cell, footprint, axis):
    """Return the colour of the floor: fine lines, and a bolder one every fifth."""
    p, q = place[0], place[1]
    if axis == 1:
        q = place[2]
    fine = ti.max(line_coverage(p, cell, 0.006 * cell, footprint), line_coverage(q, cell, 0.006 * cell, footprint))
    bold = ti.max(
        line_coverage(p, 5.0 * cell, 0.016 * cell, footprint), line_coverage(q, 5.0 * cell, 0.016 * cell, footprint)
    )
    share = ti.max(0.7 * fine, bold)
    return (1.0 - share) * Vec3(*FLOOR_COLOR) + share * Vec3(*LINE_COLOR)


@ti.func
def background(view: ti.template(), ray, axis):
    """Return the colour behind everything: from the horizon upwards to the top."""
    rise = ti.sqrt(ti.min(1.0, ti.max(0.0, ray[axis] / ray.norm())))
    return (1.0 - rise) * vector_at(view, HORIZON) + rise * vector_at(view, TOP)


@ti.kernel
def shade_kernel(
    keys: Keys,
    shadows: Words2,
    points: Floats2,
    normals: Floats2,
    triangles: Words2,
    owner: Words1,
    frames: Floats2,
    turns: Floats2,
    surfaces: Floats2,
    view: Floats1,
    light: Rows,
    axis: ti.i32,
    shapes: ti.i32,
    samples: ti.i32,
    transparent: ti.i32,
    table: Bytes1,
    picture: Bytes3,
):
    """Shade each pixel once per triangle that its samples see, and write bytes (h, w, 4)."""
    for y, x in ti.ndrange(picture.shape[0], picture.shape[1]):
        color, alpha, done = Vec3(0.0, 0.0, 0.0), 0.0, 0
        many = samples * samples
        for i in range(many):
            if (done >> i) & 1 == 0:
                key = keys[y * samples + i // samples, x * samples + i % samples]
                number = ti.cast(key, ti.i32)
                px, py, count = 0.0, 0.0, 0
                for j in range(i, many):
                    other = keys[y * samples + j // samples, x * samples + j % samples]
                    if ti.cast(other, ti.i32) == number:
                        px += ti.cast(j % samples, ti.f32)
                        py += ti.cast(j // samples, ti.f32)
                        count += 1
                        done |= 1 << j
                sx = (x + (px / count + 0.5) / samples) / picture.shape[1] * 2.0 - 1.0
                sy = 1.0 - (y + (py / count + 0.5) / samples) / picture.shape[0] * 2.0
                ray = vector_at(view, FORWARD) + sx * vector_at(view, RIGHT) + sy * vector_at(view, UP)
                eye = vector_at(view, EYE)
                reach, solid = 1e30, 0
                place, normal, albedo = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
                metallic, rough = 0.0, 1.0
                if number >= 0:
                    f = number % triangles.shape[0]
                    a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
                    shape = number // triangles.shape[0] * shapes + owner[a]
                    p = place_point(frames, shape, Vec3(points[a, 0], points[a, 1], points[a, 2]))
                    q = place_point(frames, shape, Vec3(points[b, 0], points[b, 1], points[b, 2]))
                    r = place_point(frames, shape, Vec3(points[c, 0], points[c, 1], points[c, 2]))
                    # p + v (q - p) + w (r - p) = eye + reach · ray
                    one, two, arm = q - p, r - p, eye - p
                    across = ray.cross(two)
                    size = one.dot(across)
                    reach = 1.0 / ti.bit_cast(2147483647 - ti.cast(key >> 32, ti.i32), ti.f32)
                    v, w = 1.0 / 3.0, 1.0 / 3.0
                    if size != 0.0:
                        v = ti.min(1.0, ti.max(0.0, arm.dot(across) / size))
                        w = ti.min(1.0 - v, ti.max(0.0, ray.dot(arm.cross(one)) / size))
                    place = eye + reach * ray
                    local = (
                        (1.0 - v - w) * Vec3(normals[a, 0], normals[a, 1], normals[a, 2])
                        + v * Vec3(normals[b, 0], normals[b, 1], normals[b, 2])
                        + w * Vec3(normals[c, 0], normals[c, 1], normals[c, 2])
                    )
                    for k in ti.static(range(3)):
                        normal[k] = (
                            turns[shape, 3 * k] * local[0]
                            + turns[shape, 3 * k + 1] * local[1]
                            + turns[shape, 3 * k + 2] * local[2]
                        )
                    normal = normal.normalized(1e-12)
                    albedo = Vec3(surfaces[owner[a], 0], surfaces[owner[a], 1], surfaces[owner[a], 2])
                    metallic, rough = surfaces[owner[a], 4], surfaces[owner[a], 5]
                    solid = 1
                drop = view[FLOOR] - eye[axis]
                fade = 0.0
                if drop < 0.0 and ray[axis] < 0.0 and drop / ray[axis] < reach:
                    reach = drop / ray[axis]
                    place = eye + reach * ray
                    normal = Vec3(0.0, 0.0, 0.0)
                    normal[axis] = 1.0
                    distance = reach * ray.norm()
                    footprint = view[ANGLE] * distance * ray.norm() / ti.max(0.02, -ray[axis])
                    albedo = floor_albedo(place, view[CELL], footprint, axis)
                    fade = 1.0 - ti.exp(-((distance / view[FADE]) ** 2))
                    solid = 2
                shown = background(view, ray, axis)
                cover = 0.0
                if solid > 0:
                    toward = -ray.normalized()
                    if normal.dot(toward) < 0.0:
                        normal = -normal
                    sun = vector_at(view, SUN)
                    facing = ti.max(0.0, normal.dot(sun))
                    visible = 0.0
                    if facing > 0.0:
                        visible = sun_visibility(shadows, apply_rows(light, place + view[BIAS] * normal))
                    sky = 0.5 * (1.0 + normal[axis])
                    bright = albedo * (GROUND + (SKY - GROUND) * sky + SUNLIGHT * facing * visible)
                    if solid == 1:
                        bright += albedo * 0.16 * ti.max(0.0, normal.dot(toward))
                        gloss = ti.max(0.0, normal.dot((sun + toward).normalized()))
                        sharp = 4.0 + 60.0 * (1.0 - rough) * (1.0 - rough)
                        tint = 0.25 * (1.0 - rough) * ((1.0 - metallic) * Vec3(1.0, 1.0, 1.0) + 1.6 * metallic * albedo)
                        bright += tint * visible * gloss / (sharp - sharp * gloss + gloss)
                        shown, cover = bright, 1.0
                    elif transparent == 1:
                        shown, cover = Vec3(0.0, 0.0, 0.0), SHADOW * (1.0 - visible) * (1.0 - fade)
                    else:
                        shown, cover = (1.0 - fade) * bright + fade * shown, 1.0
                if transparent == 1:
                    shown *= cover
                color += shown * ti.cast(count, ti.f32)
                alpha += cover * ti.cast(count, ti.f32)
        alpha /= ti.cast(many, ti.f32)
        color /= ti.cast(many, ti.f32)
        if transparent == 1:
            color /= ti.max(alpha, 1e-6)
        for k in ti.static(range(3)):
            picture[y, x, k] = table[ti.cast(ti.min(1.0, ti.max(0.0, color[k])) * TABLE + 0.5, ti.i32)]
        picture[y, x, 3] = ti.cast(ti.min(1.0, alpha) * 255.0 + 0.5, ti.u8)
