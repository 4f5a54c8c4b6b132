"""Arguments of kernels: each launch gets the array that it was given, and keeps none alive."""

import ctypes
import weakref

import numpy as np

from fajin.compiler.abi import Arguments


def made():
    return Arguments([("values", "1 16 f4"), ("workers", "i4")])


def place(arguments: Arguments, array: np.ndarray) -> tuple[int, int]:
    """Shape and address that a kernel reads."""
    seen = arguments.structure((array, 3))
    return seen.values.shape[0], ctypes.cast(seen.values.data, ctypes.c_void_p).value


def test_arrays_that_take_turns_are_told_apart():
    arguments, arrays = made(), [np.zeros((n, 16), np.float32) for n in (2, 3, 2)]
    for _ in range(3):
        for array in (*arrays, arrays[-1]):
            assert place(arguments, array) == (len(array), array.ctypes.data)


def test_an_array_in_the_memory_of_a_released_one_is_not_taken_for_it():
    """NumPy reuses the memory and the object of an array that is released, so neither address nor id tells."""
    arguments = made()
    for n in range(1, 40):
        array = np.zeros((n % 3 + 1, 16), np.float32)
        assert place(arguments, array) == (n % 3 + 1, array.ctypes.data)
        alive = weakref.ref(array)
        del array
        assert alive() is None
