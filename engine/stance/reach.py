"""Legs that a file stretches sideways or folds: poses in which they reach down."""

from math import isfinite, pi

import numpy as np

from .extents import Shape
from .supports import Support, ends_of, find_supports
from .tree import Tree

LIMBS = 3
"""Least number of limbs on which a robot that lies on its underside is raised; arms are fewer."""
VALUES, SWEEPS = 13, 2
"""Positions that are tried within the limits of a joint, and how often all joints of a limb are visited."""


def raised(
    tree: Tree, shapes: dict[int, list[Shape]], q: np.ndarray, up: np.ndarray
) -> tuple[np.ndarray, list[Support]] | None:
    """Return positions in which the ends of limbs are as low as they can be, and the feet there.

    None if fewer than `LIMBS` limbs reach below the rest of the robot.
    """
    reached = q.copy()
    ends = ends_of(tree, shapes, tree.place(q))
    shared = np.sum([np.isin(np.arange(len(q)), end.dofs) for end in ends], axis=0) == len(ends)
    for end in ends:
        for _ in range(SWEEPS):
            for dof in (dof for dof in end.dofs if not shared[dof]):
                reached[dof] = _lowest(tree, end, reached, dof, up)
    feet = find_supports(tree, shapes, tree.place(reached), up)
    if any(foot.wheel or foot.slides for foot in feet):
        return None
    limbs = {next((dof for dof in foot.dofs if not shared[dof]), -1) for foot in feet}
    return (reached, feet) if len(limbs) >= LIMBS else None


def _lowest(tree: Tree, end: Support, q: np.ndarray, dof: int, up: np.ndarray) -> float:
    """Return the position of a degree of freedom at which an end is lowest; the present one if others are no lower."""
    axis = tree.axes[dof]
    low, high = (axis.lower, axis.upper) if isfinite(axis.lower) and isfinite(axis.upper) else (-pi, pi)
    tried = [q[dof], *np.linspace(low, high, VALUES)]
    heights = []
    for value in tried:
        q[dof] = value
        heights.append(end.lowest(tree.place(q), up)[1].min())
    return float(tried[int(np.argmin(heights))])
