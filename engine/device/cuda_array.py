"""Arrays of Taichi's on CUDA that any thread makes and releases.

Taichi allocates and frees in the context that is current in the calling thread, and ends the process if there is none.
Only its own kernels make one current.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..compiler.taichi_arrays import new_taichi_array
from .cuda_errors import taichi_refusals
from .cuda_library import CudaFailure, context


def new_cuda_array(shape: tuple[int, ...], number: str) -> Any:
    """Return an array of Taichi's on CUDA, filled with zeros.

    Args:
        shape: its shape.
        number: i4 | f4 | f8

    Raises:
        OutOfMemory: it does not fit in the memory of the GPU, which other programs use, too.
        DeviceError: the driver refuses.
    """
    with taichi_refusals(f"an array of {'×'.join(f'{n:,}' for n in shape)} numbers", "see nvidia-smi"):
        return new_taichi_array(shape, number, _release)


def _release(free: Callable[[], None]) -> None:
    """Free the memory of an array in Taichi's context."""
    with suppress(CudaFailure), context():
        free()
