"""`fajin tune` as a user runs it: gains in a layer, a motion that has them, or one line."""

from dataclasses import replace

import numpy as np
import pytest
from usda import arm, stage

import fajin
from fajin.scene import Drive, DriveType, SolverType
from fajin.tuning.gains import continuous_gains
from fajin.tuning.plant import oscillation
from fajin.tuning.step_response import measured
from fajin.tuning.tuned import TuningSpec, tune
from fajin.tuning.verify import verify_gains

WISH = ("--natural-frequency", "20", "--damping-ratio", "0.3")
QUIET = 'float physics:gravityMagnitude = 0\nuniform token physxScene:solverType = "{}"'
TARGET = 0.1  # degrees: an acceleration drive feels how its soft link stands
DRIVE = f"""float drive:angular:physics:targetPosition = {TARGET}
    float drive:angular:physics:stiffness = 1
    token drive:angular:physics:type = "{{}}"
    """


def machine(folder, solver="PGS", type="force"):
    """A link on a hinge with a drive, without gravity."""
    return stage(folder, arm(DRIVE.format(type), "PhysicsDriveAPI:angular"), scene=QUIET.format(solver))


@pytest.mark.parametrize(("solver", "type"), [("PGS", "acceleration"), ("TGS", "force")])
def test_tuned_gains_hold_in_a_simulation_of_the_layer(tmp_path, run, solver, type):
    """The layer, simulated by the command in double precision, moves at 20 rad/s with ratio 0.3, to a part in 10⁴."""
    scene, layer, log = machine(tmp_path, solver, type), tmp_path / "tuned.usda", tmp_path / "log.npz"
    before = scene.read_bytes()
    code, out, errors = run("tune", scene, "--joint", "elbow", *WISH, "-o", layer, "--plot", tmp_path / "answer.png")
    assert (code, errors) == (0, "")
    assert scene.read_bytes() == before
    assert "elbow.drive:angular:physics:stiffness: 1 → " in out
    assert out.splitlines()[-1] == f"wrote {layer}: 1 drive, a layer over {scene}"
    assert (tmp_path / "answer.png").read_bytes()[:4] == b"\x89PNG"
    options = ("--joints", log, "--precision", "f64", "--steps", 40, "--no-sleep")
    assert run("simulate", layer, "-o", tmp_path / "o.usda", *options)[0] == 0
    rows = np.load(log)
    found = measured(rows["q"][:, 0] - np.radians(TARGET), rows["qd"][:, 0], 1 / 60)
    assert found == pytest.approx((20.0, 0.3), rel=1e-4)


def test_without_a_layer_nothing_is_written(tmp_path, run):
    scene = machine(tmp_path)
    code, out, errors = run("tune", scene, "--joint", ".*", *WISH, "--dt", "1/120")
    assert code == 0
    assert out.splitlines()[-1] == "nothing is written; add -o LAYER"
    assert errors.startswith("fajin: note: the gains are for a step of 0.00833333 s, but the scene's is 0.0166667 s")
    assert list(tmp_path.iterdir()) == [scene]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--joint", "knee", *WISH), ("joint pattern", "knee", "elbow")),
        (("--joint", "[", *WISH), ("joint pattern", "not a regular expression")),
        (("--joint", "elbow", *WISH, "--dt", "0.1"), ("/robot/elbow:rotX", "must be at most 0.03")),
        (("--joint", "elbow", "-w", "-3", "-z", "1"), ("frequency = -3 rad/s", "positive")),
        (("--joint", "elbow", *WISH, "--dt", "soon"), ("--dt soon", "seconds")),
        (("--joint", "elbow", *WISH, "--plot", "answer.bmp"), ("answer.bmp", ".png")),
        (("--joint", "elbow", "-w", "3"), ("--damping-ratio",)),
    ],
)
def test_what_cannot_be_is_said_in_a_line_and_nothing_is_written(tmp_path, run, words, said):
    scene = machine(tmp_path)
    code, _, errors = run("tune", scene, *words, "-o", tmp_path / "tuned.usda")
    assert code == 2
    assert errors.startswith("fajin: ")
    assert errors.count("\n") == 1
    assert all(word in errors for word in said)
    assert list(tmp_path.iterdir()) == [scene]


def test_the_scene_is_not_its_own_layer(tmp_path, run):
    scene = machine(tmp_path)
    before = scene.read_bytes()
    code, out, errors = run("tune", scene, "--joint", "elbow", *WISH, "-o", scene)
    assert (code, out) == (2, "")
    assert "must not be the scene itself" in errors
    assert scene.read_bytes() == before


@pytest.fixture(scope="module")
def panda(robots) -> fajin.Scene:
    """An arm with a gripper, of which the fingers follow one another, simulated by PGS."""
    from fajin.scene.overrides import with_dt, with_iterations, with_solver

    return with_dt(with_iterations(with_solver(fajin.read(robots / "franka_panda.usda"), "pgs"), 64, 1), 1 / 240)


def test_the_heaviest_pose_is_tuned_and_the_lightest_told(panda):
    """Anywhere else a joint is faster and more damped: ω and ζ both go with 1/√I, but for the step."""
    (item,) = tune(panda, "panda_joint4", TuningSpec(10.0, 0.7, worst=True))
    (at_start,) = tune(panda, "panda_joint4", TuningSpec(10.0, 0.7))
    assert item.lightest.inertia < at_start.plant.inertia < item.plant.inertia
    assert item.wanted == pytest.approx((10.0, 0.7))
    share = np.sqrt(item.plant.inertia / item.lightest.inertia)
    assert item.at_lightest == pytest.approx((10.0 * share, 0.7 * share), rel=10.0 * panda.dt * share)


def test_types_and_others_are_what_was_asked_for(panda):
    """Gains of an acceleration drive are those of a unit inertia; free joints have less to move than held ones."""
    (force,) = tune(panda, "panda_joint2", TuningSpec(10.0, 0.7))
    (free,) = tune(panda, "panda_joint2", TuningSpec(10.0, 0.7, held=False))
    (acceleration,) = tune(panda, "panda_joint2", TuningSpec(10.0, 0.7, held=False, type=DriveType.ACCELERATION))
    assert force.plant.solver == SolverType.PGS
    assert free.gains.stiffness < 0.5 * force.gains.stiffness
    textbook = continuous_gains(acceleration.plant, 10.0, 0.7)
    assert textbook.stiffness == 100.0
    assert acceleration.gains.stiffness == pytest.approx(100.0, rel=10.0 * 1.4 * panda.dt)
    assert oscillation(acceleration.plant, acceleration.gains) == pytest.approx((10.0, 0.7))


def test_under_tgs_a_drive_takes_its_joint_for_free(robots):
    """ρ = (M⁻¹)_kk: a leg whose joints below are held by stiff drives, to the share by which these give way."""
    from fajin.scene.overrides import with_drive
    from fajin.tuning.step_response import step_response

    scene = with_drive(fajin.read(robots / "anymal_c.usda"), ".*=1e7,1e5")
    (item,) = tune(scene, "LF_HFE", TuningSpec(20.0, 0.7))
    assert item.plant.free_inertia < 0.9 * item.plant.inertia
    (answer,) = verify_gains(scene, [item])
    alone = step_response(item.plant, item.gains, answer.time[-1]).position[: len(answer.position)]
    assert np.abs(alone - answer.position).max() <= item.gains.stiffness / 1e7


def test_a_robot_among_others_is_tuned_alone(scenes):
    """Two flywheels in a scene: each has the gains that it has by itself, and each its own answer."""
    scene = fajin.read(scenes / "motor_envelope.usda")
    both = tune(scene, ".*", TuningSpec(20.0, 0.7))
    assert [item.name for item in both] == ["/World/ideal/axle:rotZ", "/World/real/axle:rotZ"]
    for item, answer in zip(both, verify_gains(scene, both), strict=True):
        (one,) = tune(scene, item.name, TuningSpec(20.0, 0.7))
        assert one.gains == item.gains
        assert answer.overshoot == pytest.approx(np.exp(-0.7 * np.pi / np.sqrt(1 - 0.7**2)), rel=2e-2)


def test_a_trial_is_what_the_formula_says_where_the_others_hold(panda):
    """All joints of an arm held by stiff drives but one: its answer in the robot is that of it alone."""
    from fajin.scene.overrides import with_drive
    from fajin.tuning.step_response import step_response

    stiff = with_drive(panda, "panda_joint.*=1e6,1e4")
    for name in ("panda_joint2", "panda_joint5"):
        (item,) = tune(stiff, name, TuningSpec(10.0, 0.7))
        (answer,) = verify_gains(stiff, [item])
        alone = step_response(item.plant, item.gains, answer.time[-1])
        count = min(len(alone.position), len(answer.position))
        held = item.gains.stiffness / 1e6  # how much the others give way
        assert np.abs(alone.position[:count] - answer.position[:count]).max() <= 10 * held


@pytest.mark.parametrize("name", ["shoulder", "elbow"])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 0.0)], ids=["lower", "upper"])
def test_limits_do_not_touch_a_trial(scenes, name, bounds):
    """All joints stand at one of their limits, against which the jump or its reaction presses: as if they were far."""
    scene = fajin.read(scenes / "double_pendulum.usda")
    answers = []
    for low, high in ((-1.0, 1.0), bounds):
        limited = with_limits(scene, low, high)
        (answer,) = verify_gains(limited, tune(limited, name, TuningSpec(10.0, 0.7)))
        answers.append(answer.position)
    assert np.array_equal(*answers)


def with_limits(scene: fajin.Scene, low: float, high: float) -> fajin.Scene:
    """All axes start at 0, with a drive, and limits."""
    drive = Drive(stiffness=1.0, damping=0.1)
    (robot,) = scene.articulations
    joints = tuple(
        replace(joint, axes=tuple(replace(axis, q=0.0, drive=drive, lower=low, upper=high) for axis in joint.axes))
        for joint in robot.joints
    )
    return replace(scene, articulations=(replace(robot, joints=joints),))
