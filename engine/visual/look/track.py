"""Motion of links over time, for one or several worlds."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...recording.recorder import Recording


@dataclass(frozen=True, eq=False)
class Track:
    """Poses of the L links of W worlds at T times; `origins` place the worlds side by side."""

    time: np.ndarray  # (T,) [s]
    pose: np.ndarray  # (T, W, L, 7) world frame of each link's prim: xyz [m], quaternion xyzw
    origins: np.ndarray = field(default_factory=lambda: np.zeros((1, 3)))  # (W, 3) [m]

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    @property
    def worlds(self) -> int:
        """Return the number of worlds."""
        return self.pose.shape[1]

    def __getitem__(self, frames: slice) -> "Track":
        """Return the frames of a slice, without a copy."""
        return Track(self.time[frames], self.pose[frames], self.origins)

    def at(self, times: np.ndarray) -> "Track":
        """Return poses at other times (N,): positions linear between frames, rotations the short way.

        Before the first and after the last frame the motion stands still.
        """
        times = np.asarray(times, float)
        after = np.clip(np.searchsorted(self.time, times, side="right"), 1, max(1, len(self) - 1))
        before = after - 1
        after = np.minimum(after, len(self) - 1)
        gap = self.time[after] - self.time[before]
        share = np.divide(times - self.time[before], gap, out=np.zeros_like(times), where=gap > 0.0)
        share = np.clip(share, 0.0, 1.0)[:, None, None, None]
        a, b = (np.asarray(self.pose[frames], float) for frames in (before, after))
        turn = np.where((a[..., 3:] * b[..., 3:]).sum(-1, keepdims=True) < 0.0, -1.0, 1.0)
        pose = (1.0 - share) * a
        pose[..., :3] += share * b[..., :3]
        pose[..., 3:] += share * turn * b[..., 3:]
        pose[..., 3:] /= np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)
        return Track(times, pose, self.origins)


@dataclass(frozen=True, eq=False)
class Animation:
    """Motion that a USD file describes: poses of links, and states of D degrees of freedom where it has these."""

    track: Track  # of one world
    q: np.ndarray  # (T, D) [rad | m]; (T, 0) if no state of a joint varies
    qd: np.ndarray  # (T, D) [rad/s | m/s], or (T, 0)


def matrices_of(pose: np.ndarray) -> np.ndarray:
    """Return the transforms (..., 4, 4) for column vectors of poses (..., 7): xyz, quaternion xyzw."""
    x, y, z, w = np.moveaxis(np.asarray(pose, float)[..., 3:], -1, 0)
    matrix = np.zeros((*pose.shape[:-1], 4, 4))
    matrix[..., 3, 3] = 1.0
    matrix[..., :3, 3] = pose[..., :3]
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            matrix[..., i, j] = value
    return matrix


def grid_origins(worlds: int, spacing: float, up: str = "Z") -> np.ndarray:
    """Return the places (W, 3) of worlds side by side in rows on the floor, `spacing` [m] apart, about the origin."""
    across = int(np.ceil(np.sqrt(worlds)))
    index = np.arange(worlds)
    place = np.stack([index % across, index // across], axis=1) * spacing
    place = place - (place.min(axis=0) + place.max(axis=0)) / 2.0
    origins = np.zeros((worlds, 3))
    origins[:, [0, 1] if up == "Z" else [2, 0]] = place
    return origins


def track_of(recording: "Recording") -> Track:
    """Return the track of a recording; its worlds are in place of each other."""
    return Track(np.asarray(recording.time), np.asarray(recording.pose), np.zeros((recording.worlds, 3)))
