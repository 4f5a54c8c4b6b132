"""The polygon of points on a ground."""

import numpy as np


def margin(points: np.ndarray, com: np.ndarray, up: np.ndarray) -> float:
    """Return the distance of the centre of mass from the border of the polygon of points; negative outside [m]."""
    side = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    side /= np.linalg.norm(side)
    flat = np.stack([(points - com) @ side, (points - com) @ np.cross(up, side)], -1)
    angles = np.linspace(0.0, 2.0 * np.pi, 360, endpoint=False)
    return float((flat @ np.stack([np.cos(angles), np.sin(angles)])).max(0).min())
