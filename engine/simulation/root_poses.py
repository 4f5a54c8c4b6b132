"""Poses of the roots of articulations, and how their trees follow."""

import numpy as np

from ..quaternion import conjugate, multiply, rotate
from .value_rules import first_of, place

SWAPPED = np.array((3, 4, 5, 0, 1, 2))
"""Rows of a velocity in the state, which has the angular one first, in the order of the fields, and back."""


def checked_poses(values: np.ndarray, names: tuple[str, ...], chosen: np.ndarray | None) -> np.ndarray:
    """Return poses of articulations, (worlds, A, 7), in double precision, with quaternions of length 1.

    Raises:
        ValueError: a quaternion is longer or shorter.
    """
    lengths = np.sqrt((values[..., 3:] ** 2).sum(-1, keepdims=True))
    if (off := ~(np.abs(lengths[..., 0] - 1.0) < 1e-3)).any():
        at = first_of(off)
        where, rule = place("root_pose", at, names, chosen), "a position and a quaternion (x, y, z, w) of length 1"
        raise ValueError(f"{where} = {values[at]}, of length {lengths[at][0]:.6g}: must be {rule}; normalise it")
    return np.concatenate([values[..., :3], values[..., 3:] / lengths], -1).astype(np.float64)


def moved_roots(poses: np.ndarray, before: np.ndarray, trees: np.ndarray) -> np.ndarray:
    """Return the roots of trees, (worlds, A, 7), after root poses move from `before` to `poses`."""
    if (trees == before).all():  # trees that begin with their root link
        return poses
    trees = trees.astype(np.float64)
    lengths = np.linalg.norm(before[..., 3:], axis=-1, keepdims=True)
    turn = multiply(poses[..., 3:], conjugate(before[..., 3:]) / lengths**2)  # the inverse; errors do not add up
    trees[..., :3] = poses[..., :3] + rotate(turn, trees[..., :3] - before[..., :3])
    trees[..., 3:] = multiply(turn, trees[..., 3:])
    return trees
