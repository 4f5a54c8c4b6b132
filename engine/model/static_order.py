"""Order of static shapes whose bounding boxes begin at one x: that of the radix sort in PhysX's broad phase.

    shapes as PhysX creates them; if they are not in the order of their lower x, they are sorted by it, which turns
    around those that begin at one x below 0

Lower x are numbers of single precision, of which the sort reads the bits.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ..quaternion import conjugate, rotate
from ..scene import Collider, ShapeKind


def static_places(colliders: Sequence[Collider], created: Callable[[Collider], int]) -> dict[str, int]:
    """Return by path the places of static shapes among those that begin at the same x.

    Args:
        colliders: the static shapes.
        created: the place at which PhysX creates what a shape belongs to.
    """
    order = sorted(colliders, key=lambda collider: collider.path.split("/"), reverse=True)
    order.sort(key=created)
    lower = np.array([lower_x(collider) for collider in order], np.float32)
    is_sorted = bool((lower[1:] >= lower[:-1]).all())
    turned = (lower < 0.0) & (not is_sorted)
    return {collider.path: -i if turned[i] else i for i, collider in enumerate(order)}


def lower_x(collider: Collider) -> float:
    """Return where the bounding box of a static shape begins, contact offset included [m]; a plane's is unbounded."""
    position, rotation = collider.pose
    row = rotate(conjugate(np.array(rotation)), np.array((1.0, 0.0, 0.0)))  # x of the axes of the shape's frame
    if collider.kind == ShapeKind.PLANE:
        return -np.inf
    if collider.kind == ShapeKind.BOX:
        extent = np.abs(row) @ np.array(collider.half_extents)
    elif collider.kind == ShapeKind.SPHERE:
        extent = collider.radius
    elif collider.kind == ShapeKind.CAPSULE:
        extent = abs(row[0]) * collider.half_height + collider.radius
    elif collider.kind in (ShapeKind.CYLINDER, ShapeKind.CONE):
        extent = abs(row[0]) * collider.half_height + collider.radius * np.hypot(row[1], row[2])
    else:
        extent = -(np.array(collider.points) @ row).min()
    return float(position[0] - extent - collider.contact_offset)
