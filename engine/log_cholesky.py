"""Log-Cholesky coordinates of the inertia of a body.

The second moment of a unit of a body's mass about its centre is S = ½ tr(I)/m 1 − I/m = A Aᵀ, where A is upper
triangular with the diagonal exp(d1), exp(d2), exp(d3). Any d and off-diagonal s are the inertia of some body; with the
mass and the centre of mass they are the ten coordinates of Rucker and Wensing, "Smooth parameterization of rigid-body
inertia", 2022.
"""

import numpy as np

from .errors import InputError

SHAPE = ("inertia_d1", "inertia_d2", "inertia_d3", "inertia_s12", "inertia_s13", "inertia_s23")
"""Names of the coordinates."""

PLACES = (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)
"""Rows and columns of an inertia in the order xx, xy, xz, yy, yz, zz."""

OFF = (0, 0, 1), (1, 2, 2)  # rows and columns of s12, s13, s23
THIN = 1e-6  # part of the largest second moment that the smallest has at least


def shape_of(inertia: np.ndarray, mass: float) -> np.ndarray:
    """Return d1, d2, d3, s12, s13, s23 of an inertia about the centre of mass (3, 3), (6,).

    Raises:
        InputError: no body has this inertia.
    """
    S = (0.5 * np.trace(inertia) * np.eye(3) - inertia) / mass
    values, vectors = np.linalg.eigh(S)
    if values[0] < -THIN * values[-1] or values[-1] <= 0.0:
        raise InputError("inertia: must be that of a body, no moment above the sum of the others; author another")
    S = (vectors * np.maximum(values, THIN * values[-1])) @ vectors.T
    A = np.linalg.cholesky(S[::-1, ::-1])[::-1, ::-1]
    return np.concatenate((np.log(np.diag(A)), A[OFF]))


def inertia_of(shape: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return the inertias about the centre of mass (V, 6) of shapes (V, 6) and masses (V,)."""
    A = np.zeros((len(shape), 3, 3))
    A[:, range(3), range(3)] = np.exp(shape[:, :3])
    A[:, OFF[0], OFF[1]] = shape[:, 3:]
    S = A @ A.swapaxes(1, 2)
    inertia = np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S
    return mass[:, None] * inertia[:, PLACES[0], PLACES[1]]


def matrix_of(rows: np.ndarray) -> np.ndarray:
    """Return the matrix (3, 3) of xx, xy, xz, yy, yz, zz."""
    result = np.empty((3, 3))
    result[PLACES] = result[PLACES[::-1]] = rows
    return result
