"""Principal axes of a symmetric tensor by Jacobi rotations, in PhysX's order.

Each rotation eliminates the largest off-diagonal element, by at most 45°. PhysX keeps moments and axes in the resulting
order. It applies authored moments to axes that it computed, and moments that it computed to authored axes.
"""

from math import atan2, cos, sin

import numpy as np

from ...quaternion import multiply, rotate
from ...scene import Quaternion

MAX_JACOBI_ROTATIONS = 24  # maximum number of rotations
NO_PRODUCT = 1e-6  # relative to the difference of two moments


def diagonalize(tensor: np.ndarray) -> tuple[np.ndarray, Quaternion]:
    """Return moments (3,) and their principal axes, of a symmetric tensor (3, 3)."""
    axes = np.array((0.0, 0.0, 0.0, 1.0))
    for _ in range(MAX_JACOBI_ROTATIONS):
        here = rotated_tensor(tensor, (-axes[0], -axes[1], -axes[2], axes[3]))
        products = np.abs((here[1, 2], here[0, 2], here[0, 1]))
        axis = 2 - int(np.argmax(products[::-1]))  # the last of equals
        i, j = (axis + 1) % 3, (axis + 2) % 3
        product, difference = here[i, j], here[i, i] - here[j, j]
        if abs(difference) * NO_PRODUCT > abs(product) or product == 0.0:
            break
        half = 0.25 * atan2(2.0 * product * (1.0 if difference >= 0.0 else -1.0), abs(difference))
        turn = np.zeros(4)
        turn[axis], turn[3] = sin(half), cos(half)
        axes = multiply(axes, turn)
    x, y, z, w = map(float, axes)
    return np.diag(rotated_tensor(tensor, (-x, -y, -z, w))).copy(), (x, y, z, w)


def rotated_tensor(tensor: np.ndarray, rotation: Quaternion) -> np.ndarray:
    """Return a tensor (3, 3) after a rotation: R tensor Rᵀ."""
    columns = rotate(np.array(rotation), np.eye(3)).T
    return columns @ tensor @ columns.T
