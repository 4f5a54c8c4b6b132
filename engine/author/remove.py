"""Taking out what was authored: in the layer that is edited where it stands there, else by blocking what lies below."""

from fnmatch import fnmatchcase

from pxr import Usd

from ..scene import InvalidScene
from ..usd import fixed_tendons, spatial_tendons
from ..usd.stage import START, schemas
from .axis import joint_axis
from .change import Change
from .select import make_unique
from .tendon_attachments import places, tendon_attachments

AXIS = "physxJointAxis:{axis}:"
THINGS = {  # what: its schemas, its properties
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
    """Take a drive, an envelope, a mimic joint, limits, friction, armature, an initial state or tendons off a joint.

    Args:
        prim: a joint on an open stage.
        what: a key of `THINGS`.
        axis: of a joint with several; mimic joints and tendons go off all of them.

    Raises:
        InvalidScene: no joint, no such axis, or no such thing.
    """
    if what not in THINGS:
        raise InvalidScene(f"{prim.GetPath()}: {what} cannot be removed; name one of {', '.join(THINGS)}")
    instance = joint_axis(prim, axis).instance
    return erase(prim, *([pattern.format(axis=instance) for pattern in patterns] for patterns in THINGS[what]))


def remove_tendon(stage: Usd.Stage, name: str) -> list[Change]:
    """Take every tendon of that name off all joints that it runs over and all links that it runs through.

    Raises:
        InvalidScene: there is none.
    """
    over = list(places(stage, fixed_tendons.AXIS_ROOT_API, fixed_tendons.AXIS_API))
    roots = list(places(stage, spatial_tendons.ATTACHMENT_ROOT))
    along = [place for place in over if place[1] == name]
    along += [place for root in roots if root[1] == name for place in tendon_attachments(*root)]
    if not along:
        there = ", ".join(sorted({instance for _, instance in (*over, *roots)}))
        mend = f"name one of {there}" if there else "the scene has no tendon"
        raise InvalidScene(f"tendon {name}: there is none of that name; {mend}")
    changes = []
    for path, instance in [(prim.GetPath(), instance) for prim, instance in along]:
        schema, attribute = f"PhysxTendon*:{instance}", f"physxTendon:{instance}:*"
        changes += erase(make_unique(stage, path), [schema], [attribute])
    return changes


def erase(prim: Usd.Prim, applied: list[str], properties: list[str]) -> list[Change]:
    """Take schemas and properties off a prim, given as patterns."""
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
    """Make one property say nothing."""
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
    """The value of an attribute, or the targets of a relationship as text; None if nothing is authored."""
    if prim.HasRelationship(name):
        return ", ".join(map(str, prim.GetRelationship(name).GetTargets())) or None
    attribute = prim.GetAttribute(name)
    return attribute.Get(START) if attribute and attribute.HasAuthoredValue() else None
