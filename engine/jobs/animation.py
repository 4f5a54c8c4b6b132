"""Worlds of a job as USD layers over the scene: simulated once more, to the same bits, and recorded."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..recorder import concatenate
from . import InvalidJob, controls, memory
from .job import Work
from .outcome import set_up
from .rollout import Call, roll

FOLDER, CROWD = "animations", "worlds.anim.usda"


def check(work: Work, worlds: Sequence[int]) -> None:
    """Raise InvalidJob for a world that is not there, or a job whose worlds cannot be simulated by themselves."""
    for world in worlds:
        if not 0 <= world < work.worlds:
            raise InvalidJob(f"--animate {world}: there are {work.worlds} worlds, counted from 0")


def animate(work: Work, worlds: Sequence[int], folder: Path, fps: float | None = None) -> list[Path]:
    """Write the motion of each world as USD; return the files to open.

    Args:
        work: the job.
        worlds: indices of worlds.
        folder: of the job; the files go to `animations` in it.
        fps: frames a second, to the nearest whole number of steps; None for the scene's.

    Raises:
        UnwritableOutput: a file cannot be written.
    """
    from ..usd.write import write

    check(work, worlds)
    chosen, frames = np.unique(worlds), []
    _film(work, chosen, steps_a_frame(work, fps), lambda sim: frames.append(sim.frame()))
    recording = concatenate(frames)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    files = []
    for i, world in enumerate(chosen):
        motion = recording.world(i) if len(chosen) > 1 else recording
        finite = np.isfinite(motion.pose).all((1, 2))
        whole = len(motion) if finite.all() else int(finite.argmin())
        files.append(write(motion[:whole], folder / FOLDER / f"world-{world}.anim.usda")[0])
    return files


def show_all(work: Work, folder: Path, fps: float | None = None, spacing: float | None = None) -> Path:
    """Write the motion of all worlds as one USD stage, with a PointInstancer; return the file to open.

    Args:
        work: the job.
        folder: of the job; the file goes to `animations` in it.
        fps: frames a second, to the nearest whole number of steps; None for the scene's.
        spacing: distance of neighbouring worlds [m]; by default by their size.

    Raises:
        InvalidJob: the frames do not fit in memory.
        UnwritableOutput: a file cannot be written.
    """
    from ..usd.crowd import BYTES, Crowd

    every, links = steps_a_frame(work, fps), tuple(filter(None, work.model.link))
    needed, room = (work.steps // every + 1) * work.worlds * len(links) * BYTES, memory.MARGIN * memory.free()
    if needed > room:
        raise InvalidJob(
            f"--instancer: {work.worlds} worlds of {len(links)} links at {1.0 / (every * work.scene.dt):.3g} frames a "
            f"second need {needed / 1e9:.1f} GB, {room / 1e9:.1f} GB are free; give a lower --fps"
        )
    crowd = Crowd(Path(work.scene.source), links, work.worlds, spacing, 1.0 / (every * work.scene.dt))
    shape = (work.worlds, len(links), 7)
    _film(work, np.arange(work.worlds), every, lambda sim: crowd.add(sim.frame().pose.reshape(shape)))
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    return crowd.write(folder / FOLDER / CROWD)[0]


def steps_a_frame(work: Work, fps: float | None) -> int:
    """How many steps of a job come nearest to so many frames a second, the scene's where nobody says."""
    return max(1, round(1.0 / ((fps or work.scene.fps) * work.scene.dt)))


def _film(work: Work, worlds: np.ndarray, every: int, take: Callable) -> None:
    """Simulate these worlds once more; `take` is called with the simulation before step 0 and every so many."""
    sim = set_up(work, worlds)
    calls = [Call(lambda: take(sim), every), *controls.calls(sim, worlds, work.events, work.rows)]
    calls += [Call(lambda: work.policy(sim), work.every)] if work.policy else []
    roll(sim, work.steps, calls)
    if work.steps % every == 0:
        take(sim)
