"""Extent of a motion: what a camera must see, where the floor is, and what shadows cover."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .camera import Camera
from .scene import LookScene, Shape
from .track import Track, matrices_of

MARGIN = 1.08  # room about the motion
FRAMES = 64  # poses that are looked at
GREATEST = 5.0  # shapes of the world count up to this many times the size of the links
SMALLEST = 1e-3  # [m] radius of a ball about what is drawn
FARTHEST = 3.0  # radius of the shadows' ball, by that about the first frame


def shape_corners(scene: LookScene, shapes: Sequence[Shape]) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (S, 8, 3) of the boxes about shapes in the frames of their links, and these links (S,)."""
    corners = np.empty((len(shapes), 8, 3))
    for row, shape in enumerate(shapes):
        points = scene.meshes[shape.mesh].points
        box = box_corners(points.min(axis=0), points.max(axis=0))
        corners[row] = box @ shape.matrix[:3, :3].T + shape.matrix[:3, 3]
    return corners, np.array([shape.link for shape in shapes], int)


def box_corners(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the corners (8, 3) of a box."""
    return np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])], float)


@dataclass(frozen=True, eq=False)
class Framing:
    """Extent of a motion. Shapes of the world that are much larger than the links, a ground, do not count."""

    low: np.ndarray  # (3,) [m] least coordinates
    high: np.ndarray  # (3,) [m]
    floor: float  # [m] height of the floor
    radius: float  # [m] of the ball that shadows cover
    corners: np.ndarray  # (S, 8, 3) of the boxes about the shapes that count, in the frames of their links
    link: np.ndarray  # (S,) their links

    @classmethod
    def of(cls, scene: LookScene, track: Track) -> "Framing":
        """Return the extent of what is drawn of a scene over a motion of all its worlds."""
        corners, link = shape_corners(scene, scene.visuals)
        frames = np.unique(np.linspace(0, len(track) - 1, min(len(track), FRAMES)).round().astype(int))
        pose = np.asarray(track.pose[frames], float)
        pose = pose[np.isfinite(pose).all(axis=(1, 2, 3))]
        moving = [bounds_of(corners[link >= 0], link[link >= 0], one, track.origins) for one in pose]
        low, high = joined(moving)
        size = np.linalg.norm(high - low) if np.isfinite(low).all() else np.inf
        sizes = np.linalg.norm(np.ptp(corners, axis=1), axis=-1) if len(corners) else np.zeros(0)
        counted = (link >= 0) | (sizes <= GREATEST * size)
        corners, link = corners[counted], link[counted]
        every = [bounds_of(corners, link, one, track.origins) for one in pose]
        low, high = joined(every)
        if not np.isfinite([low, high]).all():
            low, high = -np.ones(3), np.ones(3)
        up = "XYZ".index(scene.up)
        floor = scene.floor if scene.floor is not None else min(0.0, float(low[up]))
        radii = [radius_of(*bounds) for bounds in every] or [1.0]
        radius = max(SMALLEST, min(max(radii) + abs(float(low[up]) - floor) / 2.0, FARTHEST * radii[0]))
        return cls(low, high, floor, radius, corners, link)

    def ball(self, pose: np.ndarray, origins: np.ndarray) -> tuple[np.ndarray, float]:
        """Return centre (3,) and radius [m] of the ball that shadows cover when the links have these poses."""
        low, high = bounds_of(self.corners, self.link, pose, origins)
        return ((low + high) / 2.0 if np.isfinite(low).all() else np.zeros(3)), self.radius

    def frame(self, camera: Camera, aspect: float, up: str) -> Camera:
        """Return the camera moved and set back so that the whole motion fits into pictures of this aspect.

        Its azimuth, elevation and field stay.
        """
        centre = (self.low + self.high) / 2.0
        _, forward, right, above = replace(camera, target=(0.0, 0.0, 0.0)).axes(up)
        arm = box_corners(self.low, self.high) - centre
        across, down = camera.slopes(aspect)
        needed = np.maximum(np.abs(arm @ right) / across, np.abs(arm @ above) / down) - arm @ forward
        target = (float(centre[0]), float(centre[1]), float(centre[2]))
        return replace(camera, target=target, distance=max(MARGIN * float(needed.max()), SMALLEST))


def bounds_of(
    corners: np.ndarray, link: np.ndarray, pose: np.ndarray, origins: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and greatest coordinates (3,) of boxes (S, 8, 3) on links with poses (W, L, 7)."""
    if not len(corners):
        return np.full(3, np.inf), np.full(3, -np.inf)
    matrix = np.concatenate([matrices_of(pose), np.broadcast_to(np.eye(4), (len(pose), 1, 4, 4))], axis=1)[:, link]
    places = np.einsum("wsij,scj->wsci", matrix[..., :3, :3], corners)
    places += matrix[..., None, :3, 3] + origins[:, None, None]
    return places.min(axis=(0, 1, 2)), places.max(axis=(0, 1, 2))


def joined(bounds: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of all bounds."""
    if not bounds:
        return np.full(3, np.inf), np.full(3, -np.inf)
    return np.min([low for low, _ in bounds], axis=0), np.max([high for _, high in bounds], axis=0)


def radius_of(low: np.ndarray, high: np.ndarray) -> float:
    """Return the radius of the ball about a box."""
    size = float(np.linalg.norm(high - low))
    return size / 2.0 if np.isfinite(size) else 1.0
