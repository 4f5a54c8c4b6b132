"""A tree of bounding boxes over triangles, for rays: a complete binary tree whose nodes lie in the order of a heap.

Node i has the halves 2 i + 1 and 2 i + 2. Triangles are sorted along a Morton curve of their centres, and shared out to
the leaves one after the other. `skip` is the node that follows when a box is not hit: no ray keeps a stack.
"""

from dataclasses import dataclass

import numpy as np

LEAF = 4
"""Most triangles of a leaf."""
BITS = 10
"""Bits of a coordinate on the Morton curve."""


@dataclass(frozen=True)
class RayTree:
    """Triangles and the bounding boxes of a tree over them; without triangles, one box that no ray hits."""

    triangles: np.ndarray  # corners of the triangles in the order of the leaves, (F, 3, 3)
    bounds: np.ndarray  # lower and upper corner of each node, (2 L - 1, 2, 3)
    skip: np.ndarray  # (2 L - 1,) of int32; -1 at the end
    first: np.ndarray  # first triangle of each leaf, and the end, (L + 1,) of int32

    @property
    def leaves(self) -> int:
        """Return the number of leaves, L, a power of two."""
        return len(self.first) - 1


def ray_tree(triangles: np.ndarray) -> RayTree:
    """Return the tree of triangles, (F, 3, 3)."""
    count = len(triangles)
    leaves = 1
    while leaves * LEAF < count:
        leaves *= 2
    triangles = triangles[np.argsort(morton_codes(triangles), kind="stable")] if count else triangles.reshape(0, 3, 3)
    first = np.arange(leaves + 1) * count // leaves
    low, high = np.full((2 * leaves - 1, 3), np.inf), np.full((2 * leaves - 1, 3), -np.inf)
    leaf = np.repeat(np.arange(leaves), np.diff(first)) + leaves - 1
    np.minimum.at(low, leaf, triangles.min(1) if count else np.zeros((0, 3)))
    np.maximum.at(high, leaf, triangles.max(1) if count else np.zeros((0, 3)))
    skip = np.full(2 * leaves - 1, -1)
    begin, size = leaves - 1, leaves
    while size > 1:  # from the leaves up
        above = slice((begin - 1) // 2, begin)
        low[above] = low[begin : begin + size].reshape(-1, 2, 3).min(1)
        high[above] = high[begin : begin + size].reshape(-1, 2, 3).max(1)
        begin, size = (begin - 1) // 2, size // 2
    for level in range(1, leaves.bit_length()):  # from the root down
        left = np.arange(2**level - 1, 2 ** (level + 1) - 1, 2)
        skip[left], skip[left + 1] = left + 1, skip[(left - 1) // 2]
    bounds = np.stack([low, high], 1)
    return RayTree(triangles, bounds, skip.astype(np.int32), first.astype(np.int32))


def morton_codes(triangles: np.ndarray) -> np.ndarray:
    """Return the places of triangles (F, 3, 3) on a Morton curve through the box of their centres, (F,)."""
    centres = triangles.min(1) + triangles.max(1)
    low, high = centres.min(0), centres.max(0)
    cells = (centres - low) / np.maximum((high - low).max(), 1e-300) * (2**BITS - 1)
    codes = np.zeros(len(triangles), np.int64)
    for bit in range(BITS):
        for axis in range(3):
            codes |= (cells[:, axis].astype(np.int64) >> bit & 1) << (3 * bit + axis)
    return codes
