"""Reciprocals of 12 bits, with which edges of boxes are clipped."""

import numpy as np

from fajin.geometry.reciprocals import COARSE, FINE

ERROR = 1.5 * 2.0**-12
"""Largest relative error that Intel's and AMD's manuals allow the instruction RCPPS."""


def test_reciprocals_have_twelve_bits():
    """Both ends of each interval of a mantissa, 1 + k / 4096 and the next one, are within the error."""
    coarse, fine = np.array(COARSE), np.array(FINE)
    found = (coarse[:, :, None] - fine[:, None, :]).reshape(-1) / 8192.0
    ends = 1.0 + np.arange(4097) / 4096.0
    assert np.abs(found * ends[:-1] - 1.0).max() < ERROR
    assert np.abs(found * ends[1:] - 1.0).max() < ERROR
    assert (np.diff(found) <= 0.0).all()
