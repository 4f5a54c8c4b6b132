"""Films of the worst worlds of a batch, for its report: simulated again, bit for bit, and drawn small."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from .table import print_message

if TYPE_CHECKING:
    import numpy as np

    from fajin.visual.look.report import Film
    from fajin.visual.motion.motion import Motion

FILM_SIZE, SAMPLES = (320, 240), 2
FILM_FPS, LONGEST = 12.0, 4.0  # frames per second, and seconds that a film lasts; longer motions play faster


def film_worlds(folder: Path, worlds: "list[int]") -> "list[Film]":
    """Return the films of some worlds; none, and a note, where the batch cannot be repeated here."""
    from fajin import InvalidScene
    from fajin.jobs import InvalidJob
    from fajin.jobs.description.prepared_job import prepare
    from fajin.jobs.results.animation import record_worlds
    from fajin.jobs.results.manifest import job_of
    from fajin.tools.look_options import print_notes
    from fajin.tools.progress import progress
    from fajin.visual.motion.motion import motion_of

    found = []
    try:
        recorded = record_worlds(prepare(job_of(folder)), worlds, FILM_FPS)
        with progress(len(recorded), "films") as show:
            for world, recording in recorded:
                motion = motion_of(recording)
                if not found:
                    print_notes(motion)
                found.append(draw_film(world, motion))
                show(len(found))
    except (InvalidScene, InvalidJob, OSError) as error:
        print_message(f"note: no films: {' '.join(str(error).split())}")
    return found


def draw_film(world: int, motion: "Motion") -> "Film":
    """Return the film of one world."""
    from fajin.visual.look.camera_path import plan_camera
    from fajin.visual.look.film import has_pillow, open_film
    from fajin.visual.look.report import Film
    from fajin.visual.picture import draw_frames
    from fajin.visual.raster.rasterizer import PictureStyle

    times = film_times(motion.track.time)
    path = plan_camera(motion.look, motion.track, FILM_SIZE[0] / FILM_SIZE[1])
    suffix = "webp" if has_pillow() else "apng"
    with tempfile.TemporaryDirectory(prefix="fajin-") as place:
        file = Path(place) / f"film.{suffix}"
        with open_film(file, len(times), FILM_FPS) as add:
            for picture in draw_frames(motion, path, PictureStyle(FILM_SIZE, SAMPLES), times):
                add(picture)
        return Film(world, f"image/{suffix}", file.read_bytes())


def film_times(time: "np.ndarray") -> "np.ndarray":
    """Return the times of a film's frames: those of the motion, in at most `LONGEST` seconds of film."""
    import numpy as np

    first, last = float(time[0]), float(time[-1])
    count = max(1, round(min(last - first, LONGEST) * FILM_FPS))
    return np.linspace(first, last, count + 1)
