"""Whole commands from the shell: what starting takes."""

import os
import subprocess
import sys
import tempfile
import time

COMMANDS = (("--help", "-"), ("simulate", "none"), ("simulate", "compiled"))
"""Commands, and whether compiled kernels are at hand."""


def seconds_of(command: str, kernels: str, repeats: int) -> list[float]:
    """Seconds by the clock on the wall, of each repeat."""
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
