"""Poses of many prims at once are those of one prim: position and rotation without scale, shear and mirroring."""

import numpy as np
import pytest
from pxr import Gf

from fajin.usd.stage.transforms import rigid_frame, rigid_poses

EPSILON = np.finfo(float).eps


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("sheared", [False, True])
def test_poses_of_many_equal_those_of_one(mirrored, sheared):
    draw, worst = np.random.default_rng(0), 0.0
    matrices = np.tile(np.eye(4), (200, 1, 1))
    for k, matrix in enumerate(matrices):
        turn = np.linalg.qr(draw.normal(size=(3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn)) * (-1.0 if mirrored else 1.0)
        scale = draw.uniform(0.2, 5.0, (3, 3)) if sheared and k % 2 else np.diag(draw.uniform(0.2, 5.0, 3))
        matrix[:3, :3], matrix[3, :3] = scale @ turn, draw.normal(size=3)
        worst = max(worst, float(np.linalg.cond(matrix[:3, :3])))
    position, rotation = rigid_poses(matrices)
    for matrix, place, turn in zip(matrices, position, rotation, strict=True):
        one = rigid_frame(Gf.Matrix4d(*matrix.ravel().tolist()))
        quaternion = one.ExtractRotationQuat().GetNormalized()
        expected = np.array([*quaternion.GetImaginary(), quaternion.GetReal()])
        assert np.array_equal(place, np.array(one.ExtractTranslation()))
        assert abs(np.abs(turn @ expected) - 1.0) < 16 * EPSILON * worst**2
