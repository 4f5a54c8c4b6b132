"""Cameras over time: standing, turning about the motion, or following a link."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .camera import Camera, find_link, parse_camera
from .framing import Framing
from .scene import LookScene
from .track import Track

FAR = 0.4  # travel of a robot, by its size, from which on a camera follows it: less than that of one that falls over
HIGH = 1.0  # rise or fall of a robot, by its size, from which on the camera follows it along the up axis, too


@dataclass(frozen=True)
class CameraPath:
    """A camera, the link that it follows, and how fast it turns."""

    camera: Camera
    follow: int = -1  # index of a link of the first world; -1: none
    along: tuple[float, ...] = (1.0, 1.0, 1.0)  # 1 for each axis along which it follows, else 0
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)  # [m] from the link, along these axes, to the target
    orbit: float = 0.0  # [deg/s]

    def at(self, time: float, pose: np.ndarray, origins: np.ndarray) -> Camera:
        """Return the camera at a time [s] of the film, when the links have poses (W, L, 7)."""
        camera = replace(self.camera, azimuth=self.camera.azimuth + self.orbit * time)
        if self.follow < 0:
            return camera
        place = (np.asarray(pose[0, self.follow, :3], float) + origins[0]) * self.along + self.offset
        return replace(camera, target=(float(place[0]), float(place[1]), float(place[2])))


def plan_camera(
    scene: LookScene, track: Track, aspect: float, text: str = "", motion: Sequence[float | str] = (0.0, "")
) -> CameraPath:
    """Return the camera of a film: what a text leaves open is chosen so that the whole motion is seen.

    Args:
        scene: what is drawn.
        track: its motion.
        aspect: width by height of the pictures.
        text: fields of the camera, as `parse_camera` reads them.
        motion: degrees per second that the camera turns, and what it follows, as `followed_link` reads it.

    Raises:
        InputError: an unknown field or link.
    """
    links = [link.path for link in scene.links]
    fields = parse_camera(text, links)
    orbit, number = float(motion[0]), followed_link(scene, track, text, str(motion[1]))
    along = followed_axes(scene, track, number, str(motion[1]))
    target = fields.pop("target", None)
    asked = replace(Camera(), **fields)
    camera = Framing.of(scene, _about(track, number, along) if number >= 0 else track).frame(asked, aspect, scene.up)
    if "distance" in fields:
        camera = replace(camera, distance=asked.distance)
    if isinstance(target, str):
        target = _place(track, find_link(target, links, "--camera target="))
    if target is not None:
        camera = replace(camera, target=target)
    if number < 0:
        return CameraPath(camera, orbit=orbit)
    offset = np.array(camera.target) - np.multiply(_place(track, number), along)
    return CameraPath(camera, number, along, tuple(map(float, offset)), orbit)


def followed_link(scene: LookScene, track: Track, text: str, follow: str) -> int:
    """Return the index of the link that a camera follows; -1 if it stands.

    Args:
        scene: what is drawn.
        track: its motion.
        text: fields of the camera, as `parse_camera` reads them.
        follow: a link, "none", or "": the base of a robot that travels `FAR` times its size, unless the text says from
            where to look.

    Raises:
        InputError: an unknown link.
    """
    if follow not in ("", "none"):
        return find_link(follow, [link.path for link in scene.links], "--follow ")
    parents = {link.parent for link in scene.links}
    bases = [i for i, link in enumerate(scene.links) if link.parent < 0 and i in parents]
    if follow or "target" in text or "distance" in text or not bases or track.worlds > 1:
        return -1
    travel = np.linalg.norm(_travel(track, bases), axis=-1)
    return bases[int(travel.argmax())] if travel.max() > FAR * _size(scene, track) else -1


def followed_axes(scene: LookScene, track: Track, link: int, follow: str) -> tuple[float, ...]:
    """Return 1 for each axis along which a camera follows a link, else 0.

    A camera that follows by itself stays level unless the robot rises or falls by `HIGH` times its size: the ground
    would move in the picture otherwise, and a robot that fell over would lie above the middle.
    """
    if follow or link < 0 or _travel(track, [link])[0, "XYZ".index(scene.up)] > HIGH * _size(scene, track):
        return (1.0, 1.0, 1.0)
    return tuple(float(axis != scene.up) for axis in "XYZ")


def _travel(track: Track, links: Sequence[int]) -> np.ndarray:
    """Return how far links of the first world go along each axis, (L, 3) [m]."""
    place = np.asarray(track.pose[:, 0, links, :3], float)
    return np.nanmax(place, axis=0) - np.nanmin(place, axis=0)


def _size(scene: LookScene, track: Track) -> float:
    """Return the diagonal [m] of the box about what is drawn at the start."""
    start = Framing.of(scene, track[:1])
    return float(np.linalg.norm(start.high - start.low))


def _about(track: Track, link: int, along: Sequence[float]) -> Track:
    """Return a track as a camera that follows a link of the first world along some axes sees it."""
    pose = np.array(track.pose, float)
    pose[..., :3] -= (pose[:, :1, link : link + 1, :3] - pose[:1, :1, link : link + 1, :3]) * along
    return replace(track, pose=pose)


def _place(track: Track, link: int) -> tuple[float, ...]:
    """Return where a link of the first world is at the start [m]."""
    place = np.asarray(track.pose[0, 0, link, :3], float) + track.origins[0]
    return tuple(map(float, place))
