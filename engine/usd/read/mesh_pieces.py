"""Convex parts of meshes, kept in the user's cache folder: cutting a mesh takes seconds."""

from contextlib import suppress
from dataclasses import astuple
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from ...geometry import convex_decomposition
from ...geometry.convex_decomposition import Decomposition, decompose
from ...npz import read_archive, write_archive
from ...parts_folder import parts_folder

FORM = "fajin-parts-1"


def convex_parts(points: np.ndarray, triangles: np.ndarray, wanted: Decomposition) -> list[np.ndarray]:
    """Return the points (N, 3) of convex parts of a mesh, read from the cache if it was cut before.

    Args:
        points: of the mesh (N, 3).
        triangles: numbers of their corners (M, 3).
        wanted: parameters of the decomposition.
    """
    content = law() + repr((astuple(wanted), points.shape, triangles.shape)).encode()
    content += np.ascontiguousarray(points, float).tobytes() + np.ascontiguousarray(triangles, np.int64).tobytes()
    folder = parts_folder()
    file = folder / f"{sha256(content).hexdigest()}.npz" if folder else None
    parts = read_parts(file) if file else None
    if parts is None:
        parts = decompose(points, triangles, wanted)
        if file:
            write_parts(file, parts)
    return parts


@cache
def law() -> bytes:
    """Return the source of what cuts meshes: where it changes, they are cut again."""
    folder = Path(convex_decomposition.__file__).parent
    return b"".join(file.read_bytes() for file in [*sorted(folder.glob("*.py")), Path(__file__)])


def read_parts(file: Path) -> list[np.ndarray] | None:
    """Return the parts in a file; None if it is missing or damaged."""
    try:
        arrays = read_archive(file, FORM, ValueError)
        points, ends = arrays["points"].reshape(-1, 3).astype(float), arrays["ends"].astype(int)
    except (OSError, ValueError, KeyError):
        return None
    return np.split(points, ends[:-1]) if len(ends) else []


def write_parts(file: Path, parts: list[np.ndarray]) -> None:
    """Write parts to a file, unless that is forbidden."""
    ends = np.cumsum([len(part) for part in parts], dtype=int)
    with suppress(OSError):
        write_archive(file, FORM, {"points": np.concatenate([np.zeros((0, 3)), *parts]), "ends": ends})
