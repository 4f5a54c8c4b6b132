"""`fajin convert`: URDF and MJCF through the converters of others, and what happens where they cannot help."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from paths import RECORDINGS, ROOT

import fajin
from fajin.conversion.converter import CONVERTERS, converter_for, find
from fajin.model.mass_matrix import diagonal_inertia
from fajin.tools.cli import main

HERE = RECORDINGS / "descriptions"
MODELS = ROOT / "tools" / "bench" / "robots"


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """The one line with which the command ends, with exit status 2; nothing is written."""

    def go(*words) -> str:
        before = sorted(tmp_path.rglob("*"))
        monkeypatch.setattr(sys, "argv", ["fajin", "convert", *map(str, words)])
        with pytest.raises(SystemExit) as status:
            main()
        out, line = capsys.readouterr()
        assert (status.value.code, out) == (2, "")
        assert sorted(tmp_path.rglob("*")) == before
        return line.splitlines()[-1]

    return go


@pytest.mark.parametrize(("name", "kind"), [("lever.urdf", "URDF"), ("finger.xml", "MJCF")])
def test_a_description_is_told_by_its_root(name, kind):
    """The suffix does not count: both are often .xml."""
    assert converter_for(HERE / name).format == kind


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "an existing file"), ("no XML", "must be XML"), ("", "must be XML"), ("<sdf/>", "root element = <sdf>")],
)
def test_what_is_no_robot_is_refused(refused, tmp_path, text, said):
    robot = tmp_path / "robot.xml"
    if text is not None:
        robot.write_text(text)
    assert said in refused(robot)


@pytest.mark.parametrize("existing", ["lever.usda", "lever.converted"])
def test_nothing_is_written_over_unless_asked(refused, tmp_path, existing):
    (tmp_path / existing).mkdir()
    line = refused(HERE / "lever.urdf", "-o", tmp_path / "lever.usda")
    assert f"{existing}: exists" in line
    assert "--overwrite" in line


def test_a_scene_has_a_suffix_of_usd(refused, tmp_path):
    assert "choose one of these suffixes" in refused(HERE / "lever.urdf", "-o", tmp_path / "lever.txt")


def test_a_converter_that_is_not_there_is_named(refused, tmp_path):
    line = refused(HERE / "lever.urdf", "-o", tmp_path / "lever.usda", "--converter", tmp_path / "none")
    assert "does not contain urdf_usd_converter" in line


def test_a_program_that_fails_is_named_with_its_last_line(refused, tmp_path):
    """Here Python itself, which takes no URDF."""
    line = refused(HERE / "lever.urdf", "-o", tmp_path / "lever.usda", "--converter", sys.executable)
    assert "rejects the file (SyntaxError" in line


def test_a_program_that_writes_nothing_is_named(refused, tmp_path):
    line = refused(HERE / "lever.urdf", "-o", tmp_path / "lever.usda", "--converter", shutil.which("true"))
    assert "true rejects the file (no output)" in line


def test_a_program_on_the_path_comes_first(tmp_path, monkeypatch):
    program = tmp_path / "urdf_usd_converter"
    program.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find(CONVERTERS["robot"], None, print) == [str(program)]


@pytest.mark.slow
def test_without_a_network_the_mend_is_told(refused, tmp_path, monkeypatch):
    """The environment that was begun is not taken for a finished one."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    for _ in range(2):
        line = refused(HERE / "lever.urdf", "-o", tmp_path / "lever.usda")
        assert "urdf-usd-converter cannot be installed" in line
        assert "--converter PATH" in line


@pytest.fixture(scope="module")
def convert(tmp_path_factory):
    """A description, converted by the real converter, as the command does it."""
    folder = tmp_path_factory.mktemp("converted")

    def go(robot: Path) -> tuple[Path, str]:
        scene = folder / f"{robot.stem}.usda"
        command = [sys.executable, "-m", "fajin.tools", "convert", str(robot), "-o", str(scene), "--overwrite"]
        result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(folder)})
        assert result.returncode == 0, result.stderr
        return scene, result.stdout

    return go


def axes(scene: fajin.Scene) -> dict:
    """Axes by the last word of their joint's path."""
    return {
        joint.path.rpartition("/")[2]: joint.axes[0] for a in scene.articulations for joint in a.joints if joint.axes
    }


@pytest.mark.slow
def test_a_urdf_becomes_a_driven_robot(convert):
    """Effort and speed limits, a follower without a drive, a fixed base with its root where PhysX wants it."""
    path, text = convert(HERE / "lever.urdf")
    scene = fajin.read(path)
    found, inertia = axes(scene), diagonal_inertia(scene)
    for name, effort, speed in (("shoulder", 40.0, 3.0), ("elbow", 15.0, 5.0), ("slide", 60.0, 0.3)):
        moved = next(value for dof, value in inertia.items() if f"/{name}:" in dof)
        drive = found[name].drive
        assert (drive.max_force, found[name].max_velocity) == pytest.approx((effort, speed), rel=1e-6)
        assert (drive.stiffness, drive.damping) == pytest.approx((400.0 * moved, 40.0 * moved), rel=1e-6)
    assert found["spin"].drive is found["grip"].drive is None
    assert found["grip"].mimic
    assert (found["shoulder"].lower, found["shoulder"].upper) == pytest.approx((-1.5, 1.5), rel=1e-6)
    assert scene.articulations[0].fixed_base
    assert "6 links, 5 degrees of freedom, 3 drives" in " ".join(text.split())
    assert "spin: no drive" in text
    assert not [f for f in fajin.check.check(path) if f.severity.value != "note"]


@pytest.mark.slow
def test_an_mjcf_keeps_the_gains_of_its_actuators(convert):
    """A joint's own damping, here 0.1, adds to that of its actuator."""
    found = axes(fajin.read(convert(HERE / "finger.xml")[0]))
    drives = {name: axis.drive for name, axis in found.items()}
    assert (drives["ja"].stiffness, drives["ja"].damping, drives["ja"].max_force) == pytest.approx((30.0, 3.1, 10.0))
    assert (drives["jb"].stiffness, drives["jb"].max_force) == pytest.approx((0.0, 7.0))
    assert (drives["jc"].damping, drives["jc"].max_force) == pytest.approx((5.0, 3.0))
    assert drives["jd"].stiffness == pytest.approx(18.0)
    assert found["ja"].armature == pytest.approx(0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dofs"), [("franka", 9), ("g1", 29)])
def test_a_converted_robot_simulates(convert, name, dofs):
    """By the command; and its gains are those of the MJCF."""
    path, _ = convert(MODELS / f"{name}.xml")
    command = [sys.executable, "-m", "fajin.tools", "simulate", str(path), "--steps", "20"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    drives = [axis.drive for axis in axes(fajin.read(path)).values()]
    assert len(drives) == dofs
    ratios = {"franka": 0.1, "g1": 0.05}  # kv / kp
    assert all(drive.damping == pytest.approx(ratios[name] * drive.stiffness, rel=1e-6) for drive in drives)
