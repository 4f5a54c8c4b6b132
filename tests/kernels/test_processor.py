"""The processor that machine code is made for: this one, a level of x86-64, or none."""

import os
import subprocess
import sys

import pytest

from fajin.compiler import machine_code
from fajin.compiler import processor as module
from fajin.compiler.device import DeviceError
from fajin.compiler.processor import CPU, LEVELS, MACHINE_CODE, processor

if not machine_code.runs_machine_code():
    pytest.skip("this machine runs Taichi's kernels in the process", allow_module_level=True)


@pytest.fixture
def chosen(monkeypatch):
    """Set a variable of the environment, which a process reads once."""

    def choose(name: str, value: str) -> None:
        monkeypatch.setenv(name, value)
        for function in (processor, machine_code.lack, machine_code.runs_machine_code):
            function.cache_clear()

    yield choose
    monkeypatch.undo()
    for function in (processor, machine_code.lack, machine_code.runs_machine_code):
        function.cache_clear()


def features_of(level: str) -> set[str]:
    """The instruction sets of a level and those below it."""
    names = list(LEVELS)
    return {feature for name in names[: names.index(level) + 1] for feature in LEVELS[name]}


@pytest.mark.parametrize("value", ["", "native"])
def test_code_is_made_for_this_processor(chosen, value):
    chosen(CPU, value)
    name, features = processor().split(" ")
    assert name
    assert all(feature[0] in "+-" for feature in features.split(","))


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_the_name_of_its_code_on_every_processor_that_has_it(chosen, monkeypatch, level):
    """So that kernels of one machine are found on another."""
    monkeypatch.setattr(module, "host_features", lambda: features_of(level))
    chosen(CPU, level)
    assert processor() == f"{level} "


def test_a_level_that_this_processor_lacks_is_refused(chosen, monkeypatch):
    """In one line; its instructions would end the process."""
    monkeypatch.setattr(module, "host_features", lambda: features_of("x86-64-v3") - {"movbe"})
    chosen(CPU, "x86-64-v3")
    with pytest.raises(DeviceError) as refused:
        processor()
    line = "FAJIN_CPU = x86-64-v3: must be a level of this processor, which lacks movbe; write x86-64-v2"
    assert str(refused.value) == line


@pytest.mark.parametrize("value", ["x86-64-v5", "skylake", "NATIVE"])
def test_other_names_are_refused_before_a_scene_runs(value, scenes):
    command = [sys.executable, "-m", "fajin.tools", "simulate", str(scenes / "pendulum.usda"), "--steps", "1"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {CPU: value})
    line = f"fajin: FAJIN_CPU = {value}: must be native, x86-64-v2, x86-64-v3 or x86-64-v4; write native\n"
    assert (done.returncode, done.stderr) == (2, line)


@pytest.mark.parametrize(("value", "runs"), [("0", False), ("1", True), ("", True)])
def test_without_machine_code_taichi_runs_the_kernels(chosen, value, runs):
    """As on other platforms."""
    chosen(MACHINE_CODE, value)
    assert machine_code.runs_machine_code() is runs
    if not runs:
        assert machine_code.lack() == "FAJIN_MACHINE_CODE = 0"


BITS = """
import hashlib, sys, fajin
sim = fajin.Simulation(fajin.read(sys.argv[1]), worlds=16, device="cpu", threads=1)
sim.step(200)
rows = sim.save().rows
print(hashlib.sha256(b"".join(rows[name].tobytes() for name in sorted(rows))).hexdigest())
"""


@pytest.mark.slow
def test_no_bit_depends_on_the_level(scenes):
    """Packs of 16 worlds are four registers on the lowest level and one on the highest."""
    features = module.host_features()
    levels = [level for level in LEVELS if features_of(level) <= features]
    printed = {
        subprocess.run(
            [sys.executable, "-c", BITS, str(scenes / "pendulum.usda")],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {CPU: level},
        ).stdout
        for level in {"native", levels[0], levels[-1]}
    }
    assert levels
    assert len(printed) == 1
