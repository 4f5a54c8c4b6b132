"""The host's side of CUDA against a stub of the driver: errors, contexts, time, and the choice of a device."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from emulation import GCC, HERE, environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the stub of the driver is Linux's"),
    pytest.mark.skipif(GCC is None, reason="no gcc, which compiles the driver"),
]

CARTPOLE = str(HERE.parent / "recorded" / "robots" / "isaac_cartpole.drive.usda")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where the driver and its modules lie."""
    return tmp_path_factory.mktemp("driver")


@pytest.fixture
def run_program(folder):
    """Run a program where CUDA seems to be there and kernels do nothing; return what it printed, and its errors."""

    def run(program: str, *words: str, code: int = 0, **variables: str) -> tuple[str, str]:
        command = [sys.executable, "-c", program, *words]
        env = environment(folder, run=False, **variables)
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout, done.stderr

    return run


CALLS = """
import sys
import numpy as np
from fajin.device import DeviceError, cuda_copies, cuda_driver
from fajin.device.bounds import OutOfMemory

def copies():
    with cuda_copies.copies([np.zeros(3)]):
        pass

calls = {
    "load": lambda: cuda_driver.load_function(b"no PTX" + bytes(1), "kernel"),
    "synchronize": cuda_driver.synchronize,
    "copy": lambda: list(cuda_copies.downloads(0, 8, (1, 1), np.dtype("f8"))),
    "copies": copies,
}
try:
    calls[sys.argv[1]]()
except DeviceError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("call", "fail", "kind", "said"),
    [
        (
            "load", "cuModuleLoadDataEx=218", "DeviceError",
            r"the driver refuses a kernel \(CUDA_ERROR_INVALID_PTX, 218, in cuModuleLoadDataEx: a PTX JIT compilation "
            r"failed, ptxas application ptx input, line 7; fatal : a fault\); update the driver",
        ),
        (
            "copy", "cuMemcpy2DUnaligned_v2=700", "DeviceError",
            r"a kernel before this call read or wrote outside its arrays \(CUDA_ERROR_ILLEGAL_ADDRESS, 700, in "
            r"cuMemcpy2DUnaligned_v2\); the process must end",
        ),
        ("synchronize", "cuStreamSynchronize=719", "DeviceError", r"a kernel before .*its arrays .*719.* must end"),
        (
            "copies", "cuMemAllocAsync=2", "OutOfMemory",
            r"a copy needs more memory .* MiB are free .*, 2, in cuMemAlloc",
        ),
        (
            "copies", "cuMemAllocAsync=201", "DeviceError",
            r"the driver refuses a copy \(CUDA_ERROR_INVALID_CONTEXT, 201",
        ),
        ("synchronize", "cuInit=803", "DeviceError", r"the driver does not start .*MISMATCH, 803: .*; restart the"),
    ],
)  # fmt: skip
def test_an_error_has_code_name_and_cause(run_program, call, fail, kind, said):
    """In one line; what a kernel did before is no refusal of the call that reports it."""
    printed, _ = run_program(CALLS, call, FAKE_CUDA_FAIL=fail)
    assert re.fullmatch(f"{kind} device cuda: {said}.*\n", printed), printed


LATER = """
import os, sys
from fajin import device
device.start("cuda")
os.environ["FAKE_CUDA_FAIL"] = "cuMemAllocAsync=2"
sys.argv = ["fajin", "simulate", sys.argv[1], "--device", "cuda", "--steps", "1", "-o", sys.argv[2]]
from fajin.tools import cli
cli.main()
"""


def test_memory_that_is_gone_before_an_array_is_made_is_one_line(run_program, tmp_path):
    """What was free when worlds were counted another program has taken since; nothing is written."""
    out = tmp_path / "out.anim.usda"
    _, errors = run_program(LATER, CARTPOLE, str(out), code=2, FAJIN_LIMITS="none")
    (line,) = [line for line in errors.splitlines() if "memory" in line]
    assert line.startswith("fajin: device cuda: an array of ")
    assert "Traceback" not in errors
    assert "[E " not in errors
    assert not out.exists()


THREADS = """
import sys, threading
import numpy as np
import fajin
from fajin import device
scene, made, done = fajin.read(sys.argv[1]), [], []

def make():
    sim = fajin.Simulation(scene, 5, "cuda")
    sim.step(2)
    sim.write("qd", np.zeros((2, 2)), worlds=[1, 3])
    sim.read("link_pose")
    made.append(sim)
    done.append("made")

def inside(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

if sys.argv[2] == "main":
    device.start("cuda")
inside(make), inside(make)
inside(made.pop)
made[0].step(1)
print(len(done), made[0].steps)
"""


@pytest.mark.parametrize("starts", ["main", "thread"])
def test_any_thread_makes_and_releases_a_simulation(run_program, starts):
    """Whichever started Taichi; the process ends well in the main thread. Contexts are current in one thread."""
    printed, errors = run_program(THREADS, CARTPOLE, starts, FAKE_CUDA_CONTEXTS="1")
    assert printed.split() == ["2", "3"]
    assert "[E " not in errors


LONG = """
import sys
import fajin
sim = fajin.Simulation(fajin.read(sys.argv[1]), 5, "cuda")
sim.step(1)
print("now", file=sys.stderr, flush=True)
sim.step(200_000)
"""


def test_a_launch_is_not_queued_behind_another(run_program):
    """Each takes 50 ms on the GPU after its call has returned; so the host hears an interrupt between them."""
    _, errors = run_program(LONG, CARTPOLE, FAKE_CUDA_LAUNCH_MS="50", FAKE_CUDA_LOG="1")
    queued = [int(number) for number in re.findall(r"launch fajin_kernel .*, (\d+) before it", errors.split("now")[1])]
    assert len(queued) >= 6
    assert max(queued) == 0


KEPT = """
import threading
import numpy as np
from fajin import device
device.start("cuda")
kept, least = [], np.ones(1, np.uint32).view(np.float32)
thread = threading.Thread(target=lambda: kept.append(least * 1))
thread.start(), thread.join()
print(*(numbers.view(np.uint32)[0] == 1 for numbers in (least * 1, kept[0])))
"""


def test_denormals_are_kept(run_program):
    """2^-149 in NumPy, after Taichi has started on CUDA."""
    assert run_program(KEPT)[0].split() == ["True", "True"]


def test_a_gpu_that_runs_taichis_code_says_so(run_program):
    """In one line, once a process: its bits are not those of a CPU."""
    program = "from fajin import device; print(device.start('cuda').compiled, device.start('cuda').compiled)"
    printed, errors = run_program(program, FAJIN_DEBUG="1")
    assert printed.split() == ["False", "False"]
    said = "device cuda: runs Taichi's own code, which is slower and has not the bits of a CPU: FAJIN_DEBUG = 1"
    assert errors.count(said) == 1
    assert run_program(program) == ("True True\n", "")


CHOICE = """
import logging
from fajin import device
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
print(*(device.start("auto", "f32", 2, worlds).name for worlds in (1, 10**6)))
"""


@pytest.mark.parametrize(
    ("fail", "names", "said"),
    [
        (
            "",
            "cpu cuda",
            r"INFO device cpu: 1 world; cuda .* from 646 worlds on\nINFO device cuda: 1,000,000 w.*",
        ),
        ("cuInit=100", "cpu cpu", r"\s*"),
        ("cuInit=803", "cpu cpu", r"WARNING device auto: the CPU runs, since CUDA, .*MISMATCH, 803: .*"),
        ("cuMemAlloc_v2=2", "cpu cpu", r"INFO .*\nINFO .*\n\s*WARNING device auto: the CPU runs, .*OUT_OF_MEMORY.*"),
    ],
)
def test_auto_is_the_faster_device_and_the_cpu_where_cuda_does_not_start(run_program, fail, names, said):
    """As logged; a machine without a GPU logs nothing."""
    printed, errors = run_program(CHOICE, FAKE_CUDA_FAIL=fail, FAKE_CUDA_SMS="132")
    assert printed.strip() == names
    assert re.fullmatch(said, errors.strip()), errors


STUB = "unsigned cuInit(unsigned flags) { return 34; }"
FIND = "from fajin.device import cuda_driver, backends; print(cuda_driver.names(), backends.absence('cuda'))"


@pytest.mark.parametrize("driver", [True, False])
def test_the_stub_of_a_toolkit_is_passed_over(tmp_path, driver):
    """Its library is named as the driver's, outside and inside; Taichi finds nothing else."""
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    (tmp_path / "stub.c").write_text(STUB)
    build = [GCC, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"]
    subprocess.run([*build, "-o", stubs / "libcuda.so", tmp_path / "stub.c"], check=True)
    if driver:
        subprocess.run([*build, "-o", tmp_path / "libcuda.so.1", HERE / "libcuda.c", "-ldl", "-lpthread"], check=True)
    env = os.environ | {"LD_LIBRARY_PATH": f"{stubs}:{tmp_path}"}
    done = subprocess.run([sys.executable, "-c", FIND], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("['no GPU']" if driver else "[]")
    assert "remove" in done.stdout
    assert "stubs from LD_LIBRARY_PATH" in done.stdout


DOCTOR = """
from fajin.device.backends import backends
from fajin.tools import doctor
for finding in doctor._devices(backends()):
    print(finding.what, "|", finding.here, "|", finding.verdict)
"""


@pytest.mark.parametrize(("code", "verdict"), [("803", "wrong"), ("100", "-"), ("0", "ok")])
def test_doctor_says_why_the_driver_does_not_start(run_program, code, verdict):
    """By code and name; a driver without a GPU is not wrong. And from how many worlds on CUDA is faster."""
    printed, _ = run_program(DOCTOR, FAKE_CUDA_FAIL=f"cuInit={code}")
    found = {line.split(" | ")[0]: line.split(" | ")[1:] for line in printed.splitlines()}
    here, judged = found["device cuda"]
    assert judged == verdict
    assert code == "0" or f", {code}: " in here
    assert ("cuda is" in found["device auto"][0]) is (code == "0")
    assert found["kernels"] == ["machine code by llvmlite", "ok"]
