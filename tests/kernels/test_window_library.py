"""Taichi without the library of the X Window System, as in a container."""

import ctypes
import platform
import subprocess
import sys

import pytest

from fajin.compiler.window_library import NAME, load_empty_library

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="Taichi needs it on Linux only"
)


@pytest.mark.parametrize("name", ["libfajin_test_nowhere.so.6", "libfajin_test_elsewhere.so.6"])
def test_an_empty_library_stands_for_one_of_its_name(name):
    """Each for its own, in one process."""
    with pytest.raises(OSError, match=name):
        ctypes.CDLL(name)
    load_empty_library(name, ("first", "second"))
    library = ctypes.CDLL(name)
    assert [hasattr(library, function) for function in ("first", "second", "third", "")] == [True, True, False, False]


WITHOUT = f"""
import ctypes

class Missing(ctypes.CDLL):
    def __init__(self, name, *args, **kwargs):
        if name == "{NAME}":
            raise OSError(name)
        super().__init__(name, *args, **kwargs)

ctypes.CDLL = Missing
import fajin.compiler
import taichi as ti
places = {{line.split()[5] for line in open("/proc/self/maps") if "libX11" in line}}
assert places == {{"/memfd:{NAME}"}}, places
ti.init(arch=ti.cpu, log_level="error")
"""


def test_taichi_runs_with_the_empty_library():
    """It is loaded first, and is the only one of its name."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
