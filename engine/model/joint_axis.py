"""Axes of joints as PhysX has them: its joints move along x, and a frame is turned to bring x to another axis.

In single precision the turned axis of a slider has residues of 6e-8 or none, by its frame. They matter where a contact
pushes a slider along a direction in which it cannot move: r = J M⁻¹ Jᵀ is then the square of a residue and not 0, the
row exists, and the friction of its impulse holds the slider.
"""

import numpy as np

from ..quaternion import multiply

HALF = 0.5**0.5
TURNED = {"X": (0.0, 0.0, 0.0, 1.0), "Y": (0.0, 0.0, HALF, HALF), "Z": (0.0, -HALF, 0.0, HALF)}  # X to the joint's axis


def slide_axis(rotation: np.ndarray, axis: str) -> np.ndarray:
    """Return the axis X, Y or Z of a frame with this rotation (4,), in the body's axes, by PhysX's operations."""
    turned = multiply(np.asarray(rotation, np.float32), np.array(TURNED[axis], np.float32))
    q = turned * (np.float32(1.0) / np.sqrt((turned * turned).sum()))
    x, y, z, w = q
    two, half = np.float32(2.0), np.float32(0.5)
    along = np.array((two * (w * w - half) + x * (x * two), z * two * w + y * (x * two), z * (x * two) - y * two * w))
    return np.asarray(along * (np.float32(1.0) / np.sqrt((along * along).sum())), np.float64)
