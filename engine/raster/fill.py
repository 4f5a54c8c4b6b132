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
"""How many times nearer overlays are drawn than they are; a power of two loses no bits."""

Floats1 = ti.types.ndarray(ti.f32, 1)
Floats2 = ti.types.ndarray(ti.f32, 2)
Words1 = ti.types.ndarray(ti.i32, 1)
Words2 = ti.types.ndarray(ti.i32, 2)
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
    """Return a point of a shape in the world; a frame is 12 numbers, three rows of four."""
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


@ti.kernel
def fill_keys_kernel(
    triangles: Words2,
    owner: Words1,
    surfaces: Floats2,
    seen: Floats2,
    keys: Keys,
    width: ti.i32,
    number: ti.i32,
    near: ti.f32,
):
    """Enter the triangles of a world, numbered from `number` on, into the keys of a picture; cut them at `near` [m]."""
    height = keys.shape[0] // width
    for f in range(triangles.shape[0]):
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        a = Vec3(seen[i, 0], seen[i, 1], seen[i, 2])
        b = Vec3(seen[j, 0], seen[j, 1], seen[j, 2])
        c = Vec3(seen[k, 0], seen[k, 1], seen[k, 2])
        before = ti.cast(a[2] > near, ti.i32) + 2 * ti.cast(b[2] > near, ti.i32) + 4 * ti.cast(c[2] > near, ti.i32)
        if before > 0:
            d = c
            parts = 1
            if before != 7:
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
            opacity, front = surfaces[owner[i], 3], surfaces[owner[i], 6]
            for part in range(parts):
                q, r = b, c
                if part == 1:
                    q, r = c, d
                ia, ib, ic = 1.0 / a[2], 1.0 / q[2], 1.0 / r[2]
                ax, ay, bx, by, cx, cy = a[0] * ia, a[1] * ia, q[0] * ib, q[1] * ib, r[0] * ic, r[1] * ic
                x0 = first_sample(ti.min(ax, bx, cx), width)
                x1 = last_sample(ti.max(ax, bx, cx), width)
                y0 = first_sample(ti.min(ay, by, cy), height)
                y1 = last_sample(ti.max(ay, by, cy), height)
                area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
                if x0 <= x1 and y0 <= y1 and area != 0.0:
                    scale = 1.0 / area
                    for y in range(y0, y1 + 1):
                        py = ti.cast(y, ti.f32) + 0.5
                        for x in range(x0, x1 + 1):
                            px = ti.cast(x, ti.f32) + 0.5
                            wb = ((px - ax) * (cy - ay) - (py - ay) * (cx - ax)) * scale
                            wc = ((bx - ax) * (py - ay) - (by - ay) * (px - ax)) * scale
                            wa = 1.0 - wb - wc
                            if wa >= 0.0 and wb >= 0.0 and wc >= 0.0:
                                inverse = front * (wa * ia + wb * ib + wc * ic)
                                depth = FAR - ti.bit_cast(inverse, ti.i32)
                                key = (ti.cast(depth, ti.i64) << 32) | ti.cast(number + f, ti.i64)
                                if key < keys[y * width + x] and (opacity >= 1.0 or is_covered(x, y, opacity)):
                                    ti.atomic_min(keys[y * width + x], key)


@ti.kernel
def fill_depths_kernel(
    triangles: Words2, owner: Words1, surfaces: Floats2, lit: Floats2, depths: Words1, texels: ti.i32
):
    """Enter the opaque triangles of a world into the depths of a shadow map."""
    for f in range(triangles.shape[0]):
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, bx, by, cx, cy = lit[i, 0], lit[i, 1], lit[j, 0], lit[j, 1], lit[k, 0], lit[k, 1]
        x0 = first_sample(ti.min(ax, bx, cx), texels)
        x1 = last_sample(ti.max(ax, bx, cx), texels)
        y0 = first_sample(ti.min(ay, by, cy), texels)
        y1 = last_sample(ti.max(ay, by, cy), texels)
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if x0 <= x1 and y0 <= y1 and area != 0.0 and surfaces[owner[i], 3] >= 1.0 and surfaces[owner[i], 6] == 1.0:
            scale = 1.0 / area
            for y in range(y0, y1 + 1):
                py = ti.cast(y, ti.f32) + 0.5
                for x in range(x0, x1 + 1):
                    px = ti.cast(x, ti.f32) + 0.5
                    wb = ((px - ax) * (cy - ay) - (py - ay) * (cx - ax)) * scale
                    wc = ((bx - ax) * (py - ay) - (by - ay) * (px - ax)) * scale
                    wa = 1.0 - wb - wc
                    if wa >= 0.0 and wb >= 0.0 and wc >= 0.0:
                        depth = ti.bit_cast(ti.max(0.0, wa * lit[i, 2] + wb * lit[j, 2] + wc * lit[k, 2]), ti.i32)
                        if depth < depths[y * texels + x]:
                            ti.atomic_min(depths[y * texels + x], depth)
