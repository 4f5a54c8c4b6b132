"""Every rule of `fajin check` finds the file that breaks it, passes the one that does not, and mends what it can."""

from pathlib import Path

import pytest
from usda import ANCHOR, METRES, ROOT, arm, body, joint, prim, stage

import fajin
from fajin.check import RULES

LIMITS = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90\n"
ANGULAR = "PhysicsDriveAPI:angular"
GAINS = "float drive:angular:physics:stiffness = {}\nfloat drive:angular:physics:damping = {}\n"
STRONG = "float drive:angular:physics:maxForce = 50\n"
DRIVE = GAINS.format(1, 0.1) + STRONG  # about 20 rad/s on the link of `arm`
CENTIMETRES = METRES.replace("metersPerUnit = 1", "metersPerUnit = 0.01")
ENVELOPE = "PhysxDrivePerformanceEnvelopeAPI:angular"
SPEED = "float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = 300\n"
MIMIC = "rel physxMimicJoint:rotX:referenceJoint = </robot/lead>\n"
LEAD = joint("lead", "PhysicsRevoluteJoint", "/robot/base", "/robot/second", LIMITS) + body("second")
HINGE = "PhysicsRevoluteJoint"
TURN = 57.29577951308232


def robot(*parts: str, apis: str = ROOT) -> str:
    """/robot with whatever it holds."""
    return prim("Xform", "robot", "\n".join(parts), apis)


def inertia(moments: str) -> str:
    """Mass properties with such principal moments."""
    lines = (
        f"float physics:mass = 1\npoint3f physics:centerOfMass = (0, 0, 0)\nfloat3 physics:diagonalInertia = {moments}"
    )
    return lines + "\nquatf physics:principalAxes = (1, 0, 0, 0)"


def bolted(root_on: str) -> str:
    """A fixed base with its articulation root on a prim: robot, base or anchor."""
    own = {name: ROOT if name == root_on else "" for name in ("robot", "base", "anchor")}
    anchor = prim("PhysicsFixedJoint", "anchor", "rel physics:body1 = </robot/base>", own["anchor"])
    elbow = joint("elbow", HINGE, "/robot/base", "/robot/link")
    return robot(body("base", apis=own["base"]), body("link"), anchor, elbow, apis=own["robot"])


def floating(root_on: str) -> str:
    """Two links of which the first carries the second, with the root on one of them."""
    own = {name: ROOT if name == root_on else "" for name in ("base", "link")}
    elbow = joint("elbow", HINGE, "/robot/base", "/robot/link")
    return robot(body("base", apis=own["base"]), body("link", apis=own["link"]), elbow, apis="")


def ring(excluded: str) -> str:
    """Three links in a ring."""
    pairs = (("base", "link"), ("link", "third"), ("third", "base"))
    ends = [(f"/robot/{a}", f"/robot/{b}") for a, b in pairs]
    lines = ["", "", f"bool physics:excludeFromArticulation = {excluded}"]
    joints = [joint(f"j{i}", HINGE, *pair, line) for i, (pair, line) in enumerate(zip(ends, lines, strict=True))]
    return robot(body("base"), body("link"), body("third"), ANCHOR, *joints)


def instance(opinion: str) -> str:
    """An instance of a cart, and what a scene authors below it."""
    cart = prim("Xform", "cart", body("wheel"))
    copy = 'def "copy" (\n    instanceable = true\n    references = </cart>\n)\n{\n' + opinion + "\n}\n"
    return cart + copy


def collider(enabled: str) -> str:
    """A robot with a collider."""
    return arm(extra=prim("Sphere", "ball", f"bool physics:collisionEnabled = {enabled}", "PhysicsCollisionAPI"))


BELOW = 'over "wheel"\n{\n    float physics:mass = 9\n}'
STATE = "PhysicsJointStateAPI:angular"
AT = "float state:angular:physics:position = {}\n"
TARGET = "float drive:angular:physics:targetPosition = {}\n"
CASES = {  # rule: prims that break it, prims that do not, and metadata and scene where they are not the usual ones
    "invalid-value": (arm(link=inertia("(1, 1, 1)") + "\nfloat physics:density = -1"), arm()),
    "joint-to-nowhere": (
        arm(extra=joint("bad", HINGE, "/robot/base", "/other/second") + body("second")),
        arm(extra=joint("good", HINGE, "/robot/base", "/robot/second") + body("second")),
    ),
    "invalid-scene": (robot(prim("Xform", "thing")), robot(body("thing"))),
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
    "time-step-too-long": (arm(LIMITS + GAINS.format(120, 0.1) + STRONG, ANGULAR), arm(LIMITS + DRIVE, ANGULAR)),
    "reversed-joint": (
        arm(extra=joint("back", HINGE, "/robot/second", "/robot/link") + body("second")),
        arm(extra=joint("forth", HINGE, "/robot/link", "/robot/second") + body("second")),
    ),
    "contacts": (collider("1"), collider("0")),
    "unused-attribute": (arm("float physics:unheard = 1"), arm()),
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
    *("target-outside-limits", "retired-attribute", "gravity-unit"),
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
        assert finding.mend
        assert "\n" not in str(finding)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_leaves_alone_what_does_not(tmp_path, rule):
    assert rule not in broken(case(tmp_path, rule, sound=True))


@pytest.mark.parametrize("rule", CASES)
def test_a_mend_ends_what_it_mends(tmp_path, rule):
    """The layer over the file does not break the rule any more, and brings nothing new; the file is untouched."""
    path, layer = case(tmp_path, rule, sound=False), tmp_path / "mended.usda"
    before, text = broken(path), path.read_bytes()
    changes, left = fajin.check.mend(path, layer, lambda finding: finding.rule == rule)
    assert path.read_bytes() == text
    assert bool(changes) == layer.exists() == (rule in MENDED)
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
