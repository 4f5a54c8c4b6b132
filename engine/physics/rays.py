"""Rays from bodies of all worlds to what stands still: triangles in a tree of bounding boxes, and shapes.

A vertical ray takes the triangles of its cell in a grid over x and y, without the tree.

A ray is x(t) = o + t d with |d| = 1; a hit is the smallest t from 0 to the farthest distance, from either side of a
surface. Triangles by the method of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2013: in axes
in which the ray is the third one, the corners are a, b, c, and

    u = c × b,  v = a × c,  w = b × a  (planar products),    t = (u a₃ + v b₃ + w c₃) / (u + v + w)

and the ray hits where u, v and w have one sign. What they round off, EDGE parts of their terms, is of that sign, so
that no ray passes between two triangles.
"""

import taichi as ti

from ..tables.rays import ALIGNMENTS, RAY_SHAPES, SHAPE_WIDTH
from . import BITS, TILE
from .lanes import TINY, Array, Float
from .world_view import share_of

EDGE = 2.0 ** -(50 if BITS == 64 else 21)  # four roundings
GROW = 1.0 + 4.0 * EDGE  # of the farther face of a box, whose distance is rounded


@ti.func
def rotated(q: ti.template(), v: ti.template()):
    """Return a vector turned by a quaternion (x, y, z, w)."""
    u = ti.Vector([q[0], q[1], q[2]])
    t = 2.0 * u.cross(v)
    return v + q[3] * t + u.cross(t)


@ti.func
def yaw_of(q: ti.template()):
    """Return the turn about z of a quaternion, as a quaternion."""
    c, s = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]), 2.0 * (q[3] * q[2] + q[0] * q[1])
    long = ti.sqrt(ti.max(c * c + s * s, TINY))
    half = ti.sqrt(ti.max(0.5 + 0.5 * c / long, 0.0))
    side = ti.sqrt(ti.max(0.5 - 0.5 * c / long, 0.0))
    return ti.Vector([0.0 * c, 0.0 * c, ti.select(s < 0.0, 0.0 - side, side), half])


@ti.func
def turned(v: ti.template(), axis):
    """Return a vector's parts in the cyclic order that ends with an axis."""
    first = ti.Vector([v[1], v[2], v[0]])
    second = ti.Vector([v[2], v[0], v[1]])
    return ti.select(axis == 0, first, ti.select(axis == 1, second, v))


@ti.func
def nearer(best, t, holds):
    """Return t where it holds, is not behind the start, and is nearer than the best so far."""
    return ti.select((holds != 0) & (t >= 0.0) & (t < best), t, best)


@ti.func
def nearer_of_two(best, ago, b, c, centre, slope, low, high):
    """Return the nearest of best and the roots of t² + 2 b t + c at which centre + slope t is from low to high."""
    whole = b * b - c
    root = ti.sqrt(ti.max(whole, 0.0))
    for side in ti.static((-1.0, 1.0)):
        t = side * root - b
        x = centre + slope * t
        best = nearer(best, ago + t, (whole >= 0.0) & (x >= low) & (x <= high))
    return best


@ti.func
def hit_sphere(best, ago, o: ti.template(), d: ti.template(), centre, radius, low, high):
    """Return the nearest hit with the part of a sphere on the x axis that lies from low to high along it."""
    x = o[0] - centre
    b = x * d[0] + o[1] * d[1] + o[2] * d[2]
    c = x * x + o[1] * o[1] + o[2] * o[2] - radius * radius
    return nearer_of_two(best, ago, b, c, o[0], d[0], low, high)


@ti.func
def hit_side(best, ago, o: ti.template(), d: ti.template(), half, radius, slope):
    """Return the nearest hit with the side of a cylinder or cone: its radius is radius - slope x."""
    wide = radius - slope * o[0]
    a = d[1] * d[1] + d[2] * d[2] - slope * slope * d[0] * d[0]
    b = o[1] * d[1] + o[2] * d[2] + slope * d[0] * wide
    c = o[1] * o[1] + o[2] * o[2] - wide * wide
    if ti.abs(a) > EDGE:
        best = nearer_of_two(best, ago, b / a, c / a, o[0], d[0], 0.0 - half, half)
    else:  # along the side of a cone
        t = 0.0 - c / ti.select(b == 0.0, TINY, 2.0 * b)
        best = nearer(best, ago + t, (b != 0.0) & (ti.abs(o[0] + t * d[0]) <= half))
    return best


@ti.func
def hit_disc(best, ago, o: ti.template(), d: ti.template(), x, radius):
    """Return the nearest hit with a disc across the x axis."""
    t = (x - o[0]) / ti.select(d[0] == 0.0, TINY, d[0])
    y, z = o[1] + t * d[1], o[2] + t * d[2]
    return nearer(best, ago + t, (d[0] != 0.0) & (y * y + z * z <= radius * radius))


@ti.func
def hit_shape(best, kind, start: ti.template(), d: ti.template(), radius, half):
    """Return the nearest hit with a shape, in its frame.

    Where a ray is nearest to the centre, squares of its distance are small, and so is what they round off.
    """
    ago = 0.0 - start.dot(d)
    o = start + ago * d
    if kind == RAY_SHAPES["PLANE"]:
        best = nearer(best, 0.0 - start[0] / ti.select(d[0] == 0.0, TINY, d[0]), d[0] != 0.0)
    elif kind == RAY_SHAPES["SPHERE"]:
        best = hit_sphere(best, ago, o, d, 0.0, radius, 0.0 - 2.0 * radius, 2.0 * radius)
    else:
        cone = ti.select(kind == RAY_SHAPES["CONE"], 1.0, 0.0)
        slope = cone * 0.5 * radius / half
        best = hit_side(best, ago, o, d, half, radius - slope * half, slope)
        if kind == RAY_SHAPES["CAPSULE"]:
            best = hit_sphere(best, ago, o, d, half, radius, half, half + 2.0 * radius)
            best = hit_sphere(best, ago, o, d, 0.0 - half, radius, 0.0 - half - 2.0 * radius, 0.0 - half)
        else:
            best = hit_disc(best, ago, o, d, 0.0 - half, radius)
            best = hit_disc(best, ago, o, d, half, radius * (1.0 - cone))
    return best


@ti.func
def hit_triangle(best, triangles: ti.template(), i, o: ti.template(), shear: ti.template(), axis):
    """Return the nearest hit of best and triangle i; shear: d₁ / d₃, d₂ / d₃, 1 / d₃."""
    a = turned(ti.Vector([triangles[i, j] - o[j] for j in ti.static(range(3))]), axis)
    b = turned(ti.Vector([triangles[i, 3 + j] - o[j] for j in ti.static(range(3))]), axis)
    c = turned(ti.Vector([triangles[i, 6 + j] - o[j] for j in ti.static(range(3))]), axis)
    ax, ay, bx, by = a[0] - shear[0] * a[2], a[1] - shear[1] * a[2], b[0] - shear[0] * b[2], b[1] - shear[1] * b[2]
    cx, cy = c[0] - shear[0] * c[2], c[1] - shear[1] * c[2]
    u, v, w = cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax
    room_u = EDGE * (ti.abs(cx * by) + ti.abs(cy * bx))
    room_v = EDGE * (ti.abs(ax * cy) + ti.abs(ay * cx))
    room_w = EDGE * (ti.abs(bx * ay) + ti.abs(by * ax))
    whole = u + v + w
    sign = ti.select(whole < 0.0, -1.0, 1.0)
    inside = (sign * u >= 0.0 - room_u) & (sign * v >= 0.0 - room_v) & (sign * w >= 0.0 - room_w)
    t = shear[2] * (u * a[2] + v * b[2] + w * c[2]) / ti.select(whole == 0.0, TINY, whole)
    return nearer(best, t, inside & (whole != 0.0))


@ti.func
def cast(
    best, o: ti.template(), d: ti.template(), triangles: ti.template(), bounds: ti.template(), links: ti.template(),
    leaves,
):  # fmt: skip
    """Return the nearest hit of best and the triangles of a tree.

    links: of each node the next one if its box is missed, and for leaves, in their order, the first triangle.
    """
    size = ti.Vector([ti.abs(d[0]), ti.abs(d[1]), ti.abs(d[2])])
    axis = ti.select((size[0] >= size[1]) & (size[0] >= size[2]), 0, ti.select(size[1] >= size[2], 1, 2))
    long = turned(d, axis)
    shear = ti.Vector([long[0] / long[2], long[1] / long[2], 1.0 / long[2]])
    over = ti.Vector([1.0 / ti.select(size[k] < TINY, TINY, d[k]) for k in ti.static(range(3))])
    node = 0
    while node >= 0:
        near, far = 0.0 * best, best
        for k in ti.static(range(3)):
            one, other = (bounds[node, k] - o[k]) * over[k], (bounds[node, 3 + k] - o[k]) * over[k]
            near, far = ti.max(near, ti.min(one, other)), ti.min(far, ti.max(one, other) * GROW)
        follow = links[node, 0]
        if near <= far:
            if node >= leaves - 1:
                leaf = node - leaves + 1
                for i in range(links[leaf, 1], links[leaf + 1, 1]):
                    best = hit_triangle(best, triangles, i, o, shear, axis)
            else:
                follow = 2 * node + 1
        node = follow
    return best


@ti.func
def cast_down(
    best, o: ti.template(), d: ti.template(), triangles: ti.template(), grid: ti.template(), cells: ti.template(),
    listed: ti.template(), cells_x, cells_y,
):  # fmt: skip
    """Return the nearest hit of best and the triangles of the cell of a vertical ray.

    grid: corner of the grid, and cells per metre. cells: the first of the triangles in `listed` of every cell.
    """
    x, y = ti.floor((o[0] - grid[0]) * grid[2]), ti.floor((o[1] - grid[1]) * grid[3])
    if (x >= -1.0) & (y >= -1.0) & (x <= cells_x) & (y <= cells_y):  # what rounds off may lie beyond the rim
        cell = ti.max(0, ti.min(cells_x - 1, ti.cast(x, ti.i32)))
        cell += cells_x * ti.max(0, ti.min(cells_y - 1, ti.cast(y, ti.i32)))
        shear = ti.Vector([d[0], d[1], d[2]])
        for at in range(cells[cell], cells[cell + 1]):
            best = hit_triangle(best, triangles, listed[at], o, shear, 2)
    return best


@ti.kernel
def ray_kernel(
    poses: Array(Float, 2),
    rays: Array(Float, 2),
    triangles: Array(Float, 2),
    bounds: Array(Float, 2),
    links: Array(ti.i32, 2),
    grid: Array(Float, 1),
    cells: Array(ti.i32, 1),
    listed: Array(ti.i32, 1),
    shapes: Array(Float, 2),
    alignment: ti.i32,
    farthest: Float,
    leaves: ti.i32,
    cells_x: ti.i32,
    cells_y: ti.i32,
    shape_count: ti.i32,
    ray_count: ti.i32,
    hits: Array(Float, 2),
    tasks: ti.i32,
    workers: ti.i32,
):
    """Write where the rays of every pose hit, and the distances: x, y, z, t, infinite where nothing is hit.

    poses: position and quaternion (x, y, z, w). rays: start and direction in the frame of a pose. shapes: position,
    quaternion, radius, half height and kind.
    """
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, tasks)
        for turn in range(share.first, share.end):
            row, _, _ = share.task(turn)
            i, j = row // ray_count, row % ray_count
            q = ti.Vector([poses[i, 3 + k] for k in ti.static(range(4))])
            o = ti.Vector([rays[j, k] for k in ti.static(range(3))])
            d = ti.Vector([rays[j, 3 + k] for k in ti.static(range(3))])
            if alignment == ALIGNMENTS["base"]:
                o, d = rotated(q, o), rotated(q, d)
            elif alignment == ALIGNMENTS["yaw"]:
                o = rotated(yaw_of(q), o)
            o += ti.Vector([poses[i, k] for k in ti.static(range(3))])
            t = farthest
            if (d[0] == 0.0) & (d[1] == 0.0):
                t = cast_down(t, o, d, triangles, grid, cells, listed, cells_x, cells_y)
            else:
                t = cast(t, o, d, triangles, bounds, links, leaves)
            for n in range(shape_count):
                back = ti.Vector([0.0 - shapes[n, 3], 0.0 - shapes[n, 4], 0.0 - shapes[n, 5], shapes[n, 6]])
                away = o - ti.Vector([shapes[n, k] for k in ti.static(range(3))])
                kind = ti.cast(shapes[n, SHAPE_WIDTH - 1], ti.i32)
                t = hit_shape(t, kind, rotated(back, away), rotated(back, d), shapes[n, 7], shapes[n, 8])
            for k in ti.static(range(3)):
                hits[row, k] = ti.select(t < farthest, o[k] + t * d[k], ti.math.inf)
            hits[row, 3] = ti.select(t < farthest, t, ti.math.inf)
