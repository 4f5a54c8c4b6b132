"""Tables of envelopes: parameters, deciding limits, and the time of a joint at the edges."""

from math import pi
from typing import Any

from .table import number, print_message, print_table

PARAMETERS = ("max_force", "max_actuator_velocity", "velocity_dependent_resistance", "speed_effort_gradient")
WORDS = ("max effort", "max velocity", "resistance: effort per velocity", "gradient: velocity per effort")
UNITS = {
    True: ("N·m", "rad/s", "N·m·s/rad", "rad/s/(N·m)"),
    False: ("N", "m/s", "N·s/m", "m/s/N"),
}
EDGE = 0.01  # fraction of a bound within which a point is at the bound


def words(rotational: bool) -> dict[str, tuple[str, str]]:
    """Return each parameter of an envelope with its description and unit."""
    return dict(zip(PARAMETERS, zip(WORDS, UNITS[rotational], strict=True), strict=True))


def say_motor(found: Any, rotational: bool) -> None:
    """Print the envelope of a data sheet, and the deciding limits."""
    units = words(rotational)
    decided = (found.efforts[0].name, found.speeds[0].name, "", found.gradient_from)
    rows = [(*units[name], number(getattr(found, name)), why) for name, why in zip(PARAMETERS, decided, strict=True)]
    if rotational:
        rows.insert(2, ("", "rpm", number(found.max_actuator_velocity * 30.0 / pi), ""))
    print_table("Envelope", 2, ("parameter", "unit", "value", "decided by"), rows)
    rows = [(limit.name, units["max_force"][1], number(limit.value)) for limit in found.efforts]
    rows += [(limit.name, units["max_actuator_velocity"][1], number(limit.value)) for limit in found.speeds]
    print_table("All limits, at the joint", 2, ("limit", "unit", "value"), rows)
    for remark in found.remarks:
        print_message(f"note: {remark}")


def edges(drive: Any, rotational: bool, points: Any) -> tuple[str, ...]:
    """Return the number of a joint's operating points, and fractions [%]: within, at the edges, and outside.

    Outside, the load moves the joint faster, or with more effort, than the drive alone could.
    """
    import numpy as np

    v, tau, envelope = np.abs(points.velocity), np.abs(points.effort), drive.envelope
    slack = drive.max_force - envelope.velocity_dependent_resistance * v - tau
    room = envelope.max_actuator_velocity - envelope.speed_effort_gradient * tau - v
    bounds = (slack, drive.max_force), (room, envelope.max_actuator_velocity)
    within = np.all([x >= -1e-5 * bound for x, bound in bounds if bound < np.inf], axis=0)
    shares = (within, *(np.abs(x) <= EDGE * bound if bound < np.inf else x < 0.0 for x, bound in bounds))
    near = [np.abs(x) <= EDGE * bound for x, bound in bounds if bound < np.inf]
    outside = ~np.any([within, *near], axis=0)
    return str(len(v)), *(f"{100.0 * np.mean(share):.4g}" for share in (*shares, outside))
