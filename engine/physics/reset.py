"""Resets of single worlds: numbers of the start, given or drawn ones. A number u in [0, 1) draws d = low + span u:

x = x₀ + d    or    x = x₀ d        of joints and velocities
p = p₀ + d_xyz + shift,  q = q₀ · R_z(yaw) R_y(pitch) R_x(roll)        of a root

Its tree begins at p + R(q) arm, q · turn.
"""

import taichi as ti

from ..tables.resets import RESET_OPERATIONS, ROOT_NUMBERS
from . import TILE
from .lanes import Array, Float, Real, sin_cos
from .rotation import Quat
from .spatial import Vec3
from .world_view import share_of


@ti.func
def turn_by_angles(roll, pitch, yaw):
    """Return the rotation by roll about x, then pitch about y, then yaw about z [rad]."""
    sr, cr = sin_cos(roll * 0.5)
    sp, cp = sin_cos(pitch * 0.5)
    sy, cy = sin_cos(yaw * 0.5)
    a, b, c, d = sr * cp, cr * sp, cr * cp, sr * sp
    return Quat(Vec3(a * cy - b * sy, b * cy + a * sy, c * sy - d * cy), c * cy + d * sy)


@ti.func
def root_of_tree(roots: ti.template(), r, at, shift, numbers: ti.template(), i):
    """Return the pose of the root of the tree of drawn root r in world i."""
    n = ROOT_NUMBERS * r
    offsets = ti.Vector([0.0, 0.0, 0.0, 0.0, 0.0, 0.0], Float)
    for j in ti.static(range(6)):
        offsets[j] = roots[n + 14 + j] + roots[n + 20 + j] * numbers[i, at + j]
    p = Vec3(roots[n] + offsets[0], roots[n + 1] + offsets[1], roots[n + 2] + offsets[2])
    if shift >= 0:
        p = p + Vec3(numbers[i, shift], numbers[i, shift + 1], numbers[i, shift + 2])
    q = Quat(Vec3(roots[n + 3], roots[n + 4], roots[n + 5]), roots[n + 6]) * turn_by_angles(
        offsets[3], offsets[4], offsets[5]
    )
    x = p + q.rotate(Vec3(roots[n + 7], roots[n + 8], roots[n + 9]))
    q = q * Quat(Vec3(roots[n + 10], roots[n + 11], roots[n + 12]), roots[n + 13])
    return ti.Vector([x.x, x.y, x.z, q.v.x, q.v.y, q.v.z, q.w])


@ti.kernel
def reset_kernel(
    states: Array(Real, 1),
    results: Array(Real, 1),
    sleep: Array(Real, 1),
    contacts: Array(Real, 1),
    parameters: Array(Real, 1),
    monitors: Array(Real, 1),
    spans: Array(ti.i32, 2),
    start: Array(Float, 1),
    words: Array(ti.i32, 2),
    bounds: Array(Float, 2),
    root_words: Array(ti.i32, 2),
    roots: Array(Float, 1),
    numbers: Array(Float, 2),
    worlds: Array(ti.i32, 1),
    lanes: Array(ti.i32, 1),
    tile: ti.i32,
    tasks: ti.i32,
    workers: ti.i32,
):
    """Write rows of worlds; a lane stands by itself.

    spans: rows that get the numbers of the start, see `tables.resets`; a tile of `tile` worlds has a row side by side.
    start: numbers of the start of all spans.
    words: place in a tile of the state, operation and column of `numbers`, for each row that differs from the start.
    bounds: number of the start, lower bound and span, for each of these rows.
    root_words: first row of the pose, columns of six drawn numbers and of the shift (-1: none), for each drawn root.
    roots: see `tables.resets`.
    numbers: given and drawn numbers, (worlds, columns).
    lanes: lanes that get the numbers of each world, those behind it, too, if they have no world.
    """
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, tasks)
        for turn in range(share.first, share.end):
            i, _, _ = share.task(turn)
            for lane in range(lanes[i]):
                world, within = worlds[i] // tile, worlds[i] % tile + lane
                for s in range(spans.shape[0]):
                    buffer, first = spans[s, 0], spans[s, 4]
                    at = (spans[s, 1] + world * spans[s, 2]) * tile + within
                    for r in range(spans[s, 3]):
                        x = start[first + r]
                        if buffer == 0:
                            states[at] = x
                        elif buffer == 1:
                            results[at] = x
                        elif buffer == 2:
                            sleep[at] = x
                        elif buffer == 3:
                            contacts[at] = x
                        elif buffer == 4:
                            parameters[at] = x
                        else:
                            monitors[at] = x
                        at += tile
                rows = spans[0, 2]  # of the state, in a tile
                for r in range(words.shape[0]):
                    x = numbers[i, words[r, 2]]
                    if words[r, 1] != RESET_OPERATIONS["given"]:
                        drawn = bounds[r, 1] + bounds[r, 2] * x
                        x = bounds[r, 0] + drawn if words[r, 1] == RESET_OPERATIONS["add"] else bounds[r, 0] * drawn
                    states[(world * rows + words[r, 0]) * tile + within] = x
                for r in range(root_words.shape[0]):
                    pose = root_of_tree(roots, r, root_words[r, 1], root_words[r, 2], numbers, i)
                    for j in ti.static(range(7)):
                        states[(world * rows + root_words[r, 0] + j) * tile + within] = pose[j]
