"""`fajin inspect`: every gain in the file's unit and in SI, the motion it implies, and what is not used."""

from math import pi, radians, sqrt

import pytest
import typer
from tendon_scenes import HEAD, NEXT, SLIDE, TURN, chain, finger, gear, point, schemas
from typer.testing import CliRunner
from usda import arm, body, joint, stage

import fajin
from fajin.tools.drive_tables import oscillation
from fajin.tools.inspect import inspect

LINK = """float physics:mass = 1
            point3f physics:centerOfMass = (0, 0, 0)
            float3 physics:diagonalInertia = (0.5, 0.5, 0.5)"""


@pytest.fixture
def shown(tmp_path):
    """What the command prints about a robot with joint lines and schemas."""

    def run(lines: str, apis: str, *options: str, more: str = "", inside: str = "", **metadata) -> str:
        app = typer.Typer()
        app.command()(inspect)
        path = stage(tmp_path, arm(lines, apis, link=LINK, extra=inside), more, **metadata)
        result = CliRunner().invoke(app, [str(path), *options])
        assert result.exit_code == 0, result.output
        return result.output

    return run


def row(text: str, title: str, joint: str) -> list[str]:
    """The cells of a joint's row in the table with a title."""
    after = text[text.index(title) :]
    return next(line for line in after.splitlines() if joint in line).split()


def test_gains_are_shown_per_degree_and_per_radian(shown):
    """1 per degree is 57.3 per radian; ω = √(k/I), ζ = d / 2√(k I)."""
    lines = "float drive:angular:physics:stiffness = 1\nfloat drive:angular:physics:damping = 0.1"
    cells = row(shown(lines, "PhysicsDriveAPI:angular"), "Drives", "/robot/elbow:rotX")
    stiffness, damping = 180 / pi, 18 / pi
    assert [float(x) for x in cells[2:6]] == pytest.approx([1.0, stiffness, 0.1, damping], rel=1e-5)
    assert float(cells[-3]) == pytest.approx(0.5)
    assert float(cells[-2]) == pytest.approx(sqrt(stiffness / 0.5) / (2 * pi), rel=1e-5)
    assert float(cells[-1]) == pytest.approx(damping / (2 * sqrt(stiffness * 0.5)), rel=1e-5)


def test_gains_of_a_stage_in_centimetres_are_shown_as_authored(shown):
    """The file's number comes back whatever the stage units."""
    lines = "float drive:angular:physics:stiffness = 123"
    metadata = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = "Z"'
    cells = row(shown(lines, "PhysicsDriveAPI:angular", metadata=metadata), "Drives", "/robot/elbow:rotX")
    assert cells[2] == "123"


@pytest.mark.parametrize(("words", "unit", "turn"), [((), "rad", radians), (("--degrees",), "deg", float)])
def test_limits_friction_and_armature_are_shown(shown, words, unit, turn):
    """Angles in radians, or in degrees where these are asked for; efforts in SI; the heading says the unit."""
    limits = "float physics:lowerLimit = -30\nfloat physics:upperLimit = 45"
    lines = limits + "\nfloat newton:armature = 0.25\nfloat newton:friction = 2"
    text = shown(lines, "NewtonJointAPI", *words)
    cells = row(text, "Degrees of freedom", "/robot/elbow:rotX")
    assert cells[1:4] == ["revolute", f"{turn(-30.0):.6g}", f"{turn(45.0):.6g}"]
    assert cells[7:10] == ["0.25", "2", "2"]
    assert f"[{unit}]" in text
    assert f"[{'deg' if unit == 'rad' else 'rad'}]" not in text


def test_a_free_body_has_a_table_of_its_own(shown):
    """How it starts, and its mass among those of the links; it is no articulation."""
    ball = body("ball", LINK + "\nvector3f physics:angularVelocity = (0, 90, 0)")
    text = shown("", "", "--degrees", more=ball)
    assert row(text, "Free bodies", "/ball") == ["/ball", "0,", "0,", "0", "0,", "90,", "0", "yes", "16", "+", "1"]
    assert row(text, "Links and free bodies", "/ball")[1] == "1"
    assert "/ball" not in text[text.index("Articulations") : text.index("Free bodies")]


def test_what_is_not_used_is_shown_with_its_reason(shown):
    """Attribute, value, prim and reason."""
    text = shown("float physxJoint:armature = 3", "PhysxJointAPI")
    line = next(line for line in text.splitlines() if "physxJoint:armature" in line)
    assert "3.0" in line
    assert "/robot/elbow" in line
    assert "physxJointAxis:" in line


def test_an_override_is_shown(shown):
    """`--set` acts as in `fajin simulate`."""
    text = shown("", "", "--set", "/robot/link.physics:mass=7.5")
    assert row(text, "Links", "/robot/link")[1] == "7.5"


def test_an_acceleration_drive_oscillates_whatever_the_inertia():
    """ω = √k for a unit inertia; no stiffness, no oscillation."""
    assert oscillation(4.0, 4.0, 1.0) == (1.0 / pi, 1.0)
    assert oscillation(0.0, 4.0, 1.0) == (0.0, float("inf"))
    assert oscillation(0.0, 0.0, 1.0) == (0.0, 0.0)


def test_a_performance_envelope_is_shown_with_its_units(shown):
    """|τ| ≤ 50 − r |v| with r = 0.01 N·m per deg/s = 0.573 N·m·s/rad, |v| ≤ 180 − 2 |τ| in degrees."""
    lines = """float drive:angular:physics:maxForce = 50
        float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = 180
        float physxDrivePerformanceEnvelope:angular:velocityDependentResistance = 0.01
        float physxDrivePerformanceEnvelope:angular:speedEffortGradient = 2"""
    text = shown(lines, "PhysicsDriveAPI:angular PhysxDrivePerformanceEnvelopeAPI:angular", "--degrees")
    assert row(text, "Performance envelopes", "elbow")[1:] == ["50", "180", f"{0.01 * 180 / pi:.6g}", "2"]


def test_a_mimic_joint_is_shown_as_in_the_file_and_in_si(shown):
    """A slider that follows a hinge at 2 cm per degree from 3 cm, in a stage in centimetres."""
    limits = "float physics:lowerLimit = -30\nfloat physics:upperLimit = 45"
    lines = """rel physxMimicJoint:rotX:referenceJoint = </robot/elbow>
        float physxMimicJoint:rotX:gearing = -2
        float physxMimicJoint:rotX:offset = 3
        float physxMimicJoint:rotX:naturalFrequency = 50
        float physxMimicJoint:rotX:dampingRatio = 0.5"""
    slide = joint("slide", "PhysicsPrismaticJoint", "/robot/link", "/robot/tip", lines, "PhysxMimicJointAPI:rotX")
    metadata = 'metersPerUnit = 0.01\n    upAxis = "Z"'
    cells = row(shown(limits, "", inside=body("tip") + slide, metadata=metadata), "Mimic joints", "/robot/slide")
    assert cells[:2] == ["/robot/slide:transX", "/robot/elbow:rotX"]
    assert [float(x) for x in cells[2:]] == pytest.approx([-2.0, -3.6 / pi, 3.0, 0.03, 50.0, 0.5], rel=1e-5)


LENGTHS = 'metersPerUnit = 0.01\n    upAxis = "Z"'


def text_of(path) -> str:
    """What the command prints about a scene."""
    app = typer.Typer()
    app.command()(inspect)
    return CliRunner().invoke(app, [str(path)]).output


def test_a_joint_outside_the_trees_is_shown_with_what_it_leaves_free(tmp_path):
    """Its ends, each free axis with limits in radians or metres and how they give way, and its drives."""
    lines = """float physics:lowerLimit = -20
        float physics:upperLimit = 30
        float physxLimit:angular:stiffness = 2
        float physxLimit:angular:bounceThreshold = 9
        float drive:angular:physics:stiffness = 1"""
    hinge = joint("hinge", "PhysicsRevoluteJoint", "/ball", "", lines, "PhysxLimitAPI:angular PhysicsDriveAPI:angular")
    rope = joint("rope", "PhysicsDistanceJoint", "", "/ball", "float physics:maxDistance = 70")
    nail = joint("nail", "PhysicsFixedJoint", "/ball", "/other")
    text = text_of(stage(tmp_path, body("ball"), body("other"), hinge, rope, nail))
    title = "Maximal joints"
    assert row(text, title, "/hinge") == [
        "/hinge",
        "revolute",
        "/ball",
        "world",
        "rotX",
        *(f"{x:.6g}" for x in (radians(-20.0), radians(30.0), 2.0, 0.0, 0.0, 9.0)),
    ]
    assert row(text, title, "/rope")[1:] == ["distance", "world", "/ball", "distance", "-∞", "70", "0", "0"]
    assert row(text, title, "/nail")[1:] == ["fixed", "/ball", "/other", "none"]
    cells = row(text, "Drives of maximal joints", "/hinge:rotX")
    assert [float(x) for x in cells[2:4]] == pytest.approx([1.0, 180 / pi], rel=1e-5)


def test_a_fixed_tendon_is_shown_as_in_the_file_and_in_si(tmp_path):
    """Gains and lengths of the tendon, and gearing and force coefficient of each joint; a stage in centimetres."""
    lines = "float physxTendon:t:stiffness = 80\nfloat physxTendon:t:upperLimit = 5\n"
    bones = (TURN, lines + gear(0.5), HEAD), (SLIDE, gear(2), NEXT)
    text = text_of(stage(tmp_path, finger(*bones), metadata=LENGTHS))
    assert row(text, "Fixed tendons", "/robot/j1:t") == ["/robot/j1:t", *["80", "0", "0", "0", "0", "-∞", "0.05"]]
    cells = row(text, "Joints of fixed tendons", "/robot/j1:rotX")
    assert [float(x) for x in cells[2:]] == pytest.approx([0.5, 0.9 / pi, 1.0], rel=1e-5)
    assert row(text, "Joints of fixed tendons", "/robot/j2:transX")[2:] == ["2", "2", "1"]


def test_a_spatial_tendon_is_shown_with_its_attachments(tmp_path):
    """Points in metres in the link, the attachment before each, and the lengths of leaves; at rest as in the file."""
    links = (
        (point("r", localPos="(1, 2, 3)", stiffness=60), schemas(r="Root")),
        (point("k", "a:r", gearing=2, upperLimit=7), schemas(k="Leaf")),
    )
    text = text_of(stage(tmp_path, chain(*links), metadata=LENGTHS))
    assert row(text, "Spatial tendons", "/robot/a:r") == ["/robot/a:r", "60", "0", "0", "0"]
    title = "Attachments of spatial tendons"
    assert row(text, title, "/robot/a ")[1:] == ["0", "root", "/robot/a", "0.01,", "0.02,", "0.03", "1"]
    assert row(text, title, "/robot/b ")[1:] == [
        "1",
        "0",
        "/robot/b",
        "0,",
        "0,",
        "0",
        "2",
        f"{0.02 * sqrt(14):.6g}",
        "-∞",
        "0.07",
    ]


@pytest.mark.parametrize("name", ["go2_standing", "quadruped_standing", "gripper_lift", "four_bar"])
def test_joints_and_links_are_in_the_order_of_a_simulation(scenes, name):
    """Who copies an order from the tables has that of `sim.dof` and `sim.link`."""
    app = typer.Typer()
    app.command()(inspect)
    lines = CliRunner().invoke(app, [str(scenes / f"{name}.usda")]).output.splitlines()
    model = fajin.compile(fajin.read(scenes / f"{name}.usda"))
    for title, names in (("Degrees of freedom", model.dof), ("Links and free bodies", [p for p in model.link if p])):
        start = next(i for i, line in enumerate(lines) if line.strip() == title)
        first = [line.split()[0] for line in lines[start + 1 :] if line.strip().startswith("/")]
        assert first[: len(names)] == list(names)
