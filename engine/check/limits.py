"""Rules on limits: initial states, drive targets, mimic joints, and ranges."""

from collections.abc import Iterator
from math import degrees, inf

from ..scene import JointType
from ..usd.attributes import AXIS
from ..usd.read.joints import INSTANCES
from .context import CheckContext, Dof
from .finding import Edit, Finding
from .rules import found

LIMIT_TOLERANCE = 1e-6  # rad or m, and relative: float32 in degrees


def states_outside_limits(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each joint that starts beyond a limit, the farthest first."""
    beyond = [
        (abs(dof.axis.q - bound), dof, bound) for dof in case.dofs() if (bound := passed(dof, dof.axis.q)) is not None
    ]
    for distance, dof, bound in sorted(beyond, key=lambda found: -found[0]):
        name = f"state:{dof.instance}:physics:position"
        message = f"starts at {dof.shown(dof.axis.q)}, {dof.shown(distance)} outside its limits {range_of(dof)}"
        edits = (
            Edit("apply", dof.joint.path, f"PhysicsJointStateAPI:{dof.instance}"),
            Edit("attribute", dof.joint.path, name, in_file(case, dof, bound)),
        )
        yield placed(case, "state-outside-limits", dof, name, message, edits, bound)


def targets_outside_limits(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each drive with a target beyond a limit; the target of a spring is its preload."""
    for dof in case.dofs():
        drive = dof.axis.drive
        if not drive or not drive.stiffness or case.is_spring(dof):
            continue
        bound = passed(dof, drive.target_q)
        if bound is None:
            continue
        name = dof.drive("targetPosition")
        message = f"target {dof.shown(drive.target_q)} is outside the limits {range_of(dof)}: the drive pushes for ever"
        edits = (Edit("attribute", dof.joint.path, name, in_file(case, dof, bound)),)
        yield placed(case, "target-outside-limits", dof, name, message, edits, bound)


def keyed_targets_outside_limits(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each drive with a time-sampled target beyond a limit that is constant."""
    signals = case.scene.signals if case.scene else ()
    limited = {signal.dof for signal in signals if signal.parameter in ("lower", "upper")}
    keyed = {signal.dof: signal for signal in signals if signal.parameter == "target_q" and signal.dof not in limited}
    for dof in (dof for dof in case.dofs() if dof.name in keyed):
        signal = keyed[dof.name]
        beyond = [(time, q) for time, q in zip(signal.times, signal.values, strict=True) if passed(dof, q) is not None]
        if beyond and passed(dof, signal.values[0]) is None:  # that of the first sample is the drive's target
            message = (
                f"{len(beyond)} of {len(signal.times)} time samples, first {dof.shown(beyond[0][1])} at "
                f"{beyond[0][0]:.4g} s, are outside the limits {range_of(dof)}"
            )
            yield found("target-outside-limits", dof.joint.path, dof.drive("targetPosition"), message)


def placed(
    case: CheckContext, rule: str, dof: Dof, name: str, message: str, edits: tuple[Edit, ...], bound: float
) -> Finding:
    """Return a finding with an edit to a position within the limits."""
    value = case.shown(dof.joint.path, name)
    return found(rule, dof.joint.path, name, message, value=value, edits=edits, fix=f"author {dof.shown(bound)}")


def passed(dof: Dof, q: float) -> float | None:
    """Return the limit that a position [rad | m] violates; None if it is within both, or the joint is locked."""
    lower, upper = dof.axis.lower, dof.axis.upper
    if not lower < upper:
        return None
    room = LIMIT_TOLERANCE * max(1.0, abs(q))
    return lower if q < lower - room else upper if q > upper + room else None


def range_of(dof: Dof) -> str:
    """Return the limits of an axis as text."""
    return f"{dof.shown(dof.axis.lower)} … {dof.shown(dof.axis.upper)}"


def in_file(case: CheckContext, dof: Dof, q: float) -> float:
    """Convert a position [rad | m] to the file's unit."""
    return degrees(q) if dof.axis.rotational else q / case.source.metres


def mimics_without_limits(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each mimic joint that was dropped because one of its rotations does not have limits."""
    for report in case.scene.reports if case.scene else ():
        if report.code != "mimic-without-limits" or case.copied(report.prim):
            continue
        dof = next(dof for dof in case.dofs() if dof.name == report.related)
        message = f"the mimic joint of {report.prim} is dropped: this rotation does not have two finite limits"
        names, value = ", ".join(dof.bounds), case.shown(dof.joint.path, *dof.bounds)
        fix, edits = "author the limits of the joint, ±360 degrees if it has none", turn(dof)
        place = dof.joint.path, names, message
        yield found("mimic-without-limits", *place, value=value, edits=edits, fix=fix, code=report.code)


def turn(dof: Dof) -> tuple[Edit, ...]:
    """Return edits with limits of ±360°, the widest in PhysX; none for a spherical joint, which has a cone."""
    if dof.joint.type is JointType.SPHERICAL:
        return ()
    schema = Edit("apply", dof.joint.path, f"PhysicsLimitAPI:{dof.axis.token}")
    values = zip(dof.bounds, (-360.0, 360.0), strict=True)
    limits = tuple(Edit("attribute", dof.joint.path, name, value) for name, value in values)
    return limits if dof.joint.type in INSTANCES else (schema, *limits)


def speed_limits_of_zero(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each joint with a speed limit of 0."""
    for dof in (dof for dof in case.dofs() if dof.axis.max_velocity == 0.0):
        names = (row.named(dof.instance) for row in AXIS if row.field == "max_velocity")
        said = [name for name in names if case.authored(dof.joint.path, name) is not None]
        message = "a speed limit of 0 holds the joint where it starts"
        where = (dof.joint.path, ", ".join(said))
        yield found("speed-limit-of-zero", *where, message, value=case.shown(dof.joint.path, *said))


def driven_without_limits(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each joint with a position drive and no limits."""
    for dof in case.dofs():
        drive = dof.axis.drive
        if drive and drive.stiffness and dof.axis.lower == -inf and dof.axis.upper == inf:
            message = "has a position drive but no limits"
            yield found("drive-without-limits", dof.joint.path, ", ".join(dof.bounds), message)
