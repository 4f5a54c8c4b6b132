"""Noise of the observations."""

import numpy as np
import torch

from .host_rows import on_host


class Noise:
    """Noise of columns, uniform from minus to plus their amplitudes.

    Args:
        amplitudes: amplitude of each column, (K,); those of 0 draw nothing.
        device: device of the columns.
    """

    def __init__(self, amplitudes: torch.Tensor, device: torch.device):
        chosen = amplitudes.nonzero()[:, 0]
        self.columns, self.size = chosen.to(device), amplitudes[chosen].to(device)
        low, high = -self.size, self.size
        self.on_host = on_host(chosen).astype(np.int32), on_host(torch.stack([low, high - low], 1))
        """Columns, (n,), and lower bound and span of each, (n, 2)."""
