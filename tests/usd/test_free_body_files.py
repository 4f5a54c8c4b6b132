"""A scene of free bodies alone has no degree of freedom: its motion and its logs are written all the same."""

import numpy as np
import pytest
from motions import apart, poses, roundoff
from usda import MASS, body, prim, stage

import fajin
from fajin.recording.joint_log import write_joint_log
from fajin.recording.recorder import Spool

TURNED = """double3 xformOp:translate = (1, 2, 3)
    quatd xformOp:orient = (0.8, 0, 0.6, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    """
SPUN = "vector3f physics:angularVelocity = (90, 200, 10)\nvector3f physics:velocity = (1, 0, 5)\n"


@pytest.fixture
def recording(tmp_path) -> fajin.Recording:
    """A body in a turned prim and one inside the other, in stage units of a centimetre."""
    inner = body("inner", MASS + "\n" + TURNED + SPUN)
    thrown = prim("Xform", "world", TURNED + body("thrown", MASS + "\n" + TURNED + SPUN + inner))
    path = stage(tmp_path, thrown, metadata='metersPerUnit = 0.01\n    upAxis = "Z"')
    return fajin.Simulation(fajin.read(path), device="cpu").run(steps=30)


def test_usd_shows_the_flight(tmp_path, recording):
    """Of a body in the world and of a body inside another."""
    assert recording.link == ("/world/thrown", "/world/thrown/inner")
    fajin.write(recording, tmp_path / "out.usda")
    assert np.ptp(recording.pose, axis=0).max() > 0.1
    assert apart(poses(tmp_path / "out.usda", recording, range(31)), recording.pose[:, 0]) <= roundoff(recording)


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_a_log_without_joints_holds_the_time(tmp_path, recording, suffix):
    """One column, and the poses where the format has them."""
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"log{suffix}"
    write_joint_log(recording, path)
    if suffix == ".npz":
        log = np.load(path)
        assert log["q"].shape == (31, 0)
        assert np.array_equal(log["pose"], recording.pose[:, 0])
        time = log["time"]
    elif suffix == ".csv":
        time = np.loadtxt(path, skiprows=1)
    else:
        import pyarrow.parquet

        time = pyarrow.parquet.read_table(path)["time [s]"].to_numpy()
    assert np.array_equal(time, recording.time)


def test_a_recording_without_joints_grows_on_disk(tmp_path, recording):
    """A field without values takes no room."""
    spool = Spool(tmp_path)
    spool.append(recording[:10])
    spool.append(recording[10:])
    assert spool.recording().qd.shape == (31, 1, 0)
    assert np.array_equal(spool.recording().pose, recording.pose)


def test_quantities_without_joints_are_empty(recording):
    """(W, 0), to read and to set."""
    sim = fajin.Simulation(recording.scene, worlds=3, device="cpu")
    sim.q, sim.target_q = 0.0, 1.0
    sim.step(5)
    assert sim.q.shape == sim.max_velocity.shape == (3, 0)
    assert sim.dof == sim.unit == ()
