"""Standard deviations of fitted parameters.

Residuals of real logs are correlated over a tenth of a second. The textbook covariance s² (JᵀJ)⁻¹ counts every row as
news and is too small by a factor of ten. The robust one, H⁻¹ (Σ g_b g_bᵀ) H⁻¹ with H = JᵀJ, sums the gradient over
blocks of half a second first. Encoders of few bits have a covariance of their own (`quantisation`). The largest is
used, because few blocks make the robust one too small.
"""

import numpy as np

from .normal_equations import gram

BLOCK = 0.5  # [s]
NORMAL = 1.959964  # half width of a 95 % interval in standard deviations
LOST = 1e-16  # part of the largest eigenvalue that stands for a smaller one: its direction is not determined


def invert(information: np.ndarray) -> np.ndarray:
    """Return the inverse of JᵀJ (P, P); directions that are not determined have huge variances."""
    size = np.sqrt(np.diag(information))
    size = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(information / np.outer(size, size))
    values = np.maximum(values, LOST * max(values[-1], LOST))
    return (vectors / values) @ vectors.T / np.outer(size, size)


def naive_covariance(J: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return s² (JᵀJ)⁻¹, (P, P)."""
    free = max(len(r) - J.shape[1], 1)
    return float(r @ r) / free * invert(gram(J))


def robust_covariance(J: np.ndarray, r: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Return the covariance with residuals correlated within blocks, (P, P).

    Args:
        J: Jacobian, (N, P).
        r: residuals, (N,).
        blocks: block of each residual, (N,) integers from 0.
    """
    count = int(blocks.max()) + 1
    order = np.argsort(blocks, kind="stable")
    starts = np.searchsorted(blocks[order], np.arange(count))
    gradients = np.add.reduceat((J * r[:, None])[order], starts, axis=0)
    inverse = invert(gram(J))
    factor = count / max(count - 1, 1)
    return factor * inverse @ (gradients.T @ gradients) @ inverse


def covariance(J: np.ndarray, r: np.ndarray, blocks: np.ndarray, quantised: np.ndarray | None = None) -> np.ndarray:
    """Return the covariance that is the widest for most parameters, with the largest standard deviations, (P, P).

    Args:
        J: Jacobian, (N, P).
        r: residuals, (N,).
        blocks: block of each residual, (N,).
        quantised: covariance by the errors of encoders, if there is one.
    """
    if not J.shape[1]:
        return np.zeros((0, 0))
    every = [naive_covariance(J, r), robust_covariance(J, r, blocks)]
    every += [] if quantised is None else [quantised]
    deviations = np.sqrt(np.maximum([np.diag(one) for one in every], 0.0))
    widest = np.bincount(deviations.argmax(0), minlength=len(every)).argmax()
    return rescale(every[widest], deviations.max(0))


def rescale(matrix: np.ndarray, deviations: np.ndarray) -> np.ndarray:
    """Return a covariance with its correlations and other standard deviations."""
    now = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    factor = np.divide(deviations, now, out=np.zeros_like(now), where=now > 0.0)
    return matrix * np.outer(factor, factor)


def blocks_of(time: np.ndarray, joints: int, first: int = 0) -> np.ndarray:
    """Return the block of each residual of a log, (T · joints,), counted from `first`."""
    return np.repeat(first + ((time - time[0]) / BLOCK).astype(int), joints)
