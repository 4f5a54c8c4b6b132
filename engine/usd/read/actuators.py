"""Newton's actuators: those with PD control alone are read as implicit drives, others as drives with explicit efforts.

effort = kp (target - q) + kd (target speed - q̇), |effort| ≤ maxEffort

Newton computes the effort at the start of a step, or implicitly. A drive has the law of PD control in continuous time,
and is implicit. What an actuator has beside it (`scene.Actuator`) is defined for the start of a step.
"""

from dataclasses import replace

from pxr import Usd

from ...scene import Actuator, Drive, DriveType, InvalidScene
from ..attributes import ACTUATOR, ACTUATOR_LAW
from ..attributes.joint import with_control
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from ..stage.targets import targets_of

KIND, TARGETS = "NewtonActuator", "newton:targets"
PD, PID, NEURAL = "NewtonPDControlAPI", "NewtonPIDControlAPI", "NewtonNeuralControlAPI"
UNLIKE_DRIVES = {  # schema: what it adds to an actuator that no drive has
    PID: "PID control",
    NEURAL: "neural control",
    "NewtonDCMotorClampingAPI": "the clamping of a DC motor",
    "NewtonPositionBasedClampingAPI": "clamping by position",
}
DELAY, DELAY_STEPS = "NewtonActuatorDelayAPI", "newton:delaySteps"
CONSTANT = "newton:constEffort"
CLAMPS = ("NewtonDCMotorClampingAPI", "NewtonPositionBasedClampingAPI", "NewtonMaxEffortClampingAPI")
"""Schemas of clamps in the order in which they act here; in Newton it is that in which they are applied."""


def find_actuators(source: StageReader) -> dict[str, Usd.Prim]:
    """Return the actuator of each joint, by the joint's path; of several, the first in stage order."""
    found: dict[str, Usd.Prim] = {}
    for prim in source.prims:
        for path in (targets_of(prim, TARGETS) or [])[:1] if prim.GetTypeName() == KIND else ():
            found.setdefault(str(path), prim)
    return found


def with_actuator(source: StageReader, joint: str, rotational: bool, drive: Drive | None) -> Drive | None:
    """Return the drive of a revolute or prismatic joint with gains and law of its actuator, if one acts on it.

    A drive without gains keeps its targets and its envelope, and the smaller of both bounds applies.

    Raises:
        InvalidScene: a value of the actuator breaks its rule.
    """
    prim = acting_actuator(source, joint, drive)
    if prim is None:
        return drive
    rows = with_control(ACTUATOR, schemas(prim))
    own = Drive(DriveType.FORCE, **source.values(prim, rows, rotational=rotational))
    unlike = unlike_drive(source, prim)
    law = read_law(source, prim, rotational) if unlike else None
    source.used |= {(str(prim.GetPath()), name) for name in (TARGETS, DELAY_STEPS, CONSTANT)}
    source.report(
        prim, TARGETS, Reason("actuator-explicit", what=unlike) if law else Reason("actuator-as-drive"), joint
    )
    clamps = [schema for schema in schemas(prim) if schema in CLAMPS]
    if clamps != sorted(clamps, key=CLAMPS.index):
        given, used = (", ".join(order) for order in (clamps, sorted(clamps, key=CLAMPS.index)))
        source.report(prim, "", Reason("actuator-clamp-order", given=given, used=used))
    if drive is None:
        return replace(own, actuator=law)
    bound = min(own.max_force, drive.max_force)
    return replace(drive, type=own.type, stiffness=own.stiffness, damping=own.damping, max_force=bound, actuator=law)


def read_law(source: StageReader, prim: Usd.Prim, rotational: bool) -> Actuator:
    """Return the law of an actuator beside its gains.

    Raises:
        InvalidScene: a value breaks its rule.
    """
    applied = schemas(prim)
    values = source.values(prim, with_control(ACTUATOR_LAW, applied), rotational=rotational)
    if DELAY not in applied:
        values["delay"] = 0
    positions, efforts = values["bound_positions"], values["bound_efforts"]
    if "NewtonPositionBasedClampingAPI" in applied and not len(positions) == len(efforts) > 0:
        name, rule = (
            "newton:lookupEfforts",
            f"as many numbers as newton:lookupPositions, {len(positions)}, and one or more",
        )
        raise InvalidScene(prim.GetPath(), name, list(efforts), rule, "author a bound for each position")
    if list(positions) != sorted(positions):
        fix = "sort the positions, with their efforts"
        raise InvalidScene(prim.GetPath(), "newton:lookupPositions", list(positions), "ascending", fix)
    return Actuator(**values)


def acting_actuator(source: StageReader, joint: str, drive: Drive | None) -> Usd.Prim | None:
    """Return the actuator that gives a joint its gains, beside the drive of the joint; None if there is none."""
    prim = source.actuators.get(joint)
    if prim is None or (drive and (drive.stiffness or drive.damping)) or missing_control(prim):
        return None
    return prim


def missing_control(prim: Usd.Prim) -> str:
    """Return what of an actuator's control is not simulated, in words; "" if all of it is."""
    applied = schemas(prim)
    if NEURAL in applied:
        return UNLIKE_DRIVES[NEURAL]
    laws = [schema for schema in (PD, PID) if schema in applied]
    return ("no control", "", "two control laws")[len(laws)]


def unlike_drive(source: StageReader, prim: Usd.Prim) -> str:
    """Return what distinguishes an actuator from a drive, in words; "" if nothing does."""
    applied = schemas(prim)
    unlike = [word for schema, word in UNLIKE_DRIVES.items() if schema in applied]
    if PD not in applied and not unlike:
        return missing_control(prim)
    delay = source.authored(prim, DELAY_STEPS)
    if DELAY in applied and (1 if delay is None else delay) != 0:
        unlike.append("a delay")
    if source.authored(prim, CONSTANT):
        unlike.append("a constant effort")
    return " and ".join(unlike)


def why_no_motor(source: StageReader, prim: Usd.Prim) -> str:
    """Return why an actuator drives no joint, in words that complete "Newton's actuators with"."""
    if missing := missing_control(prim):
        return missing
    joint = (targets_of(prim, TARGETS) or [None])[0]
    if joint is None or source.actuators[str(joint)] != prim:
        return "no joint of their own"
    return "a joint that has a drive with gains, or is not a revolute or prismatic joint of a tree"
