"""PhysX's absolute tolerances are in stage units: a stage in centimetres has finer ones than one in metres."""

from ..lanes import traced


@traced
def in_metres(w, tolerance, power=1):
    """Return a tolerance in stage units to a power, a Python number, as one in metres to that power."""
    for _ in range(power):
        tolerance = tolerance * w.param.meters_per_unit[0]
    return tolerance


@traced
def units_per_metre(w):
    """Return the stage units in a metre."""
    return 1.0 / w.param.meters_per_unit[0]
