"""Removal of authored opinions: deleted from the edit layer, or blocked where a weaker layer holds them."""

from fnmatch import fnmatchcase

from pxr import Usd

from ..scene import InvalidScene
from ..usd.read import fixed_tendons, spatial_tendons
from ..usd.stage.stage import START, schemas
from .axis import joint_axis
from .change import Change
from .select import make_unique
from .tendon_attachments import places, tendon_attachments

AXIS = "physxJointAxis:{axis}:"
THINGS = {  # name: its schemas, its properties
    "drive": (
        ("PhysicsDriveAPI:{axis}", "PhysxDrivePerformanceEnvelopeAPI:{axis}"),
        ("drive:{axis}:*", "physxDrivePerformanceEnvelope:{axis}:*"),
    ),
    "envelope": (("PhysxDrivePerformanceEnvelopeAPI:{axis}",), ("physxDrivePerformanceEnvelope:{axis}:*",)),
    "mimic": (
        ("PhysxMimicJointAPI:*", "NewtonMimicAPI", "FajinMimicAPI:*"),
        ("physxMimicJoint:*", "newton:mimic*", "fajinMimic:*"),
    ),
    "limit": (
        ("PhysicsLimitAPI:{axis}",),
        ("physics:*Limit", "limit:{axis}:*", f"{AXIS}maxJointVelocity", "newton:velocityLimit"),
    ),
    "friction": ((), (f"{AXIS}*Friction*", "newton:friction", "newton:damping")),
    "armature": ((), (f"{AXIS}armature", "newton:armature")),
    "state": (("PhysicsJointStateAPI:{axis}",), ("state:{axis}:*",)),
    "tendon": (("PhysxTendonAxisRootAPI:*", "PhysxTendonAxisAPI:*"), ("physxTendon:*",)),
}


def remove(prim: Usd.Prim, what: str, axis: str | None = None) -> list[Change]:
    """Remove a drive, an envelope, a mimic joint, limits, friction, armature, an initial state or tendons from a joint.

    Args:
        prim: a joint on an open stage.
        what: a key of `THINGS`.
        axis: required for a joint with several axes; mimic joints and tendons are removed from all axes.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, or `what` is unknown.
    """
    if what not in THINGS:
        raise InvalidScene(prim.GetPath(), "what", what, f"one of {', '.join(THINGS)}", "name one of these")
    instance = joint_axis(prim, axis).instance
    return erase(prim, *([pattern.format(axis=instance) for pattern in patterns] for patterns in THINGS[what]))


def remove_tendon(stage: Usd.Stage, name: str) -> list[Change]:
    """Remove every tendon of this name from all of its joints and links.

    Raises:
        InvalidScene: no tendon has this name.
    """
    over = list(places(stage, fixed_tendons.AXIS_ROOT_API, fixed_tendons.AXIS_API))
    roots = list(places(stage, spatial_tendons.ATTACHMENT_ROOT))
    along = [place for place in over if place[1] == name]
    along += [place for root in roots if root[1] == name for place in tendon_attachments(*root)]
    if not along:
        there = ", ".join(sorted({instance for _, instance in (*over, *roots)}))
        mend = f"name one of {there}" if there else "the scene has no tendon"
        raise InvalidScene("", "tendon", name, "the name of a tendon of the scene", mend)
    changes = []
    for path, instance in [(prim.GetPath(), instance) for prim, instance in along]:
        schema, attribute = f"PhysxTendon*:{instance}", f"physxTendon:{instance}:*"
        changes += erase(make_unique(stage, path), [schema], [attribute])
    return changes


def erase(prim: Usd.Prim, applied: list[str], properties: list[str]) -> list[Change]:
    """Remove schemas and properties from a prim, selected by patterns."""
    path, changes = str(prim.GetPath()), []
    for schema in schemas(prim):
        if any(fnmatchcase(schema, pattern) for pattern in applied):
            prim.RemoveAppliedSchema(schema)
            changes.append(Change(path, "apiSchemas", schema, None))
    for name in prim.GetAuthoredPropertyNames():
        if any(fnmatchcase(name, pattern) for pattern in properties):
            changes += block_attribute(prim, name)
    return changes


def block_attribute(prim: Usd.Prim, name: str) -> list[Change]:
    """Remove one property's opinions, or block them."""
    before = authored_value(prim, name)
    spec = prim.GetStage().GetEditTarget().GetLayer().GetPrimAtPath(prim.GetPath())
    if spec and name in spec.properties:
        spec.RemoveProperty(spec.properties[name])
    if authored_value(prim, name) is not None:
        if prim.HasRelationship(name):
            prim.GetRelationship(name).SetTargets([])
        else:
            prim.GetAttribute(name).Block()
    return [] if before is None else [Change(str(prim.GetPath()), name, before, None)]


def authored_value(prim: Usd.Prim, name: str) -> object:
    """Return the value of an attribute, or the targets of a relationship as text; None if nothing is authored."""
    if prim.HasRelationship(name):
        return ", ".join(map(str, prim.GetRelationship(name).GetTargets())) or None
    attribute = prim.GetAttribute(name)
    return attribute.Get(START) if attribute and attribute.HasAuthoredValue() else None
