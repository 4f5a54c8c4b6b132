"""Planes, edges, centre and inner size of convex hulls, from their vertices and faces."""

from dataclasses import dataclass

import numpy as np

from .half_edges import Face

Faces = tuple[tuple[int, ...], ...]
Scale = tuple[float, float, float]
UNSCALED: Scale = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class HullFeatures:
    """Quantities of a hull that contacts need; a point is outside a face if normal · point + offset > 0."""

    normals: np.ndarray  # (F, 3) outward
    offsets: np.ndarray  # (F,)
    edges: np.ndarray  # (E, 2) the two faces at each edge, in PhysX's order
    centre: np.ndarray  # (3,) centre of volume
    inner: np.ndarray  # (3,) half sides of the box inside the hull about its centre
    unscaled_normals: np.ndarray  # (F, 3) outward, before the hull is scaled
    shrinkages: np.ndarray  # (F,) heights over the faces before the hull is scaled, per height after


def hull_features(points: np.ndarray, faces: Faces, scale: Scale = UNSCALED) -> HullFeatures:
    """Return the features of a hull with vertices (V, 3) and faces in PhysX's order.

    PhysX builds a hull, and the box inside it, in single precision before it scales both: here the scale of the
    vertices is divided out. A scale S takes the plane N · p + D = 0 to (S⁻¹ N · p + D) / k = 0 with k = |S⁻¹ N| / |N|.
    """
    unscaled = points / scale
    normals, offsets = hull_planes(unscaled.astype(np.float32), faces)
    inner = inner_box(unscaled, normals, offsets, volume_centre(unscaled, faces))
    shrinkages = np.linalg.norm(normals / scale, axis=1) / np.linalg.norm(normals, axis=1)
    return HullFeatures(
        normals / scale / shrinkages[:, None], offsets / shrinkages, face_pairs(faces), volume_centre(points, faces),
        np.array(scale) * inner, normals, shrinkages,
    )  # fmt: skip


def hull_planes(points: np.ndarray, faces: Faces) -> tuple[np.ndarray, np.ndarray]:
    """Return outward normals (F, 3) and offsets (F,) of faces, as the hull was built with them."""
    planes = [Face(points, list(face)) for face in faces]
    return np.array([plane.normal for plane in planes], float), np.array([-plane.offset for plane in planes], float)


def face_pairs(faces: Faces) -> np.ndarray:
    """Return the two faces at each edge, in the order in which the faces name the edges."""
    owner = {(a, b): f for f, face in enumerate(faces) for a, b in zip(face, face[1:] + face[:1], strict=True)}
    pairs = {}
    for (a, b), f in owner.items():
        pairs.setdefault((min(a, b), max(a, b)), (f, owner.get((b, a), f)))
    return np.array(list(pairs.values()), int).reshape(-1, 2)


def volume_centre(points: np.ndarray, faces: Faces) -> np.ndarray:
    """Return the centre of volume (3,)."""
    origin = points.mean(axis=0)
    fans = np.array([(face[0], face[i], face[i + 1]) for face in faces for i in range(1, len(face) - 1)])
    corners = points[fans] - origin
    volumes = np.abs(np.linalg.det(corners))
    return origin + (volumes @ corners.sum(axis=1)) / (4.0 * volumes.sum())


def inner_box(points: np.ndarray, normals: np.ndarray, offsets: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return the half sides (3,) of the box inside a hull about its centre, as PhysX finds it.

    The box grows from a cube along its longest axis, then along both others.
    """
    depth = offsets + normals @ centre  # negative
    cube = float(np.abs(depth).min()) / np.sqrt(3.0)
    along = int(np.ptp(points, axis=0).argmax())
    first, second = (along + 1) % 3, (along + 2) % 3
    signs = [(s, t) for s in (-1.0, 1.0) for t in (-1.0, 1.0)]
    steep = np.abs(normals[:, along]) > 1e-7
    big = small = np.inf
    for s, t in signs:
        reach = -depth[steep] + cube * (s * normals[steep, first] + t * normals[steep, second])
        big = min([big, *np.maximum(np.abs(reach / normals[steep, along]), cube)])
    for sign in (1.0, -1.0):
        slope = normals[:, first] + sign * normals[:, second]
        steep = np.abs(slope) > 1e-7
        for s in (-1.0, 1.0):
            reach = -depth[steep] + s * big * normals[steep, along]
            small = min([small, *np.maximum(np.abs(reach / slope[steep]), cube)])
    half = np.full(3, float(small))
    half[along] = big
    return half
