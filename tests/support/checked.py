"""Small scenes for the rules of `fajin check`: a limited and driven elbow, and what may be wrong around it."""

from usda import ANCHOR, METRES, ROOT, arm, body, joint, prim

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
