"""Quaternions (x, y, z, w) of worlds, as tensors (W, 4)."""

import numpy as np
import torch


def atan2(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return the angles of points (x, y) [rad], rounded from double precision.

    In single precision torch rounds those left over from its vectors otherwise: the number of worlds would matter.
    """
    return torch.atan2(y.double(), x.double()).to(y.dtype)


def rotate(quaternion: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Return vectors (W, 3) turned by quaternions."""
    xyz, w = quaternion[:, :3], quaternion[:, 3:]
    t = 2.0 * torch.linalg.cross(xyz, vector)
    return vector + w * t + torch.linalg.cross(xyz, t)


def rotate_inverse(quaternion: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Return vectors (W, 3) in the axes of quaternions."""
    xyz, w = quaternion[:, :3], quaternion[:, 3:]
    t = 2.0 * torch.linalg.cross(xyz, vector)
    return vector - w * t + torch.linalg.cross(xyz, t)


def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the rotation by b followed by the rotation by a."""
    av, aw, bv, bw = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    vector = aw * bv + bw * av + torch.linalg.cross(av, bv)
    return torch.cat([vector, aw * bw - (av * bv).sum(1, keepdim=True)], 1)


def from_euler(angles: np.ndarray) -> np.ndarray:
    """Return rotations by roll about x, then pitch about y, then yaw about z, (N, 3) → (N, 4), on the host."""
    half = np.ascontiguousarray(angles.T) / 2
    (sr, sp, sy), (cr, cp, cy) = np.sin(half), np.cos(half)
    a, b, c, d = sr * cp, cr * sp, cr * cp, sr * sp
    found = np.empty((len(angles), 4), half.dtype)
    found[:, 0], found[:, 1], found[:, 2], found[:, 3] = (
        a * cy - b * sy,
        b * cy + a * sy,
        c * sy - d * cy,
        c * cy + d * sy,
    )
    return found


def yaw_roll(quaternion: torch.Tensor) -> torch.Tensor:
    """Return yaw and roll of rotations [rad], from -π to π, (W, 2)."""
    x, y, z, w = quaternion.unbind(1)
    yaw = atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    roll = atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return torch.stack([yaw, roll], 1)


def angle_between(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the angles of the rotations from b to a [rad], from 0 to π, (W,)."""
    between = multiply(a, torch.cat([-b[:, :3], b[:, 3:]], 1))
    return 2.0 * atan2(between[:, :3].square().sum(1).sqrt(), between[:, 3].abs())
