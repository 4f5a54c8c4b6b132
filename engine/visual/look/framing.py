"""Extent of a motion: what a camera must see, where the floor is, and what shadows cover."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .camera import Camera
from .scene import LookScene, Shape
from .track import Track, matrices_of

MARGIN = 1.08  # room about the motion
FRAMES = 64  # poses that are looked at
MOST_POINTS = 400_000
BISECTIONS = 24
GREATEST = 5.0  # shapes of the world count up to this many times the size of the links
NEAR_FLOOR = 0.1  # distance of a base that stands from height 0 and from the lowest point, by the size of the motion
STILL = 1e-4  # [m] motion of a base that stands
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
    points: np.ndarray  # (N, 3) [m] corners of the boxes about all shapes over the motion
    floor: float  # [m] height of the floor
    glass: bool  # True if nothing collides with the floor: what is below it is seen through it
    radius: float  # [m] of the ball that shadows cover
    corners: np.ndarray  # (S, 8, 3) of the boxes about the shapes that count, in the frames of their links
    link: np.ndarray  # (S,) their links

    @classmethod
    def of(cls, scene: LookScene, track: Track) -> "Framing":
        """Return the extent of what is drawn of a scene over a motion of all its worlds."""
        corners, link = shape_corners(scene, scene.visuals)
        pose = some_poses(track, 8 * len(link))
        low, high = bounds_of([place(corners[link >= 0], link[link >= 0], one, track.origins) for one in pose])
        size = np.linalg.norm(high - low) if np.isfinite(low).all() else np.inf
        sizes = np.linalg.norm(np.ptp(corners, axis=1), axis=-1) if len(corners) else np.zeros(0)
        counted = (link >= 0) | (sizes <= GREATEST * size)
        corners, link = corners[counted], link[counted]
        places = [place(corners, link, one, track.origins) for one in pose]
        points = np.concatenate(places) if len(link) and places else np.array([-np.ones(3), np.ones(3)])
        low, high = bounds_of([points])
        up = "XYZ".index(scene.up)
        floor = scene.floor
        if floor is None:
            stands = lowest_base(scene, link, [one.reshape(-1, len(link), 8, 3)[..., up] for one in places])
            first = float(places[0][:, up].min()) if places and len(link) else 0.0
            near = max(abs(stands), stands - first) < NEAR_FLOOR * np.linalg.norm(high - low)
            floor = stands if near else min(0.0, float(low[up]))
        radii = [radius_of(*bounds_of([one])) for one in places] or [1.0]
        radius = max(SMALLEST, min(max(radii) + abs(float(low[up]) - floor) / 2.0, FARTHEST * radii[0]))
        return cls(low, high, points, floor, scene.floor is None, radius, corners, link)

    def ball(self, pose: np.ndarray, origins: np.ndarray) -> tuple[np.ndarray, float]:
        """Return centre (3,) and radius [m] of the ball that shadows cover when the links have these poses."""
        low, high = bounds_of([place(self.corners, self.link, pose, origins)])
        return ((low + high) / 2.0 if np.isfinite(low).all() else np.zeros(3)), self.radius

    def frame(self, camera: Camera, aspect: float, up: str) -> Camera:
        """Return the camera moved so that all points fill pictures of this aspect; its angles and field stay.

        An eye e sees p if |(p - e) · right| ≤ across (p - e) · forward, and the same above. So e · forward is at most
        -(max(p · (right - across forward)) + max(p · (-right - across forward))) / (2 across).
        """
        _, forward, right, above = replace(camera, target=(0.0, 0.0, 0.0)).axes(up)
        depth, nearest = self.points @ forward, np.inf
        for axis, slope in zip((right, above), camera.slopes(aspect), strict=True):
            inner, side = slope / MARGIN, self.points @ axis
            most, least = float((side - inner * depth).max()), float((-side - inner * depth).max())
            nearest = min(nearest, -(most + least) / (2.0 * inner))
        eye = sum(middle(self.points @ axis, depth - nearest) * axis for axis in (right, above))
        distance = max(float((self.low + self.high) @ forward) / 2.0 - nearest, SMALLEST)
        target = eye + (nearest + distance) * forward
        return replace(camera, target=(float(target[0]), float(target[1]), float(target[2])), distance=distance)


def middle(side: np.ndarray, depth: np.ndarray) -> float:
    """Return the place of an eye from which points appear as far to one side as to the other.

    Args:
        side: (N,) coordinates of the points across the view.
        depth: (N,) their depths before the eye.
    """
    low, high = float(side.min()), float(side.max())
    for _ in range(BISECTIONS):
        place = (low + high) / 2.0
        slopes = (side - place) / depth
        low, high = (place, high) if slopes.max() + slopes.min() > 0.0 else (low, place)
    return (low + high) / 2.0


def lowest_base(scene: LookScene, link: np.ndarray, heights: Sequence[np.ndarray]) -> float:
    """Return the least height [m] of links that no joint moves and that stand still; infinity if there is none.

    Args:
        scene: what is drawn.
        link: (S,) the link of each shape.
        heights: (W, S, 8) heights of the corners of its box, of each pose.
    """
    base = (link >= 0) & (np.array((*scene.carriers, -1))[link] < 0)
    if not base.any() or not heights:
        return np.inf
    stacked = np.stack([one[:, base] for one in heights])
    still = np.ptp(stacked, axis=0).max(axis=(0, 2)) < STILL
    return float(stacked[0][:, still].min()) if still.any() else np.inf


def some_poses(track: Track, points: int) -> np.ndarray:
    """Return finite poses (N, W, L, 7) of frames spread over a track; fewer if each has very many points."""
    count = max(2, min(FRAMES, MOST_POINTS // max(1, points * track.worlds)))
    frames = np.unique(np.linspace(0, len(track) - 1, min(len(track), count)).round().astype(int))
    pose = np.asarray(track.pose[frames], float)
    return pose[np.isfinite(pose).all(axis=(1, 2, 3))]


def place(corners: np.ndarray, link: np.ndarray, pose: np.ndarray, origins: np.ndarray) -> np.ndarray:
    """Return the corners (W · S · 8, 3) of boxes (S, 8, 3) on links with poses (W, L, 7) in the world."""
    matrix = np.concatenate([matrices_of(pose), np.broadcast_to(np.eye(4), (len(pose), 1, 4, 4))], axis=1)[:, link]
    places = np.einsum("wsij,scj->wsci", matrix[..., :3, :3], corners)
    return (places + matrix[..., None, :3, 3] + origins[:, None, None]).reshape(-1, 3)


def bounds_of(places: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and greatest coordinates (3,) of points (N, 3)."""
    points = [one for one in places if len(one)]
    if not points:
        return np.full(3, np.inf), np.full(3, -np.inf)
    return np.min([one.min(axis=0) for one in points], axis=0), np.max([one.max(axis=0) for one in points], axis=0)


def radius_of(low: np.ndarray, high: np.ndarray) -> float:
    """Return the radius of the ball about a box."""
    size = float(np.linalg.norm(high - low))
    return size / 2.0 if np.isfinite(size) else 1.0
