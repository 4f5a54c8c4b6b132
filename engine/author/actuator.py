"""Newton's actuators: prims that drive revolute and prismatic joints, and their conversion to and from drives."""

from collections.abc import Sequence
from math import inf
from typing import Any

from pxr import Usd

from ..scene import InvalidScene
from ..usd.attributes import ACTUATOR, ACTUATOR_LAW, DRIVE
from ..usd.attributes.joint import with_control
from ..usd.read.actuators import KIND, TARGETS, find_actuators, unlike_drive
from ..usd.read.joints import INSTANCES
from ..usd.stage.stage import StageReader, schemas
from .attribute_writer import AttributeWriter
from .axis import JointAxis, joint_axis, joint_type
from .change import Change
from .drive import drive, drive_type

PD, PID = "NewtonPDControlAPI", "NewtonPIDControlAPI"


def actuator(  # one parameter an attribute
    prim: Usd.Prim,
    *,
    stiffness: float | None = None,
    damping: float | None = None,
    integral_gain: float | None = None,
    integral_max: float | None = None,
    constant_effort: float | None = None,
    max_force: float | None = None,
    saturation_effort: float | None = None,
    max_motor_effort: float | None = None,
    no_load_speed: float | None = None,
    delay: int | None = None,
    bound_positions: Sequence[float] | None = None,
    bound_efforts: Sequence[float] | None = None,
) -> list[Change]:
    """Author Newton's actuator on a joint, or change the existing one; None leaves an attribute unchanged.

    effort = constant_effort + stiffness (target - q) + integral_gain ∫ (target - q) + damping (target speed - q̇)

    An actuator that a drive equals is simulated as an implicit drive: without integral gain, constant effort, DC motor,
    bound by position and delay. Else its effort is computed at the start of each step.

    Args:
        prim: a revolute or prismatic joint on an open stage.
        stiffness: [N·m/rad | N/m].
        damping: [N·m·s/rad | N·s/m].
        integral_gain: [N·m/(rad·s) | N/(m·s)]; makes the control PID.
        integral_max: bound on the integral [rad·s | m·s].
        constant_effort: [N·m | N].
        max_force: bound on the effort [N·m | N].
        saturation_effort: effort of a DC motor at rest [N·m | N].
        max_motor_effort: bound on that effort [N·m | N].
        no_load_speed: speed at which a DC motor has no effort [rad/s | m/s].
        delay: steps by which commands are late.
        bound_positions: ascending positions of the points of a bound on the effort [rad | m].
        bound_efforts: the bound at these positions [N·m | N].

    Raises:
        InvalidScene: the prim is not a revolute or prismatic joint, a value breaks its rule, or a drive has gains.
    """
    at = single_axis(prim)
    values = {name: value for name, value in locals().items() if name not in ("prim", "at") and value is not None}
    check_drive(at)
    found, changes = find_or_add(prim)
    pen = AttributeWriter(found, at)
    integral = PID in schemas(found) or bool({"integral_gain", "integral_max"} & set(values))
    rows = with_control((*ACTUATOR, *ACTUATOR_LAW), (PID,) if integral else ())
    if integral and PD in schemas(found):
        found.RemoveAppliedSchema(PD)
    changes += pen.apply(PID if integral else PD)
    for row, value in pen.check_all(rows, values):
        changes += [*pen.apply(row.schema), pen.set(row, value)]
    return changes


def single_axis(prim: Usd.Prim) -> JointAxis:
    """Return the axis of a revolute or prismatic joint; raise InvalidScene for other prims."""
    kind = joint_type(prim)
    if kind not in INSTANCES:
        rule = f"a revolute or prismatic joint, not a {kind.name.lower()} joint"
        raise InvalidScene(prim.GetPath(), rule=rule, fix="author drives on its axes")
    return joint_axis(prim)


def check_drive(at: JointAxis) -> None:
    """Raise InvalidScene if the drive of an axis has gains: the actuator would have no effect."""
    if f"PhysicsDriveAPI:{at.instance}" not in schemas(at.prim):
        return
    gains = AttributeWriter(at.prim, at).values(DRIVE)
    if gains["stiffness"] or gains["damping"]:
        fix = "make an actuator of it (--from-drive), or give it a stiffness and damping of 0"
        raise InvalidScene(at.name, "drive", rule="without gains: it acts instead of an actuator", fix=fix)


def find_or_add(prim: Usd.Prim) -> tuple[Usd.Prim, list[Change]]:
    """Return the actuator of a joint, or a new one beside the joint."""
    stage = prim.GetStage()
    if known := find_actuators(StageReader(stage)).get(str(prim.GetPath())):
        return known, []
    path = prim.GetPath().ReplaceName(f"{prim.GetName()}_actuator")
    if stage.GetPrimAtPath(path):
        raise InvalidScene(path, rule="no prim yet, for the actuator", fix="rename that prim")
    new = stage.DefinePrim(path, KIND)
    new.CreateRelationship(TARGETS, custom=False).SetTargets([prim.GetPath()])
    return new, [Change(str(path), TARGETS, None, str(prim.GetPath()))]


def actuator_from_drive(prim: Usd.Prim) -> list[Change]:
    """Replace the gains of a force drive by those of an actuator; the drive keeps its target, without gains.

    Raises:
        InvalidScene: the prim is not such a joint, or its drive is missing or an acceleration drive.
    """
    at = single_axis(prim)
    if f"PhysicsDriveAPI:{at.instance}" not in schemas(prim) or drive_type(at) != "force":
        raise InvalidScene(at.name, rule="an axis with a force drive", fix="author its drive, or the actuator's gains")
    gains = AttributeWriter(prim, at).values(DRIVE)
    names = ("stiffness", "damping", *(["max_force"] if gains["max_force"] < inf else []))
    changes = drive(prim, stiffness=0.0, damping=0.0)
    return changes + actuator(prim, **{name: gains[name] for name in names})


def drive_from_actuator(prim: Usd.Prim) -> list[Change]:
    """Replace the actuator of a joint by a drive with its gains, and deactivate its prim.

    Raises:
        InvalidScene: the joint has no actuator, or one that no drive equals.
    """
    at, source = single_axis(prim), StageReader(prim.GetStage())
    found = find_actuators(source).get(str(prim.GetPath()))
    if found is None:
        raise InvalidScene(prim.GetPath(), rule="a joint that an actuator drives", fix="author a drive")
    if unlike := unlike_drive(source, found):
        raise InvalidScene(found.GetPath(), rule=f"an actuator that a drive equals, not with {unlike}", fix="keep it")
    gains: dict[str, Any] = source.values(found, ACTUATOR, rotational=at.rotational)
    bound = gains.pop("max_force")
    changes = drive(prim, **gains, type="force", max_force=bound if bound < inf else None)
    found.SetActive(False)
    return [*changes, Change(str(found.GetPath()), "active", True, False)]
