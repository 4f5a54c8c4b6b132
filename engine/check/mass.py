"""Rules on mass and inertia."""

from collections.abc import Iterator

import numpy as np

from ..usd.read.colliders import counts
from ..usd.read.mass import ROUNDING as ROUND_OFF
from ..usd.read.mass import full
from .context import CheckContext
from .finding import Edit, Finding
from .rules import found

NAME, TENSOR = "physics:diagonalInertia", "newton:inertia"
ROUNDING = 1e-3  # relative to the sum of the moments: rounding error of three digits
THIN = 1e-3  # second moment of mass across a rod, relative to the one along it, if the file has none


def unphysical_inertia(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for authored moments of inertia that no rigid body can have."""
    for prim in case.source.prims:
        path = str(prim.GetPath())
        for name, (moments, axes) in said(case, path).items():
            broken, possible = fault(name, moments), nearest(moments)
            if broken and name == NAME and not counts(moments):  # the intended moments are unknown
                yield found("inertia-not-physical", path, name, broken, value=case.shown(path, name))
            elif broken:
                value = tuple(possible.tolist()) if name == NAME else six(axes @ np.diag(possible) @ axes.T)
                edits = (Edit("attribute", path, name, value),)
                fix = f"author ({', '.join(f'{x:.6g}' for x in value)}), the nearest possible moments"
                yield found(
                    *("inertia-not-physical", path, name, broken),
                    value=case.shown(path, name),
                    edits=edits,
                    fix=fix,
                )


def said(case: CheckContext, path: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return authored principal moments (3,) and axes (3, 3), by attribute; the tensor only if it can be used."""
    value, tensor = case.authored(path, NAME), case.authored(path, TENSOR)
    result = {}
    if value is not None and any(value) and np.isfinite(value).all():
        result[NAME] = np.array(value, float), np.eye(3)
    if NAME in result and counts(result[NAME][0]):
        return result
    if tensor is not None and len(tensor) == 6 and any(tensor) and np.isfinite(tensor).all():
        result[TENSOR] = np.linalg.eigh(full(tensor))
    return result


def six(tensor: np.ndarray) -> tuple[float, ...]:
    """Return Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a tensor (3, 3)."""
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def fault(name: str, moments: np.ndarray) -> str:
    """Return the fault of principal moments (3,) [kg·m²] of an attribute; "" if they are correct."""
    total = np.abs(moments).sum()
    if not counts(moments):
        return "no moment is above 0: taken as not authored, as in PhysX"
    if name == TENSOR and moments.min() <= ROUND_OFF * moments.max():
        return "not all of its principal moments are positive: taken as not authored"
    if not moments.all():
        return "a moment is 0: PhysX takes 1 for all three"
    if moments.min() < 0.0:
        return "a moment is negative: PhysX drops its sign"
    largest = 2.0 * moments.max() - total
    if largest > ROUNDING * total:
        return f"the largest moment, {moments.max():.4g}, exceeds the sum of the others, {total - moments.max():.4g}"
    return ""


def nearest(moments: np.ndarray) -> np.ndarray:
    """Return the nearest possible principal moments (3,); a rod gets a small thickness.

    With s the second moments of mass along the axes, I = Σs - s; a body has s ≥ 0, so negative s becomes 0.
    """
    second = np.maximum(np.abs(moments).sum() / 2.0 - np.abs(moments), 0.0)
    if np.count_nonzero(second) < 2:
        second = np.maximum(second, THIN * second.max())
    return second.sum() - second
