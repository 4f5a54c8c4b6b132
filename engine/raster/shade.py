"""Colour of each pixel: sun with shadows, sky, a highlight, and a floor with a grid.

colour = albedo · (sky(n) + sun · max(0, n · s) · visible) + highlight · visible, in linear light
"""

import taichi as ti

from .fill import Floats1, Floats2, Keys, Rows, Vec3, Words1, Words2, apply_rows, place_point

# Places of the numbers in `view`
EYE, FORWARD, RIGHT, UP, SUN = 0, 3, 6, 9, 12
FLOOR, FADE, CELL, ANGLE, BIAS = 15, 16, 17, 18, 19
TOP, HORIZON = 20, 23
GLASS = 26  # 1: the floor hides nothing
VIEW = 27
"""Number of numbers that describe a view."""

SUNLIGHT = 0.78
SKY, GROUND = 0.46, 0.2  # light from above and from below
CAMERA_LIGHT = 0.16
FLOOR_COLOR = (0.44, 0.455, 0.48)
LINE_COLOR = (0.31, 0.32, 0.34)
SHADOW = 0.5  # opacity of shadows on a transparent floor
TABLE = 4095  # last index of the table from linear light to bytes
BRIGHTEST = 1.6  # linear light at its end

Bytes1 = ti.types.ndarray(ti.u8, 1)
Bytes3 = ti.types.ndarray(ti.u8, 3)


@ti.func
def vector_at(view: ti.template(), place):
    """Return three numbers of a view."""
    return Vec3(view[place], view[place + 1], view[place + 2])


@ti.func
def sun_visibility(shadows: ti.template(), texels, texel):
    """Return the share of nine texels about a place that the sun reaches; all outside the map."""
    hits = 0.0
    x, y = ti.cast(ti.floor(texel[0]), ti.i32), ti.cast(ti.floor(texel[1]), ti.i32)
    if x > 0 and y > 0 and x < texels - 1 and y < texels - 1 and texel[2] > 0.0:
        depth = ti.bit_cast(texel[2], ti.i32)
        fx, fy = texel[0] - ti.floor(texel[0]), texel[1] - ti.floor(texel[1])
        for i, j in ti.static(ti.ndrange(3, 3)):
            if shadows[(y + j - 1) * texels + x + i - 1] < depth:
                across = (1.0 - fx, 1.0, fx)[i]
                down = (1.0 - fy, 1.0, fy)[j]
                hits += 0.25 * across * down
    return 1.0 - hits


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
    fine = ti.max(line_coverage(p, 0.006, sharpness), line_coverage(q, 0.006, sharpness))
    p, q, sharpness = 0.2 * p, 0.2 * q, 5.0 * sharpness
    bold = ti.max(line_coverage(p, 0.0032, sharpness), line_coverage(q, 0.0032, sharpness))
    share = ti.max(0.7 * fine, bold)
    return (1.0 - share) * Vec3(*FLOOR_COLOR) + share * Vec3(*LINE_COLOR)


@ti.func
def background(view: ti.template(), ray, axis):
    """Return the colour behind everything in a direction: from the horizon upwards to the top."""
    rise = ti.sqrt(ti.min(1.0, ti.max(0.0, ray[axis])))
    return (1.0 - rise) * vector_at(view, HORIZON) + rise * vector_at(view, TOP)


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
def turn_normal(turns: ti.template(), shape, normal):
    """Return a normal of a shape in the world, of length 1."""
    found = Vec3(0.0, 0.0, 0.0)
    for i in ti.static(range(3)):
        found[i] = (
            turns[shape, 3 * i] * normal[0] + turns[shape, 3 * i + 1] * normal[1] + turns[shape, 3 * i + 2] * normal[2]
        )
    return found.normalized(1e-12)


@ti.func
def row_vector(rows: ti.template(), row):
    """Return the first three numbers of a row."""
    return Vec3(rows[row, 0], rows[row, 1], rows[row, 2])


@ti.func
def highlight(albedo, metallic, rough, gloss):
    """Return the mirrored sun; `gloss` is the cosine between the normal and the half vector."""
    sharp = 4.0 + 60.0 * (1.0 - rough) * (1.0 - rough)
    tint = (1.0 - metallic) * Vec3(1.0, 1.0, 1.0) + 1.6 * metallic * albedo
    return 0.25 * (1.0 - rough) * gloss / (sharp - sharp * gloss + gloss) * tint


@ti.kernel
def shade_kernel(
    keys: Keys,
    shadows: Words1,
    texels: ti.i32,
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
    samples: ti.template(),
    transparent: ti.i32,
    table: Bytes1,
    picture: Bytes3,
):
    """Shade each pixel once per triangle that its samples see, and write bytes (h, w, 4)."""
    width = picture.shape[1] * samples
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            color, alpha, done = Vec3(0.0, 0.0, 0.0), 0.0, 0
            many = samples * samples
            for i in range(many):
                if (done >> i) & 1 == 0:
                    key = keys[(y * samples + i // samples) * width + x * samples + i % samples]
                    number = ti.cast(key, ti.i32)
                    px, py, count = 0, 0, 0
                    for j in range(i, many):
                        other = keys[(y * samples + j // samples) * width + x * samples + j % samples]
                        if ti.cast(other, ti.i32) == number:
                            px += j % samples
                            py += j // samples
                            count += 1
                            done |= 1 << j
                    weight = ti.cast(count, ti.f32)
                    sx = (x + (px / weight + 0.5) / samples) / picture.shape[1] * 2.0 - 1.0
                    sy = 1.0 - (y + (py / weight + 0.5) / samples) / picture.shape[0] * 2.0
                    ray = vector_at(view, FORWARD) + sx * vector_at(view, RIGHT) + sy * vector_at(view, UP)
                    length = ray.norm()
                    ray /= length
                    eye, sun = vector_at(view, EYE), vector_at(view, SUN)
                    reach, kind, gloss, front = 1e30, 0, 0.0, 0
                    normal, albedo = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
                    metallic, rough = 0.0, 1.0
                    if number >= 0:
                        f = number % triangles.shape[0]
                        a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
                        shape = number // triangles.shape[0] * shapes + owner[a]
                        p = place_point(frames, shape, row_vector(points, a))
                        q = place_point(frames, shape, row_vector(points, b))
                        r = place_point(frames, shape, row_vector(points, c))
                        v, w = hit_barycentric(eye - p, ray, q - p, r - p)
                        inverse = ti.bit_cast(2147483647 - ti.cast(key >> 32, ti.i32), ti.f32)
                        reach, front = (
                            length * surfaces[owner[a], 6] / inverse,
                            ti.cast(surfaces[owner[a], 6] > 1.0, ti.i32),
                        )
                        local = (1.0 - v - w) * row_vector(normals, a) + v * row_vector(normals, b)
                        normal = turn_normal(turns, shape, local + w * row_vector(normals, c))
                        albedo = row_vector(surfaces, owner[a])
                        metallic, rough = surfaces[owner[a], 4], surfaces[owner[a], 5]
                        kind = 1
                    drop, fade = view[FLOOR] - eye[axis], 0.0
                    if (
                        drop < 0.0
                        and ray[axis] < 0.0
                        and drop > reach * ray[axis]
                        and front == 0
                        and kind * view[GLASS] == 0.0
                    ):
                        reach = drop / ray[axis]
                        normal = Vec3(0.0, 0.0, 0.0)
                        normal[axis] = 1.0
                        footprint = view[ANGLE] * reach / ti.max(0.02, -ray[axis])
                        albedo = floor_albedo(eye + reach * ray, view[CELL], footprint, axis)
                        fade = 1.0 - ti.exp(-(reach / view[FADE]) * (reach / view[FADE]))
                        kind = 2
                    shown, cover = Vec3(0.0, 0.0, 0.0), 0.0
                    if kind != 1:
                        shown = background(view, ray, axis)
                    if kind > 0:
                        if normal.dot(ray) > 0.0:
                            normal = -normal
                        facing, visible = ti.max(0.0, normal.dot(sun)), ti.cast(front, ti.f32)
                        if facing > 0.0 and front == 0:
                            place = eye + reach * ray + view[BIAS] * normal
                            visible = sun_visibility(shadows, texels, apply_rows(light, place))
                        sky = 0.5 * (1.0 + normal[axis])
                        bright = albedo * (GROUND + (SKY - GROUND) * sky + SUNLIGHT * facing * visible)
                        if kind == 1:
                            gloss = ti.max(0.0, normal.dot((sun - ray).normalized()))
                            shown = bright - albedo * CAMERA_LIGHT * normal.dot(ray)
                            shown += visible * highlight(albedo, metallic, rough, gloss)
                            cover = 1.0
                        elif transparent == 1:
                            shown, cover = Vec3(0.0, 0.0, 0.0), SHADOW * (1.0 - visible) * (1.0 - fade)
                        else:
                            shown, cover = (1.0 - fade) * bright + fade * shown, 1.0
                    if transparent == 1:
                        shown *= cover
                    color += shown * weight
                    alpha += cover * weight
            color /= many
            alpha /= many
            if transparent == 1:
                color /= ti.max(alpha, 1e-6)
            for k in ti.static(range(3)):
                picture[y, x, k] = table[ti.cast(ti.min(1.0, ti.max(0.0, color[k] / BRIGHTEST)) * TABLE + 0.5, ti.i32)]
            picture[y, x, 3] = ti.cast(ti.min(1.0, alpha) * 255.0 + 0.5, ti.u8)
