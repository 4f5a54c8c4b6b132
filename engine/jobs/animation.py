"""Chosen worlds of a job as USD layers over the scene: simulated once more, to the same bits, and recorded."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..recorder import concatenate
from . import InvalidJob, controls
from .job import Work
from .outcome import set_up
from .rollout import Call, roll

FOLDER = "animations"


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
    chosen = np.unique(worlds)
    every = max(1, round(1.0 / ((fps or work.scene.fps) * work.scene.dt)))
    sim = set_up(work, chosen)
    frames = []
    calls = [Call(lambda: frames.append(sim.frame()), every), *controls.calls(sim, chosen, work.events, work.rows)]
    calls += [Call(lambda: work.policy(sim), work.every)] if work.policy else []
    roll(sim, work.steps, calls)
    if work.steps % every == 0:
        frames.append(sim.frame())
    recording = concatenate(frames)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    files = []
    for i, world in enumerate(chosen):
        motion = recording.world(i) if len(chosen) > 1 else recording
        finite = np.isfinite(motion.pose).all((1, 2))
        whole = len(motion) if finite.all() else int(finite.argmin())
        files.append(write(motion[:whole], folder / FOLDER / f"world-{world}.anim.usda")[0])
    return files
