"""`fajin simulate` prints what changes the motion, and in one line what has no effect; at most five lines."""

import json
import warnings

import pytest
from paths import RECORDINGS
from usda import MASS, arm, body, joint, prim, stage

ROBOTS = sorted(path.name.removesuffix(".drive.usda") for path in (RECORDINGS / "robots").glob("*.drive.usda"))
MOST = 5  # lines


@pytest.fixture
def simulated(run, tmp_path):
    """Simulate a scene; return its lines on stderr."""

    def simulates(scene, *words, seconds=0.05) -> list[str]:
        code, out, said = run("simulate", scene, "-o", tmp_path / "out.usda", "--seconds", seconds, *words)
        assert code == 0, said
        assert "warning" not in out
        return said.splitlines()

    return simulates


@pytest.mark.parametrize("name", ROBOTS)
def test_a_real_robot_gets_at_most_five_lines(simulated, robots, name):
    """None of them about what does not matter, but for one line that counts it."""
    lines = simulated(robots / f"{name}.drive.usda", seconds=0.8)
    assert len(lines) <= MOST
    assert all(line.startswith(("fajin: warning: ", "fajin: note: ")) for line in lines)
    assert all(len(line) < 400 for line in lines)
    about = [line for line in lines if "fajin check" in line]
    assert len(about) <= 1
    told = "\n".join(lines)
    assert not any(word in told for word in ("broadphaseType", "urdf:", "mjc:", "newton:inertia", "stabilization"))


def test_a_long_path_fits_a_terminal(simulated, tmp_path):
    """The middle is left out; the name that was meant is printed."""
    base = body("base", "float physics:masss = 1")
    deep = prim("Xform", "a_long_name", prim("Xform", "another_name_that_is_even_longer", base))
    (line,) = [one for one in simulated(stage(tmp_path, deep)) if "unknown-name" in one]
    assert line.startswith("fajin: warning: unknown-name: /a_long_name/…/base.physics:masss = 1: not a known")
    assert line.endswith("; did you mean physics:mass?")


@pytest.mark.parametrize(
    ("name", "rule", "text"),
    [
        ("openarm_bimanual", "gain-unit", "57.3"),
        ("openarm_bimanual", "time-step-too-long", "and 4 more: ω ="),
        ("anymal_c", "inertia-not-physical", "and 4 more"),
        ("unitree_h1", "mass-missing", "1 kg is used"),
        ("newton_ant", "retired-attribute", "and 7 more"),
    ],
)
def test_what_changes_the_motion_is_printed(simulated, robots, name, rule, text):
    (line,) = [line for line in simulated(robots / f"{name}.drive.usda") if f"warning: {rule}: " in line]
    assert text in line


def test_an_override_without_effect_is_counted(simulated, scenes):
    """Though what a converter wrote under its name is not."""
    scene = scenes / "go2_standing.usda"
    assert simulated(scene) == []
    (idle,) = simulated(scene, "--set", "/PhysicsScene.newton:timeStepsPerSecond=200")
    assert idle == f"fajin: note: 1 group of attributes has no effect: fajin check {scene}"


def test_near_pairs_of_one_world_have_slots(simulated, tmp_path):
    """A body of 70 cubes on a plane: more than the 64 that each world of a batch has by default."""
    place = 'double3 xformOp:translate = ({}, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    cubes = [
        prim("Cube", f"cube{i}", f"double size = 0.1\n{place.format(0.1 * i)}", "PhysicsCollisionAPI")
        for i in range(70)
    ]
    lifted = 'double3 xformOp:translate = (0, 0, 0.05)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
    scene = stage(
        tmp_path,
        prim("Plane", "ground", "", "PhysicsCollisionAPI"),
        body("comb", MASS + "\n" + lifted + "".join(cubes)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        simulated(scene)


def test_what_has_no_effect_is_one_line(simulated, robots):
    scene = robots / "xarm7.drive.usda"
    assert simulated(scene) == [f"fajin: note: 2 groups of attributes have no effect: fajin check {scene}"]


def test_the_step_of_the_command_line_counts(simulated, robots):
    """Not that of the file."""
    lines = simulated(robots / "franka_panda.drive.usda", "--dt", "1/1000")
    assert not [line for line in lines if "time-step-too-long" in line]
    lines = simulated(robots / "xarm7.drive.usda", "--drive", ".*=1e7,0")
    assert [line for line in lines if "time-step-too-long" in line]
    lines = simulated(robots / "xarm7.drive.usda", "--set", "/UF_ROBOT/Physics/joint1.physics:upperLimit=-400")
    assert [line for line in lines if "limit-locks-joint" in line]


def test_a_base_that_falls_is_told(simulated, robots):
    """With its height, and the option that holds it; a base that is held does not fall."""
    scene = robots / "unitree_h1.drive.usda"
    (line,) = [line for line in simulated(scene, seconds=1) if "fell" in line]
    assert line.startswith("fajin: warning: the base of h1_description fell 4.")
    assert line.endswith("m: no contact holds it; --fixed-base does")
    assert not [line for line in simulated(scene, "--fixed-base", seconds=1) if "fell" in line]


def test_a_robot_without_drives_is_told(simulated, robots):
    lines = simulated(robots / "franka_panda.usda", "--no-contacts")
    told = "fajin: warning: none of 9 degrees of freedom is driven; author drives with fajin author drive"
    assert [line for line in lines if line.startswith(told)]


def test_joints_of_several_pendulums_need_no_drive(simulated, scenes):
    """Of three robots of one joint, and of a robot of one joint of three axes."""
    for name in ("friction", "spherical"):
        assert simulated(scenes / f"{name}.usda") == []


def test_a_robot_whose_targets_are_where_it_starts_is_told(simulated, workshop, run):
    """And how to move it; with the option it moves."""
    for words in (("drive", "--joint", ".*", "--target", 0), ("scene", "--gravity", 0)):
        code, _, said = run("author", words[0], "arm.usda", *words[1:], "-o", "still.usda")
        assert code == 0, said
    line = "fajin: note: the robot stands still, as its targets hold it; --wave moves the joints"
    assert line in simulated("still.usda", seconds=0.2)
    assert line not in simulated("still.usda", "--wave", seconds=0.2)


def test_a_compiled_model_tells_in_a_line(simulated, run, robots, tmp_path):
    """It has no stage to check; the line counts as that of its scene does, and a batch as well."""
    scene = robots / "xarm7.drive.usda"
    (whole,) = simulated(scene)
    run("compile", scene, "-o", tmp_path / "model.npz")
    (line,) = simulated(tmp_path / "model.npz", "--joints", tmp_path / "log.npz")
    assert line.startswith("fajin: note: 2 groups of attributes were not used as written: fajin check ")
    assert whole.startswith("fajin: note: 2 groups of attributes ")
    _, _, said = run("batch", scene, "-o", tmp_path / "sweep", "--worlds", 1, "--seconds", 0.05)
    assert line in said.splitlines()


def test_a_frame_rate_that_nobody_asked_for_is_not_told(simulated, robots):
    """robotiq_2f140 has 500 steps per second, of which 60 frames are not a whole part."""
    assert not [line for line in simulated(robots / "robotiq_2f140.drive.usda") if "frames per second" in line]
    (line,) = [x for x in simulated(robots / "robotiq_2f140.drive.usda", "--fps", 60) if "frames per second" in x]
    assert "62.5 frames per second, not 60" in line
    assert "--dt 1/540 fits" in line


def test_a_start_far_outside_a_limit_is_printed_with_its_joint_and_the_way_out(run, tmp_path):
    """Before the simulation, and again where the simulation becomes non-finite for it: the farthest joint is named."""
    state = "float state:angular:physics:position = {}\nfloat physics:lowerLimit = 10\nfloat physics:upperLimit = 90"
    other = joint(
        "tip", "PhysicsRevoluteJoint", "/robot/link", "/robot/end", state.format(0), "PhysicsJointStateAPI:angular"
    )
    scene = stage(tmp_path, arm(state.format(-37), "PhysicsJointStateAPI:angular", extra=body("end") + other))
    event = {"step": 6, "joint": "elbow", "set": "effort", "value": 3e38}
    (tmp_path / "events.json").write_text(json.dumps([event]))
    words = ("-o", tmp_path / "out.usda", "--seconds", 0.5, "--controls", tmp_path / "events.json")
    code, _, said = run("simulate", scene, *words)
    before = next(line for line in said.splitlines() if "state-outside-limits" in line)
    assert "/robot/elbow" in before
    assert "and 1 more: starts at -37 degrees, 47 degrees outside its limits 10 degrees … 90 degrees" in before
    assert before.endswith("; author 10 degrees")
    assert code == 3
    assert "elbow starts 47 degrees outside its limits: fajin check --fix moves it to the limit" in said


def test_a_missing_file_of_a_reference_is_printed_once(simulated, run, tmp_path):
    """At the prim that refers to it, by `simulate` and by `check`, without addresses of USD's objects."""
    crate = prim("Xform", "crate").replace("{", "(prepend references = @crate.usda@)\n{", 1)
    path = stage(tmp_path, arm(), crate)
    (line,) = [line for line in simulated(path) if "crate.usda" in line]
    assert line.startswith(
        "fajin: warning: usd-composition-error: /crate: Could not open asset @crate.usda@ for reference"
    )
    code, out, _ = run("check", path)
    assert (code, out.count("Could not open"), out.count("0x")) == (2, 1, 0)
