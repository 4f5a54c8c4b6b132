"""Joints between one pair of bodies stand one on the other: each has to move them in a way that the others do not.

The bodies between them have no mass. Where the unit motions of all axes are linearly dependent, forces do not say what
each axis does: the mass matrix is singular.
"""

from collections.abc import Sequence

import numpy as np

from .quaternion import cross, rotate
from .scene import Joint

ROUND_OFF = 1e-6  # m, or the sine of an angle


def independent(joints: Sequence[Joint], body: str) -> bool:
    """Whether joints between one pair of bodies can stand one on the other.

    Args:
        joints: one at least.
        body: one of the two bodies, whose joint frames count; the joints are at q = 0.

    Returns:
        Whether their axes are independent; not so if one of several has no axis, and so holds the bodies together.
    """
    if len(joints) == 1:
        return True
    frames = [joint.frame0 if joint.body0 == body else joint.frame1 for joint in joints]
    origin = np.array(frames[0][0])
    motions = [
        _motion(np.array(position) - origin, rotate(np.array(turn), np.eye(3)["XYZ".index(axis.token[-1])]), axis)
        for joint, (position, turn) in zip(joints, frames, strict=True)
        for axis in joint.axes
    ]
    return all(joint.axes for joint in joints) and np.linalg.matrix_rank(motions, ROUND_OFF) == len(motions)


def _motion(arm: np.ndarray, direction: np.ndarray, axis) -> np.ndarray:
    """Angular velocity and velocity of the origin per unit of joint speed, (6,)."""
    if axis.rotational:
        return np.concatenate([direction, cross(arm, direction)])
    return np.concatenate([np.zeros(3), direction])
