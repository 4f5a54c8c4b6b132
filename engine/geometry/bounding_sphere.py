"""Bounding spheres of points, in single precision, as PhysX finds them: not the smallest ones.

Four spheres around the vertices of the convex hull are compared. Three have their centres along the principal axes of
the hull, the fourth begins between two far vertices, and each grows by the vertices outside. The smallest counts.
"""

import numpy as np

from .convex_hull import CPU_LIMITS, cook_hull
from .half_edges import dot
from .hull_moments import HALF, ONE, TWO, columns_of, moments_of_hull, principal_rotation

SLACK = np.float32(0.001)
"""How far [stage units] a vertex may be outside a sphere; for the fourth sphere the difference of squares [units²]."""
Sphere = tuple[np.ndarray, np.float32]  # centre (3,) and radius


def bounding_sphere(points: np.ndarray) -> Sphere | None:
    """Return centre (3,) and radius of a sphere around points (N, 3) [stage units].

    None if they do not span a volume, or are too far apart for single precision.
    """
    hull = cook_hull(points, CPU_LIMITS)
    if hull is None:
        return None
    vertices = hull.points.astype(np.float32)
    with np.errstate(all="ignore"):
        com, inertia = moments_of_hull(vertices, hull.faces)
        spheres = [sphere_on_axis(vertices, com, axis) for axis in columns_of(principal_rotation(inertia))]
        centre, radius = sphere_between_far_points(vertices)
    (_, first), (_, second), (_, third) = spheres
    least = spheres[0 if first < second and first < third else 1 if second < third else 2]
    found = least if least[1] < radius else (centre, radius)
    return found if np.isfinite(found[1]) else None


def sphere_on_axis(vertices: np.ndarray, com: np.ndarray, axis: np.ndarray) -> Sphere:
    """Return a sphere whose centre is moved along an axis (3,) through the centre of volume."""
    along = dot(vertices - com, axis)
    last, first = along.argmax(), along.argmin()
    centre = ((com + along[last] * axis) + (com + along[first] * axis)) * HALF
    radius = min(length(vertices[last] - centre), length(vertices[first] - centre))
    for vertex in vertices:
        arm = vertex - centre
        if (reach := length(arm)) <= radius + SLACK:
            continue
        if abs(slope := dot(arm, axis)) < SLACK:
            radius = reach
            continue
        sign = -ONE if slope > 0.0 else ONE
        spread = sign * TWO * radius * (axis[0] + axis[1] + axis[2])
        shift = (radius * radius - reach * reach) / (spread - TWO * slope)
        centre = centre + axis * shift
        radius = length(vertex - centre)
    return centre, radius


def sphere_between_far_points(vertices: np.ndarray) -> Sphere:
    """Return a sphere that first spans two far vertices."""
    arms = vertices - vertices[0]
    far = vertices[dot(arms, arms).argmax()]
    farther, most = far, np.float32(0.0)
    for vertex in vertices:  # in PhysX the distances are those to the vertex found last, not to the first of the two
        arm = farther - vertex
        if (reach := dot(arm, arm)) > most:
            farther, most = vertex, reach
    centre = (farther + far) * HALF
    square = dot(farther - centre, farther - centre)
    for vertex in vertices:
        arm = vertex - centre
        if dot(arm, arm) > square + SLACK:
            opposite = centre - arm * (ONE / length(arm)) * np.sqrt(square)
            centre = (vertex + opposite) * HALF
            square = dot(vertex - centre, vertex - centre)
    return centre, np.float32(np.sqrt(square))


def length(vector: np.ndarray) -> np.float32:
    """Return the length of a vector (3,)."""
    return np.float32(np.sqrt(dot(vector, vector)))
