"""`fajin simulate` as a user runs it: files in, files out, one line about it, whatever happens."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from commands import fajin_here, without_compiling
from motions import apart, motion, poses
from paths import SCENES
from pxr import Sdf

import fajin
from fajin.scene.overrides import with_drive, with_dt, with_iterations, with_solver
from fajin.simulation.control_events import Control
from fajin.tools.simulate_run import Task, run_simulation

COMMAND = [sys.executable, "-m", "fajin", "simulate"]


def fajin_simulate(*options, cwd=None, **more) -> subprocess.CompletedProcess:
    """Run the command to its end."""
    return subprocess.run([*COMMAND, *map(str, options)], capture_output=True, text=True, check=False, cwd=cwd, **more)


def simulate_here(*options, cwd=None) -> subprocess.CompletedProcess:
    """Run the command in this process."""
    return fajin_here("simulate", *options, cwd=cwd)


def test_a_motion_and_a_log_come_out_of_a_file(scenes, tmp_path):
    """A row a step, the initial state first; a frame every 1/60 s, and USD shows in it what the log says."""
    out, log = tmp_path / "out.usda", tmp_path / "log.npz"
    done = fajin_simulate(scenes / "double_pendulum.usda", "-o", out, "--joints", log, "--steps", 100, "--dt", "1/240")
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")
    assert done.stdout.startswith("0.416667 s simulated, 100 steps, ")
    outputs = f"wrote {out}, {tmp_path}/out.anim.usdc, {log}"
    assert done.stdout.splitlines()[1:] == [outputs, f"look at it: fajin view {out}"]
    rows = np.load(log)
    assert np.allclose(rows["time"], np.arange(101) / 240, rtol=1e-12)
    assert rows["q"].shape == rows["qd"].shape == rows["effort"].shape == (101, len(rows["dof"]))
    assert Sdf.Layer.FindOrOpen(str(out)).endTimeCode == 25.0
    links = SimpleNamespace(link=[str(path) for path in rows["link"]])
    angle = 2.0 * np.sqrt(2.0**-23)  # [rad] to which USD, taking it off a float32 real part, knows a small rotation
    assert apart(poses(out, links, range(26)), rows["pose"][::4]) <= angle


def test_every_option_does_what_the_python_interface_does(scenes, tmp_path):
    source = scenes / "double_pendulum.usda"
    joints = [joint.path for item in fajin.read(source).articulations for joint in item.joints]
    events = [{"step": 7, "joint": joints[-1], "set": "effort", "value": 0.25}]
    (tmp_path / "events.json").write_text(json.dumps(events))
    name = joints[-1].rpartition("/")[2]
    setting = "/World/physics.physics:gravityMagnitude=5"
    options = ["--seconds", "0.25", "--dt", "1/200", "--fps", "50", "--device", "cpu", "--threads", "1"]
    options += ["--precision", "f64", "--solver", "pgs", "--position-iterations", "7", "--velocity-iterations", "3"]
    options += ["--drive", f"{name}=3,0.2", "--drive", f"{name}=2,0.1,9", "--set", setting]
    options += ["--controls", tmp_path / "events.json", "--joints", tmp_path / "log.csv", "--flatten"]
    done = simulate_here(source, "-o", tmp_path / "out.usdz", *options)
    assert done.returncode == 0, done.stderr

    scene = with_solver(with_dt(fajin.read(source, [setting]), 1 / 200), "pgs")
    scene = with_drive(with_iterations(scene, 7, 3), f"{name}=2,0.1,9")
    sim = fajin.Simulation(scene, device="cpu", precision="f64")
    column = len(sim.dof) - 1
    expected = sim.run(seconds=0.25, controls=[Control(7, column, "effort", 0.25)])
    rows = np.loadtxt(tmp_path / "log.csv", delimiter=",", skiprows=1)
    assert np.array_equal(rows[:, 0], expected.time)
    assert np.array_equal(rows[:, 1::3], expected.q[:, 0])
    assert np.array_equal(rows[:, 3::3], expected.effort[:, 0])
    layer = Sdf.Layer.FindOrOpen(str(tmp_path / "out.usdz"))
    assert (layer.timeCodesPerSecond, layer.endTimeCode) == (50.0, 12.5)  # frames of 4 steps, and the end


def test_a_motion_as_instances(scenes, tmp_path):
    """Of the frames that the layers hold; --view and --flatten are of layers."""
    source = scenes / "arm7.usda"
    done = simulate_here(source, "-o", tmp_path / "many.usdc", "--seconds", "0.1", "--fps", "30", "--instancer")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("look at it: usdview, Blender or Omniverse\n")
    layer = Sdf.Layer.FindOrOpen(str(tmp_path / "many.usdc"))
    assert (layer.timeCodesPerSecond, layer.endTimeCode) == (30.0, 3.0)
    assert len(layer.ListTimeSamplesForPath("/Worlds.positions")) == 4
    refused = simulate_here(source, "-o", tmp_path / "flat.usdc", "--instancer", "--flatten")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--instancer, --flatten, --view: must not be combined" in refused.stderr


def test_a_frame_is_a_whole_number_of_steps_and_its_rate_is_told(scenes, tmp_path):
    done = simulate_here(
        scenes / "pendulum.usda", "-o", tmp_path / "out.usda", "--steps", "8", "--dt", "0.008", "--fps", 60
    )
    assert done.stderr.startswith("fajin: note: 62.5 frames per second, not 60")
    layer = Sdf.Layer.FindOrOpen(str(tmp_path / "out.usda"))
    assert (layer.timeCodesPerSecond, layer.endTimeCode) == (62.5, 4.0)


def test_the_motion_lies_beside_the_source_unless_told_otherwise(scenes, tmp_path):
    shutil.copy(scenes / "pendulum.usda", tmp_path)
    done = simulate_here("pendulum.usda", "--steps", "0", cwd=tmp_path)
    simulated, wrote = done.stdout.splitlines()[:2]
    assert simulated.startswith("0 s simulated, 0 steps")
    assert wrote == "wrote pendulum.anim.usda, pendulum.anim.usdc"
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "pendulum.anim.usda",
        "pendulum.anim.usdc",
        "pendulum.usda",
    ]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["none.usda"], "none.usda: must be an existing file"),
        (["text.usda"], "text.usda: must be a USD file"),
        (
            ["pendulum.usda", "--drive", "hing=1,2"],
            "drive = hing=1,2: must be a pattern that matches a joint; did you mean hinge?",
        ),
        (["pendulum.usda", "--set", "/nowhere.physics:mass=1"], "/nowhere"),
        (["pendulum.usda", "--controls", "none.json"], "none.json: must be a file that can be read"),
        (["pendulum.usda", "--joints", "log.xlsx"], "log.xlsx: joint logs must be .npz, .csv, .parquet, .mcap"),
        (["pendulum.usda", "--joints", "text.usda/log.npz"], "text.usda/log.npz: cannot be written"),
        (["pendulum.usda", "-o", "text.usda/out.usda"], "text.usda/out.usda: cannot be written (File exists"),
        (["pendulum.usda", "-o", "pendulum.usda"], "pendulum.usda: must not be a layer of the source"),
        (["pendulum.usda", "-o", "out.mp4"], "out.mp4: the suffix of a motion must be one of .usda, .usdc, .usd"),
        (["pendulum.usda", "--seconds", "1", "--steps", "2"], "--seconds, --steps"),
        (["pendulum.usda", "--seconds", "-1"], "must be finite and not negative"),
        (["pendulum.usda", "--dt", "1/0"], "--dt 1/0: must be a number of seconds or a fraction"),
        (["pendulum.usda", "--dt", "-0.1"], "dt = -0.1: must be positive"),
        (["pendulum.usda", "--fps", "0"], "--fps 0: must be positive"),
        (["pendulum.usda", "--solver", "cg"], "'cg' is not one of 'pgs', 'tgs'"),
        (["pendulum.usda", "--device", "tpu"], "'tpu' is not one of 'auto', 'cpu', 'cuda', 'vulkan'"),
        (["pendulum.usda", "--speed", "9"], "No such option: --speed"),
        ([], "Missing argument"),
    ],
)
def test_what_the_user_has_to_mend_is_one_line_and_nothing_is_written(scenes, tmp_path, options, problem):
    shutil.copy(scenes / "pendulum.usda", tmp_path)
    (tmp_path / "text.usda").write_text("To whom it may concern")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    done = simulate_here(*options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("fajin: ")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_read_only_folder_is_known_before_the_simulation():
    """Even root cannot make files in /proc."""
    if not Path("/proc/self").exists():
        pytest.skip("no /proc here")
    source = SCENES / "pendulum.usda"
    done = simulate_here(source, "-o", "/proc/out.usda", "--seconds", "1e9")
    assert done.returncode == 2
    assert done.stderr.startswith("fajin: /proc/out.usda: cannot be written (")


def test_a_missing_layer_is_named(scenes, tmp_path):
    (tmp_path / "scene.usda").write_text("#usda 1.0\n(\n    subLayers = [@./robot.usda@]\n)\n")
    done = simulate_here(tmp_path / "scene.usda")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "robot.usda" in done.stderr


def test_a_motion_that_leaves_the_finite_numbers_is_written_up_to_there(scenes, tmp_path):
    event = {"step": 6, "joint": "hinge", "set": "effort", "value": 3e38}
    (tmp_path / "events.json").write_text(json.dumps([event]))
    options = ["-o", "out.usda", "--controls", "events.json", "--joints", "log.npz", "--dt", "1/60", "--steps", "60"]
    done = simulate_here(scenes / "pendulum.usda", *options, cwd=tmp_path)
    assert done.returncode == 3
    assert "is not finite at step 7" in done.stderr
    assert ", incomplete, " in done.stdout
    log = np.load(tmp_path / "log.npz")
    assert (len(log["time"]), bool(log["complete"])) == (7, False)
    assert np.isfinite(log["q"]).all()
    assert Sdf.Layer.FindOrOpen(str(tmp_path / "out.usda")).endTimeCode == 6.0


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_simulation_writes_what_was_done(scenes, tmp_path, number):
    options = ["-o", "out.usda", "--joints", "log.npz", "--seconds", "1e6"]
    command = [*COMMAND, str(scenes / "pendulum.usda"), *options]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not any(file.stat().st_size > 8000 for file in tmp_path.glob(".*/time.raw")):
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    said = "fajin: interrupted; writing what was simulated\n"
    assert (process.returncode, without_compiling(err)) == (130, said)
    assert ", incomplete, " in out
    log = np.load(tmp_path / "log.npz")
    assert not log["complete"]
    assert len(log["time"]) == len(log["q"]) == len(log["pose"]) > 1000
    assert not Sdf.Layer.FindOrOpen(str(tmp_path / "out.usda")).customLayerData["fajin"]["complete"]
    assert not list(tmp_path.glob(".*"))


def test_a_full_disk_is_one_line_and_leaves_no_half_file(scenes, tmp_path):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    shutil.copy(scenes / "pendulum.usda", tmp_path)
    environment = {**os.environ, "TI_OFFLINE_CACHE": "0", "TMPDIR": str(tmp_path)}
    options = ["-o", "out.usdc", "--joints", "log.npz", "--seconds", "60"]
    done = fajin_simulate("pendulum.usda", *options, cwd=tmp_path, preexec_fn=limit, env=environment)
    assert done.returncode == 2
    said = without_compiling(done.stderr)
    assert said.startswith("fajin: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.glob(".*"))
    assert all(np.load(log)["time"].size for log in tmp_path.rglob("*.npz"))
    assert all(Sdf.Layer.FindOrOpen(str(layer)) for layer in tmp_path.rglob("*.usdc"))


def stub(scene, pieces) -> SimpleNamespace:
    """A simulation of which only the outside is there."""
    return SimpleNamespace(scene=scene, dt=1 / 60, device="cpu", step=lambda n: None, stream=lambda *_: pieces)


def test_what_cannot_be_written_to_its_place_is_kept_elsewhere(scenes, tmp_path, capsys, monkeypatch):
    scene = fajin.read(scenes / "pendulum.usda")
    place, refuge = tmp_path / "place", tmp_path / "refuge"
    place.mkdir()
    refuge.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(refuge))
    recording = motion(scene, frames=30)

    def pieces():
        yield recording[:20]
        shutil.rmtree(place)  # a disk that is pulled out
        yield recording[20:]

    code = run_simulation(stub(scene, pieces()), Task(29, 1, place / "out.usda", place / "log.npz", False), ())
    said = capsys.readouterr()
    assert (code, said.err.count("\n")) == (2, 1)
    (saved,) = refuge.iterdir()
    assert said.out.splitlines()[1] == f"wrote {saved}/out.usda, {saved}/out.anim.usdc, {saved}/log.npz"
    assert np.array_equal(np.load(saved / "log.npz")["q"], recording.q[:, 0])
    assert apart(poses(saved / "out.usda", recording, [29]), recording.pose[29:, 0]) < 1e-3


def test_help_comes_without_usd_numpy_and_taichi():
    code = "import sys; from fajin.tools import cli; print(*{'taichi', 'pxr', 'numpy', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
    done = subprocess.run([sys.executable, "-m", "fajin", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("fajin ")
    done = subprocess.run([sys.executable, "-m", "fajin"], capture_output=True, text=True, check=True)
    assert "simulate" in done.stdout
