"""Calls of the driver that launches, copies and exchanges make, counted by a stub: what the host does each time."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from emulation import GCC, HERE, environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the stub of the driver is Linux's"),
    pytest.mark.skipif(GCC is None, reason="no gcc, which compiles the driver and the kernels"),
]

CARTPOLE = str(HERE.parent / "recorded" / "robots" / "isaac_cartpole.drive.usda")
HEAD = """
import sys
import numpy as np
import fajin
from fajin import device
from fajin.device import cuda_copies

def now(name):
    print("now", name, file=sys.stderr, flush=True)

device.start("cuda")
scene = fajin.read(sys.argv[1])
"""


@pytest.fixture
def calls(tmp_path):
    """The calls between the lines `now` of a program, by name, and whether they copied up or down or launched."""

    def run(program: str, run: bool = False, **variables: str) -> dict[str, Counter]:
        env = environment(tmp_path, run=run, FAKE_CUDA_LOG="1", **variables)
        command = [sys.executable, "-c", HEAD + program, CARTPOLE]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        parts = (part.split("\n", 1) for part in done.stderr.split("now ")[1:])
        return {name: Counter(re.findall(r"cuda: (?:call )?(\w+)", text)) for name, text in parts}

    return run


def made(found: Counter) -> dict[str, int]:
    """The calls of the driver among what was found."""
    return {name: count for name, count in found.items() if name.startswith("cu")}


MAKE = """
now("make")
sim = fajin.Simulation(scene, 50, "cuda")
sim._stepper.length.most = 1000  # a launch that is measured ends with a wait
sim.step()
now("step")
sim.step()
now("end")
"""


def test_a_launch_is_three_calls(calls):
    """Taichi's context, the launch, and the context before: no allocation, no copy, nothing that was known."""
    assert made(calls(MAKE)["step"]) == {"cuCtxPushCurrent_v2": 1, "cuLaunchKernel": 1, "cuCtxPopCurrent_v2": 1}


MADE = """
now("make")
sim = fajin.Simulation(scene, 50, "cuda")
now("end")
"""


def test_a_simulation_is_made_by_few_launches(calls):
    """Poses of the links, and the rows of the first world in each buffer; none is of Taichi's own code."""
    assert calls(MADE)["make"]["launch"] <= 5


INPUTS = """
from fajin.device.compiled_kernel import launch
sim = fajin.Simulation(scene, 50, "cuda")
rows = np.zeros((50, 2), np.float32)
sim.write("q", rows), sim.read("link_pose")
now("poses")
sim.write("q", rows), sim.read("link_pose")
now("some")
sim.write("q", rows[:2], worlds=[3, 40])
now("end")
"""


def test_what_kernels_only_read_is_not_copied_back(calls):
    """Worlds, rows and given numbers; nothing waits for the GPU, where memory is freed in the order of the stream."""
    found = calls(INPUTS)
    assert found["poses"]["cuMemcpyDtoH_v2"] == found["some"]["cuMemcpyDtoH_v2"] == 0
    assert found["some"]["cuMemcpyHtoD_v2"] == 3
    assert found["poses"]["down"] == 1  # the poses
    assert found["poses"]["cuMemFree_v2"] == 0
    assert found["some"]["cuStreamSynchronize"] == 0


WRITES = """
cuda_copies.PIECE = 1 << 12  # several pieces a write
sim = fajin.Simulation(scene, 5000, "cuda")
given = np.random.default_rng(0).normal(0.0, 1.0, (3, 5000, 2)).astype(np.float32)
sim.write("target_q", given[0]), sim.read("target_q")
now("write")
for name, rows in zip(("qd", "target_q", "q"), given):
    sim.write(name, rows)
now("read")
for name, rows in zip(("qd", "target_q", "q"), given):
    assert (sim.read(name) == rows).all()
now("end")
"""


def test_writes_do_not_wait_for_kernels(calls):
    """They go through pinned memory that is not overwritten before the GPU has read it, piece by piece."""
    found = calls(WRITES)
    assert found["write"]["up"] > 6
    assert found["write"]["cuMemcpy2DAsync_v2"] == found["write"]["up"]
    assert found["write"]["cuStreamSynchronize"] == found["write"]["cuMemHostAlloc"] == 0


TENSORS = """
import types
ordered = []

class Tensor:
    def __init__(self, numbers):
        self.numbers, self.shape, self.dtype, self.device = numbers, numbers.shape, f"torch.{numbers.dtype}", "cuda:0"
    def __dlpack_device__(self):
        return 2, 0
    def __dlpack__(self, stream):
        now(f"order {len(ordered)}") if stream == 1 else now("wrong")
        ordered.append(stream)
    def __len__(self):
        return len(self.numbers)
    def data_ptr(self):
        return self.numbers.ctypes.data
    def detach(self):
        return self
    def is_contiguous(self):
        return True
    def reshape(self, *shape):
        return Tensor(self.numbers.reshape(shape))
    def clamp(self, low, high):
        return Tensor(self.numbers.clip(low, high))
    def min(self):
        return self.numbers.min()
    def max(self):
        return self.numbers.max()

stream = types.SimpleNamespace(cuda_stream=0)
cuda = types.SimpleNamespace(current_stream=lambda device: stream)
sys.modules["torch"] = types.SimpleNamespace(Tensor=Tensor, cuda=cuda)
sim = fajin.Simulation(scene, 50, "cuda")
rows = np.random.default_rng(0).normal(0.0, 1.0, (50, 2)).astype(np.float32)
out = np.zeros_like(rows)
for stream.cuda_stream in (0, 7):
    rows += 1.0
    sim.write("qd", Tensor(rows))
    now(f"after {stream.cuda_stream}")
    sim.read("qd", Tensor(out))
    assert (out == rows).all()
    sim.write("qd", Tensor(rows[:2] * 2.0), worlds=[7, 40])
    sim.read("qd", Tensor(out[:2]), worlds=[40, 7])
    assert (out[:2] == 2.0 * rows[1::-1]).all()
    now("end")
"""


def test_tensors_are_exchanged_on_the_gpu(calls):
    """In the order of PyTorch's stream and Taichi's, by events: no copy of a number, and the host does not wait."""
    found = calls(TENSORS, run=True)
    assert "wrong" not in found
    for part, side in (("order 0", 0), ("order 1", 0), ("order 4", 1), ("order 5", 1)):  # written, read; streams 0, 7
        moves = found[part]
        assert moves["launch"] == 1
        assert moves["cuStreamSynchronize"] == moves["cuEventSynchronize"] == moves["up"] == moves["down"] == 0
        assert moves["cuEventRecord"] == moves["cuStreamWaitEvent"] == side


READOUT = (
    TENSORS[: TENSORS.index("rows = ")]
    + """
from fajin.simulation.readout import Readout
made = []
readout = Readout(sim, new_memory=lambda count: made.append(Tensor(np.zeros(count, np.float32))) or made[-1])
rows = readout.add("qd")
sim.write("qd", np.arange(100, dtype=np.float32).reshape(50, 2))
stream.cuda_stream = 7
now("update")
readout.update()
now("end")
values = made[-1].numbers.reshape(2, -1)[:, :50]
assert (values.T == np.arange(100).reshape(50, 2)).all()
"""
)


def test_a_readout_into_a_tensor_stays_on_the_gpu(calls):
    """One launch, in the order of both streams: no number of it is copied, and the host does not wait."""
    moves = calls(READOUT, run=True)["order 0"]
    assert moves["launch"] == 1
    assert moves["down"] == moves["cuMemcpyDtoH_v2"] == moves["cuStreamSynchronize"] == moves["cuEventSynchronize"] == 0
    assert moves["cuEventRecord"] == moves["cuStreamWaitEvent"] == 1


TWICE = """
import logging
logging.basicConfig(level=logging.INFO, format="%(message)s")
sim = fajin.Simulation(scene, 50, "cuda")
sim.step()
sim.read("qd", worlds=[1, 7]), sim.write("qd", np.zeros((2, 2)), worlds=[1, 7])
now("end")
"""


def test_no_process_compiles_twice(tmp_path):
    """A second one finds all kernels as PTX, and Taichi compiles none of them."""
    env = environment(tmp_path, run=False, TI_OFFLINE_CACHE_FILE_PATH=str(tmp_path / "cache"))
    command = [sys.executable, "-c", HEAD + TWICE, CARTPOLE]
    for compiles in (True, False):
        for module in tmp_path.glob("*.ptx"):
            module.unlink()
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        assert ("compiling step_kernel" in done.stderr) is compiles
        assert ("compiling gather" in done.stderr) is compiles
        assert "compiling" in done.stderr or not compiles
    modules = [path for path in Path(tmp_path).glob("*.ptx") if "fajin_kernel" not in path.read_text()]
    assert len(modules) == 1  # Taichi's runtime
