"""`fajin render`: pictures and films of a motion, without GPU, OpenGL or display."""

import time as clock
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools import look_options as look
from fajin.tools.progress import progress

if TYPE_CHECKING:
    import numpy as np

    from fajin.visual.motion.motion import Motion
    from fajin.visual.raster.rasterizer import PictureStyle

FPS = 30.0
STRIP = 0.32  # of the height, for plots
LEAST_STRIP, LEAST_PICTURE = 120, 32  # [pixels]


class Background(str, Enum):
    """Background of a picture."""

    GRADIENT = "gradient"
    WHITE = "white"
    TRANSPARENT = "transparent"


def render(  # one parameter per option: typer reads the signature
    motion: Annotated[
        Path,
        typer.Argument(metavar="MOTION", help="An animated USD file, a scene, a joint log, or the folder of a batch."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Write this file: .png, .gif, .mp4, .webp, .apng, or frames such as frames/%04d.png."
        ),
    ],
    scene: look.SceneOfLog = None,
    contact_log: look.ContactLogOption = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Set width and height [pixels].")] = "640x480",
    samples: Annotated[int, typer.Option(min=1, max=5, help="Set the samples along each side of a pixel.")] = 2,
    time: Annotated[float | None, typer.Option(help="Set the time of a picture [s]. Default: the start.")] = None,
    start: look.Start = None,
    end: look.End = None,
    speed: Annotated[float, typer.Option(help="Play a film slower or faster.")] = 1.0,
    fps: Annotated[float, typer.Option(help="Set the frames per second of a film.")] = FPS,
    camera: look.CameraFields = "",
    follow: look.Follow = "",
    orbit: Annotated[float, typer.Option(help="Turn the camera about the motion [deg/s].")] = 0.0,
    background: Annotated[Background, typer.Option(help="Select the background.")] = Background.GRADIENT,
    transparent: Annotated[bool, typer.Option("--transparent", help="Write an alpha channel; keep shadows.")] = False,
    show: look.Show = "",
    hide: look.Hide = "",
    worlds: Annotated[
        str, typer.Option(metavar="FIRST:LAST", help="Select worlds of a batch. Default: 0:16.")
    ] = "0:16",
    layout: look.WorldLayout = look.Layout.GRID,
    plots: Annotated[str, typer.Option(metavar="REGEX", help="Plot matching joints in a strip below.")] = "",
    quantity: Annotated[str, typer.Option(help="Select the plotted quantity: q, qd or effort.")] = "q",
) -> None:
    """Draw a motion as a picture or a film."""
    from fajin.errors import InputError
    from fajin.tools.plot_strip import PlotStrip
    from fajin.visual.look.camera_path import plan_camera
    from fajin.visual.look.film import check_film, is_film, open_film
    from fajin.visual.picture import draw_frames, with_overlays

    clear = transparent or background is Background.TRANSPARENT
    check_film(output, clear)
    choices = look.read_choices(camera, follow, show, hide)
    style = _style(size, samples, "transparent" if clear else background.value, choices.hide)
    look.select_worlds(worlds)  # checked also where the motion has one world
    found = look.read_shown(motion, scene, worlds, contact_log)
    shown = look.shown_names(found, choices.show)
    found = found.side_by_side() if layout is look.Layout.GRID else found
    found = with_overlays(found, shown, "visuals" not in choices.hide)
    film = is_film(output)
    if film and time is not None:
        raise InputError(f"--time {time:g}: must be of a picture, .png; remove it, or use --from and --to")
    times = _film_times(found, (start, end), speed, fps, orbit) if film else _picture_time(found, time)
    strip = PlotStrip.of(found, plots, quantity, _strip_size(style)) if plots else None
    style = _above(style, strip.height if strip else 0)
    path = plan_camera(found.look, found.track, style.size[0] / style.size[1], camera, (orbit, follow))
    began = clock.perf_counter()
    with progress(len(times), "frames") as report, open_film(output, len(times), fps) as add:
        for number, picture in enumerate(draw_frames(found, path, style, times, speed, shown)):
            add(strip.below(picture, times[number]) if strip else picture)
            report(number + 1)
    took = clock.perf_counter() - began
    _report(output, size, len(times), took, film)


def _report(output: Path, size: str, frames: int, took: float, film: bool) -> None:
    """Print what was written in how many seconds."""
    content, pace = f"{frames} frames of {size}" if film else size, f", {1000.0 * took / frames:.0f} ms a frame"
    if "%" in output.name:
        print(f"wrote {output}: {content}{pace}")
    else:
        print(f"wrote {output}: {content}, {output.stat().st_size / 1e6:.2f} MB{pace if film else ''}")


def _style(size: str, samples: int, background: str, hidden: tuple[str, ...]) -> "PictureStyle":
    """Return size and look of the pictures."""
    from fajin.errors import InputError
    from fajin.visual.raster.rasterizer import PictureStyle

    width, _, height = size.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 16 <= int(width) <= 8192 and 16 <= int(height) <= 8192):
        raise InputError(f"--size {size}: must be WIDTHxHEIGHT, each from 16 to 8192; write 640x480")
    return PictureStyle((int(width), int(height)), samples, background, "floor" not in hidden, "shadow" not in hidden)


def _strip_size(style: "PictureStyle") -> tuple[int, int]:
    """Return width and height of a strip of plots."""
    from fajin.errors import InputError

    width, height = style.size
    if height < LEAST_STRIP + LEAST_PICTURE:
        raise InputError(
            f"--size {width}x{height}: must be at least {LEAST_STRIP + LEAST_PICTURE} high with --plots; write 640x480"
        )
    return width, max(LEAST_STRIP, round(STRIP * height))


def _above(style: "PictureStyle", strip: int) -> "PictureStyle":
    """Return the style of pictures that leave room for a strip below."""
    return replace(style, size=(style.size[0], style.size[1] - strip))


def _picture_time(motion: "Motion", time: float | None) -> "np.ndarray":
    """Return the time of a picture."""
    import numpy as np

    from fajin.errors import InputError

    first, last = float(motion.track.time[0]), float(motion.track.time[-1])
    if time is not None and not first <= time <= last:
        raise InputError(f"--time {time:g}: must be from {first:g} to {last:g}, the times of the motion")
    return np.array([first if time is None else time])


def _film_times(
    motion: "Motion", span: tuple[float | None, float | None], speed: float, fps: float, orbit: float
) -> "np.ndarray":
    """Return the times of the frames of a film."""
    import numpy as np

    from fajin.errors import InputError

    if not (0.0 < speed < float("inf") and 0.0 < fps <= 240.0):
        raise InputError(f"--speed {speed:g}, --fps {fps:g}: must be positive, and fps at most 240")
    first, last = float(motion.track.time[0]), float(motion.track.time[-1])
    start = first if span[0] is None else span[0]
    still = len(motion.track) == 1
    if still and not orbit:
        raise InputError("MOTION: must move in a film; simulate the scene first, write .png, or add --orbit 30")
    end = (start + 360.0 / abs(orbit) if still else last) if span[1] is None else span[1]
    if not (np.isfinite([start, end]).all() and start < end) or (not still and (start < first or end > last + 1e-9)):
        raise InputError(
            f"--from {start:g} --to {end:g}: must lie in the motion, from {first:g} to {last:g}, in this order"
        )
    count = int(np.floor((end - start) / speed * fps + 1e-6)) + (0 if still else 1)
    return start + np.arange(count) * (speed / fps)
