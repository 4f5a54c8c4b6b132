"""FAJIN_DEBUG=1: kernels with bounds checks, in single lanes, traced as Taichi does it, with unchanged results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
START = """
import inspect
from fajin import compiler, device
from fajin.compiler import taichi_patches
own = inspect.getframeinfo
place = device.start("cpu", worlds=1000, threads=1)
compiler.start_taichi("cpu")
import taichi as ti

@ti.kernel
def read_at(x: ti.types.ndarray(ti.f32, 1), i: ti.i32) -> ti.f32:
    return x[i]

x = ti.ndarray(ti.f32, 4)
x.fill(3.0)
with compiler.compiler_options(place):
    assert read_at(x, 3) == 3.0
"""
STEPS = """
import sys
import fajin
sim = fajin.Simulation(fajin.read(sys.argv[1]), worlds=3, threads=1)
sim.q = [[0.1], [0.2], [0.3]]
sim.step(20)
print(sim.q[:].tobytes().hex(), sim.qd[:].tobytes().hex())
"""


def run(code: str, debug: str, *arguments: str) -> subprocess.CompletedProcess:
    """Run Python code from a file, as `inspect` wants it, in a fresh process."""
    environment = {**os.environ, "FAJIN_DEBUG": debug}
    if debug == "1":  # at its end Taichi trims the kernel cache to 100 MB, though a debugging process does not use it
        environment["TI_OFFLINE_CACHE_MAX_SIZE_OF_FILES"] = str(2**30)
    return subprocess.run(
        [sys.executable, *arguments], input=code, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def script(tmp_path) -> Path:
    """A file for the code of a test."""
    return tmp_path / "script.py"


@pytest.mark.slow
def test_an_access_beyond_the_end_is_an_error_with_its_line(script):
    script.write_text(START + "    read_at(x, 4)\n")
    done = run("", "1", str(script))
    assert done.returncode == 1
    assert "Out of bound access to ndarray at arg 0 with indices [4]" in done.stderr
    assert "in read_at:\n    return x[i]\n" in done.stderr


def test_worlds_are_single_and_nothing_is_patched(script):
    script.write_text(
        START
        + "assert place.lanes == 1 and place.packed\n"
        + "for patched in (taichi_patches.fast_imports, taichi_patches.fast_tracing):\n"
        + "    with patched():\n"
        + "        assert inspect.getframeinfo is own\n"
        + "config = ti.lang.impl.get_runtime().prog.config()\n"
        + "assert config.debug and not config.offline_cache\n"
    )
    done = run("", "1", str(script))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("value", [pytest.param("", marks=pytest.mark.slow), "0"])
def test_0_is_off(value, script):
    script.write_text(
        START
        + "config = ti.lang.impl.get_runtime().prog.config()\n"
        + "assert not config.debug and config.offline_cache\n"
        + "with taichi_patches.fast_imports():\n    assert inspect.getframeinfo is not own\n"
    )
    done = run("", value, str(script))
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_scene_moves_to_the_same_bits():
    """Packs and single lanes, with checks and without."""
    scene = str(ROOT / "scenes" / "pendulum.usda")
    plain, checked = (run(STEPS, debug, "-", scene) for debug in ("0", "1"))
    assert plain.returncode == checked.returncode == 0, checked.stderr
    assert plain.stdout.split()[-2:] == checked.stdout.split()[-2:]


@pytest.mark.slow
def test_a_machine_is_tried_for_packs_in_a_child_that_finds_the_trial(tmp_path):
    """With an empty cache the verdict is that of the trial itself, not that of a child that could not begin it."""
    code = "from fajin.compiler.packs import {0}; print({0}())"
    empty = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "FAJIN_DEBUG": "0"}
    trial, verdict = (
        subprocess.run(
            [sys.executable, "-c", code.format(name)], env=empty, capture_output=True, text=True, check=False
        )
        for name in ("probe_packs", "supports_packs")
    )
    assert verdict.stdout.split()[-1] == str(trial.returncode == 0)
