"""The stub of the driver refuses what a driver refuses, and finds races: kernels of a few lines."""

import ctypes
import re
import subprocess
import sys

import numpy as np
import pytest
from emulation import GCC, HERE, environment
from stub import HEAD, KERNEL, Stub

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the stub of the driver is Linux's"),
    pytest.mark.skipif(GCC is None, reason="no gcc, which compiles the driver and the kernels"),
]

INVALID, INVALID_PTX, UNSUPPORTED_PTX_VERSION = 1, 218, 222


@pytest.fixture
def stub(tmp_path, monkeypatch) -> Stub:
    """The stub, in this process."""
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return Stub(tmp_path)


def test_memory_is_nan_until_something_is_written(stub):
    """A driver does not clear it either."""
    assert np.isnan(stub.read(stub.array(10), 10, np.float32)).all()


def test_copies_stay_within_one_array(stub):
    """Neither side's numbers may be elsewhere: foreign addresses, arrays that are too short or were freed."""
    numbers, place = np.arange(10, dtype=np.uint32), stub.array(10)
    assert stub.write(place, numbers) == 0
    assert (stub.read(place, 10) == numbers).all()
    assert stub.write(place, np.zeros(11, np.uint32)) == INVALID
    assert stub.write(ctypes.c_void_p(numbers.ctypes.data), numbers) == INVALID
    up = ctypes.c_void_p(numbers.ctypes.data)
    assert stub.call("cuMemcpyDtoH_v2", up, ctypes.c_void_p(place.value + 4), ctypes.c_size_t(40)) == INVALID
    assert stub.call("cuMemsetD32_v2", place, 0, ctypes.c_size_t(11)) == INVALID
    assert stub.call("cuMemFree_v2", place) == 0
    assert stub.write(place, numbers) == INVALID
    assert stub.call("cuMemFree_v2", place) == INVALID


@pytest.mark.parametrize(
    ("width", "stride", "rows", "result"), [(8, 8, 5, 0), (8, 16, 3, 0), (8, 4, 5, INVALID), (8, 16, 4, INVALID)]
)
def test_rows_do_not_overlap_and_lie_in_one_array(stub, width, stride, rows, result):
    """Of 40 bytes: a row is at most as long as the way to the next one."""
    from fajin.device.cuda_copies import _Copy, _Side

    numbers = np.zeros((rows, width), np.uint8)
    here = _Side(kind=1, host=numbers.ctypes.data, stride=width)
    there = _Side(kind=2, device=stub.array(10).value, stride=stride)
    copy = _Copy(here, there, width, rows)
    assert stub.call("cuMemcpy2DUnaligned_v2", ctypes.byref(copy)) == result


def test_a_launch_has_threads_and_arguments(stub):
    """At most as many threads in a block as the kernel is made for."""
    function, place = stub.load("st.global.u32 [%rd2], %r1;"), stub.array(64)
    assert stub.launch(function, place) == 0
    assert (stub.read(place, 32) == np.arange(32)).all()
    assert stub.launch(function, place, 33) == INVALID
    assert stub.launch(function, place, 0) == INVALID
    assert stub.call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, None, None) == INVALID


@pytest.mark.parametrize(
    ("version", "target", "result"),
    [("7.1", "sm_90", 0), ("9.9", "sm_80", UNSUPPORTED_PTX_VERSION), ("7.1", "sm_100", INVALID_PTX)],
)
def test_code_is_for_this_gpu_and_this_driver(stub, version, target, result):
    """Capability 9.0 and CUDA 12.8."""
    ptx = HEAD.replace("7.1", version).replace("sm_80", target) + KERNEL.replace("LINES", "")
    module = ctypes.c_void_p()
    assert stub.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode(), 0, None, None) == result


def test_only_what_says_so_flushes_small_numbers(stub):
    """Half of the least normal number stays in `add`, and is zero in `add.ftz`, with its sign."""
    small = np.float32(-(2.0**-127))
    lines = "ld.global.f32 %f1, [%rd2];\n add{}.f32 %f2, %f1, %f1;\n mul{}.f32 %f3, %f2, 0f3F000000;\n"
    for flushes, expected in (("", small), (".ftz", np.float32(-0.0))):
        place = stub.array(32)
        assert stub.write(place, np.full(32, small)) == 0
        kernel = stub.load(lines.format(flushes, flushes) + "st.global.f32 [%rd2], %f3;")
        assert stub.launch(kernel, place) == 0
        found = stub.read(place, 32, np.float32)
        assert (found.view(np.uint32) == expected.view(np.uint32)).all()


RUN = """
import ctypes
import sys
from pathlib import Path
from stub import Stub
stub = Stub(Path(sys.argv[1]))
place = stub.array(40)
foreign = ctypes.cast(ctypes.CDLL(None).environ, ctypes.c_void_p)
given = foreign if sys.argv[3] == "foreign" else place
print("result", stub.launch(stub.load(sys.argv[2]), given), flush=True)
"""
OWN = "st.global.u32 [%rd2], %r1;\n ld.global.u32 %r2, [%rd2];\n add.u32 %r2, %r2, 1;\n st.global.u32 [%rd2], %r2;"
EQUAL = "mov.u32 %r2, 7;\n st.global.u32 [%rd1], %r2;\n ld.global.u32 %r3, [%rd1];\n st.global.u32 [%rd2+4], %r3;"
"""All threads write one number to one place, and read it: what static colliders are."""
COMMON = "st.global.u32 [%rd1], %r1;"
NEIGHBOUR = "st.global.u32 [%rd2], %r1;\n ld.global.u32 %r2, [%rd2+4];"
READ = "ld.global.u32 %r2, [%rd2];"


def side_by_side(folder, lines: str, order: int, given: str = "array") -> subprocess.CompletedProcess:
    """A launch of a kernel whose threads run in a random order, in a process of its own."""
    env = environment(folder, FAKE_CUDA_ORDER=str(order), PYTHONPATH=str(HERE))
    command = [sys.executable, "-c", RUN, str(folder), lines, given]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (OWN, ""), (EQUAL, ""), (COMMON, r"overwrites byte 0 of 160 .* a race"),
        (NEIGHBOUR, r"byte \d+ of 160 .* a race"),
    ],
    ids=["own", "equal", "common", "neighbour"],
)  # fmt: skip
def test_threads_that_share_a_number_are_a_race(tmp_path, lines, fault):
    """Whatever the order; numbers of their own are not."""
    for order in (1, 2):
        done = side_by_side(tmp_path, lines, order)
        if fault:
            assert done.returncode == 1
            assert re.search(f"kernel: thread \\d+ .*{fault}", done.stderr)
        else:
            assert done.stdout == "result 0\n", done.stderr


@pytest.mark.parametrize("lines", [READ, OWN], ids=["read", "written"])
def test_memory_of_the_host_is_refused(tmp_path, lines):
    """Variables of a library of the host, too: a kernel has only those of its own."""
    done = side_by_side(tmp_path, lines, 1, "foreign")
    assert done.returncode == 1
    assert re.search("kernel: thread \\d+ .*not in the device's memory", done.stderr)
