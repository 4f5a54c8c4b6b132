"""The floating-point environment of the host's threads: rounding, and what becomes of small numbers.

Taichi's start flushes numbers below the least normal one (1.2e-38 in single precision) to zero, in the thread that
starts it, and a thread inherits the environment of the thread that makes it. So NumPy would flush them from then on.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes.util import find_library
from functools import cache

FENV_BYTES = 256
"""Bytes that hold C's `fenv_t` on any platform: 32 on x86-64 Linux, 16 on ARM."""


@contextmanager
def kept_float_environment() -> Iterator[None]:
    """Restore the floating-point environment of this thread at the end, where the C library has `fegetenv`."""
    functions, kept = _c_library(), ctypes.create_string_buffer(FENV_BYTES)
    if functions is None or functions.fegetenv(kept):
        yield
        return
    try:
        yield
    finally:
        functions.fesetenv(kept)


@cache
def _c_library() -> ctypes.CDLL | None:
    """Return the library with `fegetenv` and `fesetenv`; None if there is none."""
    with suppress(OSError, AttributeError, TypeError):  # TypeError: Windows loads no library without a name
        functions = ctypes.CDLL(find_library("m"))
        if functions.fegetenv and functions.fesetenv:
            return functions
    return None
