"""Drives from what converters leave: MuJoCo's actuators and URDF's effort limits, in SI units."""

from math import inf, sqrt

import pytest
from usda import arm, prim, stage

import fajin
from fajin.author import layer
from fajin.author.actuators import add_drives
from fajin.model.mass_matrix import diagonal_inertia

ELBOW = "/robot/elbow"
LIMITS = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90\n"


def actuator(name: str = "act", **lines: str) -> str:
    """An actuator of MuJoCo on the elbow; `gain`, `bias` and `gear` are first numbers of its arrays."""
    names = {"gain": "double[] mjc:gainPrm = [{}]", "bias": "double[] mjc:biasPrm = [0, {}]"}
    names |= {"gear": "double[] mjc:gear = [{}, 0, 0]"}
    names |= {"force": "double mjc:forceRange:min = -{0}\ndouble mjc:forceRange:max = {0}"}
    names |= {"control": "double mjc:ctrlRange:min = -{0}\ndouble mjc:ctrlRange:max = {0}"}
    told = [names[key].format(value) for key, value in lines.items()]
    told += ['token mjc:biasType = "affine"'] if "bias" in lines else []
    return prim("MjcActuator", name, "\n".join([*told, f"rel mjc:target = <{ELBOW}>"]))


@pytest.fixture
def driven(tmp_path):
    """The elbow's drive, maximum velocity and inertia after its robot was actuated; what was told of it."""

    def go(lines: str = LIMITS, *others: str, **options):
        path, over = stage(tmp_path, arm(lines), *others), tmp_path / "drives.usda"
        over.unlink(missing_ok=True)
        with layer(path, over) as open_stage:
            (outcome,) = add_drives(open_stage, **options)
        scene = fajin.read(over)
        axis = scene.articulations[0].joints[0].axes[0]
        return axis.drive, axis.max_velocity, diagonal_inertia(scene)[f"{ELBOW}:rotX"], outcome

    return go


def close(drive, stiffness: float, damping: float, max_force: float = inf) -> bool:
    """Whether a drive's gains and maximum force are these, to the file's float32."""
    return (drive.stiffness, drive.damping, drive.max_force) == pytest.approx((stiffness, damping, max_force), rel=1e-6)


def test_a_position_actuator_is_its_gains(driven):
    """τ = kp (ctrl - q) - kv q̇, |τ| ≤ the force range."""
    drive, *_ = driven(LIMITS, actuator(gain="30", bias="-30, -3", force="12"))
    assert close(drive, 30.0, 3.0, 12.0)


def test_a_gear_multiplies_lengths_and_forces(driven):
    """l = gear q and τ = gear force, so gains grow by gear² and the bound by gear."""
    drive, *_ = driven(LIMITS, actuator(gain="30", bias="-30, -3", force="12", gear="2"))
    assert close(drive, 120.0, 12.0, 24.0)


def test_a_velocity_actuator_damps(driven):
    drive, *_ = driven(LIMITS, actuator(gain="5", bias="0, -5"))
    assert close(drive, 0.0, 5.0)


def test_a_motor_bounds_the_effort_of_the_user(driven):
    """|τ| ≤ gear gain |ctrl|, without gains."""
    drive, *_ = driven(LIMITS, actuator(gain="4", control="1.5", gear="20"))
    assert close(drive, 0.0, 0.0, 120.0)


def test_a_positive_bias_is_a_damping_ratio(driven):
    """kv = 2 ζ √(kp M_kk), as MuJoCo compiles it."""
    drive, _, inertia, _ = driven(LIMITS, actuator(gain="30", bias="-30, 0.7"))
    assert close(drive, 30.0, 2.0 * 0.7 * sqrt(30.0 * inertia))


def test_two_actuators_add_up(driven):
    drive, *_ = driven(LIMITS, actuator(gain="30", bias="-30, 0"), actuator("damper", gain="2", bias="0, -2"))
    assert close(drive, 30.0, 2.0)


def test_the_joint_bounds_its_actuator(driven):
    lines = LIMITS + "double mjc:actuatorfrcrange:min = -7\ndouble mjc:actuatorfrcrange:max = 7\n"
    drive, *_ = driven(lines, actuator(gain="30", bias="-30, -3", force="12"))
    assert close(drive, 30.0, 3.0, 7.0)


def test_an_effort_limit_makes_a_drive_of_that_frequency(driven):
    """k = ω² M_kk, d = 2 ζ ω M_kk, and the limit is the bound."""
    drive, _, inertia, _ = driven(LIMITS + "custom float urdf:limit:effort = 40\n")
    assert close(drive, 20.0**2 * inertia, 2.0 * 20.0 * inertia, 40.0)
    drive, *_ = driven(LIMITS + "custom float urdf:limit:effort = 41\n", natural_frequency=5.0, damping_ratio=0.3)
    assert close(drive, 5.0**2 * inertia, 2.0 * 0.3 * 5.0 * inertia, 41.0)


def test_a_speed_limit_gets_the_name_that_physx_reads(driven, tmp_path):
    lines = LIMITS + "custom float urdf:limit:effort = 40\nfloat newton:velocityLimit = 90\n"
    _, speed, *_ = driven(lines)
    assert speed == pytest.approx(1.5707963, rel=1e-6)
    assert "float physxJointAxis:angular:maxJointVelocity = 90" in (tmp_path / "drives.usda").read_text()
    assert not [
        report for report in fajin.read(tmp_path / "drives.usda").reports if "velocityLimit" in report.attribute
    ]


@pytest.mark.parametrize("lines", ["", LIMITS, "custom float urdf:limit:effort = 0\n"])
def test_a_joint_without_actuator_or_effort_gets_no_drive(driven, lines):
    drive, *_, outcome = driven(lines)
    assert drive is None
    assert "neither an actuator nor an effort limit" in outcome.reason
