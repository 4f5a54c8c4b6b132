"""What stands in place of a file's word: solver, iterations, step, drive gains, and events during the simulation."""

import json
from math import inf

import pytest

from fajin.scene import (
    Articulation,
    Axis,
    Drive,
    DriveType,
    InvalidScene,
    Joint,
    JointType,
    Scene,
    SolverType,
    TimeSamples,
)
from fajin.scene.overrides import with_drive, with_dt, with_iterations, with_solver
from fajin.simulation.control_events import Control, ControlTarget
from fajin.simulation.control_file import read_controls

DOFS = ("/arm/shoulder:rotX", "/arm/wrist:rotX", "/arm/wrist:rotY", "/other/shoulder:rotX")


def joint(path: str, *axes: Axis) -> Joint:
    """A joint between nothing in particular."""
    return Joint(path, JointType.D6, "", "", axes=axes)


@pytest.fixture
def scene() -> Scene:
    """Two arms; the shoulder is driven to an acceleration, the wrist not at all."""
    driven = Axis("rotX", drive=Drive(DriveType.ACCELERATION, 1.0, 2.0, 3.0, 0.4, 0.5))
    arm = (joint("/arm/shoulder", driven), joint("/arm/wrist", Axis("rotX"), Axis("rotY")))
    signals = (
        TimeSamples("/arm/shoulder:rotX", "stiffness", (0.0,), (9.0,)),
        TimeSamples("/arm/shoulder:rotX", "target_q", (0.0,), (9.0,)),
    )
    articulations = (
        Articulation("/arm", (), arm),
        Articulation("/other", (), (joint("/other/shoulder", Axis("rotX")),)),
    )
    return Scene("arm.usda", articulations, signals=signals)


def drives(scene: Scene) -> dict[str, Drive | None]:
    """Drives by degree of freedom."""
    joints = (joint for articulation in scene.articulations for joint in articulation.joints)
    return {f"{joint.path}:{axis.token}": axis.drive for joint in joints for axis in joint.axes}


@pytest.mark.parametrize(
    ("regex", "chosen"),
    [
        ("shoulder", {DOFS[0], DOFS[3]}),
        ("/arm/shoulder", {DOFS[0]}),
        ("/arm/.*", set(DOFS[:3])),
        ("wrist:rotY", {DOFS[2]}),
        ("/arm/wrist:rot[XY]", set(DOFS[1:3])),
        ("shoulder|wrist", set(DOFS)),
    ],
)
def test_a_drive_goes_to_the_joints_that_match_as_a_whole(scene, regex, chosen):
    after = drives(with_drive(scene, f"{regex}=7,8,9"))
    assert {name for name, drive in after.items() if drive and drive.stiffness == 7.0} == chosen
    assert {name: drive for name, drive in after.items() if name not in chosen} == {
        name: drive for name, drive in drives(scene).items() if name not in chosen
    }


def test_a_drive_keeps_its_type_its_targets_and_its_bound(scene):
    after = drives(with_drive(scene, ".*=7,8"))
    assert after["/arm/shoulder:rotX"] == Drive(DriveType.ACCELERATION, 7.0, 8.0, 3.0, 0.4, 0.5)
    assert after["/arm/wrist:rotX"] == Drive(DriveType.FORCE, 7.0, 8.0, inf, 0.0, 0.0)
    assert drives(with_drive(scene, "shoulder=7,8,inf"))["/arm/shoulder:rotX"].max_force == inf


def test_gains_given_by_hand_stay_over_time_samples(scene):
    assert [signal.parameter for signal in with_drive(scene, "shoulder=7,8").signals] == ["target_q"]
    assert with_drive(scene, "wrist=7,8").signals == scene.signals


def test_an_unknown_joint_is_named_with_those_that_are_like_it(scene):
    with pytest.raises(
        InvalidScene, match=r"drive = should=1,2: must be a pattern that matches a joint; did you mean shoulder\?"
    ):
        with_drive(scene, "should=1,2")
    with pytest.raises(InvalidScene, match="the joints are shoulder, wrist"):
        with_drive(scene, "flywheel=1,2")


@pytest.mark.parametrize(
    "text",
    ["wrist", "wrist=", "wrist=1", "wrist=1,2,3,4", "wrist=a,b", "wrist=-1,2", "wrist=nan,2", "wrist=inf,2", "(=1,2"],
)
def test_a_drive_that_is_none_is_refused_in_one_line(scene, text):
    with pytest.raises(InvalidScene) as error:
        with_drive(scene, text)
    assert str(error.value).startswith(f"drive = {text}: ")
    assert "\n" not in str(error.value)


def test_solver_iterations_and_step_replace_the_files(scene):
    assert with_solver(scene, "pgs").solver == SolverType.PGS
    assert with_dt(scene, 1 / 240).dt == 1 / 240
    counts = {(a.position_iterations, a.velocity_iterations) for a in with_iterations(scene, 4, 0).articulations}
    assert counts == {(4, 0)}
    kept = {(a.position_iterations, a.velocity_iterations) for a in with_iterations(scene, velocity=2).articulations}
    assert kept == {(32, 2)}
    assert scene == with_iterations(scene)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda scene: with_solver(scene, "cg"), "solver = cg"),
        (lambda scene: with_iterations(scene, 0), "position iterations = 0"),
        (lambda scene: with_iterations(scene, 1, 256), "velocity iterations = 256"),
        (lambda scene: with_dt(scene, 0.0), "dt = 0"),
        (lambda scene: with_dt(scene, inf), "dt = inf"),
    ],
)
def test_settings_that_cannot_be_are_refused(scene, change, message):
    with pytest.raises(InvalidScene, match=message):
        change(scene)


def events(tmp_path, *items) -> str:
    """A file of events."""
    path = tmp_path / "events.json"
    path.write_text(json.dumps(list(items)))
    return str(path)


def test_events_are_found_by_path_or_name_and_axis_and_sorted_by_step(tmp_path):
    path = events(
        tmp_path,
        {"step": 9, "joint": "/arm/shoulder", "set": "target_q", "value": 1},
        {"step": 3, "joint": "wrist:rotY", "set": "target_qd", "value": -2.5},
        {"step": 3, "joint": "wrist:rotX", "set": "effort", "value": 0.5},
        {"step": 0, "joint": "/other/shoulder", "set": "qd", "value": 4},
    )
    assert read_controls(path, ControlTarget(DOFS)) == (
        Control(0, 3, "qd", 4.0),
        Control(3, 2, "target_qd", -2.5),
        Control(3, 1, "effort", 0.5),
        Control(9, 0, "target_q", 1.0),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joint": "elbow"}, "joint = 'elbow': must be one of shoulder, wrist"),
        (
            {"joint": "shoulder"},
            "must be one joint: 'shoulder' is the name of",
        ),
        ({"axis": 2}, "must be an object of time or step, joint or link"),
        ({"joint": "wrist"}, "must be one joint: 'wrist' is the name of"),
        ({"set": "target"}, "set = 'target': must be one of target_q, target_qd, effort"),
        ({"step": 1.5}, "step = 1.5"),
        ({"step": -1}, "step = -1"),
        ({"value": "fast"}, "value = 'fast'"),
        ({"value": float("nan")}, "value = nan"),
        ({"unit": "deg"}, "unit = 'deg': must be left out: effort is in SI units"),
    ],
)
def test_an_event_that_cannot_be_is_named(tmp_path, change, message):
    good = {"step": 0, "joint": "wrist:rotY", "set": "effort", "value": 1.0}
    path = events(tmp_path, good, {**good, **change})
    with pytest.raises(InvalidScene, match=r"events\.json: event 1") as error:
        read_controls(path, ControlTarget(DOFS))
    assert message in str(error.value)


def test_a_file_without_events_is_refused(tmp_path):
    with pytest.raises(InvalidScene, match="No such file"):
        read_controls(tmp_path / "none.json", ControlTarget(DOFS))
    (tmp_path / "events.json").write_text("{")
    with pytest.raises(InvalidScene, match="must be JSON"):
        read_controls(tmp_path / "events.json", ControlTarget(DOFS))
    (tmp_path / "events.json").write_text("{}")
    with pytest.raises(InvalidScene, match="must be a list"):
        read_controls(tmp_path / "events.json", ControlTarget(DOFS))
