"""Parts of the add-on for Blender that run without it: its fajin, a running simulation, and markers of joints."""

import json
import shlex
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from paths import ROOT
from usda import arm, stage

import fajin
from fajin import quaternion

FOLDER = ROOT / "tools" / "blender" / "fajin_blender"
EPS = np.finfo(np.float32).eps


def package():
    """The add-on's folder as a package, without its own start, which loads Blender."""
    spec = spec_from_file_location("addon", FOLDER / "process.py", submodule_search_locations=[str(FOLDER)])
    sys.modules["addon"] = module_from_spec(spec)
    for name in ("process", "interpreter", "live_session", "markers", "axis_document"):
        part = spec_from_file_location(f"addon.{name}", FOLDER / f"{name}.py")
        sys.modules[f"addon.{name}"] = module = module_from_spec(part)
        part.loader.exec_module(module)
        setattr(sys.modules["addon"], name, module)
    return sys.modules["addon"]


addon = package()
FAJIN = f"{shlex.quote(sys.executable)} -m fajin.tools"


def program(path: Path, text: str) -> Path:
    """A program of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder without any fajin, and none elsewhere."""
    monkeypatch.delenv("FAJIN", raising=False)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "home"


@pytest.mark.parametrize("place", ["venv/bin/fajin", ".virtualenvs/robots/bin/fajin", ".local/bin/fajin"])
def test_fajin_is_found_where_people_install_it(home, place):
    wanted = program(home / place, "echo fajin 0.1.0")
    program(home / "abandoned" / "bin" / "fajin", "exit 1")  # its Python is gone
    program(home / "another" / "bin" / "fajin", "echo 3.2")  # another program of this name
    assert addon.interpreter.find(home / "own", home) == shlex.quote(str(wanted))


def test_the_variable_and_the_own_environment_come_first(home, monkeypatch):
    program(home / "venv" / "bin" / "fajin", "echo fajin 0.1.0")
    own = program(home / "own" / "bin" / "fajin", "echo fajin 0.1.0")
    assert addon.interpreter.find(home / "own", home) == str(own)
    named = program(home / "with space" / "fajin", "echo fajin 0.1.0")
    monkeypatch.setenv("FAJIN", str(named))
    assert addon.interpreter.find(home / "own", home) == f"'{named}'"


def test_a_fajin_that_is_not_found_is_one_line(home):
    with pytest.raises(addon.process.FajinError, match="fajin is not found; install it"):
        addon.interpreter.find(home / "own", home)


PYTHON = """case "$1" in
-c) echo {version};;
-m) mkdir -p "$3/bin" && cp {pip} "$3/bin/python";;
esac"""
PIP = """echo "$*" >> {log}
printf '#!/bin/sh\\necho fajin 0.1.0\\n' > {own}/bin/fajin && chmod +x {own}/bin/fajin
exit {status}"""


@pytest.fixture
def install(home):
    """Install with a Python of a version, whose pip ends with a status; return the command and what pip was given."""

    def run(*versions: str, status: int = 0) -> tuple[str, str]:
        own, log = home / "own", home / "log"
        pip = program(home / "pip", PIP.format(log=log, own=own, status=status))
        choices = [str(program(home / f"python{v}", PYTHON.format(version=v, pip=pip))) for v in versions]
        return addon.interpreter.install(own, "fajin", ["/nowhere/python", *choices]), log.read_text()

    return run


def test_fajin_is_installed_by_the_first_python_that_suits(install, home):
    """Python 3.14 and 3.9 do not: fajin's libraries have none of their wheels."""
    command, given = install("3 14", "3 9", "3 12")
    assert command == str(home / "own" / "bin" / "fajin")
    assert given == "-m pip install --disable-pip-version-check fajin\n"


@pytest.mark.parametrize(
    ("versions", "status", "line"),
    [(("3 14",), 0, "no Python from 3.10 to 3.13 is found"), (("3 11",), 1, "fajin is not installed")],
)
def test_an_installation_that_fails_is_one_line_and_leaves_nothing(install, home, versions, status, line):
    with pytest.raises(addon.process.FajinError, match=line):
        install(*versions, status=status)
    assert not (home / "own").exists()


def shell(script: str) -> str:
    """A command that runs a script of Python in place of fajin."""
    return f"{shlex.quote(sys.executable)} -uc {shlex.quote(script)}"


SLOW = "import sys, time; print('progress 30 120 steps', file=sys.stderr); time.sleep(600)"


def test_a_command_that_runs_beside_another_program_reports_its_progress_and_is_cancelled():
    job = addon.process.Job(shell(SLOW))
    wait(job, lambda: job.total)
    assert (job.share, job.unit, job.running, job.status) == (0.25, "steps", True, None)
    job.cancel()
    with pytest.raises(addon.process.FajinError, match="exit status"):
        job.result()
    assert (job.cancelled, job.running) == (True, False)


def test_a_simulation_reports_each_step_to_a_program(scenes, tmp_path):
    """The last report is the end; reports are no part of an error's line."""
    job = addon.process.Job(FAJIN, "simulate", scenes / "pendulum.usda", "-o", tmp_path / "motion.usda")
    assert "wrote" in job.result()
    assert (job.share, job.unit) == (1.0, "steps")
    script = "import sys; print('a.usda: must be USD\\nprogress 1 2 steps', file=sys.stderr); raise SystemExit(2)"
    with pytest.raises(addon.process.FajinError, match=r"a\.usda: must be USD"):
        addon.process.Job(shell(script)).result()


def wait(session, done) -> None:
    """Wait until something holds, or the session ends."""
    end = time.monotonic() + 120.0
    while not done() and session.running and time.monotonic() < end:
        time.sleep(0.02)


def test_a_simulation_runs_beside_another_program(scenes):
    """Its poses are those of links by prim; a target moves the joint; closing ends the process."""
    session = addon.live_session.LiveSession(FAJIN, str(scenes / "pendulum.usda"))
    try:
        wait(session, lambda: session.state)
        assert session.error == ""
        assert [path for path, _ in session.poses()] == session.description["link"]
        before = session.state["link_pose"]
        wait(session, lambda: session.state["link_pose"] != before)
        assert session.state["link_pose"] != before
        assert session.send({"target": {"nobody": 1.0}}) == "target: must be finite numbers by degree of freedom"
        (joint,) = session.description["dof"]
        assert session.send({"target": {joint: 0.5}}) == ""
        wait(session, lambda: session.state["target_q"] == (0.5,))
        assert session.state["target_q"] == (0.5,)
    finally:
        session.close()
    assert not session.running


def test_a_simulation_does_not_outlive_the_program_that_runs_it(scenes):
    """A program that is killed closes its pipes, and does nothing else."""
    session = addon.live_session.LiveSession(FAJIN, str(scenes / "pendulum.usda"))
    try:
        wait(session, lambda: session.state)
        session._process.stdin.close()
        assert session._process.wait(60.0) == 0
    finally:
        session.close()


@pytest.mark.parametrize(
    ("command", "scene", "line"),
    [
        (FAJIN, "/nowhere/arm.usda", "must be an existing file"),
        (f"{shlex.quote(sys.executable)} -c pass", "arm.usda", "fajin ended"),
    ],
)
def test_a_simulation_that_does_not_start_is_one_line(command, scene, line):
    session = addon.live_session.LiveSession(command, scene)
    wait(session, lambda: False)
    assert line in session.error
    assert "\n" not in session.error


def test_a_command_that_is_missing_is_one_line():
    with pytest.raises(addon.process.FajinError, match="fajin does not start"):
        addon.live_session.LiveSession("/nowhere/fajin", "arm.usda")


def ends(marker, pose) -> np.ndarray:
    """Points of a marker in the world, at the pose of its body."""
    points = np.array(marker.points)
    return quaternion.rotate(pose[3:], points) + pose[:3] if marker.body else points


@pytest.mark.parametrize("kind", ["PhysicsRevoluteJoint", "PhysicsPrismaticJoint"])
def test_a_hand_lies_at_the_joints_position_on_its_limits(tmp_path, kind):
    """At a limit, the hand of a rotation lies on an end of the arc, and that of a translation at the end of the bar."""
    turned = "quatf physics:localRot0 = (0.5, 0.5, 0.5, 0.5)\nquatf physics:localRot1 = (0.5, 0.5, 0.5, 0.5)"
    lower, upper = (-40.0, 70.0) if kind == "PhysicsRevoluteJoint" else (-0.25, 0.5)
    limits = f"float physics:lowerLimit = {lower}\nfloat physics:upperLimit = {upper}\n{turned}"
    path = stage(tmp_path, arm(limits, kind=kind))
    document = fajin.read_document(path)
    (joint,) = [one for one in document["articulations"][0]["joints"] if one["axes"]]
    (axis,) = joint["axes"]
    _, limit, hand = addon.markers.markers_of(joint, axis, 0.25)
    assert (limit.body, hand.body) == (joint["body0"] or "", joint["body1"])
    sim = fajin.Simulation(fajin.read(path), device="cpu")
    for name in ("lower", "upper"):
        sim.q = axis[name]["value"]
        poses = dict(zip(sim.link, np.asarray(sim.link_pose)[0], strict=True))
        points, tip = ends(limit, poses.get(limit.body)), ends(hand, poses[hand.body])
        place = tip[-1] if kind == "PhysicsRevoluteJoint" else tip.mean(axis=0)
        assert np.abs(points - place).max(axis=1).min() <= 8.0 * EPS


def test_joints_without_limits_have_a_circle_or_a_line_without_ends():
    circle = addon.markers.arc((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), None, None, 2.0)
    assert len(circle) == 2 * addon.markers.STEPS
    assert np.linalg.norm(circle, axis=1) == pytest.approx(2.0)
    assert len(addon.markers.bar((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), None, None, 2.0)) == 2


def test_axes_of_a_cone_have_circles(scenes):
    """Limits of a spherical joint are not those of its axes."""
    seen = 0
    for _, joint, axis in addon.axis_document.axes_of(fajin.read_document(scenes / "spherical.usda")):
        _, limit, _ = addon.markers.markers_of(joint, axis, 1.0)
        seen += len(limit.points) == 2 * addon.markers.STEPS
    assert seen >= 3


def test_markers_are_as_large_as_the_scene_suggests(scenes):
    document = json.loads(json.dumps(fajin.read_document(scenes / "arm7.usda")))
    assert addon.markers.marker_size(document) == pytest.approx(0.14, abs=0.02)
    assert addon.markers.marker_size({"articulations": []}) == 0.005
