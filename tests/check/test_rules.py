"""Every rule of `fajin check` finds the file that breaks it, passes the one that does not, and mends what it can."""

from math import cos, pi, sin
from pathlib import Path

import pytest
from checked import (
    ANGULAR,
    AT,
    BELOW,
    CENTIMETRES,
    DRIVE,
    ENVELOPE,
    GAINS,
    HINGE,
    LEAD,
    LIMITS,
    MIMIC,
    SPEED,
    STATE,
    STRONG,
    TARGET,
    bolted,
    inertia,
    instance,
    ring,
    robot,
)
from usda import ANCHOR, MASS, METRES, ROOT, arm, body, joint, prim, stage

import fajin
from fajin.check import RULES

SHAPE = 'def {} "shape" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysxCollisionAPI"])\n{{\n{}\n}}'
OFFSET = SHAPE.format("Cube", "float physxCollision:contactOffset = {}\nfloat physxCollision:restOffset = {}")
OFFSET = OFFSET.replace("{\n", "{{\n").replace("\n}", "\n}}")
SCALE = 'double3 xformOp:scale = (2, 2, 3)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
BODY_APIS = "PhysicsRigidBodyAPI PhysicsMassAPI PhysicsCollisionAPI PhysicsMeshCollisionAPI"
GROUND = prim("Plane", "ground", "", "PhysicsCollisionAPI")
BOUND = prim("Cube", "shape", "rel material:binding:physics = </stuff>", "PhysicsCollisionAPI MaterialBindingAPI")
SMOOTH = (arm(link=BOUND) + prim("Material", "stuff", "FRICTION", "PhysicsMaterialAPI")).replace("{", "{{")
SMOOTH = SMOOTH.replace("}", "}}").replace("FRICTION", "{}")
FITTED = """customLayerData = {{
    dictionary fajinFit = {{
        double step = {}
        string solver = "TGS"
        int positionIterations = 32
        int velocityIterations = 1
        dictionary parameters = {{
            string[] name = ["elbow:armature"]
            string[] prim = ["/robot/elbow"]
            string[] owner = ["/robot/elbow:rotX"]
            string[] quantity = ["armature"]
            string[] unit = ["kg·m²"]
            double[] value = [0.1]
            double[] deviation = [0.01]
            double[] base = [0]
            bool[] atBound = [0]
        }}
        double[] covariance = [0.0001]
        string[] logs = []
        string[] heldBack = []
        double chiSquared = 1
        double error = 0
        double heldBackError = 0
        string version = ""
    }}
}}
""" + METRES.replace("{", "{{").replace("}", "}}")


def crate(height: float, shape: str = "Cube") -> str:
    """A free body, a cube with sides of 1 m, at a height."""
    lines = f"""{MASS.replace("0.1, 0.2, 0.3", "1, 1, 1")}
    double size = 1
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate"]"""
    apis = "PhysicsRigidBodyAPI PhysicsMassAPI" + " PhysicsCollisionAPI" * (shape == "Cube")
    return prim(shape, "crate", lines, apis)


def overlapping(x: float) -> str:
    """A robot whose base and third link have cubes with sides of 1 m, x apart, and no joint between them."""
    cube = prim("Cube", "shape", "double size = 1", "PhysicsCollisionAPI")
    place = f'double3 xformOp:translate = ({x}, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
    tip = body("tip", MASS + "\n" + place + cube)
    wrist = joint("wrist", HINGE, "/robot/link", "/robot/tip", f"point3f physics:localPos0 = ({x}, 0, 0)")
    base = body("base", MASS + "\n" + cube)
    elbow = joint("elbow", HINGE, "/robot/base", "/robot/link")
    return robot(base, body("link"), tip, ANCHOR, elbow, wrist)


def driven(root: str) -> str:
    """A driven arm, with or without an articulation root."""
    elbow = joint("elbow", HINGE, "/robot/base", "/robot/link", LIMITS + DRIVE, ANGULAR)
    return robot(body("base"), body("link"), ANCHOR, elbow, apis=root)


def hull(corners: int) -> str:
    """A mesh whose hull is a pyramid with so many corners."""
    ring = [(cos(2 * pi * i / (corners - 1)), sin(2 * pi * i / (corners - 1)), 0.0) for i in range(corners - 1)]
    points = ", ".join(f"({x:.6f}, {y:.6f}, {z})" for x, y, z in [*ring, (0.0, 0.0, 1.0)])
    faces = f"int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\npoint3f[] points = [{points}]"
    approximation = 'uniform token physics:approximation = "convexHull"'
    return arm(extra=prim("Mesh", "rock", f"{faces}\n{approximation}\n{MASS}", BODY_APIS))


CASES = {  # rule: prims that break it, prims that do not, and metadata and scene where they are not the usual ones
    "invalid-value": (arm(link=inertia("(1, 1, 1)") + "\nfloat physics:density = -1"), arm()),
    "joint-to-nowhere": (
        arm(extra=joint("bad", HINGE, "/robot/base", "/other/second") + body("second")),
        arm(extra=joint("good", HINGE, "/robot/base", "/robot/second") + body("second")),
    ),
    "invalid-scene": (
        arm(extra=prim("Xform", "thing", apis="PhysxTendonAxisRootAPI:pull")),
        arm(extra=prim("Xform", "thing")),
    ),
    "override-in-instance": (instance(BELOW), instance("")),
    "limit-unit": (arm(LIMITS.replace("90", "1.5")), arm(LIMITS)),
    "gain-unit": (arm(LIMITS + GAINS.format(60, 10) + STRONG, ANGULAR), arm(LIMITS + DRIVE, ANGULAR)),
    "velocity-unit": (
        arm("float physxJointAxis:angular:maxJointVelocity = 3", "PhysxJointAxisAPI:angular"),
        arm("float physxJointAxis:angular:maxJointVelocity = 170", "PhysxJointAxisAPI:angular"),
    ),
    "root-on-wrong-prim": (bolted("base"), bolted("anchor")),
    "loop-not-excluded": (ring("0"), ring("1")),
    "doubled-joint": (
        arm(extra=joint("twin", HINGE, "/robot/link", "/robot/base")),
        arm(extra=joint("other", HINGE, "/robot/link", "/robot/base", 'uniform token physics:axis = "Y"')),
    ),
    "mass-missing": (arm(link=""), arm()),
    "inertia-not-physical": (arm(link=inertia("(0.1, 0.1, 0.3)")), arm(link=inertia("(0.1, 0.1, 0.2)"))),
    "mimic-without-limits": (
        arm(MIMIC, "PhysxMimicJointAPI:rotX", extra=LEAD),
        arm(MIMIC + LIMITS, "PhysxMimicJointAPI:rotX", extra=LEAD),
    ),
    "mimic-relates-nothing": (
        arm(LIMITS + MIMIC, "PhysxMimicJointAPI:rotX"),
        arm(LIMITS + MIMIC, "PhysxMimicJointAPI:rotX", extra=LEAD),
    ),
    "speed-limit-of-zero": (arm("float newton:velocityLimit = 0"), arm("float newton:velocityLimit = 90")),
    "limit-locks-joint": (arm("float physics:upperLimit = 90"), arm(LIMITS)),
    "state-outside-limits": (arm(LIMITS + AT.format(95), STATE), arm(LIMITS + AT.format(90), STATE)),
    "target-outside-limits": (
        arm(LIMITS + DRIVE + TARGET.format(-91), ANGULAR),
        arm(LIMITS + DRIVE + TARGET.format(-90), ANGULAR),
    ),
    "retired-attribute": (
        arm("float physxJoint:armature = 0.1"),
        arm("float physxJointAxis:angular:armature = 0.1", "PhysxJointAxisAPI:angular"),
    ),
    "envelope-without-drive": (arm(SPEED, ENVELOPE), arm(SPEED + DRIVE, f"{ENVELOPE} {ANGULAR}")),
    "drive-without-max-force": (arm(LIMITS + GAINS.format(1, 0.1), ANGULAR), arm(LIMITS + DRIVE, ANGULAR)),
    "drive-without-force": (
        arm(LIMITS + GAINS.format(1, 0.1) + STRONG.replace("50", "0"), ANGULAR),
        arm(LIMITS + DRIVE, ANGULAR),
    ),
    "drive-without-limits": (arm(DRIVE, ANGULAR), arm(LIMITS + DRIVE, ANGULAR)),
    "time-step-too-long": (arm(LIMITS + GAINS.format(120_000, 0.1) + STRONG, ANGULAR), arm(LIMITS + DRIVE, ANGULAR)),
    "reversed-joint": (
        arm(extra=joint("back", HINGE, "/robot/second", "/robot/link") + body("second")),
        arm(extra=joint("forth", HINGE, "/robot/link", "/robot/second") + body("second")),
    ),
    "robot-without-colliders": (GROUND + arm(), GROUND + arm(link=SHAPE.format("Cube", ""))),
    "collider-without-body": (arm(extra=SHAPE.format("Cube", "")), arm(link=SHAPE.format("Cube", ""))),
    "contact-offset-too-small": (arm(link=OFFSET.format(0.1, 0.2)), arm(link=OFFSET.format(0.2, 0.1))),
    "material-without-friction": (SMOOTH.format(""), SMOOTH.format("float physics:staticFriction = 0")),
    "uneven-scale": (arm(link=SHAPE.format("Sphere", SCALE)), arm(link=SHAPE.format("Capsule", SCALE))),
    "shape-not-used": (arm(link=SHAPE.format("Sphere", "double radius = -1")), arm(link=SHAPE.format("Sphere", ""))),
    "not-simulated": (
        arm(link=MASS) + prim("Xform", "car", "", "PhysxVehicleAPI"),
        arm(link=MASS) + prim("Xform", "car", "bool physxVehicle:vehicleEnabled = 0", "PhysxVehicleAPI"),
    ),
    "unknown-name": (arm("float physics:unheard = 1"), arm()),
    "unused-attribute": (arm("float drive:linear:physics:damping = 1", "PhysicsDriveAPI:linear"), arm()),
    "hull-cut": (hull(33), hull(32)),
    "schema-missing": (arm(LIMITS + AT.format(45)), arm(LIMITS + AT.format(45), STATE)),
    "fit-at-another-step": (
        arm(),
        arm(),
        {"metadata": FITTED.format(0.002)},
        {"metadata": FITTED.format(1 / 60)},
    ),
    "articulation-missing": (driven(""), driven(ROOT)),
    "joint-frames-apart": (arm("point3f physics:localPos1 = (0, 0, 0.2)"), arm()),
    "overlap-at-start": (overlapping(0.3), overlapping(1.01)),
    "starts-in-ground": (GROUND + crate(0.46), GROUND + crate(0.5)),
    "falls-through": (GROUND + crate(1.0, shape="Xform"), GROUND + crate(1.0)),
    "stage-units": (arm(), arm(), {"metadata": 'upAxis = "Z"'}, {"metadata": METRES}),
    "gravity-unit": (
        arm(),
        arm(),
        {"metadata": CENTIMETRES, "scene": "float physics:gravityMagnitude = 9.81"},
        {"metadata": CENTIMETRES, "scene": "float physics:gravityMagnitude = 981"},
    ),
}
MENDED = {
    *("joint-to-nowhere", "override-in-instance", "limit-unit", "gain-unit", "velocity-unit", "root-on-wrong-prim"),
    *("loop-not-excluded", "inertia-not-physical", "mimic-without-limits", "state-outside-limits"),
    *("target-outside-limits", "retired-attribute", "gravity-unit", "schema-missing", "overlap-at-start"),
}


def case(folder: Path, rule: str, sound: bool) -> Path:
    """The file that breaks a rule, or the one that does not."""
    prims, others = CASES[rule][sound], CASES[rule][2:]
    return stage(folder, prims, **(others[sound] if others else {}))


def broken(path: Path) -> set[str]:
    """Ids of the rules that a file breaks."""
    return {finding.rule for finding in fajin.check.check(path)}


def test_every_rule_has_a_case():
    assert set(CASES) == set(RULES)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_finds_what_breaks_it(tmp_path, rule):
    found = [finding for finding in fajin.check.check(case(tmp_path, rule, sound=False)) if finding.rule == rule]
    assert found
    for finding in found:
        assert finding.prim.startswith("/")
        assert finding.message
        assert finding.fix
        assert "\n" not in str(finding)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_leaves_alone_what_does_not(tmp_path, rule):
    assert rule not in broken(case(tmp_path, rule, sound=True))


@pytest.mark.parametrize("rule", CASES)
def test_a_mend_ends_what_it_mends(tmp_path, rule):
    """The layer over the file does not break the rule any more, and brings nothing new; the file is untouched."""
    path, layer = case(tmp_path, rule, sound=False), tmp_path / "mended.usda"
    before, text = broken(path), path.read_bytes()
    changes, left = fajin.check.fix(path, layer, lambda finding: finding.rule == rule)
    assert path.read_bytes() == text
    assert layer.exists()
    assert bool(changes) == (rule in MENDED)
    if changes:
        assert rule not in broken(layer)
        assert broken(layer) <= before | {"drive-without-limits"}
        assert {finding.rule for finding in left} == broken(layer)


def test_a_sound_robot_breaks_no_rule(tmp_path):
    """Limits, a drive within them, mass and inertia, and the units of the stage."""
    sound = inertia("(0.1, 0.2, 0.3)")
    elbow = joint("elbow", HINGE, "/robot/base", "/robot/link", LIMITS + DRIVE, ANGULAR)
    parts = body("base", sound), body("link", sound), ANCHOR, elbow
    path = stage(tmp_path, robot(*parts), metadata=f'defaultPrim = "robot"\n    {METRES}')
    assert fajin.check.check(path) == ()


def test_a_speed_limit_of_zero_is_of_no_unit(tmp_path):
    """Beside limits that look like radians per second it is told as what it is."""
    held = joint("held", HINGE, "/robot/link", "/robot/second", "float newton:velocityLimit = 0") + body("second")
    findings = fajin.check.check(stage(tmp_path, arm("float newton:velocityLimit = 3", extra=held)))
    rules = {
        finding.rule: finding.prim for finding in findings if "speed" in finding.rule or "velocity" in finding.rule
    }
    assert rules == {"velocity-unit": "/robot/elbow", "speed-limit-of-zero": "/robot/held"}
