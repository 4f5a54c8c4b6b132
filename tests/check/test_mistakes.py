"""The usual mistakes of people who write USD by hand: the first finding names the cause, and what to do."""

import pytest
from checked import ANGULAR, DRIVE, ENVELOPE, GAINS, HINGE, LIMITS, SPEED, STRONG, TARGET, robot
from paths import RECORDINGS
from usda import ANCHOR, MASS, METRES, ROOT, arm, body, joint, prim, stage

import fajin

CENTIMETRES = METRES.replace("metersPerUnit = 1", "metersPerUnit = 0.01")
GROUND = prim("Plane", "ground", "", "PhysicsCollisionAPI")
MIMIC = "rel physxMimicJoint:rotX:referenceJoint = </robot/elbow>\nfloat physxMimicJoint:rotX:gearing = 1"
FOLLOWER = body("tip") + joint("wrist", HINGE, "/robot/link", "/robot/tip", LIMITS + MIMIC, "PhysxMimicJointAPI:rotX")
PLACE = 'double3 xformOp:translate = (0, 0, {})\nuniform token[] xformOpOrder = ["xformOp:translate"]'
CM_MASS = MASS.replace("(0.1, 0.2, 0.3)", "(0, 0, 0)", 1).replace("(0.1, 0.2, 0.3)", "(1000, 1000, 1000)")
KEYED = "float drive:angular:physics:targetPosition.timeSamples = {0: 0, 60: -200}\n"
STIFFNESS = "float drive:angular:physics:stiffness ="
CHARACTER = "PhysxDeformableSurfaceAPI"


def limited(lines: str = "", apis: str = ANGULAR, **options: str) -> str:
    """An arm with limits and a drive."""
    return arm(LIMITS + DRIVE + lines, apis, **options)


def loose(root: str, lines: str = "") -> str:
    """A driven arm with a mimic joint, and whatever root is applied."""
    elbow = joint("elbow", HINGE, "/robot/base", "/robot/link", LIMITS + DRIVE, ANGULAR)
    parts = "\n".join((lines, body("base"), body("link"), ANCHOR, elbow, FOLLOWER))
    return prim("Xform", "robot", parts, root)


def crate(height: float, lines: str = "", apis: str = "PhysicsCollisionAPI") -> str:
    """A free cube of 1 m at a height."""
    text = f"{MASS.replace('0.1, 0.2, 0.3', '1, 1, 1')}\ndouble size = 1\n{PLACE.format(height)}\n{lines}"
    return prim("Cube", "crate", text, f"PhysicsRigidBodyAPI PhysicsMassAPI {apis}")


CM = {"metadata": CENTIMETRES}
MISTAKES = {  # mistake: prims, rule, words of the finding, metadata and scene
    "attribute misspelt": (
        limited("float drive:angular:physics:stifness = 2"), "unknown-name", "drive:angular:physics:stiffness?"
    ),
    "lower-case attribute": (arm("float physics:lowerlimit = 1"), "unknown-name", "physics:lowerLimit?"),
    "relationship misspelt": (arm("rel physics:bodyO = </robot>"), "unknown-name", "did you mean physics:body"),
    "envelope misspelt": (
        limited(SPEED.replace("Velocity", "Speed"), f"{ANGULAR} {ENVELOPE}"), "unknown-name", "maxActuatorVelocity?"
    ),
    "scene's attribute misspelt": (
        arm(), "unknown-name", "timeStepsPerSecond?", {"scene": "uint physxScene:timeStepPerSecond = 240"}
    ),
    "schema misspelt": (limited(apis="PhysicDriveAPI:angular"), "unknown-name", "PhysicsDriveAPI:angular?"),
    "collider misspelt": (GROUND + crate(1, apis="PhysicsColliderAPI"), "unknown-name", "PhysicsCollisionAPI?"),
    "type misspelt": (
        arm(extra=joint("wrist", "PhysicsRevolutJoint", "/robot/link", "/robot/hand") + body("hand")),
        "unknown-name", "did you mean PhysicsRevoluteJoint?",
    ),
    "drive without schema": (limited(apis=""), "schema-missing", "PhysicsDriveAPI:angular"),
    "limits in radians": (arm(LIMITS.replace("90", "1.5")), "limit-unit", "author -85.9437, 85.9437"),
    "gravity in metres": (
        arm(), "gravity-unit", "author 981", CM | {"scene": "float physics:gravityMagnitude = 9.81"}
    ),
    "gains of metres in centimetres": (
        arm(LIMITS + GAINS.format(0.2, 0.02) + STRONG, ANGULAR, link=CM_MASS, root=""), "gain-unit",
        "in N·m per degree, where the stage's unit of length is 0.01 m", CM,
    ),
    "body misspelt": (
        arm(extra=joint("bad", HINGE, "/robot/base", "/robot/secnd") + body("second")),
        "joint-to-nowhere", "did you mean /robot/second?",
    ),
    "limits exchanged": (
        arm("float physics:lowerLimit = 60\nfloat physics:upperLimit = -60"), "limit-locks-joint", "exchange them"
    ),
    "box without collider": (GROUND + crate(1, apis=""), "falls-through", "falls through /ground"),
    "box in the floor": (GROUND + crate(0.4), "starts-in-ground", "raise it by 0.1 m"),
    "no articulation root": (loose(""), "articulation-missing", "apply PhysicsArticulationRootAPI"),
    "articulation disabled": (
        loose(f"{ROOT} PhysxArticulationAPI", "bool physxArticulation:articulationEnabled = 0"),
        "articulation-missing", "its articulation is disabled",
    ),
    "mimic of itself": (
        arm(LIMITS + MIMIC, "PhysxMimicJointAPI:rotX"), "mimic-relates-nothing", "follows itself"
    ),
    "axis in lower case": (arm('uniform token physics:axis = "z"'), "invalid-value", "must be one of X, Y, Z"),
    "no units": (arm(), "stage-units", "author metersPerUnit", {"metadata": 'upAxis = "Z"'}),
    "joint frames apart": (
        arm("point3f physics:localPos1 = (0, 0, 0.18)"), "joint-frames-apart", "are 0.18 m apart"
    ),
    "deformable": (arm(extra=prim("Mesh", "cloth", "", CHARACTER)), "not-simulated", "deformable"),
    "envelope without force": (
        arm(LIMITS + GAINS.format(1, 0.1) + SPEED, f"{ANGULAR} {ENVELOPE}"), "envelope-without-drive", "maximum force"
    ),
    "linear drive of a hinge": (
        arm(DRIVE.replace("angular", "linear"), "PhysicsDriveAPI:linear"), "unused-attribute", "the axis angular?"
    ),
    "negative mass": (GROUND + crate(1, "float physics:density = -1"), "invalid-value", "0 or more"),
    "targets beyond the limits": (limited(KEYED), "target-outside-limits", "1 of 2 time samples"),
    "target beyond the limits": (limited(TARGET.format(-91)), "target-outside-limits", "outside the limits"),
    "filter without schema": (
        GROUND + crate(1, "rel physics:filteredPairs = </ground>"), "schema-missing", "PhysicsFilteredPairsAPI"
    ),
    "filter of nothing": (
        GROUND + crate(1, "rel physics:filteredPairs = </grond>", "PhysicsCollisionAPI PhysicsFilteredPairsAPI"),
        "unused-attribute", "did you mean /ground?",
    ),
    "string for a float": (
        limited().replace(f"{STIFFNESS} 1", STIFFNESS.replace("float", "string") + ' "1"'),
        "unused-attribute", "must be a number",
    ),
    "two physics scenes": (
        arm(extra=prim("PhysicsScene", "other", 'uniform token physxScene:solverType = "PGS"', "PhysxSceneAPI")),
        "not-simulated", "/other",
    ),
    "rate without schema": (
        arm(), "schema-missing", "PhysxSceneAPI", {"scene": "uint physxScene:timeStepsPerSecond = 240", "schemas": ""}
    ),
    "two roots": (
        robot(body("base"), body("link", apis=ROOT), ANCHOR, joint("elbow", HINGE, "/robot/base", "/robot/link")),
        "root-on-wrong-prim", "/robot/link",
    ),
}  # fmt: skip
FIXED = (
    "schema misspelt",
    "drive without schema",
    "limits in radians",
    "gravity in metres",
    "limits exchanged",
    "rate without schema",
)


def written(folder, mistake: str):
    """The file with a mistake."""
    prims, _, _, *options = MISTAKES[mistake]
    return stage(folder, prims, **(options[0] if options else {}))


def grave(path) -> list:
    """Errors and warnings of a file in the order in which they are shown; not those of USD's validator."""
    findings = fajin.check.check(path)
    return [f for f in findings if f.severity.value != "note" and not f.rule.startswith("usd-")]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_first_finding_names_the_cause(tmp_path, mistake):
    found = grave(written(tmp_path, mistake))
    assert found
    assert found[0].rule == MISTAKES[mistake][1]
    assert MISTAKES[mistake][2] in f"{found[0]}; {found[0].fix}"


@pytest.mark.parametrize("mistake", FIXED)
def test_a_certain_remedy_is_a_fix(tmp_path, mistake):
    layer = tmp_path / "fixed.usda"
    rules = {f.rule for f in grave(written(tmp_path, mistake)) if f.edits}
    assert rules
    fajin.check.fix(written(tmp_path, mistake), layer)
    assert not rules & {f.rule for f in grave(layer)}


def test_a_link_between_two_joints_of_one_pair_is_not_the_ground(tmp_path):
    """Two hinges about different axes between the same bodies: a cube that hangs on them, 1 m above a plane."""
    cube = crate(1.0).replace('"crate"', '"link"')
    hinges = [
        joint(f"about_{axis}", HINGE, "/robot/base", "/robot/link", f'{LIMITS}uniform token physics:axis = "{axis}"')
        for axis in "XY"
    ]
    path = stage(tmp_path, GROUND + robot(body("base", f"{MASS}\n{PLACE.format(1.0)}"), cube, *hinges))
    assert fajin.compile(fajin.read(path)).link.count("") == 1
    assert not [finding for finding in fajin.check.check(path) if finding.rule == "starts-in-ground"]


def test_exchanged_limits_are_exchanged_back(tmp_path):
    layer = tmp_path / "fixed.usda"
    fajin.check.fix(written(tmp_path, "limits exchanged"), layer)
    (axis,) = fajin.read(layer).articulations[0].joints[0].axes
    assert (axis.lower, axis.upper) == pytest.approx((-1.0471976, 1.0471976), rel=1e-6)


def test_a_sound_file_has_no_findings(tmp_path):
    assert grave(stage(tmp_path, limited())) == []


@pytest.mark.parametrize("name", ["gear_carried", "rack_pushed"])
def test_frames_of_gears_may_be_apart(name):
    """A gear relates motions, and draws nothing together."""
    findings = fajin.check.check(RECORDINGS / "rigid" / "scenes" / f"{name}.usda")
    assert "joint-frames-apart" not in {finding.rule for finding in findings}
