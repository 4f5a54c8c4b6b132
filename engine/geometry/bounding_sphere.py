"""Bounding spheres of points."""

import numpy as np


def bounding_sphere(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return centre (3,) and radius of a sphere around points (N, 3), not the smallest one.

    The first sphere spans the two extreme points of an axis that are farthest apart. It grows by each point outside.
    """
    low, high = points[points.argmin(axis=0)], points[points.argmax(axis=0)]
    axis = int(np.linalg.norm(high - low, axis=1).argmax())
    centre = (low[axis] + high[axis]) / 2.0
    radius = float(np.linalg.norm(high[axis] - low[axis])) / 2.0
    for point in points[np.linalg.norm(points - centre, axis=1) > radius]:
        distance = float(np.linalg.norm(point - centre))
        if distance > radius:
            centre = centre + (point - centre) * ((distance - radius) / (2.0 * distance))
            radius = (radius + distance) / 2.0
    return centre, radius
