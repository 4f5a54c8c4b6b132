"""Random numbers of worlds, keyed by seed, world and draw, computed by a kernel."""

import numpy as np

from ..compiler.device import Device
from .buffer import as_input
from .compiled_kernel import launch


def uniform(
    device: Device, key: tuple[int, int], worlds: np.ndarray, first: np.ndarray, draws: int, count: int
) -> np.ndarray:
    """Return numbers in [0, 1), (worlds, draws, count), of the device's precision.

    Args:
        device: the device.
        key: two words of the seed.
        worlds: numbers of the worlds, (n,) of int64.
        first: first draw of each world, (n,).
        draws: number of draws.
        count: numbers of a draw.
    """
    numbers = np.empty((len(worlds), draws, count), f"f{device.bits // 8}")
    halves = worlds.astype(np.int64, copy=False).view(np.int32).reshape(-1, 2)
    key0, key1 = (word - (word >> 31 << 32) for word in key)  # as signed words
    if numbers.size:
        launch(
            device, "philox", "uniform_kernel", worlds=as_input(halves), first=as_input(first.astype(np.int32)),
            key0=key0, key1=key1, draws=draws, count=count, numbers=numbers.reshape(-1), tasks=len(worlds),
            workers=min(len(worlds), device.workers) if device.packed else len(worlds),
        )  # fmt: skip
    return numbers
