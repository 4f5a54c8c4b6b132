"""Tables of drives: gains in units of the file and in SI, resulting motion, and envelopes."""

from math import inf, pi, radians, sqrt
from typing import Any

from .cli_units import angle_unit, shown_angle
from .table import SPEED_UNIT, every_axis, number, number_with_spread, table


def drive_columns() -> tuple[str, ...]:
    """Return the columns of a drive."""
    unit = angle_unit()
    return (
        *("joint", "type", "stiffness\nas in the file\n[/deg | /length]"),
        *("stiffness\n[N·m/rad | N/m]\n[1/s²] if acceleration", "damping\nas in the file\n[/(deg/s) | /(length/s)]"),
        *(f"damping\n{SPEED_UNIT}\n[1/s] if acceleration", "max effort\n[N·m | N]"),
        *(f"target\n[{unit} | m]", f"target\n[{unit}/s | m/s]"),
    )


def drives(scene: Any, inertia: dict[str, float]) -> Any:
    """Return one row per drive: gains in units of the file and in SI, and the resulting motion at the initial pose."""
    result = table(
        "Drives, and the motion of each joint alone at the initial pose",
        2,
        *(*drive_columns(), "inertia\n[kg·m² | kg]", "frequency\n[Hz]", "damping\nratio"),
    )
    for joint, axis in every_axis(scene.articulations):
        if axis.drive:
            name = f"{joint.path}:{axis.token}"
            pull = 1.0 if axis.drive.type.name == "ACCELERATION" else inertia[name]
            values = (inertia[name], *oscillation(axis.drive.stiffness, axis.drive.damping, pull))
            result.add_row(*drive_row(scene, joint, axis), *map(number, values))
    return result


def loop_drives(scene: Any) -> Any:
    """Return one row per drive of a maximal joint."""
    result = table("Drives of maximal joints", 2, *drive_columns())
    for joint, axis in every_axis([scene]):
        if axis.drive:
            result.add_row(*drive_row(scene, joint, axis))
    return result


def drive_row(scene: Any, joint: Any, axis: Any) -> tuple[str, ...]:
    """Return the values of `drive_columns`."""
    drive = axis.drive
    unit = file_unit(scene, axis.rotational, drive.type.name)
    targets = (shown_angle(value, axis.rotational) for value in (drive.target_q, drive.target_qd))
    name, texts = f"{joint.path}:{axis.token}", []
    for quantity in ("stiffness", "damping"):
        value = getattr(drive, quantity)
        texts += [number(value / unit), number_with_spread(scene, name, quantity, value)]
    texts.append(number_with_spread(scene, name, "max_force", drive.max_force))
    kind = "explicit" if drive.actuator else drive.type.name.lower()
    return name, kind, *texts, *map(number, targets)


def envelopes(scene: Any) -> Any:
    """Return one row per drive with a performance envelope."""
    unit = angle_unit()
    result = table(
        "Performance envelopes: |τ| ≤ max effort − resistance |v|, |v| ≤ max velocity − gradient |τ|",
        1,
        *("joint", "max effort\n[N·m | N]", f"max velocity\n[{unit}/s | m/s]", f"resistance\n{SPEED_UNIT}"),
        f"gradient\n[{unit}/s/(N·m) | m/s/N]",
    )
    for joint, axis in every_axis(scene.articulations):
        envelope = axis.drive.envelope if axis.drive else None
        if envelope:
            rates = (envelope.max_actuator_velocity, envelope.speed_effort_gradient)
            speed, gradient = (shown_angle(rate, axis.rotational) for rate in rates)
            values = (axis.drive.max_force, speed, envelope.velocity_dependent_resistance, gradient)
            result.add_row(f"{joint.path}:{axis.token}", *map(number, values))
    return result


def file_unit(scene: Any, rotational: bool, type: str) -> float:
    """Return the SI value of a gain of 1 in the file; type: FORCE | ACCELERATION."""
    effort = 1.0
    if type == "FORCE":
        effort = scene.kilograms_per_unit * (scene.meters_per_unit**2 if rotational else 1.0)
    return effort / radians(1.0) if rotational else effort


def oscillation(stiffness: float, damping: float, inertia: float) -> tuple[float, float]:
    """Return natural frequency [Hz] and damping ratio of a drive: √(k/I) / 2π and d / 2√(k I)."""
    frequency = sqrt(stiffness / inertia) / (2.0 * pi)
    critical = 2.0 * sqrt(stiffness * inertia)
    return frequency, damping / critical if critical else inf if damping else 0.0
