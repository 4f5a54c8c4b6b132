"""Requirements of NVIDIA's SimReady profiles on joints, drives and articulation roots.

A profile is a set of requirements with codes; those on meshes, materials, names and packages are not checked here. A
finding has the rule `simready-CODE` and is an error: a robot either conforms to a profile or does not.
"""

from collections.abc import Callable, Iterator
from math import isinf

from pxr import Sdf, Usd

from ..usd.stage.stage import schemas
from .context import CheckContext
from .finding import Edit, Finding, Severity
from .profile_codes import PROFILES
from .start import frames_apart
from .tree import ROOT

JOINTS = {"PhysicsRevoluteJoint": "angular", "PhysicsPrismaticJoint": "linear"}
MOST_STIFFNESS = 1e6  # in the file's unit
TARGET_APART = 1e-2  # between target and state, in the file's unit
ROBOT = "IsaacRobotAPI"
RELATIONS = "isaac:physics:robotLinks", "isaac:physics:robotJoints"


def conformance(case: CheckContext, profile: str) -> Iterator[Finding]:
    """Yield the findings of a profile, a key of PROFILES, in the order of the codes."""
    for code in sorted(PROFILES[profile]):
        for prim, attribute, message, fix, *edits in REQUIREMENTS[code](case):
            text = case.shown(prim, attribute) if ":" in attribute and "," not in attribute else ""
            edit = tuple(edits)
            yield Finding(f"simready-{code}", Severity.ERROR, prim, attribute, text, message, fix, code, edit)


def joints(case: CheckContext) -> Iterator[tuple[Usd.Prim, str]]:
    """Yield the revolute and prismatic joints that the articulation does not exclude, with their instance."""
    for prim in case.source.prims:
        instance = JOINTS.get(str(prim.GetTypeName()))
        if instance and not case.authored(str(prim.GetPath()), "physics:excludeFromArticulation"):
            yield prim, instance


def is_mimic(prim: Usd.Prim) -> bool:
    """Return whether a joint follows another one."""
    return any(name.startswith("PhysxMimicJointAPI:") or name == "NewtonMimicAPI" for name in schemas(prim))


def driven(case: CheckContext) -> Iterator[tuple[str, str]]:
    """Yield path and instance of the joints with a drive, followers of mimic joints aside."""
    for prim, instance in joints(case):
        if f"PhysicsDriveAPI:{instance}" in schemas(prim) and not is_mimic(prim):
            yield str(prim.GetPath()), instance


def drive_and_state(case: CheckContext) -> Iterator[tuple]:
    """DJ.001: maxForce is positive and finite, and targets equal the initial state."""
    for path, instance in driven(case):
        name = f"drive:{instance}:physics:maxForce"
        bound = case.authored(path, name)
        if bound is None or isinf(bound) or bound <= 0.0:
            yield path, name, "must be authored, positive and finite", "fajin author drive --max-force"
        for target, state in (("targetPosition", "position"), ("targetVelocity", "velocity")):
            wanted = case.authored(path, f"drive:{instance}:physics:{target}")
            held = case.authored(path, f"state:{instance}:physics:{state}")
            if wanted is not None and held is not None and abs(wanted - held) > TARGET_APART:
                message = f"must equal the initial {state}, {held:g}, to {TARGET_APART:g}"
                yield path, f"drive:{instance}:physics:{target}", message, "author both equally"


def has_state(case: CheckContext) -> Iterator[tuple]:
    """DJ.002: every revolute and prismatic joint has PhysicsJointStateAPI."""
    for prim, instance in joints(case):
        name = f"PhysicsJointStateAPI:{instance}"
        if name not in schemas(prim):
            path = str(prim.GetPath())
            yield path, name, "must be applied", "apply it", Edit("apply", path, name)


def frames_meet(case: CheckContext) -> Iterator[tuple]:
    """DJ.003: the frames of a joint meet where its bodies stand."""
    for finding in frames_apart(case.scene) if case.scene else ():
        yield finding.prim, finding.attribute, finding.message, finding.fix


def has_drive_or_mimic(case: CheckContext) -> Iterator[tuple]:
    """DJ.004: every joint has a drive or follows another joint; a follower's drive has no gains."""
    for prim, instance in joints(case):
        path, drive = str(prim.GetPath()), f"PhysicsDriveAPI:{instance}" in schemas(prim)
        if not drive and not is_mimic(prim):
            yield path, f"PhysicsDriveAPI:{instance}", "must be applied, or a mimic schema", "fajin author drive"
        for gain in ("stiffness", "damping") if drive and is_mimic(prim) else ():
            name = f"drive:{instance}:physics:{gain}"
            if case.authored(path, name):
                yield (
                    path,
                    name,
                    "must be 0 on a joint that follows another",
                    "author 0",
                    Edit("attribute", path, name, 0.0),
                )


def has_velocity_limit(case: CheckContext) -> Iterator[tuple]:
    """DJ.005: every joint has a positive velocity limit."""
    for prim, instance in joints(case):
        path = str(prim.GetPath())
        names = "physxJoint:maxJointVelocity", f"physxJointAxis:{instance}:maxJointVelocity"
        values = [value for value in (case.authored(path, name) for name in names) if value is not None]
        if not values or min(values) <= 0.0:
            yield path, names[1], "must be authored and positive", "fajin author limit --max-velocity"


def stiffness_is_reasonable(case: CheckContext) -> Iterator[tuple]:
    """DJ.006: the stiffness of a drive is positive, and at most 1e6 in the file."""
    for path, instance in driven(case):
        name = f"drive:{instance}:physics:stiffness"
        value = case.authored(path, name) or 0.0
        if not 0.0 < value <= MOST_STIFFNESS:
            yield path, name, f"must be positive and at most {MOST_STIFFNESS:g}", "fajin author drive, fajin tune"


def mimics_are_complete(case: CheckContext) -> Iterator[tuple]:
    """DJ.007: a mimic joint names one joint, and has gearing, natural frequency and damping ratio."""
    for prim, _ in joints(case):
        path = str(prim.GetPath())
        for axis in (name.partition(":")[2] for name in schemas(prim) if name.startswith("PhysxMimicJointAPI:")):
            targets = prim.GetRelationship(f"physxMimicJoint:{axis}:referenceJoint").GetTargets()
            if len(targets) != 1:
                name = f"physxMimicJoint:{axis}:referenceJoint"
                yield path, name, f"must name one joint, not {len(targets)}", "fajin author mimic"
            for field in ("gearing", "naturalFrequency", "dampingRatio"):
                name = f"physxMimicJoint:{axis}:{field}"
                value = case.authored(path, name)
                if value is None or (value == 0 and field != "dampingRatio"):
                    yield path, name, "must be authored, and not 0", "fajin author mimic"


def has_one_root(case: CheckContext) -> Iterator[tuple]:
    """BA.001: exactly one prim has the articulation root."""
    roots = [str(prim.GetPath()) for prim in case.source.prims if ROOT in schemas(prim)]
    if len(roots) != 1:
        said = f"must be applied to one prim, not to {len(roots)}"
        yield (roots or ["/"])[0], ROOT, said, "apply it to the joint that fixes the base, or to the root body"


def is_a_tree(case: CheckContext) -> Iterator[tuple]:
    """DJ.011: joints that are not excluded form a tree, with one joint between two bodies."""
    above: dict[Sdf.Path, Sdf.Path] = {}

    def root_of(body: Sdf.Path) -> Sdf.Path:
        while body in above:
            body = above[body]
        return body

    for prim in (prim for prim in case.source.prims if prim.IsA("PhysicsJoint")):
        path = str(prim.GetPath())
        bodies = [prim.GetRelationship(f"physics:body{i}").GetTargets()[:1] for i in (0, 1)]
        fixed = prim.IsA("PhysicsFixedJoint")
        if fixed or not all(bodies) or case.authored(path, "physics:excludeFromArticulation"):
            continue
        one, other = (root_of(body[0]) for body in bodies)
        if one == other:
            name = "physics:excludeFromArticulation"
            edit = Edit("attribute", path, name, True)
            yield path, name, "must be true: the joint closes a loop, or doubles a joint", "author true", edit
        else:
            above[other] = one


def has_prims_of(schema: str) -> Callable[[CheckContext], Iterator[tuple]]:
    """Return the requirement that a prim has a schema of Isaac Sim's robots: DJ.008, DJ.009."""

    def requirement(case: CheckContext) -> Iterator[tuple]:
        if not any(schema in schemas(prim) for prim in case.source.prims):
            yield "/", schema, "must be applied to the robot's prims", "apply it in Isaac Sim's robot wizard"

    return requirement


def relations_are_prepended(case: CheckContext) -> Iterator[tuple]:
    """DJ.010: the default prim with IsaacRobotAPI names its links and joints, prepended."""
    prim = case.stage.GetDefaultPrim()
    if not prim:
        yield "/", "defaultPrim", "must be set", "set it to the robot"
    for name in RELATIONS if prim and ROBOT in schemas(prim) else ():
        specs = [spec.relationships.get(name) for spec in prim.GetPrimStack()]
        strongest = next((spec for spec in specs if spec), None)
        if strongest is None or not strongest.targetPathList.prependedItems:
            yield str(prim.GetPath()), name, "must have prepended targets", "author prepend rel"


REQUIREMENTS: dict[str, Callable[[CheckContext], Iterator[tuple]]] = {
    "BA.001": has_one_root,
    "DJ.001": drive_and_state,
    "DJ.002": has_state,
    "DJ.003": frames_meet,
    "DJ.004": has_drive_or_mimic,
    "DJ.005": has_velocity_limit,
    "DJ.006": stiffness_is_reasonable,
    "DJ.007": mimics_are_complete,
    "DJ.008": has_prims_of("IsaacJointAPI"),
    "DJ.009": has_prims_of("IsaacLinkAPI"),
    "DJ.010": relations_are_prepended,
    "DJ.011": is_a_tree,
}
"""Requirement of a code: yields prim, attribute, message, fix and, where there is one, an edit."""
