"""Joint logs, and recordings that grow on disk: nothing is rounded, nothing whole is lost, nothing half stays."""

import csv
import resource
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from paths import TESTS

import fajin
from fajin.atomic_write import OutputError
from fajin.recording import joint_log
from fajin.recording.joint_log import write_joint_log
from fajin.recording.recorder import FIELDS, Recording, Spool, concatenate
from fajin.scene import Articulation, Axis, Joint, JointType, Mimic, Scene

DOF = ("/robot/elbow:rotX", "/robot/slide:transZ")
UNIT = ("rad", "m")


def geared() -> Scene:
    """A robot whose slide follows its elbow: q + 3 q_elbow - 0.2 = 0."""
    mimic = Mimic(((DOF[0], 3.0),), -0.2)
    elbow = Joint("/robot/elbow", JointType.REVOLUTE, "", "/robot/a", axes=(Axis("rotX"),))
    slide = Joint("/robot/slide", JointType.PRISMATIC, "/robot/a", "/robot/b", axes=(Axis("transZ", mimic=mimic),))
    return Scene("", (Articulation("/robot", (), (elbow, slide)),))


def motion(frames: int = 50, dtype=np.float32, complete: bool = True) -> Recording:
    """A recording of random numbers."""
    random = np.random.default_rng(frames)
    q, qd, effort = random.normal(size=(3, frames, 1, 2)).astype(dtype)
    pose = random.normal(size=(frames, 1, 3, 7)).astype(dtype)
    links = ("/robot/a", "/robot/b", "/robot/c")
    return Recording(geared(), DOF, UNIT, links, np.arange(frames) / 120, q, qd, effort, pose, complete)


def read(path: Path) -> dict[str, np.ndarray]:
    """Time, q, qd, effort and residual of a log in any format."""
    if path.suffix == ".npz":
        return {name: values for name, values in np.load(path).items() if name in (*FIELDS[:4], "residual")}
    if path.suffix == ".csv":
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        columns = dict(zip(lines[0].split(","), np.array(list(csv.reader(lines[1:])), float).T, strict=True))
    else:
        import pyarrow.parquet

        columns = {name: np.array(values) for name, values in pyarrow.parquet.read_table(path).to_pydict().items()}
    of = {"q": ("rad", "m"), "qd": ("rad/s", "m/s"), "effort": ("N·m", "N")}
    named = {
        name: [f"{name} {dof} [{unit}]" for dof, unit in zip(DOF, units, strict=True)] for name, units in of.items()
    }
    joints, error = [named[name][d] for d in (0, 1) for name in of], f"residual {DOF[1]} [m]"
    assert list(columns) == ["time [s]", *joints, error]
    fixed = {"time": columns["time [s]"], "residual": columns[error][:, None]}
    return fixed | {name: np.stack([columns[c] for c in cs], 1) for name, cs in named.items()}


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("frames", [1, 7, 8, 50])
def test_a_log_holds_every_number_as_it_was(tmp_path, monkeypatch, suffix, dtype, frames):
    monkeypatch.setattr(joint_log, "ROWS", 7)  # frames at once: the seams between them are in the test
    recording, path = motion(frames, dtype), tmp_path / f"log{suffix}"
    write_joint_log(recording, path)
    log = read(path)
    for name in ("time", "q", "qd", "effort", "residual"):
        values = getattr(recording, name) if name == "time" else getattr(recording, name)[:, 0]
        assert np.array_equal(log[name].astype(values.dtype), values), name
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_npz_log_names_its_columns_and_holds_poses(tmp_path):
    recording = motion()
    write_joint_log(recording, tmp_path / "log.npz")
    log = np.load(tmp_path / "log.npz")
    assert tuple(log["dof"]) == DOF
    assert tuple(log["unit"]) == UNIT
    assert tuple(log["link"]) == recording.link
    assert (tuple(log["mimic"]), tuple(log["mimic_unit"])) == ((DOF[1],), ("m",))
    assert np.array_equal(log["pose"], recording.pose[:, 0])
    assert zipfile.ZipFile(tmp_path / "log.npz").testzip() is None


def test_the_residual_of_a_mimic_joint_is_what_it_should_make_zero():
    """C = q + gearing q_reference + offset of the recorded positions, to their last digit; none for other joints."""
    recording = motion()
    c = recording.q[..., 1] + 3.0 * recording.q[..., 0].astype(np.float64) - 0.2
    assert tuple(recording.mimics) == (DOF[1],)
    assert np.array_equal(recording.residual[..., 0], c.astype(np.float32))
    both = Recording(recording.scene, *(getattr(recording, name) for name in ("dof", "unit", "link", "time")),
                     *(np.repeat(getattr(recording, name), 2, 1) for name in FIELDS[1:]))  # fmt: skip
    assert np.array_equal(both.residual, np.repeat(recording.residual, 2, 1))
    plain = Recording(Scene("", ()), *(getattr(recording, name) for name in ("dof", "unit", "link", *FIELDS)))
    assert plain.residual.shape == (len(plain), 1, 0)


def test_a_robot_without_degrees_of_freedom_has_a_log_too(tmp_path):
    still = motion()
    none = np.zeros((len(still), 1, 0), np.float32)
    rigid = Recording(still.scene, (), (), still.link, still.time, none, none, none, still.pose)
    for suffix in joint_log.FORMATS:
        write_joint_log(rigid, tmp_path / f"log{suffix}")
    assert np.load(tmp_path / "log.npz")["q"].shape == (len(still), 0)
    assert (tmp_path / "log.csv").read_text().splitlines()[:2] == ["time [s]", "0"]


@pytest.mark.parametrize("complete", [True, False])
def test_a_log_says_whether_the_simulation_ended_as_it_was_meant_to(tmp_path, complete):
    import pyarrow.parquet

    for suffix in joint_log.FORMATS:
        write_joint_log(motion(complete=complete), tmp_path / f"log{suffix}")
    assert np.load(tmp_path / "log.npz")["complete"] == complete
    assert ("# incomplete" not in (tmp_path / "log.csv").read_text()) == complete
    about = pyarrow.parquet.read_schema(tmp_path / "log.parquet").metadata[b"fajin"].decode()
    assert f'"complete": {str(complete).lower()}' in about


def test_an_unknown_format_is_refused_with_those_that_are_known(tmp_path):
    with pytest.raises(OutputError, match=r"log\.xlsx: .*\.npz, \.csv, \.parquet, \.mcap"):
        write_joint_log(motion(), tmp_path / "log.xlsx")
    assert not list(tmp_path.iterdir())


def test_mcap_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcap", None)
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    with pytest.raises(OutputError, match=r"log\.mcap: needs the package mcap; pip install mcap"):
        write_joint_log(motion(), tmp_path / "log.mcap")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(OutputError, match=r"pip install pyarrow"):
        write_joint_log(motion(), tmp_path / "log.parquet")


def test_a_log_of_several_worlds_has_to_be_of_one_of_them(tmp_path):
    one, other = motion(40), motion(40)
    fields = {name: np.concatenate([getattr(one, name), -getattr(other, name)], 1) for name in FIELDS[1:]}
    both = Recording(one.scene, DOF, UNIT, one.link, one.time, **fields)
    with pytest.raises(ValueError, match="world"):
        write_joint_log(both, tmp_path / "log.npz")
    write_joint_log(both.world(1), tmp_path / "log.npz")
    assert np.array_equal(np.load(tmp_path / "log.npz")["q"], -other.q[:, 0])


def test_a_recording_has_only_the_worlds_it_has():
    with pytest.raises(IndexError, match="world = 1: must be from 0 to 0"):
        motion().world(1)


def test_pieces_grow_on_disk_to_what_they_are_in_memory(tmp_path):
    whole = motion(50)
    pieces = [whole[start : start + 13] for start in range(0, 50, 13)]
    spool = Spool(tmp_path)
    for piece in pieces:
        spool.append(piece)
    grown, joined = spool.recording(complete=False), concatenate(pieces)
    spool.close()
    assert len(spool) == len(grown) == len(joined) == 50
    assert (grown.complete, joined.complete) == (False, True)
    for name in FIELDS:
        assert np.array_equal(getattr(grown, name), getattr(whole, name)), name
        assert np.array_equal(getattr(joined, name), getattr(whole, name)), name


def test_a_spool_moves_with_all_its_frames(tmp_path, monkeypatch):
    monkeypatch.setattr(Spool, "ROWS", 7)
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    whole = motion(50)
    spool = Spool(tmp_path / "old")
    spool.append(whole[:30])
    spool = spool.moved(tmp_path / "new")
    spool.append(whole[30:])
    assert not list((tmp_path / "old").iterdir())
    assert spool.end == whole.time[-1]
    assert all(np.array_equal(getattr(spool.recording(), name), getattr(whole, name)) for name in FIELDS)
    spool.close()
    assert not list((tmp_path / "new").iterdir())


def limited(code: str, tmp_path: Path, size: int) -> str:
    """What a script prints in a process whose files cannot grow beyond a size, as on a full disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    folders = [str(TESTS / "support"), str(TESTS)]
    script = f"import sys; sys.path[:0] = {folders}\nfrom simulation.test_joint_log import *\n{code}"
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_disk_that_fills_up_costs_no_whole_frame(tmp_path):
    code = """
folder = Path(sys.argv[1]); spool = Spool(folder)
try:
    for start in range(0, 1000, 10):
        spool.append(motion(1000)[start : start + 10])
except OSError as error:
    print(len(spool), np.array_equal(spool.recording().pose, motion(1000).pose[: len(spool)]), error.strerror)
"""
    size = 12_345  # a frame's poses are 84 bytes, 840 a piece
    assert limited(code, tmp_path, size) == f"{size // 840 * 10} True File too large\n"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_a_disk_that_fills_up_leaves_the_former_log(tmp_path, suffix):
    path = tmp_path / f"log{suffix}"
    write_joint_log(motion(3), path)
    before = path.read_bytes()
    code = f"""
try:
    write_joint_log(motion(5000), {str(path)!r})
except OSError as error:
    print("told")
"""
    assert limited(code, tmp_path, 20_000) == "told\n"
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        OutputError, match=r"log\.csv: cannot be written \(No such file or directory\); make its folder first$"
    ):
        write_joint_log(motion(), tmp_path / "nowhere" / "log.csv")


def test_the_recorder_is_public():
    assert fajin.Recording is Recording
