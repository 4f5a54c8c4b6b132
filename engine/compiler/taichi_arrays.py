"""Arrays of Taichi's on a GPU."""

from collections.abc import Callable
from functools import cache
from typing import Any

from .taichi_runtime import running_program


def new_taichi_array(shape: tuple[int, ...], number: str, release: Callable[[Callable], None] | None = None) -> Any:
    """Return an array of Taichi's, filled with zeros.

    Args:
        shape: its shape.
        number: i4 | f4 | f8
        release: what calls the function that frees the memory; None for a call as it is.
    """
    import taichi as ti

    dtype = {"i4": ti.i32, "f4": ti.f32, "f8": ti.f64}[number]
    return ti.ndarray(dtype, shape) if release is None else _array_type(release)(dtype, shape)


@cache
def _array_type(release: Callable[[Callable], None]) -> Any:
    """Return the class of arrays whose memory is freed by `release`."""
    from taichi.lang._ndarray import ScalarNdarray

    class ReleasedArray(ScalarNdarray):
        """An array that stays in one place as long as it lives."""

        def __init__(self, dtype: Any, shape: tuple[int, ...]):
            super().__init__(dtype, shape)
            self.place: int = running_program().get_ndarray_data_ptr_as_int(self.arr)

        def __del__(self) -> None:
            release(super().__del__)

    return ReleasedArray


def wait_for_taichi() -> None:
    """Wait until Taichi has done all its work."""
    import taichi as ti

    ti.sync()
