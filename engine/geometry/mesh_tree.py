"""Order in which the triangles of a mesh are visited, and its convex edges, as PhysX finds them.

The tree: triangles are split at the mean of their corners, along the axis in which their centres vary most, until 15
are left, which are split once more. The deeper half of two comes second. A node of the search holds the halves of both
halves; its leaves are visited before the nodes below it, from the last to the first.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

TREE_LEAF = 15
"""Most triangles of a leaf."""
FLAT_EDGE = 0.1
"""Angle between triangles below which their edge is flat [rad]."""
BACK_TO_BACK = -0.999
MOST_EXCHANGED = 100_000
"""Triangles of a mesh beyond which those that are exchanged keep their order, which takes less time."""


@dataclass
class Branch:
    """Triangles of a tree: those of a leaf with the place of one more split, or two halves."""

    triangles: np.ndarray
    split: int = 0
    halves: "tuple[Branch, Branch] | None" = None
    depth: int = 1


def visiting_order(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the numbers of the triangles (F,) in the order in which PhysX visits them.

    Args:
        points: vertices (V, 3) [m].
        faces: vertices of the triangles (F, 3).
    """
    corners = points.astype(np.float32)[faces]
    centres = (corners.max(axis=1) + corners.min(axis=1)) * np.float32(0.5)
    root = grow(corners, centres, np.arange(len(faces)))
    if root.halves is None:
        return root.triangles
    order: list[np.ndarray] = []
    stack = [root]
    while stack:
        entries = entries_of(stack.pop())
        order += [entry.triangles for entry in reversed(entries) if entry.halves is None]
        stack += [entry for entry in reversed(entries) if entry.halves is not None]
    return np.concatenate(order)


def grow(corners: np.ndarray, centres: np.ndarray, triangles: np.ndarray) -> Branch:
    """Return the tree of some triangles."""
    if len(triangles) == 1:
        return Branch(triangles)
    axis = int(variance(centres[triangles]).argmax())
    triangles, split = parted(corners, centres, triangles, axis)
    if split in (0, len(triangles)):
        shares = []
        for each in range(3):
            triangles, split = parted(corners, centres, triangles, each)
            shares.append((split / len(triangles) - 0.5) ** 2)
        triangles, split = parted(corners, centres, triangles, int(np.argmin(shares)))
        if split in (0, len(triangles)):
            split = len(triangles) // 2
    branch = Branch(triangles, split)
    if len(triangles) > TREE_LEAF:
        one, two = (grow(corners, centres, half) for half in (triangles[:split], triangles[split:]))
        branch.halves = (two, one) if one.depth > two.depth else (one, two)
        branch.depth = 1 + max(one.depth, two.depth)
    return branch


def variance(centres: np.ndarray) -> np.ndarray:
    """Return the variance of points (N, 3) along the axes, summed one after the other in single precision."""
    count = np.float32(1.0 / len(centres)), np.float32(1.0 / (len(centres) - 1))
    mean = centres.cumsum(axis=0, dtype=np.float32)[-1] * count[0]
    apart = centres - mean
    return (apart * apart).cumsum(axis=0, dtype=np.float32)[-1] * count[1]


def parted(corners: np.ndarray, centres: np.ndarray, triangles: np.ndarray, axis: int) -> tuple[np.ndarray, int]:
    """Return the triangles, first those beyond the mean of all corners along an axis, and how many these are.

    One beyond the mean changes places with the first one that is not.
    """
    numbers = corners[triangles][:, :, axis].ravel()
    mean = numbers.cumsum(dtype=np.float32)[-1] / np.float32(len(numbers))
    beyond = centres[triangles, axis] > mean
    if len(centres) > MOST_EXCHANGED:
        return np.concatenate([triangles[beyond], triangles[~beyond]]), int(beyond.sum())
    first, rest = [], deque[int]()
    for triangle, moves in zip(triangles.tolist(), beyond.tolist(), strict=True):
        if moves:
            first.append(triangle)
            rest.rotate(-1)
        else:
            rest.append(triangle)
    return np.array([*first, *rest]), len(first)


def entries_of(node: Branch) -> list[Branch]:
    """Return what a node of the search holds: up to four leaves or nodes."""
    one, two = node.halves or (node, node)
    if one.halves is None and two.halves is None:
        parts = [[leaf.triangles[: leaf.split], leaf.triangles[leaf.split :]] for leaf in (one, two)]
        return [Branch(part) for each in parts for part in each if len(part) > 0]
    return [entry for half in (one, two) for entry in (half.halves or (half,))]


def convex_edges(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return for every triangle (F, 3) whether its edges 0 to 1, 1 to 2 and 2 to 0 are convex or at the rim."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    _, edge, count = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True)
    edge = edge.ravel()
    convex = count != 2
    normals = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    order = np.argsort(edge, kind="stable")
    start = np.cumsum(count) - count
    inner = np.flatnonzero(count == 2)
    one, two = order[start[inner]], order[start[inner] + 1]  # the same edge of two triangles
    f, other = one // 3, two // 3
    opposite = points[faces[f, (one + 2) % 3]]
    below = ((opposite - points[faces[other, 0]]) * normals[other]).sum(axis=1) < 0.0
    cosine = (normals[f] * normals[other]).sum(axis=1)
    angle = np.arctan2(np.linalg.norm(np.cross(normals[f], normals[other]), axis=1), cosine)
    convex[inner] = np.where(below, angle > FLAT_EDGE, cosine < BACK_TO_BACK)
    return convex[edge].reshape(-1, 3)


def neighbours(faces: np.ndarray) -> np.ndarray:
    """Return the triangle (F, 3) beyond the edges 0 to 1, 1 to 2 and 2 to 0 of every triangle; -1 for none.

    Of more than two triangles at an edge the first two are neighbours, as in PhysX.
    """
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    _, edge, count = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(edge.ravel(), kind="stable")
    start = (np.cumsum(count) - count)[count > 1]
    one, two = order[start], order[start + 1]
    beyond = np.full(3 * len(faces), -1)
    beyond[one], beyond[two] = two // 3, one // 3
    return beyond.reshape(-1, 3)
