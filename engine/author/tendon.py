"""Fixed tendons: springs on a weighted sum of joint positions."""

from collections.abc import Sequence
from math import isfinite

from pxr import Usd

from ..scene import InvalidScene
from ..usd.attributes import LENGTHS, TENDON, TENDON_AXIS
from ..usd.read.fixed_tendons import AXIS_API, AXIS_ROOT_API
from ..usd.read.joints import INSTANCES
from .attribute_writer import AttributeWriter
from .axis import joint_axis, joint_type
from .change import Change
from .remove import erase


def tendon(  # one parameter an attribute
    joints: Sequence[Usd.Prim],
    name: str,
    *,
    gearing: Sequence[float],
    force_coefficient: Sequence[float] | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    limit_stiffness: float | None = None,
    rest_length: float | None = None,
    offset: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    enabled: bool | None = None,
) -> list[Change]:
    """Author a fixed tendon over revolute and prismatic joints.

    l = Σ gearing q + offset, F = -stiffness (l - rest_length) - damping l̇

    Args:
        joints: the root joint first, then joints, each below another joint of the tendon.
        name: of the tendon: letters, digits and _.
        gearing: tendon length per position of each joint [m/rad | 1].
        force_coefficient: scales the force at each joint.
        stiffness: [N/m].
        damping: [N·s/m].
        limit_stiffness: [N/m], acts beyond lower and upper.
        rest_length: [m].
        offset: [m].
        lower: [m].
        upper: [m].
        enabled: True if the tendon is simulated.

    Raises:
        InvalidScene: joints are unsuitable, the number of gearings differs from the number of joints, or a value breaks
            its rule.
    """
    coefficients = force_coefficient or [None] * len(joints)
    if not len(joints) == len(gearing) == len(coefficients) or not joints:
        rule = f"one for each of {len(joints)} joints, of which it needs one"
        raise InvalidScene(f"tendon {name}", "gearing", f"{len(gearing)} numbers", rule, "give one for each joint")
    check_tendon(name, rest_length, (lower, upper))
    check_joints(name, joints, gearing)
    whole = {
        "stiffness": stiffness,
        "damping": damping,
        "limit_stiffness": limit_stiffness,
        "offset": offset,
        "rest_length": rest_length,
        "lower": lower,
        "upper": upper,
        "enabled": enabled,
    }
    changes = []
    for i, (prim, length, force) in enumerate(zip(joints, gearing, coefficients, strict=True)):
        pen = AttributeWriter(prim, joint_axis(prim), name)
        here = {"gearing": (length,), "force_coefficient": None if force is None else (force,)}
        rows = (*TENDON, *LENGTHS, *TENDON_AXIS) if i == 0 else TENDON_AXIS
        if i:
            changes += erase(prim, [f"{AXIS_ROOT_API}:{name}"], [])
        changes += pen.write(rows, here if i else {**whole, **here}, f"{AXIS_API if i else AXIS_ROOT_API}:{name}")
    return changes


def check_joints(name: str, joints: Sequence[Usd.Prim], gearing: Sequence[float]) -> None:
    """Raise InvalidScene for gearings that are all 0, and for joints that a tendon cannot run over."""
    if not any(gearing):
        rule = "numbers of which one is not 0, or the tendon has no length"
        raise InvalidScene(f"tendon {name}", "gearing", list(gearing), rule, "give another")
    for prim in joints:
        if joint_type(prim) not in INSTANCES:
            rule = "a revolute or prismatic joint, as tendons run over no others"
            raise InvalidScene(prim.GetPath(), rule=rule, fix="name such a joint")


def check_tendon(name: str, rest_length: float | None, limits: tuple[float | None, float | None]) -> None:
    """Raise InvalidScene for a name that cannot be a schema instance, an infinite rest length or exchanged limits."""
    lower, upper = limits
    if not name.replace("_", "x").isalnum():
        raise InvalidScene("", "tendon", repr(name), "letters, digits and _ only", "choose another name")
    if rest_length is not None and not isfinite(rest_length):
        raise InvalidScene(f"tendon {name}", "rest_length", f"{rest_length:g}", "finite", "give a length")
    if lower is not None and upper is not None and lower > upper:
        raise InvalidScene(f"tendon {name}", "lower", f"{lower:g}", f"at most upper = {upper:g}", "exchange them")
