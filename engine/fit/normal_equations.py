"""Products of tall Jacobians, computed by one thread.

A BLAS shares even small products out to all cores. Where other programs run, its threads wait for each other, and a
product of 20,000 × 40 numbers costs ten times as much processor time as by one thread.
"""

import numpy as np

BLOCK = 200_000  # multiplications below which a product stays in one thread


def gram(J: np.ndarray) -> np.ndarray:
    """Return JᵀJ of (N, P), (P, P)."""
    rows, columns = J.shape
    block = max(8, BLOCK // max(columns * columns, 1))
    whole = rows // block * block
    if J.flags.c_contiguous:
        parts = J[:whole].reshape(-1, block, columns)
    else:
        parts = J.T[:, :whole].reshape(columns, -1, block).transpose(1, 2, 0)
    rest = J[whole:]
    return np.matmul(parts.swapaxes(1, 2), parts).sum(0) + rest.T @ rest


def project(J: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return Jᵀr of (N, P) and (N,), (P,)."""
    return np.einsum("np,n->p", J, r)


def combine(J: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return J x of (N, P) and (P,), (N,)."""
    return np.einsum("np,p->n", J, x)
