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
    if not (np.abs(lengths - 1.0) < 1e-3).all():
        at = first_of(~(np.abs(lengths[..., 0] - 1.0) < 1e-3))
        where, rule = place("root_pose", at, names, chosen), "a position and a quaternion (x, y, z, w) of length 1"
        raise ValueError(f"{where} = {values[at]}, of length {lengths[at][0]:.6g}: must be {rule}; normalise it")
    found = values.astype(np.float64)
    found[..., 3:] = values[..., 3:] / lengths
    return found


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


class RootsOfTrees:
    """Roots of trees that are where they begin, as a function of the poses of the root links.

    A tree's position is x = p + R(q) arm, whose last term is quadratic in q, and its orientation q · turn is linear: a
    pose takes one sum of products with numbers of the start.

    Args:
        poses: poses of the root links at the start, (A, 7).
        trees: poses of the roots of their trees, (A, 7).
    """

    def __init__(self, poses: np.ndarray, trees: np.ndarray):
        back = conjugate(poses[:, 3:]) / (poses[:, 3:] ** 2).sum(1, keepdims=True)
        arm, turn, unit = rotate(back, trees[:, :3] - poses[:, :3]), multiply(back, trees[:, 3:]), np.eye(4)
        pairs = _turned(unit[:, None] + unit, arm) - _turned(unit[:, None], arm) - _turned(unit, arm)
        self.numbers = np.concatenate([poses, arm, turn], 1)
        """Pose of the root link, arm and turn of its tree, (A, 14)."""
        self._factors = np.zeros((len(poses), 20, 7))
        self._factors[:, :16, :3] = pairs.reshape(len(poses), 16, 3) / 2.0
        self._factors[:, 16:, 3:] = multiply(unit, turn[:, None])

    def moved(self, poses: np.ndarray, articulations: slice = slice(None)) -> np.ndarray:
        """Return the roots of the trees, (worlds, A, 7), of poses of the root links of articulations."""
        q = poses[..., 3:]
        products = (q[..., :, None] * q[..., None, :]).reshape(*poses.shape[:-1], 16)
        found = (np.concatenate([products, q], -1)[..., None] * self._factors[articulations]).sum(-2)
        found[..., :3] += poses[..., :3]
        return found


def _turned(q: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """Return |q|² R(q) arm for every arm (A, 3) and quaternion: (A, ..., 3)."""
    arm = arms.reshape(-1, *(1 for _ in q.shape[:-1]), 3)
    u, w = q[..., :3], q[..., 3:]
    along = (u * arm).sum(-1, keepdims=True)
    return (w * w - (u * u).sum(-1, keepdims=True)) * arm + 2.0 * along * u + 2.0 * w * np.cross(u, arm)
