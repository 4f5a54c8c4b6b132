"""The stub of the driver, called by itself: kernels of a few lines of PTX."""

import ctypes
from pathlib import Path

import numpy as np

HEAD = ".version 7.1\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry kernel(
	.param .u64 kernel_param_0
)
.maxntid 32, 1, 1
{
	.reg .b32 %r<4>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [kernel_param_0];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd2, %rd1, %rd2;
LINES
	ret;
}
"""
"""A kernel of one array, at %rd1; the element of thread %r1 is at %rd2. Registers with the number 3 are free."""


class Stub:
    """The calls of the driver that these tests make.

    Args:
        folder: where `environment` has put the library.
    """

    def __init__(self, folder: Path):
        self.cuda = ctypes.CDLL(str(folder / "libcuda.so"))

    def call(self, name: str, *arguments) -> int:
        """The result of a call."""
        return getattr(self.cuda, name)(*arguments)

    def array(self, size: int) -> ctypes.c_void_p:
        """An array of so many numbers of 4 bytes."""
        place = ctypes.c_void_p()
        assert self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(4 * size)) == 0
        return place

    def read(self, place: ctypes.c_void_p, size: int, dtype: type = np.uint32) -> np.ndarray:
        """The first numbers of an array."""
        numbers = np.zeros(size, dtype)
        copied = self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(numbers.ctypes.data), place, ctypes.c_size_t(4 * size))
        assert copied == 0
        return numbers

    def write(self, place: ctypes.c_void_p, numbers: np.ndarray) -> int:
        """The result of a copy to an array."""
        there = ctypes.c_size_t(numbers.nbytes)
        return self.call("cuMemcpyHtoD_v2", place, ctypes.c_void_p(numbers.ctypes.data), there)

    def load(self, lines: str, head: str = HEAD) -> ctypes.c_void_p:
        """The kernel with these lines."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        ptx = head + KERNEL.replace("LINES", lines)
        assert self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode(), 0, None, None) == 0
        assert self.call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel") == 0
        return function

    def launch(self, function: ctypes.c_void_p, array: ctypes.c_void_p, threads: int = 32) -> int:
        """The result of a launch of one block."""
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(array))
        return self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, None, arguments, None)
