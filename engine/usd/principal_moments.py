"""Principal axes of a symmetric tensor in the order in which PhysX finds them, by Jacobi's rotations.

Each rotation takes away the largest product, by no more than 45°. PhysX lists moments and axes in the order that this
leaves them in, and puts authored moments on axes that it found, or moments that it found on authored axes.
"""

from math import atan2, cos, sin

import numpy as np

from ..quaternion import multiply, rotate
from ..scene import Quaternion

MAX_JACOBI_ROTATIONS = 24  # at most
NO_PRODUCT = 1e-6  # of the difference of two moments


def diagonalize(tensor: np.ndarray) -> tuple[np.ndarray, Quaternion]:
    """Moments (3,) and the axes that they belong to, of a symmetric tensor (3, 3)."""
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
    return np.diag(rotated_tensor(tensor, (-axes[0], -axes[1], -axes[2], axes[3]))).copy(), tuple(map(float, axes))


def rotated_tensor(tensor: np.ndarray, rotation: Quaternion) -> np.ndarray:
    """A tensor (3, 3) after a rotation: R tensor Rᵀ."""
    columns = rotate(np.array(rotation), np.eye(3)).T
    return columns @ tensor @ columns.T
