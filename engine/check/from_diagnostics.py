"""Findings from the reader's diagnostics: a table from reason to rule, with the edits that fix them."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from ..scene import Diagnostic
from ..usd.attributes.body import OWN_ITERATIONS, OWN_MASS, SAME_INERTIA
from ..usd.joint_prims import JOINT_TYPES
from ..usd.joints import INSTANCES
from ..usd.mimics import DROPPED, WITHOUT_LIMITS
from ..usd.unsupported import CONTACT, ENGINE, FOREIGN
from .context import CheckContext
from .finding import Edit, Finding, Severity
from .rules import found

Edits = Callable[[CheckContext, Diagnostic], tuple[Edit, ...]]
ELSEWHERE = ""  # a dedicated rule reports it in more detail
REASONS = {  # pattern of the reason: rule
    f"{WITHOUT_LIMITS}*": ELSEWHERE,
    f"{DROPPED}*": "mimic-relates-nothing",
    "an envelope bounds the drive of its axis*": ELSEWHERE,
    "joins two prims that do not move*": ELSEWHERE,
    "negative moments count as positive*": ELSEWHERE,
    "a negative moment is added*": ELSEWHERE,
    "a principal moment is 0*": ELSEWHERE,
    "no moment is above 0*": ELSEWHERE,
    "not all of its principal moments are positive*": ELSEWHERE,
    "has no effect before * is applied to the prim": "schema-missing",
    "PhysX has retired this name*": "retired-attribute",
    "neither authored nor defined by colliders*": "mass-missing",
    "does not claim a body*": "root-on-wrong-prim",
    "not authored: USD's fallback*": "stage-units",
    "the joint closes a loop*": "loop-not-excluded",
    "moves its bodies as * does*": "doubled-joint",
    "joins bodies that * holds together*": "doubled-joint",
    "one finite limit locks*": "limit-locks-joint",
    "a lower limit above*": "limit-locks-joint",
    "a limit acts only if*": "limit-locks-joint",
}
HARMLESS = (  # reasons for which the motion is the same without the attribute
    *(ENGINE, FOREIGN, OWN_MASS, OWN_ITERATIONS, SAME_INERTIA, CONTACT),
    "another attribute of the same meaning takes precedence",
    "joints between one pair of bodies always add up*",
    "an articulation's iterations are*",
    "a disabled joint has no effect",
    "a disabled or kinematic body does not move*",
    "gyroscopic forces always act on links*",
    "the gearing of a root has no effect*",
    "not authored: gravity*",
)
ALONE = ("physxRigidBody:retainAccelerations",)  # harmless if the attributes that it refers to are not authored
ORDERS = (
    "apply",
    "author",
    "choose",
    "exchange",
    "give",
    "lock",
    "name",
    "remove",
    "take",
    "use",
)  # first words of a fix
SUCCESSORS = {  # retired attribute: its current name, for one axis
    "physxJoint:armature": "physxJointAxis:{}:armature",
    "physxJoint:maxJointVelocity": "physxJointAxis:{}:maxJointVelocity",
    "physxJoint:jointFriction": "physxJointAxis:{}:staticFrictionEffort",
}


def reported(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each diagnostic that no dedicated rule covers."""
    reports = case.scene.reports if case.scene else ()
    for report in (report for report in reports if not case.copied(report.prim)):
        rule = next((rule for pattern, rule in REASONS.items() if fnmatchcase(report.reason, pattern)), None)
        if rule == "retired-attribute" and succeeded(case, report):
            continue
        if report.attribute == "PhysicsCollisionAPI":
            yield found("contacts", report.prim, report.attribute, report.reason, value=report.value)
        elif rule is None:
            yield unused(case, report)
        elif rule:
            edits = EDITS_BY_RULE[rule](case, report) if rule in EDITS_BY_RULE else ()
            message, fix = split(report)
            value = value_of(case, report)
            yield found(rule, report.prim, report.attribute, message, value=value, edits=edits, fix=fix)


def unused(case: CheckContext, report: Diagnostic) -> Finding:
    """Return a finding for an unused attribute: a note if the motion is the same without it."""
    harmless = report.attribute in ALONE or any(fnmatchcase(report.reason, pattern) for pattern in HARMLESS)
    message, fix = split(report)
    severity = Severity.NOTE if harmless else Severity.WARNING
    fix = fix or ("nothing, it does not change the motion" if harmless else "")
    where, value = (report.prim, report.attribute), value_of(case, report)
    return found("unused-attribute", *where, message, value=value, severity=severity, fix=fix)


def value_of(case: CheckContext, report: Diagnostic) -> str:
    """Return the authored value in six digits, or the diagnostic's value for several prims."""
    names = [name for name in report.attribute.split(", ") if name]
    return (report.prim != "/" and names and case.shown(report.prim, *names)) or report.value


def split(report: Diagnostic) -> tuple[str, str]:
    """Split a diagnostic's reason into the message and the fix at its end; "" without a fix."""
    message, _, fix = report.reason.rpartition("; ")
    return (message, fix) if fix.startswith(ORDERS) else (report.reason, "")


def succeeded(case: CheckContext, report: Diagnostic) -> bool:
    """Return whether the current name is authored beside a retired one."""
    edits = successor(case, report)
    return bool(edits) and case.authored(report.prim, edits[-1].name) is not None


def successor(case: CheckContext, report: Diagnostic) -> tuple[Edit, ...]:
    """Return edits that author the current name of a retired attribute, on a joint with one axis."""
    prim = case.source.prim(report.prim)
    instance = INSTANCES.get(JOINT_TYPES.get(prim.GetTypeName()))
    if instance is None:
        return ()
    name = SUCCESSORS[report.attribute].format(instance)
    value = case.authored(report.prim, report.attribute)
    return Edit("apply", report.prim, f"PhysxJointAxisAPI:{instance}"), Edit("attribute", report.prim, name, value)


def lacking(case: CheckContext, report: Diagnostic) -> tuple[Edit, ...]:
    """Return the edit that applies the schema named in the reason."""
    schema = next(word for word in report.reason.split() if "API" in word)
    return (Edit("apply", report.prim, schema),)


def excluded(case: CheckContext, report: Diagnostic) -> tuple[Edit, ...]:
    """Return the edit that excludes the joint of a loop from the articulation."""
    return (Edit("attribute", report.prim, "physics:excludeFromArticulation", True),)


EDITS_BY_RULE: dict[str, Edits] = {
    "schema-missing": lacking,
    "retired-attribute": successor,
    "loop-not-excluded": excluded,
}
