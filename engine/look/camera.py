"""Cameras: where they stand, what they look at, and how far away the whole motion fits into the picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..scene import Vector
from .scene import GUIDE, LookScene, Shape
from .track import Track, matrices_of

AZIMUTH, ELEVATION, FIELD = -55.0, 22.0, 35.0  # [deg]
MARGIN = 1.08  # room about the motion
FRAMES = 64  # poses that a framing looks at
GREATEST = 3.0  # shapes of the world count for the framing up to this many times the size of the links


@dataclass(frozen=True)
class Camera:
    """A camera on a sphere about its target."""

    azimuth: float = AZIMUTH  # [deg] about the up axis, from x (from z in Y-up scenes)
    elevation: float = ELEVATION  # [deg] above the floor
    distance: float = 1.0  # [m] to the target
    target: Vector = (0.0, 0.0, 0.0)  # [m]
    field: float = FIELD  # [deg] of view, across the smaller side of a picture

    def axes(self, up: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return eye [m] and the directions forward, right and up, (3,) each, in a scene with this up axis."""
        a, e = np.radians(self.azimuth), np.radians(self.elevation)
        out = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        if up == "Y":  # z, x, y take the places of x, y, z
            out, right = out[[1, 2, 0]], right[[1, 2, 0]]
        return np.array(self.target) + self.distance * out, -out, right, np.cross(out, right)


def parse_camera(text: str, links: Sequence[str] = ()) -> dict[str, float | Vector | str]:
    """Return the fields that a text such as "azimuth=-55,distance=3,target=0,0,1" names.

    A target is three numbers or the name of a link.

    Raises:
        InputError: an unknown field, or a value that is not a number or a link.
    """
    fields: dict[str, float | Vector | str] = {}
    head, _, target = text.partition("target=")
    if target:
        head, rest = head.rstrip(","), ""
        words = target.split(",")
        numbers = [is_number(word) for word in words]
        size = 3 if numbers[:3] == [True] * 3 else 1
        rest = ",".join(words[size:])
        fields["target"] = tuple(map(float, words[:3])) if size == 3 else words[0]
        head = ",".join(filter(None, (head, rest)))
    for part in filter(None, head.split(",")):
        name, _, value = part.partition("=")
        if name not in ("azimuth", "elevation", "distance", "field"):
            raise InputError(
                f"--camera {part}: must be azimuth=DEG, elevation=DEG, distance=M, field=DEG or target=LINK|X,Y,Z; "
                "correct the name"
            )
        if not is_number(value):
            raise InputError(f"--camera {part}: must be a finite number; write {name}=1.5")
        fields[name] = float(value)
    if isinstance(fields.get("target"), str):
        find_link(str(fields["target"]), links, "--camera target=")
    for name, low, high in (("distance", 0.0, np.inf), ("field", 0.0, 170.0)):
        if name in fields and not low < float(fields[name]) < high:  # pyright: ignore[reportArgumentType]
            raise InputError(f"--camera {name}={fields[name]:g}: must be above {low:g}; write a greater number")
    return fields


def is_number(text: str) -> bool:
    """Return whether a text is a finite number."""
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def find_link(text: str, links: Sequence[str], option: str) -> int:
    """Return the index of the link whose path is `text`, or ends with it.

    Raises:
        InputError: no link, or several, have this name.
    """
    ends = [i for i, path in enumerate(links) if path == text or path.endswith(f"/{text.lstrip('/')}")]
    exact = [i for i in ends if links[i] == text]
    if len(exact or ends) != 1:
        known = ", ".join(path.rpartition("/")[2] for path in list(links)[:8]) or "none"
        rule = "the name of one link" if not ends else f"the name of one link, but {len(ends)} have it"
        raise InputError(f"{option}{text}: must be {rule}; the links are {known}{', …' if len(links) > 8 else ''}")
    return (exact or ends)[0]


def shape_corners(scene: LookScene, shapes: Sequence[Shape]) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (S, 8, 3) of the boxes about shapes in the frames of their links, and these links (S,)."""
    corners = np.empty((len(shapes), 8, 3))
    for row, shape in enumerate(shapes):
        points = scene.meshes[shape.mesh].points
        low, high = points.min(axis=0), points.max(axis=0)
        box = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        corners[row] = box @ shape.matrix[:3, :3].T + shape.matrix[:3, 3]
    return corners, np.array([shape.link for shape in shapes], int)


def motion_bounds(scene: LookScene, track: Track) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and greatest coordinates (3,) [m] of what is drawn, over a motion of all worlds.

    Shapes of the world that are much larger than the links, such as a ground, do not count.
    """
    shapes = [shape for shape in scene.shapes if shape.purpose != GUIDE]
    if not shapes:
        return -np.ones(3), np.ones(3)
    corners, link = shape_corners(scene, shapes)
    frames = np.unique(np.linspace(0, len(track) - 1, min(len(track), FRAMES)).round().astype(int))
    pose = np.asarray(track.pose[frames], float)
    pose = pose[np.isfinite(pose).all(axis=(1, 2, 3))]
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    moving = link >= 0
    if moving.any() and len(pose):
        matrix = matrices_of(pose)[:, :, link[moving]]
        places = np.einsum("twsij,scj->twsci", matrix[..., :3, :3], corners[moving]) + matrix[..., None, :3, 3]
        places += track.origins[:, None, None]
        low, high = places.min(axis=(0, 1, 2, 3)), places.max(axis=(0, 1, 2, 3))
    size = np.linalg.norm(high - low) if moving.any() and len(pose) else np.inf
    for box in corners[~moving]:
        here = box[None] + track.origins[:, None]
        if np.linalg.norm(box.max(axis=0) - box.min(axis=0)) <= GREATEST * size:
            low, high = np.minimum(low, here.min(axis=(0, 1))), np.maximum(high, here.max(axis=(0, 1)))
    return (low, high) if np.isfinite([low, high]).all() else (-np.ones(3), np.ones(3))


def frame_camera(scene: LookScene, track: Track, camera: Camera, aspect: float) -> Camera:
    """Return the camera moved and set back so that the whole motion fits into pictures of this aspect.

    Its azimuth, elevation and field stay.
    """
    low, high = motion_bounds(scene, track)
    centre = (low + high) / 2.0
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    _, forward, right, up = replace(camera, target=(0.0, 0.0, 0.0)).axes(scene.up)
    arm = corners - centre
    narrow = np.tan(np.radians(camera.field) / 2.0)
    across, down = narrow * max(1.0, aspect), narrow * max(1.0, 1.0 / aspect)
    needed = np.maximum(np.abs(arm @ right) / across, np.abs(arm @ up) / down) - arm @ forward
    distance = max(MARGIN * float(needed.max()), 1e-3)
    return replace(camera, target=(float(centre[0]), float(centre[1]), float(centre[2])), distance=distance)
