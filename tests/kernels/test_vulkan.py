"""The GPU's kernels on software Vulkan, in a process of its own: Taichi runs on one device a process.

Mesa's driver compiles a kernel with contacts for longer than anybody waits: LLVM's splitting of coroutines, which it
makes of all shaders, takes a time that grows with the square of their branches. SwiftShader has no double precision.
"""

import ctypes.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from paths import TESTS

DRIVERS = [*Path("/usr/share/vulkan/icd.d").glob("lvp_icd*"), *Path("/etc/vulkan/icd.d").glob("lvp_icd*")]
SWIFTSHADER = Path("/usr/lib/chromium/vk_swiftshader_icd.json")
"""Driver that comes with Debian's chromium-common."""

LOADER = ctypes.util.find_library("vulkan")
on_mesa = pytest.mark.skipif(not DRIVERS or not LOADER, reason="no Mesa Vulkan driver")
pytestmark = pytest.mark.gpu
STEPS = 5

PROGRAM = """
import sys
from dataclasses import replace
import numpy as np
import fajin
from fajin import dynamics
from fajin.device.state import State
from fajin.scene import Drive, Friction, SolverType
sys.path.insert(0, sys.argv[5])
from random_tree import edited, random_tree
from shared_kernels import clear_schedule

own, run = State._features, State.run
State._features = lambda state: replace(own(state), floats=True, schedule=True)

def run_with_schedule(state, *args, **kwargs):
    if not state.schedules:
        clear_schedule(state)
    return run(state, *args, **kwargs)

State.run = run_with_schedule
rows = dict(drive=Drive(stiffness=60.0, damping=2.0, max_force=40.0), friction=Friction(0.5, 0.4, 0.05))
motions = {}
for seed, solver in ((0, SolverType.PGS), (1, SolverType.TGS))[1 if sys.argv[2] == "f64" else 0 :]:
    scene = edited(random_tree(seed, floating=seed == 1), axes=lambda a: replace(a, **rows), solver=solver)
    sim = fajin.Simulation(scene, 3, sys.argv[1], sys.argv[2], sleeping=False)
    if sys.argv[1] == "vulkan":
        state = sim._synced_state()
        state.features = replace(state.features, results=False)
    sim.target_q[:, 0] = (0.1, 0.2, 0.3)
    recording = sim.run(steps=int(sys.argv[3]))
    motions |= {f"{seed}{field}": getattr(recording, field) for field in ("q", "qd", "pose")}
    motions |= {f"{seed}{name}": sim.read(name) for name in ("link_pose", "link_velocity", "target_q")}
    table = np.random.default_rng(seed).normal(0.0, 1.0, (3, 4, len(sim.dof)))
    delay = (0.0, 0.4 * sim.dt, sim.dt)
    sim.schedule({"effort": table, "target_q": table[0]}, every=2, interpolate=seed == 1, delay=delay)
    later = sim.run(steps=int(sys.argv[3]), every=2, record=("q", "effort"))
    motions |= {f"{seed}scheduled {name}": getattr(later, name) for name in ("q", "effort")}
    motions |= {f"{seed}scheduled {name}": sim.read(name) for name in ("target_q", "effort")}
    start = fajin.Simulation(scene, 3, sys.argv[1], sys.argv[2])
    for name in ("mass_matrix", "jacobian", "gravity_compensation", "joint_acceleration", "momentum"):
        motions[f"{seed}{name}"] = getattr(dynamics, name)(start)
np.savez(sys.argv[4], device=sim.device, **motions)
"""

TOUCHING = """
import sys
from dataclasses import replace
import numpy as np
import fajin

sim = fajin.Simulation(fajin.read(sys.argv[1]), 1, sys.argv[2], "f32", sleeping=False)
if sys.argv[2] == "vulkan":
    state = sim._synced_state()
    state.features = replace(state.features, results=False)
pose, velocity = np.array(sim.root_pose), np.array(sim.root_velocity)
pose[..., 2], velocity[..., 2] = 0.12, -2.0
sim.root_pose, sim.root_velocity = pose, velocity
recording = sim.run(steps=int(sys.argv[3]))
np.savez(sys.argv[4], pose=recording.pose, **{name: sim.read(name) for name in ("root_pose", "root_velocity")})
"""


def motion(folder: Path, device: str, precision: str) -> dict[str, np.ndarray]:
    """Motion of two trees, each in three worlds, on a device; of the floating one in double precision.

    One kernel steps both, with a schedule or without: the driver takes minutes to compile it, in double precision
    four times as long. It has neither sleep nor results, which nobody reads here.
    """
    arguments = [device, precision, str(STEPS), str(folder / f"{device}.npz"), str(TESTS / "support")]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(np.load(folder / f"{device}.npz"))


@pytest.mark.slow
@on_mesa
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_vulkan_moves_as_the_cpu(tmp_path, precision):
    """To the round-off of a few steps: a driver may fuse multiply and add."""
    vulkan, cpu = (motion(tmp_path, device, precision) for device in ("vulkan", "cpu"))
    assert str(vulkan.pop("device")) == "vulkan"
    assert str(cpu.pop("device")) == "cpu"
    eps = np.finfo(np.float64 if precision == "f64" else np.float32).eps
    for name, expected in cpu.items():
        size = max(1.0, np.abs(expected).max())
        assert np.abs(vulkan[name] - expected).max() <= 32 * STEPS * eps * size, name


@pytest.mark.slow
@pytest.mark.skipif(not SWIFTSHADER.exists() or not LOADER, reason="no SwiftShader")
def test_bodies_touch_on_vulkan_as_on_the_cpu(scenes, tmp_path):
    """With the same bits, over a bounce of balls near the ground.

    The kernel has neither sleep nor results, which nobody reads here: the driver compiles it in two thirds of the time.
    """
    motions = []
    for device in ("vulkan", "cpu"):
        file = tmp_path / f"{device}.npz"
        command = [sys.executable, "-c", TOUCHING, str(scenes / "bouncing_ball.usda"), device, "8", str(file)]
        environment = os.environ | {"VK_ICD_FILENAMES": str(SWIFTSHADER)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        motions.append(dict(np.load(file)))
    vulkan, cpu = motions
    assert cpu["root_velocity"][..., 2].max() > 0.0  # it has bounced
    for name, expected in cpu.items():
        np.testing.assert_array_equal(vulkan[name], expected, name)


@pytest.mark.slow
@on_mesa
def test_auto_never_picks_vulkan(tmp_path):
    """Software Vulkan is slower than the CPU: it is there only for whoever asks."""
    assert str(motion(tmp_path, "auto", "f32")["device"]) in ("cpu", "cuda")
