"""Rules on mass and inertia."""

from collections.abc import Iterator

import numpy as np

from .case import Case
from .finding import Edit, Finding
from .rules import found

NAME = "physics:diagonalInertia"
ROUNDING = 1e-3  # of the sum of the moments: what three digits may get wrong


def unphysical_inertia(case: Case) -> Iterator[Finding]:
    """Authored principal moments that no body has."""
    for prim in case.source.prims:
        value = case.source.authored(prim, NAME)
        if value is None or not any(value) or not np.isfinite(value).all():
            continue
        moments = np.array(value, float)
        path, broken, possible = str(prim.GetPath()), fault(moments), nearest(moments)
        if broken:
            edits = (Edit("attribute", path, NAME, tuple(possible.tolist())),) if possible.all() else ()
            shown = ", ".join(f"{moment:.6g}" for moment in possible)
            mend = f"author ({shown}), the nearest that a body can have" if edits else ""
            yield found("inertia-not-physical", path, NAME, broken, value=value, edits=edits, mend=mend)


def fault(moments: np.ndarray) -> str:
    """What is wrong with principal moments (3,) [kg·m²]; "" if nothing is."""
    total = np.abs(moments).sum()
    if not moments.all():
        return "a moment is 0: PhysX takes 1 for all three"
    if moments.min() < 0.0:
        return "a moment is negative: PhysX drops its sign"
    largest = 2.0 * moments.max() - total
    if largest > ROUNDING * total:
        return f"the largest moment exceeds the sum of the others by {100.0 * largest / (total - moments.max()):.3g} %"
    return ""


def nearest(moments: np.ndarray) -> np.ndarray:
    """The nearest principal moments (3,) that a body can have; 0 only for rods and points.

    With s the second moments of mass along the axes, I = Σs - s; a body has s ≥ 0, so what is negative becomes 0.
    """
    second = np.maximum(np.abs(moments).sum() / 2.0 - np.abs(moments), 0.0)
    return second.sum() - second
