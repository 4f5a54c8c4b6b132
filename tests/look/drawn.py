"""Small scenes to draw, without USD."""

from collections.abc import Sequence

import numpy as np

from fajin.geometry.primitives import Triangles
from fajin.visual.look.bones import look_mesh
from fajin.visual.look.camera import Camera
from fajin.visual.look.scene import LookLink, LookScene, Shape
from fajin.visual.look.track import Track

FRONT = Camera(azimuth=0.0, elevation=0.0, distance=10.0, field=40.0)
"""A camera at (10, 0, 0) that looks along -x; y is to the right and z above."""


def scene_of(*parts: tuple[Triangles, tuple, Sequence[float]], up: str = "Z") -> LookScene:
    """A scene of shapes of the world: triangles, colour, and place."""
    meshes = tuple(look_mesh(triangles) for triangles, _, _ in parts)
    shapes = []
    for i, (_, color, place) in enumerate(parts):
        matrix = np.eye(4, dtype=np.float32)
        matrix[:3, 3] = place
        shapes.append(Shape(f"/{i}", i, 0, matrix, color))
    return LookScene(meshes, tuple(shapes), (LookLink("link", "/link"),), up=up, floor=-100.0)


def still(count: int = 1) -> Track:
    """A link that stands at the origin, in some worlds."""
    pose = np.zeros((1, count, 1, 7))
    pose[..., 6] = 1.0
    return Track(np.zeros(1), pose, np.zeros((count, 3)))


def covered(picture: np.ndarray) -> np.ndarray:
    """Share of each pixel of a transparent picture without floor that something covers."""
    return picture[..., 3] / 255.0
