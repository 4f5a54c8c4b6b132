"""Joints between the same two bodies are stacked: each must add a motion that the other joints do not allow.

The bodies between stacked joints have no mass. Where the unit motions of all axes are linearly dependent, forces do not
determine the motion of each axis: the mass matrix is singular.
"""

from collections.abc import Sequence

import numpy as np

from .quaternion import cross, rotate
from .scene import Axis, Joint

ROUND_OFF = 1e-6  # m, or the sine of an angle


def independent(joints: Sequence[Joint], body: str) -> bool:
    """Return whether joints between the same two bodies can be stacked.

    Args:
        joints: at least one.
        body: one of the two bodies; its joint frames are used. The joints are at q = 0.

    Returns:
        True if their axes are independent; False if one of several joints has no axes and so fixes the bodies together.
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


def _motion(arm: np.ndarray, direction: np.ndarray, axis: Axis) -> np.ndarray:
    """Return angular velocity and velocity of the origin per unit of joint speed, (6,)."""
    if axis.rotational:
        return np.concatenate([direction, cross(arm, direction)])
    return np.concatenate([np.zeros(3), direction])
