"""What MuJoCo does to a joint as one drive: springs, dampers and actuators, from the attributes a converter leaves."""

from math import inf, radians, sqrt

import pytest
from usda import arm, prim, stage

import fajin
from fajin.author import layer
from fajin.author.actuators import add_drives, move_limits
from fajin.check import check
from fajin.model.mass_matrix import effective_inertia

ELBOW = "/robot/elbow"
LIMITS = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90\n"
SPRING = "double mjc:stiffness = 8\n"
DAMPED = f"float newton:damping = {radians(0.5)!r}\n"  # 0.5 N·m·s/rad
SERVO = 'double[] mjc:gainPrm = [30]\ndouble[] mjc:biasPrm = [0, -30, -3]\ntoken mjc:biasType = "affine"\n'


def actuator(lines: str, name: str = "act", target: str = ELBOW) -> str:
    """An actuator of MuJoCo."""
    return prim("MjcActuator", name, f"{lines}\nrel mjc:target = <{target}>")


@pytest.fixture
def converted(tmp_path):
    """The elbow's axis after its robot was driven, and what was told of it; `compiler` stands on the scene."""

    def go(lines: str = "", *others: str, compiler: str = "", kind: str = "PhysicsRevoluteJoint"):
        path = stage(tmp_path, arm(lines, "MjcJointAPI", kind), *others, scene=compiler)
        over = tmp_path / "drives.usda"
        over.unlink(missing_ok=True)
        with layer(path, over) as open_stage:
            move_limits(open_stage)
            outcomes = add_drives(open_stage)
        scene = fajin.read(over)
        return scene, scene.articulations[0].joints[0].axes[0], outcomes

    return go


def gains(axis) -> tuple[float, ...]:
    """What a drive does, in SI."""
    return axis.drive.stiffness, axis.drive.damping, axis.drive.target_q, axis.drive.max_force


def near(*values: float):
    """Values of a file in single precision."""
    return pytest.approx(values, rel=2e-7, abs=1e-12)


def test_a_spring_is_a_drive_to_its_reference(converted):
    """τ = -k (q_mj - springref) - d q̇ with q_mj = q + ref, in degrees unless the compiler says radians; no bound."""
    lines = SPRING + DAMPED + LIMITS
    _, axis, _ = converted(lines + "double mjc:springref = 30\ndouble mjc:ref = 10\n")
    assert gains(axis) == near(8.0, 0.5, radians(20.0), inf)
    angles = "double mjc:springref = 0.3\ndouble mjc:ref = 0.1\n"
    _, axis, _ = converted(lines + angles, compiler='token mjc:compiler:angle = "radian"')
    assert gains(axis) == near(8.0, 0.5, 0.2, inf)
    slide = SPRING + "float newton:damping = 0.5\n" + angles
    _, axis, _ = converted(slide, kind="PhysicsPrismaticJoint")
    assert gains(axis) == near(8.0, 0.5, 0.2, inf)


def test_limits_count_from_the_pose_of_the_file(converted):
    """MuJoCo's range holds for q_mj."""
    _, axis, _ = converted(LIMITS + "double mjc:ref = 10\n")
    assert (axis.lower, axis.upper) == near(radians(-100.0), radians(80.0))
    assert axis.drive is None


def test_damping_is_that_of_the_drive_and_not_friction_as_well(converted):
    """With a spring and without; friction stays."""
    for spring, stiffness in (("", 0.0), (SPRING, 8.0)):
        _, axis, (outcome,) = converted(spring + DAMPED + "float newton:friction = 0.2\n")
        assert gains(axis) == near(stiffness, 0.5, 0.0, inf)
        assert axis.friction.viscous == 0.0
        assert (axis.friction.static, axis.friction.dynamic) == near(0.2, 0.2)
        assert outcome.passive.damping == pytest.approx(0.5)


def test_a_damped_joint_loses_its_speed_at_any_step(converted):
    """At h d/I = 10, where viscous friction under TGS takes next to nothing: q̇ < q̇₀ / (1 + h d/I) after a step."""
    damping = 10.0 * 60.0 * 0.36  # I = 0.36 kg·m²
    scene, *_ = converted(f"float newton:damping = {radians(damping)!r}", compiler="float physics:gravityMagnitude = 0")
    sim = fajin.Simulation(scene, precision="f64")
    sim.qd = 1.0
    sim.step()
    assert 0.0 < sim.qd[0, 0] < 1.0 / 11.0


def test_springs_and_actuators_add_up(converted):
    """k = kp + k_spring, target = (kp ctrl + k_spring springref) / k; ctrl is what is next to 0 in its range."""
    lines = SPRING + DAMPED + "double mjc:springref = 30\ndouble mjc:ref = 10\n"
    control = "double mjc:ctrlRange:min = 0.4\ndouble mjc:ctrlRange:max = 1\n"
    _, axis, (outcome,) = converted(lines, actuator(SERVO + control))
    target = (30.0 * (0.4 - radians(10.0)) + 8.0 * radians(20.0)) / 38.0
    assert gains(axis) == near(38.0, 3.5, target, inf)
    assert f"act: target_q = {30 / 38:.6g} ctrl" in outcome.notes[0]


def test_an_actuator_pulls_to_its_ctrl_by_gear_and_gain(converted):
    """l = gear q_mj, τ = gear (gain ctrl + bias₀ + bias₁ l): q = ctrl = 0 at (bias₀ / -bias₁) / gear - ref."""
    lines = 'double[] mjc:gainPrm = [5]\ndouble[] mjc:biasPrm = [2, -10, -1]\ntoken mjc:biasType = "affine"\n'
    _, axis, _ = converted("double mjc:ref = 10\n", actuator(lines + "double[] mjc:gear = [4, 0, 0]"))
    assert gains(axis) == near(160.0, 16.0, 0.05 - radians(10.0), inf)


def test_a_bound_of_actuators_leaves_room_for_the_spring(converted):
    """|τ| ≤ the actuators' and the most that the spring does between the limits; without limits there is none."""
    motor = "double[] mjc:gear = [12]\ndouble mjc:ctrlRange:min = -1\ndouble mjc:ctrlRange:max = 1\n"
    _, axis, _ = converted(SPRING + LIMITS + "double mjc:springref = 45\n", actuator(motor))
    assert gains(axis) == near(8.0, 0.0, radians(45.0), 12.0 + 8.0 * radians(135.0))
    _, axis, _ = converted(SPRING, actuator(motor))
    assert gains(axis) == near(8.0, 0.0, 0.0, inf)
    _, axis, _ = converted(DAMPED + LIMITS, actuator(motor))
    assert gains(axis) == near(0.0, 0.5, 0.0, 12.0)


def test_time_constant_and_damping_ratio_make_a_spring(converted):
    """k = I / (t ζ)², d = 2 I / t with I = 1 / (M⁻¹)_kk, in place of stiffness and damping."""
    scene, axis, _ = converted(SPRING + DAMPED + "double[] mjc:springdamper = [0.2, 0.5]\n")
    moved = effective_inertia(scene)[f"{ELBOW}:rotX"]
    assert gains(axis) == near(moved / 0.01, 10.0 * moved, 0.0, inf)
    assert sqrt(gains(axis)[0] / moved) == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('token mjc:gainType = "affine"\ndouble[] mjc:gainPrm = [0, 0, -2]', "neither a servo nor a motor"),
        ('token mjc:gainType = "muscle"\ntoken mjc:biasType = "muscle"', "neither a servo nor a motor"),
        ('double[] mjc:biasPrm = [0, 3, 0]\ntoken mjc:biasType = "affine"', "neither a servo nor a motor"),
    ],
)
def test_what_no_drive_can_do_is_said(converted, lines, said):
    """Dampers whose ctrl is a gain, muscles, springs that push: the joint keeps its own spring."""
    _, axis, (outcome,) = converted(SPRING, actuator(lines))
    assert gains(axis) == near(8.0, 0.0, 0.0, inf)
    assert said in outcome.notes[0]
    _, axis, (outcome,) = converted("", actuator(lines))
    assert axis.drive is None
    assert said in outcome.reason


def test_an_actuator_of_something_else_is_said(converted):
    _, axis, (_, outcome) = converted(SPRING, actuator(SERVO, "pull", "/robot/tendon"))
    assert gains(axis) == near(8.0, 0.0, 0.0, inf)
    assert (outcome.joint, outcome.motor) == ("pull", None)
    assert "tendon, which is not a hinge or slide" in outcome.reason


def test_dynamics_of_an_actuator_are_said(converted):
    _, axis, (outcome,) = converted("", actuator(SERVO + 'token mjc:dynType = "integrator"'))
    assert gains(axis) == near(30.0, 3.0, 0.0, inf)
    assert "dynamics between ctrl and force" in outcome.notes[0]


def test_springs_that_are_switched_off_do_nothing(converted):
    _, axis, _ = converted(SPRING + DAMPED, compiler="bool mjc:flag:spring = false")
    assert gains(axis) == near(0.0, 0.5, 0.0, inf)


@pytest.mark.parametrize(
    ("axis", "limited"), [("X", ("rotY", "rotZ")), ("Y", ("rotX", "rotZ")), ("Z", ("rotX", "rotY"))]
)
def test_a_ball_gets_three_drives_and_keeps_its_cone(converted, axis, limited):
    cone = f'token physics:axis = "{axis}"\nfloat physics:coneAngle0Limit = 50\nfloat physics:coneAngle1Limit = 50\n'
    scene, _, (outcome,) = converted(SPRING + DAMPED + cone, kind="PhysicsSphericalJoint")
    found = {one.token: one for one in scene.articulations[0].joints[0].axes}
    assert [gains(one) for one in found.values()] == 3 * [near(8.0, 0.5, 0.0, inf)]
    assert {token for token, one in found.items() if one.upper == pytest.approx(radians(50.0))} == {*limited}
    assert [one.friction.viscous for one in found.values()] == [0.0, 0.0, 0.0]
    assert "2 k sin(θ/2)" in outcome.notes[0]
    assert not [report for report in scene.reports if "physics:" in report.attribute]


def test_a_spring_that_nothing_simulates_is_a_warning(tmp_path):
    """And a note once a drive does the same."""

    def severities(lines: str, apis: str = "MjcJointAPI") -> set[str]:
        findings = check(stage(tmp_path, arm(lines, apis)))
        return {finding.severity.value for finding in findings if "mjc:stiffness" in finding.attribute}

    assert severities(SPRING) == {"warning"}
    assert severities("double mjc:stiffness = 0\n") == set()
    assert severities(
        SPRING + "float drive:angular:physics:stiffness = 1\n", "MjcJointAPI PhysicsDriveAPI:angular"
    ) == {"note"}


def test_springs_need_no_maximum_force(converted, tmp_path):
    """Motors do."""
    rule = "drive-without-max-force"
    converted(SPRING)
    assert rule not in {finding.rule for finding in check(tmp_path / "drives.usda")}
    converted(SPRING, actuator(SERVO))
    assert rule in {finding.rule for finding in check(tmp_path / "drives.usda")}
