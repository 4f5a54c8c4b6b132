"""Checks of a GPU by `fajin doctor --device cuda`, with a stub of the driver: each survives the failure of another."""

import json
import subprocess
import sys

import pytest
from emulation import GCC, HERE, environment

from fajin.tools.gpu_checks import check_gpu

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the stub of the driver is Linux's"),
    pytest.mark.skipif(GCC is None, reason="no gcc, which compiles the driver and the kernels"),
]

SCENE = HERE.parent.parent / "scenes" / "pendulum.usda"
CHECK = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from fajin.tools.gpu_checks import check_gpu
findings = check_gpu(float(sys.argv[1]), [Path(sys.argv[2]), Path("missing.usda")], ["cartpole"], 64)
print(json.dumps([asdict(finding) for finding in findings]))
"""


def check(folder, seconds: float, run: bool = True, **variables: str) -> dict[str, dict]:
    """The findings by their items; a scene that is missing is among those to compare."""
    env = environment(folder, run=run, **variables)
    command = [sys.executable, "-c", CHECK, str(seconds), str(SCENE)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {finding["what"]: finding for finding in json.loads(done.stdout)}


def test_a_check_that_fails_leaves_the_others_alone(tmp_path):
    """A copy that reports an earlier fault of a kernel, and a scene that is not there; the rest is measured."""
    found = check(tmp_path, 400.0, FAKE_CUDA_FAIL="cuMemcpyDtoD_v2=700")
    assert "a kernel before this call" in found["memory on cuda"]["here"]
    assert found["memory on cuda"]["verdict"] == found["bits of missing on cuda"]["verdict"] == "wrong"
    assert found["launches of cartpole on cuda"]["number"] > 0.0
    assert found["cartpole, 64 worlds on cuda"]["number"] > 0.0
    assert found["bits of pendulum on cuda"]["verdict"] == "ok"


def test_bits_that_differ_are_wrong(tmp_path):
    """Of kernels that do nothing; memory is copied nevertheless."""
    found = check(tmp_path, 400.0, run=False)
    bits = found["bits of pendulum on cuda"]
    assert bits["verdict"] == "wrong"
    assert "q differs in 37 of 37" in bits["here"]
    assert found["memory on cuda"]["number"] > 0.0


def test_what_has_no_time_is_absent():
    """And said so; nothing is started."""
    found = list(check_gpu(0.0, [SCENE], ["cartpole"]))
    assert [finding.what.split()[0] for finding in found] == ["launches", "memory", "rates", "bits"]
    assert all(finding.verdict == "-" and "--seconds" in finding.here for finding in found)
