"""Drives: gains, targets and maximum force of a joint axis."""

from dataclasses import replace
from math import inf

from pxr import Usd

from ..model.mass_matrix import effective_inertia
from ..scene import InvalidScene
from ..usd.attributes import DRIVE
from ..usd.read.reader import read_stage
from ..usd.stage.stage import StageReader
from .attribute_writer import AttributeWriter
from .axis import JointAxis, joint_axis
from .change import Change, format_value


def drive(  # one parameter an attribute
    prim: Usd.Prim,
    *,
    stiffness: float | None = None,
    damping: float | None = None,
    natural_frequency: float | None = None,
    damping_ratio: float | None = None,
    inertia: float | None = None,
    max_force: float | None = None,
    type: str | None = None,
    target_q: float | None = None,
    target_qd: float | None = None,
    axis: str | None = None,
) -> list[Change]:
    """Author a drive on a joint axis, or change the existing drive; None leaves an attribute unchanged.

    τ = stiffness (target_q - q) + damping (target_qd - q̇), |τ| ≤ max_force; an acceleration drive computes q̈ instead
    of τ.

    Args:
        prim: a joint on an open stage; the stage's edit target receives the opinions.
        stiffness: [N·m/rad | N/m]; [1/s²] for an acceleration drive.
        damping: [N·m·s/rad | N·s/m]; [1/s] for an acceleration drive.
        natural_frequency: ω [rad/s] instead of the stiffness: stiffness = ω² inertia.
        damping_ratio: ζ instead of the damping: damping = 2 ζ √(stiffness inertia).
        inertia: inertia at the joint [kg·m² | kg]; required for ω and ζ of a force drive.
        max_force: [N·m | N].
        type: force | acceleration.
        target_q: [rad | m].
        target_qd: [rad/s | m/s].
        axis: required for a joint with several axes.

    Raises:
        InvalidScene: the prim is not a joint, it does not have the axis, or a value breaks its rule.
    """
    at = joint_axis(prim, axis)
    kind = type or drive_type(at)
    acceleration = kind == "acceleration"
    gains = {"stiffness": stiffness, "damping": damping}
    if natural_frequency is not None or damping_ratio is not None:
        if stiffness is not None or damping is not None:
            given, rule = f"{stiffness}, {damping}", "left out beside natural_frequency or damping_ratio"
            fix = "give stiffness and damping or frequency and ratio"
            raise InvalidScene(at.name, "stiffness, damping", given, rule, fix)
        moved = 1.0 if acceleration else inertia if inertia is not None else inertia_of(at)
        gains = oscillator(at, natural_frequency, damping_ratio, moved)
    values = {"type": type, **gains, "max_force": max_force, "target_q": target_q, "target_qd": target_qd}
    was = drive_type(at)
    changes = AttributeWriter(prim, at, acceleration=acceleration).write(
        DRIVE, values, f"PhysicsDriveAPI:{at.instance}"
    )
    return changes if was == kind else [in_units_of(at, was, change) for change in changes]


def in_units_of(at: JointAxis, was: str, change: Change) -> Change:
    """Return the change of a gain whose unit changed, because the drive type changed."""
    row = next((row for row in DRIVE if row.gain and change.attribute == row.named(at.instance)), None)
    if row is None or change.before is None:
        return change
    source = StageReader(at.prim.GetStage())
    unit, scale = (
        row.measure(at.rotational, was == "acceleration"),
        source.scale(row, at.rotational, was == "acceleration"),
    )
    before = f"{format_value(change.before)} {unit.named(source.kilograms, source.metres)}"
    return replace(
        change, before=before, si_before=f"{format_value(change.before * scale)} {unit.named(1.0, 1.0, 'rad')}"
    )


def drive_type(at: JointAxis) -> str:
    """Return the authored token of a drive's type, or the default type."""
    attribute = at.prim.GetAttribute(f"drive:{at.instance}:physics:type")
    return (attribute.Get() if attribute else None) or "force"


def oscillator(at: JointAxis, frequency: float | None, ratio: float | None, inertia: float) -> dict[str, float]:
    """Return the gains for a natural frequency [rad/s] and damping ratio on an inertia, in continuous time."""
    if frequency is None or ratio is None:
        names, given = "natural_frequency, damping_ratio", f"{frequency}, {ratio}"
        raise InvalidScene(at.name, names, given, "two numbers, set together", "give both")
    for name, value in (("natural_frequency", frequency), ("damping_ratio", ratio)):
        if not 0.0 <= value < inf:
            raise InvalidScene(at.name, name, value, "finite and 0 or more", "give such a number")
    return {"stiffness": frequency**2 * inertia, "damping": 2.0 * ratio * frequency * inertia}


def inertias(stage: Usd.Stage) -> dict[str, float]:
    """Return 1 / (M⁻¹)ᵢᵢ of each degree of freedom at the initial pose, armature included [kg·m² | kg], by name."""
    return effective_inertia(read_stage(stage))


def inertia_of(at: JointAxis) -> float:
    """Return the inertia of a joint axis [kg·m² | kg].

    Raises:
        InvalidScene: the axis moves no body of an articulation, or the stage cannot be simulated.
    """
    moved = inertias(at.prim.GetStage())
    if at.name not in moved:
        raise InvalidScene(
            at.name, rule="an axis that moves a link of an articulation", fix="give gains or its inertia"
        )
    return moved[at.name]
