"""Arrays of Taichi's on CUDA that any thread makes and releases.

Taichi allocates and frees in the context that is current in the calling thread, and ends the process if there is none.
Only its own kernels make one current.
"""

from contextlib import suppress
from functools import cache
from typing import Any

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
    import taichi as ti

    with taichi_refusals(f"an array of {'×'.join(f'{n:,}' for n in shape)} numbers", "see nvidia-smi"):
        return _array_type()({"i4": ti.i32, "f4": ti.f32, "f8": ti.f64}[number], shape)


@cache
def _array_type() -> Any:
    """Return the class of the arrays: Taichi's, released in Taichi's context."""
    from taichi.lang._ndarray import ScalarNdarray

    class CudaArray(ScalarNdarray):
        def __del__(self) -> None:
            with suppress(CudaFailure), context():
                super().__del__()

    return CudaArray
