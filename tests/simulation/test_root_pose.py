"""A root pose that is set is the pose that is read, however often it is set, and moves the robot as one body."""

import numpy as np
import pytest
from planar_arm import simulation
from random_tree import random_tree

from fajin.quaternion import conjugate, multiply, rotate

WRITES = 120


def random_pose(seed: int) -> np.ndarray:
    """A pose for each of three worlds, (3, 1, 7)."""
    rng = np.random.default_rng(seed)
    position, q = rng.normal(size=(3, 1, 3)), rng.normal(size=(3, 1, 4))
    return np.concatenate([position, q / np.linalg.norm(q, axis=-1, keepdims=True)], -1)


def seen_from_root(poses: np.ndarray) -> np.ndarray:
    """Positions and orientations of links, (W, L, 7), in the axes of the first."""
    turn = conjugate(poses[:, :1, 3:])
    position = rotate(np.broadcast_to(turn, poses[..., 3:].shape), poses[..., :3] - poses[:, :1, :3])
    return np.concatenate([position, multiply(turn, poses[..., 3:])], -1)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_pose_that_is_set_again_and_again_stays(floating, precision):
    """X ← X_new · X_root⁻¹ · X: with the inverse, an error of length does not double from write to write."""
    sim = simulation(random_tree(1, floating=floating), 3, precision=precision)
    eps = np.finfo(precision.replace("f", "float")).eps
    sim.step(2)
    sim.root_pose = random_pose(0)
    shape = seen_from_root(sim.link_pose[:].astype(float))
    poses = [random_pose(seed) for seed in (1, 2, 2)]
    size = max(np.abs(pose).max() for pose in poses) + np.abs(shape).max()
    for count in range(WRITES):
        sim.root_pose = poses[count % len(poses)]
        np.testing.assert_allclose(sim.root_pose, poses[count % len(poses)], 0, 16 * eps * size)
    now = seen_from_root(sim.link_pose[:].astype(float))
    np.testing.assert_allclose(now, shape, 0, 64 * eps * size)
