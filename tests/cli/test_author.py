"""`fajin author`: what it says, what it writes, and what it refuses in one line with nothing written."""

from math import radians

import numpy as np
import pytest

import fajin


def axis(path: str, name: str, token: str = ""):
    """One joint axis as it is read."""
    joints = [joint for a in fajin.read(path).articulations for joint in a.joints]
    joint = next(joint for joint in joints if joint.path.endswith(f"/{name}"))
    return next(axis for axis in joint.axes if axis.token.startswith(token))


DONE = {  # command line: what of the joint it makes, and its value
    "drive arm.usda --joint joint1 --kp 100 --kd 2 --max-force 40 --target -30 --degrees -o e.usda": {
        "drive.stiffness": 100.0,
        "drive.damping": 2.0,
        "drive.max_force": 40.0,
        "drive.target_q": radians(-30.0),
    },
    "drive arm.usda --joint joint1 --stiffness 2Nm/deg --target 0.5 --target-speed 2rpm -o e.usda": {
        "drive.stiffness": 2.0 / radians(1.0),
        "drive.target_q": 0.5,
        "drive.target_qd": radians(12.0),
    },
    "envelope arm.usda --joint joint1 --max-force 30 --no-load-speed 15rpm --resistance 0.5 --gradient 0.1 -o e.usda": {
        "drive.max_force": 30.0,
        "drive.envelope.max_actuator_velocity": radians(90.0),
        "drive.envelope.velocity_dependent_resistance": 0.5,
        "drive.envelope.speed_effort_gradient": 0.1,
    },
    "mimic arm.usda --joint joint1 --reference joint2 --gearing -0.5 --offset 10deg -o e.usda": {
        "mimic.references": (("/World/arm/joint2:rotY", -0.5),),
        "mimic.offset": radians(10.0),
    },
    "mimic arm.usda --joint joint1 --reference joint2 --reference joint3 --gearing 2 --gearing -1 -o e.usda": {
        "mimic.references": (("/World/arm/joint2:rotY", 2.0), ("/World/arm/joint3:rotZ", -1.0)),
    },
    "limit arm.usda --joint joint1 --lower -10 --upper 20 --max-velocity 10rpm --degrees -o e.usda": {
        "lower": radians(-10.0),
        "upper": radians(20.0),
        "max_velocity": radians(60.0),
    },
    "friction arm.usda --joint joint1 --static 2 --dynamic 900mNm --viscous 0.1 -o e.usda": {
        "friction.static": 2.0,
        "friction.dynamic": 0.9,
        "friction.viscous": 0.1,
    },
    "armature arm.usda --joint joint1 --inertia 0.02 -o e.usda": {"armature": 0.02},
    "state arm.usda --joint joint1 --position 0.2 --speed -3 -o e.usda": {"q": 0.2, "qd": -3.0},
    "remove arm.usda drive --joint joint1 -o e.usda": {"drive": None},
}


@pytest.mark.parametrize("line", DONE)
def test_a_command_writes_what_it_says(workshop, author, line):
    """The values in the units of the command line are in the layer; the scene is untouched."""
    source = (workshop / "arm.usda").read_bytes()
    code, said, errors = author(line)
    assert (code, errors) == (0, "")
    assert any(line.startswith("wrote e.usda: ") for line in said.splitlines())
    for path, value in DONE[line].items():
        found = axis("e.usda", "joint1")
        for name in path.split("."):
            found = getattr(found, name)
        assert found == (pytest.approx(value, rel=1e-6) if isinstance(value, float) else value)
    assert (workshop / "arm.usda").read_bytes() == source


def test_a_change_is_shown_in_both_units(workshop, author):
    """Before → after, as in the file and in SI."""
    _, said, _ = author("drive arm.usda --joint joint1 --kp 100")
    line = "/World/arm/joint1.drive:angular:physics:stiffness: 7 → 1.74533 N·m/deg (401.07 → 100 N·m/rad)"
    assert said.splitlines() == [line, "wrote arm.edits.usda: 1 change"]


def test_commands_add_to_the_same_layer(workshop, author):
    """The second command keeps what the first one wrote, for every joint of a pattern."""
    author("drive arm.usda --joint joint[12] --kp 10 -o e.usda")
    author("limit arm.usda --joint joint[12] --lower -5 --upper 5 --degrees -o e.usda")
    for name in ("joint1", "joint2"):
        assert axis("e.usda", name).drive.stiffness == pytest.approx(10.0)
        assert axis("e.usda", name).upper == pytest.approx(radians(5.0))


def test_layers_lie_over_layers(workshop, author):
    """A layer is a scene like any other; it can be edited in place too."""
    author("drive arm.usda --joint joint1 --kp 10 -o one.usda")
    author("drive one.usda --joint joint1 --kd 3 -o two.usda")
    assert axis("two.usda", "joint1").drive.stiffness == pytest.approx(10.0)
    author("drive two.usda --joint joint1 --kp 20 --in-place")
    assert axis("two.usda", "joint1").drive.stiffness == pytest.approx(20.0)
    assert axis("one.usda", "joint1").drive.stiffness == pytest.approx(10.0)


def test_a_dry_run_writes_nothing(workshop, author):
    """It shows the same."""
    before = sorted(workshop.iterdir())
    code, said, _ = author("drive arm.usda --joint joint1 --kp 100 --dry-run")
    assert code == 0
    assert "N·m/rad" in said
    assert sorted(workshop.iterdir()) == before


def test_a_scene_says_how_it_is_simulated(workshop, author):
    """Step, solver, gravity, iterations and what is recorded."""
    options = (
        "--dt 1/240 --solver pgs --gravity 1.5 --position-iterations 7 --duration 0.1 --fps 120 --precision double"
    )
    assert author(f"scene arm.usda {options} -o e.usda")[0] == 0
    scene = fajin.read("e.usda")
    assert (scene.dt, scene.solver.name, scene.gravity) == (1 / 240, "PGS", (0.0, 0.0, -1.5))
    assert scene.articulations[0].position_iterations == 7
    assert (scene.duration, scene.fps, scene.precision) == (0.1, 120.0, "f64")


def test_simulate_obeys_what_the_scene_says(workshop, author, monkeypatch, capsys):
    """Length and frames of the motion come from the scene, unless the command says otherwise."""
    from pxr import Usd

    from fajin.tools import cli

    author("scene arm.usda --duration 0.1 --fps 120 -o e.usda")
    for options, frames in (([], 12), (["--seconds", "0.2", "--fps", "60"], 12)):
        monkeypatch.setattr("sys.argv", ["fajin", "simulate", "e.usda", "-o", "m.usda", *options])
        with pytest.raises(SystemExit):
            cli.main()
        stage = Usd.Stage.Open("m.usda")
        assert stage.GetEndTimeCode() == frames
        assert stage.GetTimeCodesPerSecond() == (60 if options else 120)


def test_a_tendon_runs_over_the_joints_that_are_named(workshop, author):
    """The root first; lengths in their units."""
    line = "tendon robot.usda --name cord --joint turn --joint slide --gearing 5mm/rad --gearing -0.5 --stiffness 2N/mm"
    assert author(f"{line} --rest-length 1cm -o e.usda")[0] == 0
    (tendon,) = fajin.read("e.usda").articulations[0].fixed_tendons
    assert [a.gearing for a in tendon.axes] == pytest.approx([0.005, -0.5])
    assert (tendon.stiffness, tendon.rest_length) == pytest.approx((2000.0, 0.01))


def test_a_spatial_tendon_runs_through_points_of_links(workshop, author):
    """Points in the frames of links, in metres, whatever the mass frame; lengths in their units."""
    line = "tendon robot.usda --name cord --through base=0.1,0,0.2 --through arm=0,0.3,0 --through /robot/rod=0,0,0.1"
    assert author(f"{line} --stiffness 30 --gearing 2 --gearing 1 --rest-length 20cm -o e.usda")[0] == 0
    (tendon,) = fajin.read("e.usda").articulations[0].spatial_tendons
    points = [a.position for a in tendon.attachments]
    assert np.allclose(points, [(0.1, 0, 0.2), (0, 0.3, 0), (0, 0, 0.1)], atol=1e-7)
    assert [a.gearing for a in tendon.attachments[1:]] == [2.0, 1.0]
    assert [a.link.rpartition("/")[2] for a in tendon.attachments] == ["base", "arm", "rod"]
    assert (tendon.stiffness, tendon.attachments[-1].rest_length) == pytest.approx((30.0, 0.2))


def test_a_joint_with_several_axes_takes_all_or_the_one_named(workshop, author):
    """Without an axis all that move; with one that one."""
    author("drive robot.usda --joint wrist --kp 5 -o all.usda")
    author("drive robot.usda --joint wrist --kp 5 --axis rotY -o one.usda")
    author("drive robot.usda --joint wrist:rotY --kp 5 -o same.usda")
    assert axis("all.usda", "wrist", "rotX").drive
    assert [axis(f"{name}.usda", "wrist", "rotX").drive for name in ("one", "same")] == [None, None]
    assert [axis(f"{name}.usda", "wrist", "rotY").drive.stiffness for name in ("one", "same")] == pytest.approx([5, 5])
