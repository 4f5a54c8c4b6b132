"""The axis of a slider in single precision: which directions across it keep a residue, as in PhysX."""

import numpy as np
import pytest

from fajin.model.joint_axis import TURNED, slide_axis
from fajin.quaternion import rotate

EPS = float(np.finfo(np.float32).eps)
FRAMES = np.random.default_rng(3).normal(size=(50, 4))


@pytest.mark.parametrize("axis", TURNED)
def test_a_slide_axis_is_the_axis_of_its_frame_to_single_precision(axis):
    """In any frame: two products of quaternions and a normalization, each number of which is rounded."""
    unit = np.eye(3)["XYZ".index(axis)]
    for frame in FRAMES / np.linalg.norm(FRAMES, axis=1, keepdims=True):
        assert np.abs(slide_axis(frame, axis) - rotate(frame, unit)).max() <= 8 * EPS


def test_the_residue_of_a_slide_axis_is_along_the_x_of_its_frame():
    """(√½)² + (√½)² is 1 − 2⁻²⁴ in single precision; the axis X is not turned and is exact."""
    at_rest = np.array((0.0, 0.0, 0.0, 1.0))
    assert np.array_equal(slide_axis(at_rest, "X"), (1.0, 0.0, 0.0))
    for axis, across in (("Y", 2), ("Z", 1)):
        along = slide_axis(at_rest, axis)
        assert 0.0 < abs(along[0]) <= EPS
        assert along[across] == 0.0
