"""Motions from recordings, joint logs, animated USD and batches: the same poses from each."""

import numpy as np
import pytest
from commands import fajin_here
from paths import SCENES
from usda import METRES, arm, stage

import fajin
from fajin.errors import InputError
from fajin.recording.joint_log import write_joint_log
from fajin.visual.look.track import matrices_of
from fajin.visual.motion.motion import motion_of, read_motion

ROUND_OFF = 2e-5  # [m] of poses in single precision that several ways compute


@pytest.fixture(scope="module")
def recording(request):
    """Half a second of a swinging double pendulum."""
    sim = fajin.Simulation(fajin.read(SCENES / "double_pendulum.usda"), device="cpu")
    return sim.run(seconds=0.5, fps=60).world(0)


def apart(one, other) -> float:
    """Greatest difference of the transforms of two tracks."""
    return float(np.abs(matrices_of(one.pose) - matrices_of(other.pose)).max())


def test_a_log_with_poses_moves_as_the_recording(recording, tmp_path):
    write_joint_log(recording, tmp_path / "log.npz")
    motion = read_motion(tmp_path / "log.npz", SCENES / "double_pendulum.usda")
    assert apart(motion.track, motion_of(recording).track) == 0.0
    np.testing.assert_array_equal(motion.series["q"], recording.q)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_log_without_poses_gets_them_from_the_engine(recording, tmp_path, suffix):
    write_joint_log(recording, tmp_path / f"log{suffix}")
    motion = read_motion(tmp_path / f"log{suffix}", SCENES / "double_pendulum.usda")
    assert apart(motion.track, motion_of(recording).track) < ROUND_OFF
    assert motion.notes == motion.look.notes
    np.testing.assert_allclose(motion.series["effort"], recording.effort)


def test_an_animated_layer_moves_as_the_recording(recording, tmp_path):
    fajin.write(recording, tmp_path / "out.usda")
    motion = read_motion(tmp_path / "out.usda")
    assert apart(motion.track, motion_of(recording).track) < 2e-3  # of quaternions that USD stores as quatf
    np.testing.assert_allclose(motion.track.time, recording.time, atol=1e-9)


@pytest.mark.parametrize("joint", ["PhysicsRevoluteJoint", "PhysicsPrismaticJoint"])
def test_an_animated_layer_has_the_states_of_its_joints(tmp_path, joint):
    """Positions and speeds as they were recorded, to the precision of USD's float; also through a child process."""
    kind = "angular" if joint == "PhysicsRevoluteJoint" else "linear"
    drive = f"float drive:{kind}:physics:targetPosition = 10\nfloat drive:{kind}:physics:stiffness = 1e4"
    scene = stage(tmp_path, arm(drive, f"PhysicsDriveAPI:{kind}", joint))
    moved = fajin.Simulation(fajin.read(scene), device="cpu").run(seconds=0.2, fps=60).world(0)
    fajin.write(moved, tmp_path / "out.usda")
    motion = read_motion(tmp_path / "out.usda")
    assert (motion.dof, motion.unit) == (moved.dof, moved.unit)
    for name in ("q", "qd"):
        one = getattr(moved, name)
        np.testing.assert_allclose(motion.series[name], one, atol=4 * np.finfo(np.float32).eps * np.abs(one).max())
        assert np.ptp(one) > 0.0


def test_an_animated_layer_is_read_in_metres(tmp_path):
    """The same robot in centimetres moves as far."""
    found = []
    for metres in (1, 0.01):
        folder = tmp_path / str(metres)
        folder.mkdir()
        lines = (
            f"float drive:linear:physics:targetPosition = {0.3 / metres}\nfloat drive:linear:physics:stiffness = 1e4"
        )
        drive = "PhysicsDriveAPI:linear"
        metadata = METRES.replace("metersPerUnit = 1", f"metersPerUnit = {metres}")
        scene = stage(folder, arm(lines, drive, "PhysicsPrismaticJoint"), metadata=metadata)
        sim = fajin.Simulation(fajin.read(scene), device="cpu")
        fajin.write(sim.run(seconds=0.2, fps=60).world(0), folder / "out.usda")
        track = read_motion(folder / "out.usda").track
        found.append(np.ptp(track.pose[:, 0, 1, 0]))
    assert found[0] > 0.05
    assert found[1] == pytest.approx(found[0], rel=0.02)


def test_a_scene_without_animation_is_one_frame():
    motion = read_motion(SCENES / "arm7.usda")
    assert len(motion.track) == 1
    np.testing.assert_allclose(motion.track.pose[0, 0], motion.look.rest, atol=1e-6)


def test_worlds_of_a_batch_move_as_they_did(tmp_path):
    pytest.importorskip("zarr", reason="zarr 3 needs Python 3.11")
    scene = SCENES / "double_pendulum.usda"
    done = fajin_here(
        *("batch", scene, "-o", tmp_path / "out", "--worlds", 4, "--seconds", 0.25, "--device", "cpu"),
        *("--random", ".*:damping+=uniform(0,1)", "--record", "worlds=1:4 every=10"),
    )
    assert done.returncode == 0, done.stderr
    motion = read_motion(tmp_path / "out")
    sim = fajin.Simulation(fajin.read(scene), device="cpu")
    assert motion.track.worlds == 3
    assert read_motion(tmp_path / "out", worlds=slice(0, 2)).track.worlds == 2
    q = motion.series["q"][-1]
    sim.q = q[:1]
    last = matrices_of(np.array(sim.link_pose, float))[0]
    np.testing.assert_allclose(matrices_of(motion.track.pose[-1, 0]), last, atol=ROUND_OFF)
    with pytest.raises(InputError, match=r"--worlds 5:9: must be recorded worlds, from 0 to 2"):
        read_motion(tmp_path / "out", worlds=slice(5, 9))


def test_worlds_stand_side_by_side_without_overlap(recording):
    sim = fajin.Simulation(fajin.read(SCENES / "double_pendulum.usda"), worlds=4, device="cpu")
    motion = motion_of(sim.run(seconds=0.1, fps=60)).side_by_side()
    gaps = np.linalg.norm(motion.track.origins[:, None] - motion.track.origins[None], axis=-1)[~np.eye(4, dtype=bool)]
    one = motion_of(recording)
    assert gaps.min() > 0.9
    assert one.side_by_side() is one


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("log.csv", "a,b\n1,2\n", "must have a column time; name the column of times"),
        ("log.csv", "", "must have a line of headings"),
        ("log.csv", "time [s],q a [rad]\n0,x\n", "must have a column of numbers beside time [s]"),
        ("log.npz", "no archive", "must be an .npz file"),
        ("log.parquet", "no table", "must be a parquet file"),
    ],
)
def test_a_damaged_log_is_one_line(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as error:
        read_motion(tmp_path / name, SCENES / "double_pendulum.usda")
    assert str(error.value).startswith(f"{tmp_path / name}: {said}")


@pytest.mark.parametrize(
    ("array", "shape", "said"),
    [
        ("q", (31, 3), ".q: must have a column for each of 2 names, but has 3; write the log again"),
        ("pose", (31, 3, 6), ".pose: must have the shape (31, "),
    ],
)
def test_arrays_of_a_log_have_its_frames_and_names(recording, tmp_path, array, shape, said):
    write_joint_log(recording, tmp_path / "log.npz")
    with np.load(tmp_path / "log.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "bad.npz", **(arrays | {array: np.zeros(shape)}))
    with pytest.raises(InputError) as error:
        read_motion(tmp_path / "bad.npz", SCENES / "double_pendulum.usda")
    assert str(error.value).startswith(f"{tmp_path / 'bad.npz'}{said}")


def test_a_log_of_another_tool_moves_the_scene(recording, tmp_path):
    """Short names, columns of its own order, and one that is no joint."""
    short = [name.partition(":")[0].rpartition("/")[2] for name in recording.dof]
    rows = np.column_stack([recording.time, recording.q[:, 0, ::-1], recording.time])
    heads = ["t", *(f"{name}.position" for name in short[::-1]), "voltage"]
    np.savetxt(tmp_path / "real.csv", rows, delimiter=",", header=",".join(heads), comments="")
    motion = read_motion(tmp_path / "real.csv", SCENES / "double_pendulum.usda")
    assert apart(motion.track, motion_of(recording).track) < ROUND_OFF
    assert motion.notes[-1] == f"{tmp_path / 'real.csv'}: voltage left out, no joint of the scene"
    assert set(motion.series) == {"q"}


def test_a_log_needs_its_own_scene(recording, tmp_path):
    log = tmp_path / "log.npz"
    write_joint_log(recording, log)
    with pytest.raises(InputError, match=r"log.npz: must have its scene to be drawn; add --scene SCENE"):
        read_motion(log)
    with pytest.raises(InputError, match=r"log.npz: must be of this scene, but it lacks .* name the scene of the log"):
        read_motion(log, SCENES / "arm7.usda")


def test_what_is_not_a_motion_is_one_line(tmp_path):
    (tmp_path / "robot.obj").touch()
    with pytest.raises(InputError, match=r"robot.obj: must be a file of .usda"):
        read_motion(tmp_path / "robot.obj")
    with pytest.raises(InputError, match="must be the manifest of a batch"):
        read_motion(tmp_path)


def test_a_log_without_poses_of_a_floating_robot_is_noted(tmp_path):
    sim = fajin.Simulation(fajin.read(SCENES / "floating_chain.usda"), device="cpu")
    write_joint_log(sim.run(seconds=0.1, fps=60).world(0), tmp_path / "log.csv")
    motion = read_motion(tmp_path / "log.csv", SCENES / "floating_chain.usda")
    assert motion.notes[-1].endswith("what floats stays where it starts; log to .npz")
