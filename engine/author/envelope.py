"""Performance envelopes: limits of the motor of a drive."""

from pxr import Usd

from ..scene import InvalidScene
from ..usd.attributes import ENVELOPE
from ..usd.stage.stage import schemas
from .attribute_writer import AttributeWriter
from .axis import joint_axis
from .change import Change
from .drive import drive
from .select import select


def envelope(
    prim: Usd.Prim,
    *,
    max_force: float | None = None,
    max_actuator_velocity: float | None = None,
    velocity_dependent_resistance: float | None = None,
    speed_effort_gradient: float | None = None,
    axis: str | None = None,
) -> list[Change]:
    """Author the performance envelope of a joint axis's drive.

    |τ| ≤ max_force - velocity_dependent_resistance |q̇| and |q̇| ≤ max_actuator_velocity - speed_effort_gradient |τ|

    Args:
        prim: a joint on an open stage with a drive; `max_force` creates a missing drive.
        max_force: [N·m | N], an attribute of the drive.
        max_actuator_velocity: speed at zero effort [rad/s | m/s].
        velocity_dependent_resistance: effort lost per speed [N·m·s/rad | N·s/m].
        speed_effort_gradient: speed lost per effort [rad/(N·m·s) | m/(N·s)].
        axis: required for a joint with several axes.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis or a drive, or a value breaks its rule.
    """
    at = joint_axis(prim, axis)
    driven = f"PhysicsDriveAPI:{at.instance}" in schemas(prim)
    if max_force is None and not driven:
        raise InvalidScene(
            at.name, rule="an axis with a drive, which an envelope bounds", fix="author one, or give a maximum force"
        )
    values = {
        "max_actuator_velocity": max_actuator_velocity,
        "velocity_dependent_resistance": velocity_dependent_resistance,
        "speed_effort_gradient": speed_effort_gradient,
    }
    changes = AttributeWriter(prim, at).write(ENVELOPE, values, f"PhysxDrivePerformanceEnvelopeAPI:{at.instance}")
    return changes if max_force is None else drive(prim, max_force=max_force, axis=at.instance) + changes


def envelopes(stage: Usd.Stage, joint: str, rotational: bool, **values: float) -> list[Change]:
    """Author one envelope on the drives of all joint axes that a regular expression selects.

    Args:
        stage: an open stage.
        joint: the regular expression, as of `select`.
        rotational: whether the values are those of a rotation; else of a translation.
        values: arguments of `envelope`.

    Raises:
        InvalidScene: as of `select` and `envelope`, or an axis is of the other kind.
    """
    chosen = select(stage, joint)
    for at in chosen:
        if at.rotational != rotational:
            kind, other = ("rotation", "a translation")[:: 1 if at.rotational else -1]
            raise InvalidScene(at.name, "", kind, f"{other}, as the envelope is", "choose another joint")
    return [change for at in chosen for change in envelope(at.prim, **values, axis=at.token)]
