"""Taichi's start leaves the host's numbers as they were: NumPy keeps those below the least normal one."""

import subprocess
import sys

import pytest

KEPT = """
import threading
import numpy as np
from fajin.compiler import start_taichi
start_taichi("cpu")
least, kept = np.ones(1, np.uint32).view(np.float32), []
thread = threading.Thread(target=lambda: kept.append(least * 1))
thread.start(), thread.join()
print(*(numbers.view(np.uint32)[0] == 1 for numbers in (least * 1, kept[0])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="C's library has another name")
def test_denormals_are_kept_in_threads_of_the_host():
    """2^-149, the least number of single precision, in this thread and in a new one."""
    done = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
