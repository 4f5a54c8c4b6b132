"""Where the rules of `fajin check` draw their lines, and what exactly their mends write."""

from dataclasses import replace
from math import log, pi, radians

import pytest
from checked import (
    ANGULAR,
    DRIVE,
    GAINS,
    HINGE,
    LIMITS,
    STATE,
    STRONG,
    TARGET,
    TURN,
    bolted,
    floating,
    inertia,
    robot,
)
from one_joint import simulate, wheel
from usda import ANCHOR, METRES, ROOT, arm, aside, body, joint, prim, stage

import fajin
from fajin.scene import Drive, SolverType

SLIDE = "PhysicsPrismaticJoint"
BOTH = ("/robot/base", "/robot/link")
ASIDE = aside(1)
ELBOW = "/robot/elbow"
ACCELERATION = 'uniform token drive:angular:physics:type = "acceleration"\n'


@pytest.fixture
def found(tmp_path):
    """The findings of one rule in a stage."""

    def go(rule: str, *prims: str, **options) -> list:
        return [finding for finding in fajin.check.check(stage(tmp_path, *prims, **options)) if finding.rule == rule]

    return go


@pytest.fixture
def mended(tmp_path):
    """The axis of the elbow once one rule, or every rule, has been mended."""

    def go(*prims: str, rule: str = "", **options):
        path, layer = stage(tmp_path, *prims, **options), tmp_path / "mended.usda"
        fajin.check.fix(path, layer, lambda finding: not rule or finding.rule == rule)
        return fajin.read(layer).articulations[0]

    return go


def elbow(articulation):
    """The axis of the elbow."""
    return next(joint for joint in articulation.joints if joint.path == ELBOW).axes[0]


def near(value: float):
    """A value that went through the file's float32."""
    return pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("factor", [1.0 / TURN, TURN])
def test_limits_in_the_other_unit_come_back(mended, factor):
    axis = elbow(mended(arm(f"float physics:lowerLimit = {-80 * factor}\nfloat physics:upperLimit = {90 * factor}\n")))
    assert (axis.lower, axis.upper) == (near(radians(-80.0)), near(radians(90.0)))


def test_one_wide_joint_clears_the_others(found):
    """A robot is judged as one: a stiff flexure beside a real elbow is what it says."""
    flexure = joint("flexure", HINGE, "/robot/link", "/robot/second", LIMITS.replace("90", "3")) + body("second")
    assert found("limit-unit", arm(LIMITS.replace("90", "3")))
    assert not found("limit-unit", arm(LIMITS, extra=flexure))


@pytest.mark.parametrize(("stiffness", "damping"), [(60.0, 10.0), (0.05, 0.004)])
def test_gains_in_the_other_unit_come_back(mended, stiffness, damping):
    """Too stiff: divided; too soft: multiplied."""
    factor = 1.0 / TURN if stiffness > 1.0 else TURN
    axis = elbow(mended(arm(LIMITS + GAINS.format(stiffness, damping) + STRONG, ANGULAR), rule="gain-unit"))
    assert axis.drive.stiffness == near(stiffness * TURN * factor)
    assert axis.drive.damping == near(damping * TURN * factor)


@pytest.mark.parametrize(
    ("stiffness", "damping", "ground", "wrong"), [(10, 1, True, False), (10, 1, False, True), (20, 4, True, True)]
)
def test_legs_are_judged_with_what_they_carry(scenes, tmp_path, stiffness, damping, ground, wrong):
    """A drive between base and ground moves the rest of the robot, much more than the leg that it moves in the air."""
    text = (scenes / "quadruped_standing.usda").read_text()
    text = text.replace("physics:stiffness = 3", f"physics:stiffness = {stiffness}")
    text = text.replace("physics:damping = 0.1", f"physics:damping = {damping}")
    path = tmp_path / "legs.usda"
    path.write_text(text if ground else text.replace('"ground" (prepend', '"ground" (active = false\n prepend'))
    assert any(finding.rule == "gain-unit" for finding in fajin.check.check(path)) is wrong


def test_a_large_rotor_is_soft_on_purpose(found):
    """Its armature does not count as inertia of the robot."""
    rotor = "float physxJointAxis:angular:armature = 10\n"
    lines = LIMITS + GAINS.format(1.0, 0.01) + STRONG + rotor
    assert not found("gain-unit", arm(lines, f"{ANGULAR} PhysxJointAxisAPI:angular"))


@pytest.mark.parametrize(
    ("ends", "said", "severity"),
    [
        (("/robot/link", "/robot/link"), "both are the body /robot/link", "error"),
        (("", ""), "both are empty", "error"),
        (("/floor", ""), "holds nothing", "warning"),
    ],
)
def test_ends_that_join_nothing(found, ends, said, severity):
    bad = joint("bad", HINGE, *ends)
    (finding,) = found("joint-to-nowhere", arm(extra=bad), prim("Xform", "floor"))
    assert said in finding.message
    assert finding.severity.value == severity


@pytest.mark.parametrize("ends", [("", "/nowhere"), ("/floor", "/nowhere"), ("/nowhere", "/nowhere")])
def test_a_lost_end_is_told_and_not_what_follows_from_it(found, ends):
    """That the joint holds nothing then, or joins one thing to itself."""
    lost = found("joint-to-nowhere", arm(extra=joint("bad", HINGE, *ends)), prim("Xform", "floor"))
    assert [finding.message for finding in lost] == ["the prim does not exist"] * ends.count("/nowhere")


def test_what_is_refused_is_told_once(tmp_path):
    path = stage(tmp_path, arm(extra=joint("bad", HINGE, "/robot/base", "/robot/nowhere")))
    assert len([finding for finding in fajin.check.check(path) if finding.severity.value == "error"]) == 1


@pytest.mark.parametrize(
    ("moments", "possible"),
    [
        ("(0.1, 0.1, 0.3)", (0.15, 0.15, 0.3)),  # half the deficit on each of the small ones
        ("(-0.1, 0.1, 0.2)", (0.1, 0.1, 0.2)),
        ("(0, 0.1, 0.1)", (0.0002, 0.1001, 0.1001)),  # a rod as thick as 1e-3 of its second moment says
    ],
)
def test_the_nearest_inertia_that_a_body_can_have(mended, moments, possible):
    link = next(link for link in mended(arm(link=inertia(moments))).links if link.path == "/robot/link")
    assert [link.inertia[i][i] for i in range(3)] == [near(value) for value in possible]


@pytest.mark.parametrize(("moments", "said"), [("(0, 0.1, 0.1)", "is 0"), ("(-0.1, 0.1, 0.2)", "is negative")])
def test_what_physx_makes_of_an_inertia_is_told(found, moments, said):
    (finding,) = found("inertia-not-physical", arm(link=inertia(moments)))
    assert said in finding.message


def test_newtons_tensor_is_looked_at_where_it_counts(mended):
    """Turned by 90 degrees about z: the large moment is Iyy's."""
    lines = "float physics:mass = 1\npoint3f physics:centerOfMass = (0, 0, 0)\n"
    lines += "double[] newton:inertia = [0.1, 0.3, 0.1, 0, 0, 0]"
    link = next(link for link in mended(arm(link=lines)).links if link.path == "/robot/link")
    assert [link.inertia[i][i] for i in range(3)] == [near(value) for value in (0.15, 0.3, 0.15)]


def test_a_start_is_mended_in_degrees(mended):
    assert elbow(mended(arm(LIMITS + "float state:angular:physics:position = 95\n", STATE))).q == near(radians(90.0))


def test_a_start_is_mended_in_the_unit_of_the_stage(mended):
    lines = "float physics:lowerLimit = -20\nfloat physics:upperLimit = 20\nfloat state:linear:physics:position = 30\n"
    centimetres = METRES.replace("metersPerUnit = 1", "metersPerUnit = 0.01")
    axis = elbow(mended(arm(lines, "PhysicsJointStateAPI:linear", SLIDE), metadata=centimetres))
    assert axis.q == near(0.2)


def test_a_limit_is_within_the_limits(found):
    """Up to float32's round-off, and not half a radian further."""
    for angle, count in ((90.0, 0), (90.001, 1)):
        lines = LIMITS + f"float state:angular:physics:position = {angle}\n"
        assert len(found("state-outside-limits", arm(lines, STATE))) == count


def test_a_drive_without_stiffness_aims_nowhere(found):
    lines = LIMITS.replace("-90", "10") + GAINS.format(0, 0.1) + STRONG
    assert not found("target-outside-limits", arm(lines, ANGULAR))
    assert found("target-outside-limits", arm(lines.replace("stiffness = 0", "stiffness = 1"), ANGULAR))


def test_limits_come_before_what_they_bound(mended):
    """In radians they made the joint start outside them: the start stays."""
    lines = LIMITS.replace("90", "1.5") + "float state:angular:physics:position = 45\n"
    assert elbow(mended(arm(lines, STATE))).q == near(radians(45.0))


@pytest.mark.parametrize(("solver", "iterations", "substeps"), [("PGS", 16, 1), ("TGS", 16, 16), ("TGS", 4, 4)])
def test_a_substep_adds_to_the_damping_ratio(solver, iterations, substeps):
    """A swing with ω h = π/12 is at its peak after 12 steps, where exp(-π ζ) is left; ζ = ω δ/2 to first order."""
    turn = pi / 12.0
    machine = replace(wheel(drive=Drive(stiffness=turn**2, target_q=1.0)), position_iterations=iterations)
    sim = simulate(machine, dt=1.0, solver=SolverType[solver])
    sim.step(12)
    assert -log(sim.q[0, 0] - 1.0) / pi == pytest.approx(turn / substeps / 2.0, rel=turn)


@pytest.mark.parametrize(("solver", "iterations", "substeps"), [("PGS", 16, 1), ("TGS", 16, 16), ("TGS", 1, 1)])
def test_substeps_are_judged(found, solver, iterations, substeps):
    """PGS solves a drive once per step, TGS once per position iteration."""
    frequency = 60.0 * substeps * 2.0  # [rad/s] at which ω δ = 2
    settings = f"int physxArticulation:solverPositionIterationCount = {iterations}\n"
    for factor, expected in ((0.98, 0), (1.02, 1)):
        lines = LIMITS + GAINS.format((factor * frequency) ** 2 / TURN, 1) + STRONG + ACCELERATION
        here = arm(lines, ANGULAR, root=settings)
        assert len(found("time-step-too-long", here, scene=f'token physxScene:solverType = "{solver}"')) == expected


def test_an_acceleration_drive_is_judged_without_inertia(found):
    """ω δ = √(150 000 · 57.3) / 60 / 32 = 1.5, as a force on 0.36 kg·m² 2.6."""
    lines = LIMITS + GAINS.format(150_000, 1) + STRONG
    assert found("time-step-too-long", arm(lines, ANGULAR))
    assert not found("time-step-too-long", arm(lines + ACCELERATION, ANGULAR))


def test_an_envelope_needs_a_maximum_force(found):
    schemas = f"{ANGULAR} PhysxDrivePerformanceEnvelopeAPI:angular"
    speed = "float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = 300\n"
    assert found("envelope-without-drive", arm(LIMITS + GAINS.format(1, 0.1) + speed, schemas))


def test_a_root_that_others_carry_moves_to_the_one_that_carries(mended, found):
    assert not found("root-on-wrong-prim", floating("base"))
    assert mended(floating("link")).path == "/robot/base"


def test_a_root_moves_with_what_is_authored_on_it(mended):
    """To the fixed joint, and not to a hinge that has no effect beside it."""
    iterations = "int physxArticulation:solverPositionIterationCount = 7\n"
    base = body("base", inertia("(1, 1, 1)") + "\n" + iterations, f"{ROOT} PhysxArticulationAPI")
    hinge = joint("a_hinge", HINGE, "", "/robot/base")
    result = mended(robot(base, body("link"), hinge, ANCHOR, joint("elbow", HINGE, *BOTH), apis=""))
    assert (result.path, result.position_iterations) == ("/robot/anchor", 7)


def test_a_root_above_a_fixed_base_is_right(found):
    assert not found("root-on-wrong-prim", bolted("robot"))


@pytest.mark.parametrize(
    ("kind", "line", "count"), [(HINGE, "", 1), (HINGE, ASIDE, 0), (SLIDE, "", 1), (SLIDE, ASIDE, 1)]
)
def test_joints_that_do_the_same(found, kind, line, count):
    """Hinges about one line, and slides along one direction; hinges side by side are a linkage."""
    extra = joint("twin", kind, *BOTH, line)
    assert len(found("doubled-joint", arm(kind=kind, extra=extra))) == count


def test_what_time_samples_say_is_not_mended(found):
    """They would hide the mend."""
    samples = LIMITS + DRIVE + TARGET.format(95).replace(" = 95", ".timeSamples = { 0: 95 }")
    (finding,) = found("target-outside-limits", arm(samples, ANGULAR))
    assert not finding.edits


@pytest.mark.parametrize(("kilograms", "per"), [(1.0, 1.0), (1.0, TURN), (0.001, 1.0)])
def test_gains_in_newton_metres_in_a_file_of_centimetres_come_back_once(tmp_path, mended, kilograms, per):
    """The effort of a rotation is mass · length² / s² in the file: 1 N·m is 10⁴ kg·cm²/s², 10⁷ g·cm²/s²."""
    units = METRES.replace("metersPerUnit = 1", "metersPerUnit = 0.01")
    units = units.replace("kilogramsPerUnit = 1", f"kilogramsPerUnit = {kilograms}")
    scale = 1e4 / kilograms
    link = inertia(f"({0.36 * scale}, {0.36 * scale}, {0.36 * scale})")
    link = link.replace("physics:mass = 1", f"physics:mass = {1 / kilograms}")
    lines = LIMITS + GAINS.format(1.0 * per, 0.1 * per) + STRONG  # as `DRIVE`, in N·m
    axis = elbow(mended(arm(lines, ANGULAR, link=link), metadata=units, rule="gain-unit"))
    assert axis.drive.stiffness == near(TURN)
    assert axis.drive.damping == near(0.1 * TURN)
    assert axis.drive.max_force == near(50.0)
    assert "gain-unit" not in {finding.rule for finding in fajin.check.check(tmp_path / "mended.usda")}


@pytest.mark.parametrize("stiffness", [1e-4, 1e-2, 0.05, 1.0, 60.0, 1e3, 1e5])
@pytest.mark.parametrize("ratio", [0.01, 0.1, 1.0])
def test_a_conversion_of_gains_is_not_offered_twice(tmp_path, stiffness, ratio):
    """Once fixed, the rule is silent."""
    path, layer = stage(tmp_path, arm(LIMITS + GAINS.format(stiffness, ratio * stiffness) + STRONG, ANGULAR)), tmp_path
    changes, left = fajin.check.fix(path, layer / "mended.usda", lambda finding: finding.rule == "gain-unit")
    assert "gain-unit" not in {finding.rule for finding in left}
    assert len(changes) in (0, 2)


def test_the_target_of_a_spring_is_its_preload(found):
    """The spring of a converted joint without an actuator may pull against a limit."""
    lines = LIMITS + GAINS.format(1, 0.1) + TARGET.format(150)
    spring, motor = (arm(lines, f"{ANGULAR} {schema}") for schema in ("MjcJointAPI", ""))
    assert found("target-outside-limits", motor)
    assert not found("target-outside-limits", spring)
