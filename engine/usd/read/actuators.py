"""Newton's actuators: those with PD control are read as implicit drives, whose law is theirs in continuous time.

effort = kp (target - q) + kd (target speed - q̇), |effort| ≤ maxEffort

Newton computes the effort at the start of a step, or implicitly; a drive is implicit.
"""

from dataclasses import replace

from pxr import Usd

from ...scene import Drive, DriveType
from ..attributes import ACTUATOR
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from ..stage.targets import targets_of

KIND, TARGETS = "NewtonActuator", "newton:targets"
CONTROL, EFFORT_CLAMPING = "NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"
UNLIKE_DRIVES = {  # schema: what it adds to an actuator that no drive has
    "NewtonPIDControlAPI": "PID control",
    "NewtonNeuralControlAPI": "neural control",
    "NewtonDCMotorClampingAPI": "the clamping of a DC motor",
    "NewtonPositionBasedClampingAPI": "clamping by position",
}
DELAY, DELAY_STEPS = "NewtonActuatorDelayAPI", "newton:delaySteps"
CONSTANT = "newton:constEffort"


def find_actuators(source: StageReader) -> dict[str, Usd.Prim]:
    """Return the actuator of each joint, by the joint's path; of several, the first in stage order."""
    found: dict[str, Usd.Prim] = {}
    for prim in source.prims:
        for path in (targets_of(prim, TARGETS) or [])[:1] if prim.GetTypeName() == KIND else ():
            found.setdefault(str(path), prim)
    return found


def with_actuator(source: StageReader, joint: str, rotational: bool, drive: Drive | None) -> Drive | None:
    """Return the drive of a revolute or prismatic joint with the gains of its actuator, if it has one like a drive.

    A drive without gains keeps its targets and its envelope, and the smaller of both bounds applies.
    """
    prim = acting_actuator(source, joint, drive)
    if prim is None:
        return drive
    own = Drive(DriveType.FORCE, **source.values(prim, ACTUATOR, rotational=rotational))
    source.used |= {(str(prim.GetPath()), name) for name in (TARGETS, DELAY_STEPS, CONSTANT)}
    source.report(prim, TARGETS, Reason("actuator-as-drive"), joint)
    if drive is None:
        return own
    bound = min(own.max_force, drive.max_force)
    return replace(drive, type=own.type, stiffness=own.stiffness, damping=own.damping, max_force=bound)


def acting_actuator(source: StageReader, joint: str, drive: Drive | None) -> Usd.Prim | None:
    """Return the actuator that gives a joint its gains, beside the drive of the joint; None if there is none."""
    prim = source.actuators.get(joint)
    if prim is None or (drive and (drive.stiffness or drive.damping)) or unlike_drive(source, prim):
        return None
    return prim


def unlike_drive(source: StageReader, prim: Usd.Prim) -> str:
    """Return what distinguishes an actuator from a drive, in words; "" if nothing does."""
    applied = schemas(prim)
    unlike = [word for schema, word in UNLIKE_DRIVES.items() if schema in applied]
    if CONTROL not in applied and not unlike:
        return "no control"
    delay = source.authored(prim, DELAY_STEPS)
    if DELAY in applied and (1 if delay is None else delay) != 0:
        unlike.append("a delay")
    if source.authored(prim, CONSTANT):
        unlike.append("a constant effort")
    return " and ".join(unlike)


def why_no_motor(source: StageReader, prim: Usd.Prim) -> str:
    """Return why an actuator drives no joint, in words that complete "Newton's actuators with"."""
    if unlike := unlike_drive(source, prim):
        return unlike
    joint = (targets_of(prim, TARGETS) or [None])[0]
    if joint is None or source.actuators[str(joint)] != prim:
        return "no joint of their own"
    return "a joint that has a drive with gains, or is not a revolute or prismatic joint of a tree"
