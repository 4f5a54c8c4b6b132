"""Rules on mass and inertia."""

from collections.abc import Iterator

import numpy as np

from .case import Case
from .finding import Edit, Finding
from .rules import found

NAME, TENSOR = "physics:diagonalInertia", "newton:inertia"
ROUNDING = 1e-3  # of the sum of the moments: what three digits may get wrong
THIN = 1e-3  # second moment of mass of a rod across, by that along it, where a file says none


def unphysical_inertia(case: Case) -> Iterator[Finding]:
    """Authored moments of inertia that no body has."""
    for prim in case.source.prims:
        path = str(prim.GetPath())
        for name, (moments, axes) in said(case, path).items():
            broken, possible = fault(moments), nearest(moments)
            if broken:
                value = tuple(possible.tolist()) if name == NAME else six(axes @ np.diag(possible) @ axes.T)
                edits = (Edit("attribute", path, name, value),)
                mend = f"author ({', '.join(f'{x:.6g}' for x in value)}), the nearest that a body can have"
                yield found(
                    *("inertia-not-physical", path, name, broken),
                    value=case.shown(path, name),
                    edits=edits,
                    mend=mend,
                )


def said(case: Case, path: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Principal moments (3,) as authored and their axes (3, 3), by the attribute that counts."""
    value, tensor = case.authored(path, NAME), case.authored(path, TENSOR)
    if value is not None and any(value) and np.isfinite(value).all():
        return {NAME: (np.array(value, float), np.eye(3))}
    if tensor is not None and len(tensor) == 6 and any(tensor) and np.isfinite(tensor).all():
        xx, yy, zz, xy, xz, yz = tensor
        return {TENSOR: np.linalg.eigh(np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))}
    return {}


def six(tensor: np.ndarray) -> tuple[float, ...]:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a tensor (3, 3)."""
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def fault(moments: np.ndarray) -> str:
    """What is wrong with principal moments (3,) [kg·m²]; "" if nothing is."""
    total = np.abs(moments).sum()
    if not moments.all():
        return "a moment is 0: PhysX takes 1 for all three"
    if moments.min() < 0.0:
        return "a moment is negative: PhysX drops its sign"
    largest = 2.0 * moments.max() - total
    if largest > ROUNDING * total:
        return f"the largest moment, {moments.max():.4g}, exceeds the sum of the others, {total - moments.max():.4g}"
    return ""


def nearest(moments: np.ndarray) -> np.ndarray:
    """The nearest principal moments (3,) that a body can have; a rod gets some thickness.

    With s the second moments of mass along the axes, I = Σs - s; a body has s ≥ 0, so what is negative becomes 0.
    """
    second = np.maximum(np.abs(moments).sum() / 2.0 - np.abs(moments), 0.0)
    if np.count_nonzero(second) < 2:
        second = np.maximum(second, THIN * second.max())
    return second.sum() - second
