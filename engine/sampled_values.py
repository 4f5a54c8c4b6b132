"""Values of time samples: the engine steps with them, and plots draw them."""

import numpy as np

from .scene import TimeSamples


def sampled_values(signal: TimeSamples, time: np.ndarray) -> np.ndarray:
    """Return the values at times [s], (n,): linear between samples, constant outside them."""
    return np.interp(time, signal.times, signal.values)
