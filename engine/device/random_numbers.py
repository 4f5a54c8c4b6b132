"""Random numbers of worlds, keyed by seed, world and draw, computed by a kernel."""

from typing import Any

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
    if numbers.size:
        launch(
            device, "philox", "uniform_kernel", **_draws(device, key, worlds, first),
            draws=draws, count=count, numbers=numbers.reshape(-1),
        )  # fmt: skip
    return numbers


def add_uniform(
    device: Device,
    key: tuple[int, int],
    worlds: np.ndarray,
    first: np.ndarray,
    values: np.ndarray,
    columns: np.ndarray,
    bounds: np.ndarray,
) -> None:
    """Add numbers of a draw to columns of values.

    Args:
        device: the device.
        key: two words of the seed.
        worlds: numbers of the worlds, (n,) of int64.
        first: draw of each world, (n,).
        values: values of the device's precision, (n, K).
        columns: columns, (count,) of int32.
        bounds: lower bound, and upper less lower bound, of each column, of the device's precision, (count, 2).
    """
    if len(worlds) and len(columns):
        launch(
            device, "philox", "noise_kernel", **_draws(device, key, worlds, first),
            columns=columns, bounds=bounds, values=values,
        )  # fmt: skip


def _draws(device: Device, key: tuple[int, int], worlds: np.ndarray, first: np.ndarray) -> dict[str, Any]:
    """Return the arguments of a kernel that draws numbers."""
    halves = worlds.astype(np.int64, copy=False).view(np.int32).reshape(-1, 2)
    tasks = -(-len(worlds) // device.lanes)
    key0, key1 = (word - (word >> 31 << 32) for word in key)  # as signed words
    return {
        "worlds": as_input(halves), "first": as_input(first.astype(np.int32)), "key0": key0, "key1": key1,
        "tasks": tasks, "workers": min(tasks, device.workers) if device.packed else tasks,
    }  # fmt: skip
