"""Stages of joints that follow others, in the schemas of PhysX and Newton."""

from usda import ANCHOR, ROOT, body, joint, prim

from fajin.scene import Mimic

TURN, SLIDE, BALL, D6 = (f"Physics{kind}Joint" for kind in ("Revolute", "Prismatic", "Spherical", ""))
PHYSX, NEWTON = "PhysxMimicJointAPI:rotX", "NewtonMimicAPI"
LIMITS = "float physics:lowerLimit = -90\n    float physics:upperLimit = 90\n"
LOCKED = "".join(
    f"float limit:trans{x}:physics:low = 1\n    float limit:trans{x}:physics:high = -1\n    " for x in "XYZ"
)


def physx(instance: str = "rotX", reference: str = "/robot/lead", **values) -> str:
    """The lines of a PhysxMimicJointAPI; references part at spaces, keywords are attributes, "axis" the reference's."""
    head = f"physxMimicJoint:{instance}:"
    targets = ", ".join(f"<{path}>" for path in reference.split())
    lines = [f"rel {head}referenceJoint = [{targets}]"]
    if "axis" in values:
        lines.append(f'uniform token {head}referenceJointAxis = "{values.pop("axis")}"')
    lines += [f"float {head}{name} = {value}" for name, value in values.items()]
    return "\n    ".join(lines) + "\n    "


def newton(coef1: float = 1.0, coef0: float = 0.0, more: str = "") -> str:
    """The lines of a NewtonMimicAPI."""
    return f"""rel newton:mimicJoint = </robot/lead>
    float newton:mimicCoef1 = {coef1}
    float newton:mimicCoef0 = {coef0}
    {more}"""


def free(*axes: str) -> str:
    """The limits of a D6 joint that turns about these axes, within 90°, and does nothing else."""
    bounds = {f"rot{x}": (-90, 90) if f"rot{x}" in axes else (1, -1) for x in "XYZ"}
    lines = [
        f"float limit:{t}:physics:{end} = {b[i]}" for t, b in bounds.items() for i, end in enumerate(("low", "high"))
    ]
    return LOCKED + "\n    ".join(lines) + "\n    "


def d6_apis(more: str = "") -> str:
    """The schemas of the limits of a D6 joint."""
    return " ".join(f"PhysicsLimitAPI:{kind}{x}" for kind in ("trans", "rot") for x in "XYZ") + f" {more}"


def pair(
    follower: tuple[str, str, str],
    lead: tuple[str, str, str] = (TURN, LIMITS, ""),
    ends: tuple[str, str] = ("/robot/base", "/robot/finger"),
    extra: str = "",
) -> str:
    """A robot with two joints from one base, "follower" and "lead", each a kind, lines and schemas."""
    parts = (
        body("base"),
        body("finger"),
        body("knuckle"),
        ANCHOR,
        joint("follower", follower[0], *ends, *follower[1:]),
        joint("lead", lead[0], "/robot/base", "/robot/knuckle", *lead[1:]),
        extra,
    )
    return prim("Xform", "robot", "\n".join(parts), f"{ROOT} PhysxArticulationAPI")


def mimics(scene) -> dict[str, Mimic]:
    """The mimic of every degree of freedom that has one."""
    joints = [joint for a in scene.articulations for joint in a.joints]
    return {f"{j.path}:{axis.token}": axis.mimic for j in joints for axis in j.axes if axis.mimic}


def reports_of(scene) -> list[str]:
    """Reports that name a mimic joint."""
    return [str(report) for report in scene.reports if "imic" in str(report)]
