"""Projection of points, and the nearest triangle at each sample of a picture and of a shadow map.

A key is (depth, triangle). The least key of a sample wins, whatever the order, so any number of threads gives the same
bits.
"""

import taichi as ti

NOTHING = (1 << 63) - 1
"""The key of a sample without a triangle."""
FAR = (1 << 31) - 1
"""The depth of a texel without a triangle."""

FRONT = 1024.0
"""Factor by which overlays are drawn nearer than they are; a power of two loses no bits."""

Floats1 = ti.types.ndarray(ti.f32, 1)
Floats2 = ti.types.ndarray(ti.f32, 2)
Words1 = ti.types.ndarray(ti.i32, 1)
Words2 = ti.types.ndarray(ti.i32, 2)
Bytes1 = ti.types.ndarray(ti.u8, 1)
Bytes2 = ti.types.ndarray(ti.u8, 2)
Bytes3 = ti.types.ndarray(ti.u8, 3)
Keys = ti.types.ndarray(ti.i64, 1)  # of the samples, row by row
Rows = ti.types.matrix(3, 4, ti.f32)
Vec3 = ti.types.vector(3, ti.f32)
BAYER = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)  # thresholds of 4 x 4 samples


@ti.func
def apply_rows(rows, point):
    """Return rows (3, 4) · (point, 1)."""
    found = Vec3(0.0, 0.0, 0.0)
    for i in ti.static(range(3)):
        found[i] = rows[i, 0] * point[0] + rows[i, 1] * point[1] + rows[i, 2] * point[2] + rows[i, 3]
    return found


@ti.func
def place_point(frames: ti.template(), shape, point):
    """Return a point of a shape in the world; a frame begins with 12 numbers, three rows of four."""
    found = Vec3(0.0, 0.0, 0.0)
    for i in ti.static(range(3)):
        found[i] = (
            frames[shape, 4 * i] * point[0]
            + frames[shape, 4 * i + 1] * point[1]
            + frames[shape, 4 * i + 2] * point[2]
            + frames[shape, 4 * i + 3]
        )
    return found


@ti.kernel
def project_kernel(
    points: Floats2,
    owner: Words1,
    frames: Floats2,
    first: ti.i32,
    camera: Rows,
    light: Rows,
    seen: Floats2,
    lit: Floats2,
):
    """Project the points of a world, whose shapes have the frames from `first` on.

    `seen` gets (x w, y w, w) with x and y in samples and w the depth along the view; `lit` gets texels and depth.
    """
    for i in range(points.shape[0]):
        place = place_point(frames, first + owner[i], Vec3(points[i, 0], points[i, 1], points[i, 2]))
        image = apply_rows(camera, place)
        texel = apply_rows(light, place)
        for k in ti.static(range(3)):
            seen[i, k] = image[k]
            lit[i, k] = texel[k]


@ti.kernel
def clear_kernel(keys: Keys, nothing: ti.i64, depths: Words1, far: ti.i32):
    """Set all keys and depths."""
    for i in range(keys.shape[0]):
        keys[i] = nothing
    for i in range(depths.shape[0]):
        depths[i] = far


@ti.func
def at_near(a, b, near):
    """Return the point of an edge in the near plane."""
    share = (near - a[2]) / (b[2] - a[2])
    return a + share * (b - a)


@ti.func
def cut_triangle(a, b, c, near):
    """Return the part of a triangle before the near plane: a, b, c, and of two parts a, b, c and a, c, d."""
    before = ti.cast(a[2] > near, ti.i32) + 2 * ti.cast(b[2] > near, ti.i32) + 4 * ti.cast(c[2] > near, ti.i32)
    d, parts = c, ti.cast(before > 0, ti.i32)
    if before > 0 and before < 7:
        # turn the triangle so that a is the corner that lies alone on its side of the near plane
        if before == 2 or before == 5:
            a, b, c = b, c, a
        elif before == 4 or before == 3:
            a, b, c = c, a, b
        if a[2] > near:
            b, c = at_near(a, b, near), at_near(a, c, near)
        else:
            ab, ac = at_near(a, b, near), at_near(a, c, near)
            a, d = ab, ac
            parts = 2
    return a, b, c, d, parts


@ti.func
def first_sample(low, count):
    """Return the index of the first sample centre at or above a coordinate, within bounds."""
    return ti.cast(ti.ceil(ti.min(ti.max(low - 0.5, 0.0), ti.cast(count, ti.f32))), ti.i32)


@ti.func
def last_sample(high, count):
    """Return the index of the last sample centre at or below a coordinate, within bounds."""
    return ti.cast(ti.floor(ti.min(ti.max(high - 0.5, -1.0), ti.cast(count - 1, ti.f32))), ti.i32)


@ti.func
def is_covered(x, y, opacity):
    """Return whether a sample takes part in a translucent surface: as many of 16 as its opacity."""
    threshold = 0
    for k in ti.static(range(16)):
        if (y & 3) * 4 + (x & 3) == k:
            threshold = BAYER[k]
    return opacity * 16.0 > ti.cast(threshold, ti.f32) + 0.5


@ti.func
def double_area(corners):
    """Return twice the area of a triangle (ax, ay, bx, by, cx, cy), negative if it is seen from behind."""
    bx, by = corners[2] - corners[0], corners[3] - corners[1]
    return bx * (corners[5] - corners[1]) - by * (corners[4] - corners[0])


@ti.func
def edge_weights(x, y, corners):
    """Return the weights of a triangle's corners, (ax, ay, bx, by, cx, cy), at a sample; negative outside.

    The weight of a corner is the area of the triangle of the sample and the other two, by the area of the whole.
    """
    bx, by, cx, cy = corners[2] - corners[0], corners[3] - corners[1], corners[4] - corners[0], corners[5] - corners[1]
    px, py = ti.cast(x, ti.f32) + 0.5 - corners[0], ti.cast(y, ti.f32) + 0.5 - corners[1]
    scale = 1.0 / double_area(corners)
    wb, wc = (px * cy - py * cx) * scale, (bx * py - by * px) * scale
    return Vec3(1.0 - wb - wc, wb, wc)


@ti.func
def sample_range(corners, width, height):
    """Return the first and last columns and rows of the samples that a triangle may cover; none where it is flat."""
    x0 = first_sample(ti.min(corners[0], corners[2], corners[4]), width)
    x1 = last_sample(ti.max(corners[0], corners[2], corners[4]), width)
    y0 = first_sample(ti.min(corners[1], corners[3], corners[5]), height)
    y1 = last_sample(ti.max(corners[1], corners[3], corners[5]), height)
    if double_area(corners) == 0.0 or x0 > x1:
        y1 = y0 - 1
    return x0, x1, y0, y1


@ti.func
def point_row(points: ti.template(), i):
    """Return a row of three numbers."""
    return Vec3(points[i, 0], points[i, 1], points[i, 2])


@ti.kernel
def fill_keys_kernel(
    triangles: Words2, surfaces: Floats2, seen: Floats2, keys: Keys, width: ti.i32, number: ti.i32, near: ti.f32
):
    """Enter the triangles of a world, numbered from `number` on, into the keys of a picture; cut them at `near` [m]."""
    height = keys.shape[0] // width
    for f in range(triangles.shape[0]):
        owner = triangles[f, 3]
        a, b, c = (
            point_row(seen, triangles[f, 0]),
            point_row(seen, triangles[f, 1]),
            point_row(seen, triangles[f, 2]),
        )
        a, b, c, d, parts = cut_triangle(a, b, c, near)
        if parts > 0:
            opacity, front = surfaces[owner, 3], surfaces[owner, 6]
            for part in range(parts):
                q, r = b, c
                if part == 1:
                    q, r = c, d
                inverse = Vec3(1.0 / a[2], 1.0 / q[2], 1.0 / r[2])
                corners = ti.Vector(
                    [a[0] * inverse[0], a[1] * inverse[0], q[0] * inverse[1], q[1] * inverse[1],
                     r[0] * inverse[2], r[1] * inverse[2]]
                )  # fmt: skip
                x0, x1, y0, y1 = sample_range(corners, width, height)
                for y in range(y0, y1 + 1):
                    for x in range(x0, x1 + 1):
                        weights = edge_weights(x, y, corners)
                        if weights.min() >= 0.0:
                            depth = FAR - ti.bit_cast(front * weights.dot(inverse), ti.i32)
                            key = (ti.cast(depth, ti.i64) << 32) | ti.cast(number + f, ti.i64)
                            if key < keys[y * width + x] and (opacity >= 1.0 or is_covered(x, y, opacity)):
                                ti.atomic_min(keys[y * width + x], key)


@ti.kernel
def fill_depths_kernel(triangles: Words2, surfaces: Floats2, lit: Floats2, depths: Words1, texels: ti.i32):
    """Enter the opaque triangles of a world into the depths of a shadow map."""
    for f in range(triangles.shape[0]):
        i, j, k, owner = triangles[f, 0], triangles[f, 1], triangles[f, 2], triangles[f, 3]
        if surfaces[owner, 3] >= 1.0 and surfaces[owner, 6] == 1.0:
            corners = ti.Vector([lit[i, 0], lit[i, 1], lit[j, 0], lit[j, 1], lit[k, 0], lit[k, 1]])
            heights = Vec3(lit[i, 2], lit[j, 2], lit[k, 2])
            x0, x1, y0, y1 = sample_range(corners, texels, texels)
            for y in range(y0, y1 + 1):
                for x in range(x0, x1 + 1):
                    weights = edge_weights(x, y, corners)
                    if weights.min() >= 0.0:
                        depth = ti.bit_cast(ti.max(0.0, weights.dot(heights)), ti.i32)
                        if depth < depths[y * texels + x]:
                            ti.atomic_min(depths[y * texels + x], depth)
