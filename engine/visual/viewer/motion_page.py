"""The page that plays a motion: scene, track, plots of joints, a picture of the start."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..look.bands import TargetChange, add_bands
from ..look.camera import Camera
from ..look.camera_path import CameraPath
from ..look.choices import PLAIN, LookChoices
from ..look.contact_marks import MarkSizes
from ..look.mark_pack import contact_frames, marks_head
from ..look.pack import ASPECT, FRAMED, Buffers, Ghost, add_ghost, pack_page, page_head, scene_head, track_head
from ..look.page import Page
from ..look.panels import add_panels
from ..look.png import png_bytes
from ..look.scene import LookScene
from ..look.series import Series
from ..look.track import Track
from ..motion.motion import Motion
from ..picture import draw_frames, with_overlays

FPS = 60.0  # of one world
FPS_OF_WORLDS = 30.0
PLOTTED = 16  # worlds
POSTER = (round(420 * ASPECT), 420)


@dataclass(frozen=True)
class MotionPageOptions:
    """Choices for the page of a motion."""

    title: str = "motion"
    fps: float | None = None  # most frames per second; None: 60, or 30 of several worlds
    joints: str | None = None  # regular expression of the plotted joints
    changes: tuple[TargetChange, ...] = ()  # of targets during the motion
    ghost: Track | None = None  # a second motion of the same scene
    poster: bool = True
    look: LookChoices = PLAIN
    grid: bool = True  # False: worlds stand in one place


def motion_page(motion: Motion, options: MotionPageOptions = MotionPageOptions()) -> Page:  # frozen
    """Return the page of a motion.

    Raises:
        InputError: no joint matches, or a choice names an unknown link.
    """
    track = thin_track(motion.track, options.fps)
    buffers = Buffers()
    motion = with_overlays(motion, [name for name in options.look.show if name == "bones"])
    camera = first_view(motion, track, options.look)
    head = page_head("motion", options.title, motion.notes)
    head |= scene_head(motion.look, track, buffers, camera) | choices_head(motion.look, track, options.look)
    head |= motion_marks(motion, track, buffers)
    if options.ghost is not None:
        track = add_ghost(head, motion.look, track, Ghost(options.ghost))
    head |= track_head(track, buffers)
    add_motion_panels(head, motion, options, buffers)
    poster = draw_poster(motion, camera, options.look) if options.poster else None
    return Page("motion", options.title, pack_page(head, buffers), poster)


def add_motion_panels(head: dict[str, Any], motion: Motion, options: MotionPageOptions, buffers: Buffers) -> None:
    """Add plots of q, qd, effort and error of the first worlds to a header."""
    if not motion.dof or "q" not in motion.series:
        return
    worlds = world_series(motion, min(PLOTTED, motion.track.worlds))
    worlds = [add_bands(one, motion.scene, options.changes) for one in worlds]
    kept = [name for name in ("q", "target_q", "error", "qd", "effort") if name in worlds[0].values]
    add_panels(head, [one.select(options.joints, kept) for one in worlds], buffers)


def world_series(motion: Motion, count: int) -> list[Series]:
    """Return the joint data of the first worlds of a motion."""
    time = np.asarray(motion.track.time, float)
    rows = len(next(iter(motion.series.values())))
    return [
        Series(
            f"world {world}",
            time[:rows],
            motion.dof,
            motion.unit,
            {name: np.asarray(values[:, world], float) for name, values in motion.series.items() if values.shape[-1]},
        )
        for world in range(count)
    ]


def thin_track(track: Track, fps: float | None) -> Track:
    """Return every n-th frame, so that there are at most `fps` per second; the frames that stay are unchanged."""
    fps = fps or (FPS if track.worlds == 1 else FPS_OF_WORLDS)
    if len(track) < 3:
        return track
    step = float(np.median(np.diff(track.time)))
    return track[:: max(1, round(1.0 / (fps * step)))] if step > 0.0 else track


def choices_head(look: LookScene, track: Track, choices: LookChoices) -> dict[str, Any]:
    """Return the part of a header that holds choices."""
    head = choices.head(look, track)
    return head | ({"shadows": False} if "shadow" in choices.hide else {})


def motion_marks(motion: Motion, track: Track, buffers: Buffers) -> dict[str, Any]:
    """Return the part of a header with the contacts and tendons of a motion."""
    log = motion.contacts
    head = marks_head(motion.look, MarkSizes.of(motion.scene, motion.extent), log.most if log else 0, buffers)
    return head | (contact_frames(log, track.time, buffers) if log and log.most else {})


def first_view(motion: Motion, track: Track, choices: LookChoices = PLAIN) -> Camera:
    """Return the camera of a page: it shows the whole motion, of many worlds that of the first ones."""
    seen = Track(track.time, track.pose[:, :FRAMED], track.origins[:FRAMED])
    return choices.place_camera(motion.look, seen, ASPECT)


def draw_poster(motion: Motion, camera: Camera, choices: LookChoices = PLAIN) -> bytes:
    """Return a PNG of the first frame, at most of the worlds that the camera shows."""
    from ..raster.rasterizer import PictureStyle

    first = motion.track[:1]
    few = replace(first, pose=first.pose[:, :FRAMED], origins=first.origins[:FRAMED])
    overlays = [name for name in choices.show if name != "bones"]  # these are among the shapes of the page
    drawn = with_overlays(replace(motion, track=few), overlays, "visuals" not in choices.hide)
    style = PictureStyle(POSTER, floor="floor" not in choices.hide, shadows="shadow" not in choices.hide)
    (picture,) = draw_frames(drawn, CameraPath(camera), style, few.time, show=choices.show)
    return png_bytes(picture)
