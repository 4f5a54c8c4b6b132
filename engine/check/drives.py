"""Rules on drives: maximum force, natural frequency relative to the time step, and performance envelopes."""

from collections.abc import Iterator
from math import inf, sqrt

from ..scene import Articulation, DriveType, Scene, SolverType
from ..usd.stage.stage import instances
from .context import CheckContext, Dof
from .finding import Edit, Finding
from .rules import found

EFFORT_LIMITS = ("urdf:limit:effort", "mjc:actuatorfrcrange:max")  # a converter leaves them in the file
LONGEST = 2.0  # ω δ: a substep δ adds a damping ratio of ω δ / 2, so beyond this value every drive is over-damped


def drives_without_max_force(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each drive with unlimited force, and for each drive with gains whose maximum force is 0."""
    for dof in case.dofs():
        drive, name = dof.axis.drive, dof.drive("maxForce")
        if not drive or not (drive.stiffness or drive.damping) or case.is_spring(dof):
            continue
        value = case.shown(dof.joint.path, name)
        if drive.max_force == inf:
            source, effort = effort_limit(case, dof)
            unit = case.source.kilograms * case.source.metres ** (2 if dof.axis.rotational else 1)
            edits = (Edit("attribute", dof.joint.path, name, effort / unit),) if source else ()
            fix = f"author {effort / unit:.6g}, the file's {source}" if source else ""
            message = "the drive is infinitely strong"
            yield found("drive-without-max-force", dof.joint.path, name, message, value=value, edits=edits, fix=fix)
        elif drive.max_force == 0.0:
            yield found("drive-without-force", dof.joint.path, name, "the drive has gains but no force", value=value)


def effort_limit(case: CheckContext, dof: Dof) -> tuple[str, float]:
    """Return the attribute of a URDF or MJCF robot with a joint's largest effort [N·m | N], and its value, or 0."""
    for name in EFFORT_LIMITS:
        value = case.authored(dof.joint.path, name)
        if isinstance(value, float) and 0.0 < value < inf and len(dof.joint.axes) == 1:
            return name, value
    return "", 0.0


def steps_too_long(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each drive that is too fast for the time step."""
    if case.scene is None:
        return
    for dof in case.dofs():
        drive = dof.axis.drive
        if not drive or not drive.stiffness or dof.name not in case.inertia:
            continue
        moved = 1.0 if drive.type is DriveType.ACCELERATION else case.inertia[dof.name]
        frequency = sqrt(drive.stiffness / moved)
        parts = substeps(case.scene, dof.robot)
        turn = frequency * case.scene.dt / parts
        if turn > LONGEST:
            name = dof.drive("stiffness")
            message = (
                f"ω = {frequency:.4g} rad/s, ω δ = {turn:.3g} at {parts} substeps of {1.0 / case.scene.dt:.4g} steps/s:"
                f" a substep δ adds {turn / 2.0:.3g} to the damping ratio"
            )
            fix = f"simulate with {frequency / LONGEST / parts:.4g} steps/s or more, or author a lower stiffness"
            yield found(
                "time-step-too-long", dof.joint.path, name, message, value=case.shown(dof.joint.path, name), fix=fix
            )


def substeps(scene: Scene, robot: Articulation) -> int:
    """Return the number of substeps in which a step solves a robot's drives: TGS has one per position iteration."""
    return robot.position_iterations if scene.solver is SolverType.TGS else 1


def fits_at_another_step(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding if values were fitted with another step, solver or number of iterations than the scene's."""
    scene = case.scene
    if scene is None or scene.fit is None:
        return
    if differing := scene.fit.differences(scene):
        message = f"{len(scene.fit.parameters)} values were fitted with {differing}"
        yield found("fit-at-another-step", "/", "fajinFit", message)


def envelopes_without_drive(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each envelope without a drive, or with a drive without a maximum force."""
    for dof in case.dofs():
        if dof.axis.drive and dof.axis.drive.envelope and dof.axis.drive.max_force == inf:
            message = "the drive does not have a maximum force that the envelope could reduce"
            yield found("envelope-without-drive", dof.joint.path, dof.drive("maxForce"), message)
    schema = "PhysxDrivePerformanceEnvelopeAPI"
    for prim in case.source.prims:
        for instance in instances(prim, schema):
            if instance not in instances(prim, "PhysicsDriveAPI"):
                message = f"bounds the drive of its axis, but there is no PhysicsDriveAPI:{instance}"
                yield found("envelope-without-drive", str(prim.GetPath()), f"{schema}:{instance}", message)
