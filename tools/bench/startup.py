"""Start-up times of whole commands from the shell."""

import os
import subprocess
import sys
import tempfile
import time

COMMANDS = (("--help", "-"), ("simulate", "none"), ("simulate", "compiled"))
"""Commands, and the state of the kernel cache."""


def seconds_of(command: str, kernels: str, repeats: int) -> list[float]:
    """Return the wall seconds of each repeat."""
    from .models import path_of

    with tempfile.TemporaryDirectory() as folder:
        more = [path_of("franka"), "--steps", "100", "-o", f"{folder}/out.usda"] if command == "simulate" else []
        words = [sys.executable, "-m", "fajin.tools", command, *more]
        if kernels == "compiled":
            _run(words, f"{folder}/0")
        return [_run(words, f"{folder}/{repeat if kernels == 'none' else 0}") for repeat in range(repeats)]


def _run(words: list[str], cache: str) -> float:
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "TI_OFFLINE_CACHE_FILE_PATH": cache}
    begin = time.perf_counter()
    subprocess.run(words, env=environment, capture_output=True, check=True)
    return time.perf_counter() - begin
