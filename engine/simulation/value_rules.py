"""Rules for the values that users set: assignments, `write`, schedules, control events and batches obey the same ones.

A rule is a key of `VALUES`. All but "definite" are intervals, so the least and the greatest value decide: an array
costs two reductions, on the device that it is on. Both are NaN if one of the values is.
"""

from collections.abc import Sequence

import numpy as np

from ..device.dlpack import Adopted, on_host
from ..selection import short_names
from ..tables.layout import INFINITE
from ..tables.parameter import VALUES
from .field import Field

MINOR_ROUNDING = 32 * float(np.finfo(np.float32).eps)
"""Share of the product of its diagonal by which a minor of a thin body's inertia may be below 0 in single precision."""


def allowed(rule: str, values: np.ndarray) -> np.ndarray:
    """Return where values obey a rule; of "definite" one flag per matrix of six numbers."""
    if rule == "definite":
        return _is_definite(values)
    good = ~np.isnan(values) if rule.endswith("inf") else np.isfinite(values)
    if rule.startswith(">"):
        good &= values >= 0.0 if rule.startswith(">=") else values > 0.0
    return good


def obeys(rule: str, values: Adopted) -> bool:
    """Return whether all values obey a rule."""
    if 0 in values.shape:
        return True
    if rule == "definite":
        return bool(_is_definite(on_host(values)).all())
    return bool(allowed(rule, np.array((float(values.min()), float(values.max())))).all())


def check_values(
    field: Field, values: Adopted, columns: Sequence[str], worlds: np.ndarray | None, picked: np.ndarray | None = None
) -> None:
    """Raise ValueError for the first value against the rule of a field.

    Args:
        field: the field.
        values: of worlds, (W, columns) or (W, columns, numbers).
        columns: names of the columns.
        worlds: indices of the worlds; None for all.
        picked: the columns to check; None for all.
    """
    if picked is not None and len(picked) < len(columns):
        values = values[:, picked]
        columns = [columns[int(i)] for i in picked]
    if not obeys(field.rule, values):
        given = on_host(values)
        at = first_of(~allowed(field.rule, given))
        value = np.array2string(given[at], separator=", ", formatter={"float": lambda x: f"{x:.6g}"})
        raise ValueError(
            f"{place(field.name, at, columns, worlds)} = {value}: must be {VALUES[field.rule]}; correct it"
        )


LAWLESS = {
    "surface_velocity": "author PhysxSurfaceVelocityAPI on the body",
    "surface_angular_velocity": "author PhysxSurfaceVelocityAPI on the body",
    "contact_max_impulse": "author physxRigidBody:maxContactImpulse on a body",
    "contact_slop": "author physxRigidBody:contactSlopCoefficient on a body",
}
"""Fields that act only where the scene has what the fix authors."""
NEUTRAL = {"contact_max_impulse": INFINITE}
"""Values of these fields that ask for nothing; of the others 0."""


def check_effect(
    field: Field, values: Adopted, columns: Sequence[str], worlds: np.ndarray | None, idle: np.ndarray
) -> None:
    """Raise ValueError for the first value that would have no effect, because the kernel has no law for it.

    Args:
        field: the field, one of LAWLESS.
        values: of worlds, (W, columns) or (W, columns, numbers).
        columns: names of the columns.
        worlds: indices of the worlds; None for all.
        idle: columns whose values have no effect.
    """
    given, nothing = on_host(values), NEUTRAL.get(field.name, 0.0)
    lost = (given != nothing) & idle[(slice(None), *(None,) * (given.ndim - 2))]
    if lost.any():
        at = first_of(lost)
        where = place(field.name, at, columns, worlds)
        raise ValueError(f"{where} = {given[at]:.6g}: must be {nothing:g} here; {LAWLESS[field.name]}")


def check_limits(
    lower: np.ndarray, upper: np.ndarray, columns: Sequence[str], worlds: np.ndarray | None, fix: str
) -> None:
    """Raise ValueError for the first lower limit above its upper limit, (W, D) each."""
    above = lower > upper
    if above.any():
        at = first_of(above)
        where = place("lower", at, columns, worlds)
        raise ValueError(f"{where} = {lower[at]:.6g}: must be at most upper = {upper[at]:.6g}; {fix}")


def first_of(flags: np.ndarray) -> tuple[int, ...]:
    """Return the index of the first flag that is set."""
    return tuple(int(i) for i in np.unravel_index(int(flags.argmax()), flags.shape))


def place(name: str, at: tuple[int, ...], columns: Sequence[str], worlds: np.ndarray | None) -> str:
    """Return a number of a field as Python reads it: 'force[3, "hand", 2]'."""
    world = at[0] if worlds is None else int(worlds[at[0]])
    return f"{name}[{', '.join((str(world), *_quoted(columns, at[1:2]), *map(str, at[2:])))}]"


def _quoted(columns: Sequence[str], at: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f'"{short_names(columns)[i]}"' for i in at)


def _is_definite(values: np.ndarray) -> np.ndarray:
    """Return where xx, xy, xz, yy, yz, zz, (..., 6), are positive definite matrices, but for rounding: by their minors.

    Of a thin body they are those of a body that is thicker by the rounding.
    """
    xx, xy, xz, yy, yz, zz = np.moveaxis(np.asarray(values, np.float64), -1, 0)
    with np.errstate(over="ignore", invalid="ignore"):  # NaN and infinity are not
        minors = (xx * yy - xy * xy, xx * yy * zz)
        whole = minors[0] * zz + xy * xz * yz * 2.0 - xx * yz * yz - yy * xz * xz
        pairs = ((xx * yy, xy), (xx * zz, xz), (yy * zz, yz))
        good = (
            (xx > 0.0) & (yy > 0.0) & (zz > 0.0) & (whole >= -MINOR_ROUNDING * minors[1]) & np.isfinite(values).all(-1)
        )
        for product, off in pairs:
            good &= product - off * off >= -MINOR_ROUNDING * product
    return good
