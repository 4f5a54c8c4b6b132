"""The kernels of CUDA, compiled for a GPU and executed on this processor: README.md beside this file says how."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from assembler import assemble, assembler
from emulation import GCC, HERE, environment
from motion import motion

from fajin.device.memory_estimate import MEMORY_FRACTION

spec = importlib.util.spec_from_file_location("cuda_command", HERE / "__main__.py")
command = importlib.util.module_from_spec(spec)
spec.loader.exec_module(command)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the stub of the driver is Linux's"),
    pytest.mark.skipif(GCC is None, reason="no gcc, which compiles the driver and the kernels"),
]

CARTPOLE = str(HERE.parent / "recorded" / "robots" / "isaac_cartpole.drive.usda")
FRANKA = HERE.parent.parent / "tools" / "bench" / "robots" / "franka.usda"
SCENES = HERE.parent.parent / "scenes"
MIX = HERE.parent / "recorded" / "joints" / "scenes" / "n1_mix_pgs2.usda"
"""Free bodies and maximal joints: three tests compile one kernel."""
MANY = [50_000, 65_536]
"""More than 46,340 worlds: the square of their number has more than 31 bits, or is 0 in 32."""


@pytest.fixture(scope="module", autouse=True)
def _objects(tmp_path_factory) -> Iterator[None]:
    """One folder of translated modules for all tests: several of them load modules of one text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_CUDA_OBJECTS", str(tmp_path_factory.mktemp("objects")))
        patch.setenv("FAKE_CUDA_LEVEL", "-O0")
        yield


def test_many_worlds_move_as_on_the_cpu(tmp_path):
    """Steps, poses of links, and equations of motion, to the bit."""
    arguments = {"scene": CARTPOLE, "worlds": MANY, "steps": 1, "ask": True}
    cpu = same_motion(tmp_path, arguments)
    assert len(cpu) == 6 * len(MANY)
    assert all(len(np.unique(cpu[f"{count} q"][:, 0])) > 10_000 for count in MANY)  # the worlds differ


def same_motion(folder, arguments):
    """The motion on a CPU, which is that on CUDA to the bit."""
    cuda = motion(folder / "cuda.npz", environment(folder), device="cuda", **arguments)
    cpu = motion(folder / "cpu.npz", dict(os.environ), device="cpu", **arguments)
    assert cuda.keys() == cpu.keys()
    for name, expected in cpu.items():
        np.testing.assert_array_equal(cuda[name], expected, name)
    return cpu


@pytest.mark.parametrize(
    ("scene", "precision"),
    [
        (SCENES / "floating_chain.usda", "f64"), (SCENES / "tendon_finger.usda", "f32"), (MIX, "f32"),
        (SCENES / "ur10.usda", "f32"),
    ],
    ids=lambda value: getattr(value, "stem", value),
)  # fmt: skip
def test_motions_have_the_bits_of_the_cpu(tmp_path, scene, precision):
    """Floating bases, tendons, maximal joints, and contacts of hulls; `doctor` has mimics."""
    arguments = {"scene": str(scene), "worlds": [5], "steps": 60, "precision": precision}
    assert np.abs(same_motion(tmp_path, arguments)["5 qd"]).max() > 1e-3


def test_doctor_finds_cuda_well(tmp_path):
    """The device, and motions recorded from PhysX: none wrong."""
    words = [sys.executable, "-m", "fajin.tools", "doctor", "--json", "--device", "cuda", "--seconds", "0"]
    done = subprocess.run(words, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert findings["device cuda"]["here"] == "no GPU"  # as the stub calls itself
    motions = [finding for what, finding in findings.items() if what.endswith(" on cuda")]
    assert len(motions) > 3
    assert all(finding["verdict"] == "ok" for finding in motions)


ROOM = """
import fajin, sys
from fajin import device
from fajin.device import free_memory
model = fajin.compile(fajin.read(sys.argv[1]))
device.start("cuda")
print(free_memory.free_bytes("cuda"), fajin.largest_batch(model, "cuda"))
try:
    fajin.Simulation(model, 10**7, "cuda")
except fajin.OutOfMemory as error:
    print(error)
"""


BYTES = 2_216
"""Bytes of a world of Franka without scratch, as on a CPU."""


@pytest.mark.parametrize(
    ("size", "most_worlds"),
    [(1 << 32, int(MEMORY_FRACTION * (1 << 32) / BYTES)), (1 << 50, 4_500_000)],
    ids=["memory", "index"],
)
def test_the_driver_says_what_is_free(tmp_path, size, most_worlds):
    """What lies unused in Taichi's memory pool among it; worlds are bounded by it, or by what an index reaches."""
    env = environment(tmp_path, run=False, FAKE_CUDA_BYTES=str(size), FAKE_CUDA_POOL=str(size // 2))
    done = subprocess.run([sys.executable, "-c", ROOM, FRANKA], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    numbers, refusal = done.stdout.splitlines()
    free, most = map(int, numbers.split())
    assert 0.99 * size < free <= size
    assert 0 < most < most_worlds
    assert re.match(r"worlds = 10,000,000: .*; must be at most [\d,]+; split the run into several batches$", refusal)


EXCHANGE = """
import fajin, sys
import numpy as np
sim = fajin.Simulation(fajin.read(sys.argv[1]), 50, "cuda")
rows = np.random.default_rng(0).normal(0.0, 1.0, (50, 2)).astype(np.float32)
tell = lambda what: print("now", what, file=sys.stderr, flush=True)
sim.write("qd", rows), sim.write("target_q", rows), sim.write("target_q", rows + 1.0)
sim.step(), sim.write("qd", rows)  # whatever else must be copied is there
tell("write"), sim.write("qd", rows)
tell("write"), sim.write("target_q", rows)
tell("read")
assert (sim.read("qd") == rows).all()
tell("end")
rows[[3, 40]] = 0.0
sim.write("qd", rows[[3, 40]], worlds=[3, 40])
assert (sim.read("qd", worlds=[2, 3, 40, 49]) == rows[[2, 3, 40, 49]]).all()
assert (sim.read("qd") == rows).all()
"""


def test_one_copy_moves_a_quantity_of_all_worlds(tmp_path):
    """To the GPU or from it, and no kernel; the rows of some worlds leave those of the others."""
    command = [sys.executable, "-c", EXCHANGE, CARTPOLE]
    env = environment(tmp_path, FAKE_CUDA_LOG="1")
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    parts = done.stderr.split("now ")[1:]
    calls = [(part.split()[0], re.findall("cuda: (up|down|launch)", part)) for part in parts[:3]]
    assert calls == [("write", ["up"]), ("write", ["up"]), ("read", ["down"])]


def test_motions_are_those_of_physx():
    """Two robots and bodies on joints outside the trees; `doctor` has robots, `python tests/cuda parity` all scenes."""
    names = "test_motion and n1_mix"
    words = [sys.executable, str(HERE), "parity", "-q", "-n", "0", "-k", names]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "1 passed" in done.stdout


def test_a_step_of_franka_is_short():
    """Of one world: a rise in instructions or in loads and stores is one in time."""
    each = command.executed(str(FRANKA), 32, 10)
    moves = sum(count for name, count in each.items() if name.split(".")[0] in ("ld", "st"))
    assert sum(each.values()) <= 36_500
    assert moves <= 9_000
    assert sum(count for name, count in each.items() if name.startswith("ld") and name.endswith("u64")) <= 10


def test_a_step_of_franka_touches_few_lines():
    """Of a warp; what it loads and writes beyond the caches bounds its rate on a GPU that is full.

    Parameters that worlds share are 70 lines where each had one of its own for a number: 322.
    """
    trace, warps = command.traced(str(FRANKA), 8), command.chosen_warps(str(FRANKA))
    assert trace.touched(1) <= 740
    assert trace.touched(5) <= 390
    assert len(np.unique(trace.lines[~trace.own])) <= 100
    assert command.predict(trace, 67584, 16).memory <= 15_000
    assert command.predict(trace, 6 * warps * 4224, warps).rate >= 180e6


def test_copies_read_what_a_robot_is_once_per_warp(tmp_path):
    """Threads of 64 copies in one stage load what those of 64 worlds do, and tree, words and axes from one place."""
    from fajin import author

    stage = tmp_path / "copies.usda"
    author.copies(FRANKA, stage, 64)
    copies, worlds = (command.traced(str(scene), 3, worlds=count) for scene, count in ((stage, 1), (FRANKA, 64)))
    loads = [(~trace.stores).sum() for trace in (copies, worlds)]
    shared = [(~trace.stores & ~trace.own).sum() for trace in (copies, worlds)]
    assert loads[0] == pytest.approx(loads[1], rel=0.01)
    assert shared[0] == pytest.approx(shared[1], rel=0.01)
    assert shared[0] > loads[0] / 3


NOT_HERE = pytest.mark.skipif(assembler() is None, reason="no ptxas; pip install nvidia-cuda-nvcc-cu12")


@NOT_HERE
@pytest.mark.parametrize("robot", ["franka", "g1"])
def test_a_multiprocessor_holds_the_warps_that_are_at_once(tmp_path, robot):
    """In a launch that fills a GPU: 128 registers a thread of G1, more of Franka, and nothing spilled."""
    scene = FRANKA.with_stem(robot)
    found = assemble(command.compiled(scene, tmp_path), "sm_90")
    assert found.warps >= command.chosen_warps(str(scene))
    assert found.spill_stores == found.spill_loads == 0


@NOT_HERE
@pytest.mark.parametrize("scene", [CARTPOLE, MIX], ids=["trees", "maximal joints"])
def test_nothing_of_a_step_is_spilled(tmp_path, scene):
    """The registers of a thread are enough on the GPUs of a data centre."""
    found = assemble(command.compiled(scene, tmp_path), "sm_90")
    assert found.spill_stores == found.spill_loads == 0
    assert found.stack == 0
    assert found.registers < 255
