"""The type of what a file authors: what means one thing counts, with units; all else is reported or refused."""

from random import Random

import pytest
from every_attribute import everything
from fuzz_scenes import FAILURES, judged, meaning
from pxr import Usd
from refusals import contains, refusal
from usda import MASS, METRES, arm, body, stage
from wrong_values import may_be_silent, wrong_values

import fajin
from fajin.check import check

CENTIMETRES = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = "Z"'
DRIVEN = "PhysicsDriveAPI:angular PhysxJointAxisAPI:angular PhysicsJointStateAPI:angular NewtonJointAPI"
SHARES = 8  # of all wrong values, a test each
FEW = 24  # wrong values of a share in the fast tests


def reports(path, word: str) -> list:
    """Reports of a scene that name an attribute."""
    return [report for report in fajin.read(path).reports if word in report.attribute]


@pytest.mark.parametrize("kind", ["int", "int64", "half", "double"])
def test_the_number_counts_whatever_its_type_with_its_unit(tmp_path, kind):
    """90 of type int is 90 degrees, as it is in PhysX, and a mass is in grams."""
    lines = [
        *(f"float drive:angular:physics:{name} = 90" for name in ("stiffness", "damping", "maxForce")),
        *(f"float drive:angular:physics:{name} = 30" for name in ("targetPosition", "targetVelocity")),
        *(f"float physxJointAxis:angular:{name} = 3" for name in ("armature", "maxJointVelocity")),
        *(
            "float physics:lowerLimit = -80",
            "float physics:upperLimit = 80",
            "float state:angular:physics:position = 5",
        ),
    ]
    link = "float physics:mass = 200\nfloat physxRigidBody:linearDamping = 2"
    scenes = []
    for of_type in ("float", kind):
        typed = [line.replace("float ", f"{of_type} ") for line in lines]
        text = arm("\n".join(typed), DRIVEN, link=link.replace("float ", f"{of_type} "))
        scenes.append(meaning(fajin.read(stage(tmp_path, text, metadata=CENTIMETRES))))
    assert scenes[0] == scenes[1]
    assert scenes[1].articulations[0].links[1].mass == pytest.approx(0.2)


@pytest.mark.parametrize("kind", ["double3", "half3", "int3", "vector3f"])
def test_a_vector_counts_whatever_its_precision(tmp_path, kind):
    link = "float physics:mass = 2\nfloat3 physics:centerOfMass = (1, 2, 3)\nfloat3 physics:diagonalInertia = (1, 2, 2)"
    frames = "float3 physics:localPos0 = (1, 0, 2)"
    one, other = (
        fajin.read(stage(tmp_path, arm(frames.replace("float3", k), link=link.replace("float3", k)))).articulations
        for k in ("float3", kind)
    )
    assert one == other


@pytest.mark.parametrize(("value", "enabled"), [("int {} = 0", False), ("int {} = 1", True), ("double {} = 0", False)])
def test_0_and_1_are_switches(tmp_path, value, enabled):
    path = stage(tmp_path, arm(value.format("physics:excludeFromArticulation")))
    assert bool(fajin.read(path).joints) == enabled


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('string physics:jointEnabled = "0"', "physics:jointEnabled"),
        ("int physics:jointEnabled = 2", "physics:jointEnabled"),
        ("float2 physics:localPos0 = (1, 2)", "physics:localPos0"),
        ('string physics:localPos0 = "5"', "physics:localPos0"),
        ("double[] physics:localPos0 = [1]", "physics:localPos0"),
        ("float3 physics:localRot1 = (1, 0, 0)", "physics:localRot1"),
        ("float4 physics:localRot1 = (1, 0, 0, 1)", "physics:localRot1"),
        ("int physics:axis = 1", "physics:axis"),
        ("token[] physics:axis = []", "physics:axis"),
        ("float[] physics:upperLimit = [1]", "physics:upperLimit"),
        ("timecode physics:upperLimit = 1", "physics:upperLimit"),
        ("asset physics:upperLimit = @x@", "physics:upperLimit"),
        ("rel physics:upperLimit = </robot>", "physics:upperLimit"),
        ("float[] drive:angular:physics:stiffness = [1, 2]", "stiffness"),
    ],
)
def test_what_is_of_another_kind_is_dropped_and_reported(tmp_path, line, word):
    """The row's default applies, as if nothing were authored."""
    scene = fajin.read(stage(tmp_path, arm(line, "PhysicsDriveAPI:angular")))
    assert scene.articulations == fajin.read(stage(tmp_path, arm("", "PhysicsDriveAPI:angular"))).articulations
    (report,) = (report for report in scene.reports if word in report.attribute)
    assert "must be" in report.reason
    assert "treated as not authored" in report.reason


@pytest.mark.parametrize("kind", ["float2", "double[]", "bool"])
def test_a_direction_of_gravity_has_three_numbers(tmp_path, kind):
    values = {"float2": "(0, -1)", "double[]": "[0, -1, 0, 5, 5, 5, 5]", "bool": "1"}
    path = stage(tmp_path, arm(), scene=f"{kind} physics:gravityDirection = {values[kind]}")
    assert fajin.read(path).gravity == (0.0, 0.0, -9.81)
    assert reports(path, "physics:gravityDirection")


@pytest.mark.parametrize("value", ["inf", "1e38", "3.4028235e38"])
def test_gravity_is_finite(tmp_path, value):
    line = refusal(stage(tmp_path, arm(), scene=f"float physics:gravityMagnitude = {value}"))
    assert contains(line, "/physics.physics:gravityMagnitude", "finite")


@pytest.mark.parametrize("axis", ["X", "y", "", "W"])
def test_the_up_axis_is_y_or_z(tmp_path, axis):
    metadata = METRES.replace('"Z"', f'"{axis}"')
    assert contains(refusal(stage(tmp_path, arm(), metadata=metadata)), f"/.upAxis = {axis}", "must be Y or Z")


@pytest.mark.parametrize("value", ["1e-300", "1e300", "3.4028235e38", "inf"])
@pytest.mark.parametrize("name", ["metersPerUnit", "kilogramsPerUnit", "timeCodesPerSecond"])
def test_units_stay_within_reason(tmp_path, name, value):
    """Their powers have to be numbers."""
    assert contains(refusal(stage(tmp_path, arm(), metadata=f"{name} = {value}")), f"/.{name}", "1e-12 to 1e+12")


@pytest.mark.parametrize("value", ["(0, inf, 0)", "(-inf, 0, 0)", "(1e38, 0, 0)"])
def test_a_centre_of_mass_is_finite_in_all_three_numbers(tmp_path, value):
    line = refusal(stage(tmp_path, arm(link=f"float physics:mass = 1\npoint3f physics:centerOfMass = {value}")))
    assert contains(line, "/robot/link.physics:centerOfMass", "three finite numbers")


def test_a_centre_of_mass_of_minus_infinity_is_none(tmp_path):
    """It is the schema's word for nothing."""
    link = "float physics:mass = 1\npoint3f physics:centerOfMass = (-inf, -inf, -inf)"
    assert fajin.read(stage(tmp_path, arm(link=link))).articulations[0].links[1].com == (0.0, 0.0, 0.0)


def test_further_bodies_of_a_joint_are_reported(tmp_path):
    text = arm().replace("rel physics:body1 = </robot/link>", "rel physics:body1 = [</robot/link>, </robot/base>]")
    path = stage(tmp_path, text)
    (report,) = reports(path, "physics:body1")
    assert contains(str(report), "/robot/elbow", "/robot/link, /robot/base", "first is used")


@pytest.mark.parametrize("line", ['token physics:body1 = "/robot/link"', "int physics:body1 = 3"])
def test_an_attribute_is_no_body(tmp_path, line):
    """Dropped, it would tie the link to the world."""
    text = arm().replace("rel physics:body1 = </robot/link>", line)
    assert contains(
        refusal(stage(tmp_path, text)), "/robot/elbow.physics:body1", "must be a relationship", "author rel"
    )


@pytest.mark.parametrize(
    ("lower", "upper"), [("inf", "inf"), ("-inf", "-inf"), ("1e38", "1e38"), ("-1e38", "-3.4028235e38")]
)
@pytest.mark.parametrize("excluded", [False, True])
def test_limits_beyond_all_reach_are_none_and_reported(tmp_path, lower, upper, excluded):
    lines = f"float physics:lowerLimit = {lower}\nfloat physics:upperLimit = {upper}"
    path = stage(tmp_path, arm(lines + "\nbool physics:excludeFromArticulation = 1" * excluded))
    (report,) = reports(path, "physics:lowerLimit, physics:upperLimit")
    assert "have no effect" in report.reason
    scene = fajin.read(path)
    (axis,) = (scene.joints if excluded else scene.articulations[0].joints)[0].axes
    assert (axis.lower, axis.upper) == (-float("inf"), float("inf"))


@pytest.mark.parametrize(("asked", "made"), [(-3, 1), (0, 1), (256, 255), (2_000_000_000, 255)])
def test_iterations_are_bounded_as_physx_bounds_them(tmp_path, asked, made):
    name = "physxArticulation:solverPositionIterationCount"
    path = stage(tmp_path, arm(root=f"int {name} = {asked}\n"))
    assert fajin.read(path).articulations[0].position_iterations == made
    (report,) = reports(path, name)
    assert contains(str(report), str(asked), "1 to 255", f"{made} is used")


def test_a_scene_cannot_lift_the_bound_of_iterations(tmp_path):
    path = stage(
        tmp_path,
        arm(root="int physxArticulation:solverPositionIterationCount = 2000000000\n"),
        scene="uint physxScene:maxPositionIterationCount = 4000000000",
    )
    assert fajin.read(path).articulations[0].position_iterations == 255
    assert contains(str(*reports(path, "physxScene:maxPositionIterationCount")), "4000000000", "255 is used")


@pytest.mark.parametrize("name", ["drive:angular:physics:targetPosition", "newton:armature"])
def test_samples_have_finite_times(tmp_path, name):
    lines = f"float {name}.timeSamples = {{ nan: 1, inf: 2 }}"
    assert contains(refusal(stage(tmp_path, arm(lines, DRIVEN))), f"/robot/elbow.{name}", "finite")


def test_samples_are_of_the_kind_of_their_attribute(tmp_path):
    lines = 'string drive:angular:physics:targetPosition.timeSamples = { 0: "1", 10: "2" }'
    assert contains(refusal(stage(tmp_path, arm(lines, DRIVEN))), "targetPosition", "must be a number")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", 'string xformOp:translate = "x"\nuniform token[] xformOpOrder = ["xformOp:translate"]'),
        ("float physics:mass = 2", "rel physics:mass = </robot>"),
    ],
)
def test_a_file_of_wrong_types_is_checked(tmp_path, old, new):
    """Also where USD's own validators stop."""
    link = MASS.replace(old, new) if old else f"{MASS}\n{new}"
    findings = check(stage(tmp_path, arm(link=link)))
    assert any(name in f"{finding}" for finding in findings for name in ("xformOp:translate", "physics:mass"))


@pytest.mark.parametrize("role", ["point3f", "vector3d"])
def test_a_pose_of_a_type_with_a_role_is_written_back(tmp_path, role):
    lines = f'{role} xformOp:translate = (0, 0, 2)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    path = stage(tmp_path, body("stone", f"{MASS}\n{lines}"))
    fajin.write(fajin.Simulation(fajin.read(path)).run(seconds=0.2, fps=30), tmp_path / "out.usda")
    opened = Usd.Stage.Open(str(tmp_path / "out.usda"))
    assert opened.GetPrimAtPath("/stone").GetAttribute("xformOp:translate").Get(6)[2] < 1.9


@pytest.mark.parametrize("share", range(SHARES))
def test_every_attribute_with_values_of_every_type(tmp_path, share):
    """Nothing of another type is silent, and nothing ends in a traceback."""
    every = list(wrong_values(everything(tmp_path)))
    for row, kind, line, text in Random(share).sample(every[share::SHARES], FEW):
        outcome = judged(text)
        assert outcome.kind not in (*FAILURES, "no USD"), (line, outcome.detail)
        head, _, tail = row.name.partition("{axis}")
        told = (
            any(head in r.attribute and tail in r.attribute for r in outcome.scene.reports) if outcome.scene else True
        )
        assert told or may_be_silent(row, kind), line


def test_a_robot_without_any_value_of_another_type_has_no_such_report(tmp_path):
    assert not [r for r in fajin.read(everything(tmp_path)).reports if "must be" in r.reason]
