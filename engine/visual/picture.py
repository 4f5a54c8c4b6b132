"""Pictures of motions as arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .look.camera_path import CameraPath, plan_camera
from .look.moving_marks import MovingMarks
from .look.overlays import overlay_scene
from .motion.motion import Motion, motion_of

if TYPE_CHECKING:
    from ..recording.recorder import Recording
    from .raster.rasterizer import PictureStyle


def render(
    recording: "Recording",
    time: float | None = None,
    size: tuple[int, int] = (640, 480),
    camera: str = "",
    world: int = 0,
) -> np.ndarray:
    """Draw a picture of a recording, with shadows; return its pixels (h, w, 3) uint8.

    Args:
        recording: the frames; its scene contains the path of the USD file, which has the shapes.
        time: the time [s] of the picture; None for the end.
        size: width and height [pixels].
        camera: "azimuth=-55,elevation=22,distance=3,target=LINK"; what is left open shows the whole motion.
        world: the world to draw.

    Raises:
        InvalidScene: the USD file is missing.
        ValueError: the camera is not described as above, or the recording has no frames.
    """
    from .raster.rasterizer import PictureStyle, Rasterizer

    if not len(recording):
        raise ValueError("recording: must have a frame; record some steps")
    motion = finite_frames(motion_of(recording.world(world)))
    path = plan_camera(motion.look, motion.track, size[0] / size[1], camera)
    moment = motion.track.at(np.array([motion.track.time[-1] if time is None else time]))
    raster = Rasterizer(motion.look, motion.track, PictureStyle(size))
    return raster.draw(moment.pose[0], path.at(0.0, moment.pose[0], moment.origins))


def with_overlays(motion: Motion, show: Sequence[str], visuals: bool = True) -> Motion:
    """Return a motion whose visual shapes include overlays, see `look.overlays`, and may exclude its own shapes."""
    own = set(map(id, motion.look.visuals))
    look = overlay_scene(motion.scene, motion.look, show, motion.extent)
    if not visuals:
        look = replace(look, shapes=tuple(shape for shape in look.shapes if id(shape) not in own))
    return replace(motion, look=look)


def finite_frames(motion: Motion) -> Motion:
    """Return a motion up to its last finite frame.

    Raises:
        ValueError: the first frame is not finite.
    """
    finite = np.isfinite(motion.track.pose).all(axis=(1, 2, 3))
    if finite.all():
        return motion
    count = int(finite.argmin())
    if not count:
        raise ValueError("motion: must have a finite first frame; simulate with a smaller step")
    note = f"drawn until {motion.track.time[count - 1]:.6g} s: the motion is not finite afterwards"
    return replace(motion, track=motion.track[:count], notes=(*motion.notes, note))


def draw_frames(
    motion: Motion,
    path: CameraPath,
    style: "PictureStyle",
    times: np.ndarray,
    speed: float = 1.0,
    show: Sequence[str] = (),
) -> Iterator[np.ndarray]:
    """Yield the pictures of a motion at times (N,) [s]; the camera moves in the time of the film, 1 / speed of it.

    `show` names the moving marks: contacts, tendons.
    """
    from .raster.rasterizer import Rasterizer

    marks = MovingMarks.of(motion.scene, motion.look, motion.extent, show, motion.contacts)
    fixed = motion.look.visuals
    raster = Rasterizer(marks.look, motion.track, style, (*fixed, *marks.shapes))
    for time in times:
        moment = motion.track.at(np.array([time]))
        camera = path.at((time - times[0]) / speed, moment.pose[0], moment.origins)
        if marks.shapes:
            raster.move_shapes(len(fixed), marks.matrices(float(time), moment.pose[0]))
        yield raster.draw(moment.pose[0], camera)
