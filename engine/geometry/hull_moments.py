"""Centre of volume, inertia and principal axes of convex hulls, with the round-off of PhysX's."""

from collections.abc import Sequence

import numpy as np

from .half_edges import Face, cross, dot

MOST_ROTATIONS = 24
ONE, TWO, HALF = np.float32(1.0), np.float32(2.0), np.float32(0.5)


def moments_of_hull(points: np.ndarray, faces: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the centre of volume (3,) and the inertia of density 1 about the origin (3, 3), in single precision.

    Args:
        points: vertices of the hull (N, 3), in single precision.
        faces: the vertices of each face.
    """
    mean = points[0] * np.float32(0.0)
    for point in points:
        mean = mean + point
    origin = mean * (ONE / np.float32(len(points)))
    sums = np.zeros(10)  # 1; x, y, z; x², y², z²; xy, yz, zx
    for face in faces:
        normal = Face(points, list(face)).normal
        first = points[face[0]] - origin
        for i in range(len(face) - 2):
            second, third = points[face[i + 1]] - origin, points[face[i + 2]] - origin
            area = cross(second - first, third - first)
            if dot(area, normal) < 0.0:
                area, second, third = -area, third, second
            sums += integrals(np.array((first, second, third), float), area.astype(float))
    mass, first, square, mixed = sums[0] / 6.0, sums[1:4] / 24.0, sums[4:7] / 60.0, sums[7:] / 120.0
    com = (first / mass).astype(np.float32)
    there = com + origin
    tensor = np.diag(square[[1, 0, 0]] + square[[2, 2, 1]])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        tensor[i, i] -= mass * float((com[j] * com[j] + com[k] * com[k]) - (there[j] * there[j] + there[k] * there[k]))
        tensor[i, j] = tensor[j, i] = -mixed[i] + mass * float(com[i] * com[j] - there[i] * there[j])
    return there, tensor.astype(np.float32)


def integrals(corners: np.ndarray, area: np.ndarray) -> np.ndarray:
    """Return the terms of a triangle (3, 3) in the ten volume integrals; `area` is twice its area along its normal."""
    a, b, c = corners
    f1 = a + b + c
    f2 = a * a + b * (a + b) + c * f1
    f3 = a * a * a + b * (a * a + b * (a + b)) + c * f2
    g = [f2 + corner * (f1 + corner) for corner in corners]
    mixed = [
        area[i] * sum(float(corner[(i + 1) % 3]) * float(part[i]) for corner, part in zip(corners, g, strict=True))
        for i in range(3)
    ]
    return np.array([area[0] * f1[0], *(area * f2), *(area * f3), *mixed])


def principal_rotation(tensor: np.ndarray) -> np.ndarray:
    """Return the quaternion (4,) of principal axes of a symmetric tensor (3, 3), by Jacobi rotations."""
    q = np.array((0.0, 0.0, 0.0, 1.0), np.float32)
    for _ in range(MOST_ROTATIONS):
        axes = columns_of(q)
        half = np.array([[dot(a, column) for column in tensor.T] for a in axes])
        d = np.array([[dot(row, b) for b in axes] for row in half])
        d0, d1, d2 = abs(d[2, 1]), abs(d[2, 0]), abs(d[1, 0])  # round-off makes d[i, j] another number
        axis = 0 if d0 > d1 and d0 > d2 else 1 if d1 > d2 else 2
        i, j = (axis + 1) % 3, (axis + 2) % 3
        product, difference = d[j, i], d[i, i] - d[j, j]
        if product == 0.0 or abs(difference) > np.float32(2e6) * abs(TWO * product):
            break
        ratio = difference / (TWO * product)
        turn = np.zeros(4, np.float32)
        if abs(ratio) > 1000:
            turn[axis], turn[3] = ONE / (np.float32(4.0) * ratio), ONE
        else:
            tangent = ONE / (abs(ratio) + np.sqrt(ratio * ratio + ONE))
            cosine = ONE / np.sqrt(tangent * tangent + ONE)
            sine = np.sqrt((ONE - cosine) / TWO)
            turn[axis] = sine if ratio >= 0.0 else -sine  # also of a ratio of 0, where any turn would do
            turn[3] = np.sqrt((ONE + cosine) / TWO)
        q = product_of(q, turn)
        q = q * (ONE / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
    return q


def product_of(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the product of two quaternions (4,)."""
    (px, py, pz, pw), (qx, qy, qz, qw) = p, q
    return np.array(
        (
            pw * qx + qw * px + py * qz - qy * pz,
            pw * qy + qw * py + pz * qx - qz * px,
            pw * qz + qw * pz + px * qy - qx * py,
            pw * qw - px * qx - py * qy - pz * qz,
        )
    )


def columns_of(q: np.ndarray) -> np.ndarray:
    """Return the columns of the matrix of a quaternion (4,), as rows (3, 3)."""
    x, y, z, w = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x2 * x, y2 * y, z2 * z
    xy, xz, xw, yz, yw, zw = x2 * y, x2 * z, x2 * w, y2 * z, y2 * w, z2 * w
    return np.array(
        (
            (ONE - yy - zz, xy + zw, xz - yw),
            (xy - zw, ONE - xx - zz, yz + xw),
            (xz + yw, yz - xw, ONE - xx - yy),
        )
    )
