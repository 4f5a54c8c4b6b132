"""Reciprocals and reciprocal roots of 12 bits: edges of boxes are clipped with them, scaled hulls meet triangles."""

import numpy as np

from fajin.geometry.reciprocals import COARSE, FINE, fast_reciprocal_root

ERROR = 1.5 * 2.0**-12
"""Largest relative error that Intel's and AMD's manuals allow the instructions RCPPS and RSQRTPS."""


def test_reciprocals_have_twelve_bits():
    """Both ends of each interval of a mantissa, 1 + k / 4096 and the next one, are within the error."""
    coarse, fine = np.array(COARSE), np.array(FINE)
    found = (coarse[:, :, None] - fine[:, None, :]).reshape(-1) / 8192.0
    ends = 1.0 + np.arange(4097) / 4096.0
    assert np.abs(found * ends[:-1] - 1.0).max() < ERROR
    assert np.abs(found * ends[1:] - 1.0).max() < ERROR
    assert (np.diff(found) <= 0.0).all()


def test_reciprocal_roots_have_twelve_bits():
    """Both ends of each interval of a mantissa are within the error, at even, odd and negative exponents."""
    for exponent in (-3, -2, 0, 1, 6):
        ends = np.ldexp(1.0 + np.arange(4097) / 4096.0, exponent)
        found = fast_reciprocal_root(ends[:-1])
        assert np.abs(found * np.sqrt(ends[:-1]) - 1.0).max() < ERROR
        assert np.abs(found * np.sqrt(ends[1:]) - 1.0).max() < ERROR
