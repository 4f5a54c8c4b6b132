"""Mimic joints: a joint axis that follows one or several other axes.

One reference is authored with PhysX's schema and, where possible, Newton's; several references with fajin's own schema.
"""

from collections.abc import Sequence
from math import isfinite

from pxr import Sdf, Usd

from ..scene import InvalidScene, JointType
from ..usd.attributes import LIMIT, MIMIC, MIMIC_OF_MANY, NEWTON_MIMIC
from ..usd.read.joints import INSTANCES
from ..usd.read.mimics import MANY, NEWTON, PHYSX
from ..usd.stage.stage import instances
from .attribute_writer import AttributeWriter
from .axis import JointAxis, joint_axis, joint_type
from .change import Change
from .remove import erase

ANY = "rotX"  # replaces the axis of a joint with one axis


def mimic(  # one parameter an attribute
    prim: Usd.Prim,
    reference: Usd.Prim | str | Sequence[Usd.Prim | str],
    *,
    gearing: float | Sequence[float] = 1.0,
    offset: float = 0.0,
    natural_frequency: float = 0.0,
    damping_ratio: float = 0.0,
    axis: str | None = None,
    reference_axis: str | Sequence[str] | None = None,
) -> list[Change]:
    """Author a mimic relation: q + Σ gearing q_reference + offset = 0; it replaces an existing one.

    Args:
        prim: the follower joint, on an open stage; a revolute joint needs two finite limits.
        reference: the joint that it follows, a prim or path, or several.
        gearing: of each reference [rad | m per rad | m].
        offset: [rad | m].
        natural_frequency: of a compliant relation [rad/s]; the relation is rigid if frequency or ratio is 0.
        damping_ratio: of a compliant relation.
        axis: required for a follower with several axes.
        reference_axis: required for references with several axes.

    Raises:
        InvalidScene: a prim is not a joint, it does not have the axis, a revolute joint does not have two finite
            limits, or a value breaks its rule.
    """
    at = joint_axis(prim, axis)
    leaders = find_leaders(at, reference, reference_axis)
    gearings: list[float] = [gearing] * len(leaders) if isinstance(gearing, int | float) else list(gearing)
    if len(gearings) != len(leaders):
        raise InvalidScene(
            at.name,
            "gearing",
            f"{len(gearings)} numbers",
            f"one number for each of {len(leaders)} references",
            "give one for each",
        )
    if not all(gearings):
        raise InvalidScene(at.name, "gearing", 0, "finite and not 0", "give such a number")
    for end in (at, *leaders):
        check_limits(end)
    bond = {"offset": offset, "natural_frequency": natural_frequency, "damping_ratio": damping_ratio}
    for value in gearings:
        AttributeWriter(prim, at).check_all(MIMIC, {"gearing": value, **bond})
    if len(leaders) == 1:
        return follow_one(at, leaders[0], gearings[0], bond)
    return follow_many(at, leaders, gearings, bond)


def find_leaders(at: JointAxis, reference: Usd.Prim | str | Sequence, axis: str | Sequence[str] | None) -> list:
    """Return the joint axes that a follower is to follow."""
    found = [reference] if isinstance(reference, Usd.Prim | str | Sdf.Path) else list(reference)
    axes = [axis] * len(found) if axis is None or isinstance(axis, str) else list(axis)
    if not found or len(axes) != len(found):
        raise InvalidScene(
            at.name,
            "reference",
            f"{len(found)} references with {len(axes)} axes",
            "one reference or more, each with an axis",
            "give one axis for each",
        )
    stage = at.prim.GetStage()
    leaders = []
    for one, token in zip(found, axes, strict=True):
        prim = one if isinstance(one, Usd.Prim) else stage.GetPrimAtPath(str(one))
        if not prim:
            raise InvalidScene(at.name, "reference", one, "a joint", "give the path of a joint")
        leaders.append(joint_axis(prim, token))
    if at.name in [leader.name for leader in leaders]:
        raise InvalidScene(at.name, "reference", at.name, "another degree of freedom", "name another joint")
    return leaders


def check_limits(at: JointAxis) -> None:
    """Raise InvalidScene for a revolute joint without two finite limits: PhysX drops its mimic joint."""
    hinge = joint_type(at.prim) is JointType.REVOLUTE
    if hinge and not all(map(isfinite, AttributeWriter(at.prim, at).values(LIMIT).values())):
        raise InvalidScene(
            at.name, "lower, upper", "", "finite on a revolute mimic joint, or PhysX drops it", "limit it"
        )


def follow_one(at: JointAxis, leader: JointAxis, gearing: float, bond: dict[str, float]) -> list[Change]:
    """Author PhysX's schema; a rigid relation between joints of the same type with one axis also gets Newton's schema.

    Newton supports only rigid relations. PhysX solves both schemas: a compliant relation beside a rigid one would be
    rigid.
    """
    soft = bond["natural_frequency"] > 0.0 and bond["damping_ratio"] > 0.0
    alike = not soft and joint_type(at.prim) in INSTANCES and joint_type(at.prim) == joint_type(leader.prim)
    changes = erase(at.prim, [f"{MANY}:{at.token}"], [f"fajinMimic:{at.token}:*"])
    changes += [] if alike else erase(at.prim, [NEWTON], ["newton:mimic*"])
    own = (instances(at.prim, PHYSX) or [ANY])[0] if joint_type(at.prim) in INSTANCES else at.token
    axis = ANY if joint_type(leader.prim) in INSTANCES else leader.token
    pen = AttributeWriter(at.prim, at, own)
    changes += pen.apply(f"{PHYSX}:{own}")
    changes.append(pen.relate(f"physxMimicJoint:{own}:referenceJoint", [leader.prim]))
    changes += pen.write(MIMIC, {"gearing": to_file_units(pen, at, leader, gearing), "reference_axis": axis, **bond})
    if alike:
        changes += pen.apply(NEWTON)
        changes.append(pen.relate("newton:mimicJoint", [leader.prim]))
        said = {"coef1": -gearing, "coef0": 0.0 - bond["offset"], "enabled": True}
        changes += [pen.set(row, said[row.field]) for row in NEWTON_MIMIC]
    return changes


def follow_many(at: JointAxis, leaders: list[JointAxis], gearings: list[float], bond: dict[str, float]) -> list[Change]:
    """Author fajin's own schema."""
    instance = "*" if joint_type(at.prim) in INSTANCES else at.token
    changes = erase(at.prim, [f"{PHYSX}:{instance}", NEWTON], [f"physxMimicJoint:{instance}:*", "newton:mimic*"])
    pen = AttributeWriter(at.prim, at, at.token)
    changes += pen.apply(f"{MANY}:{at.token}")
    changes.append(pen.relate(f"fajinMimic:{at.token}:references", [leader.prim for leader in leaders]))
    values = {
        "gearings": tuple(to_file_units(pen, at, leader, g) for leader, g in zip(leaders, gearings, strict=True)),
        "axes": tuple(leader.token for leader in leaders),
        **bond,
    }
    return changes + pen.write(MIMIC_OF_MANY, values)


def to_file_units(pen: AttributeWriter, at: JointAxis, leader: JointAxis, gearing: float) -> float:
    """Return a gearing in the file's unit of the follower per unit of its reference."""
    own, other = (LIMIT[0].measure(end.rotational).scale(*pen.units) for end in (at, leader))
    return gearing * other / own
