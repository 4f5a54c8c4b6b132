"""USD animations of selected worlds of a job: the worlds are simulated again, bit for bit, and recorded."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ...atomic_write import OutputError, staging_directory
from ...recording.recorder import Recording, concatenate
from .. import InvalidJob
from ..description import control_sequences
from ..description.prepared_job import PreparedJob
from ..rollout.rollout import PeriodicCallback, run_rollout
from ..shards import shard_size
from ..shards.simulate_shard import make_simulation

FOLDER = "animations"
BYTES = 12 + 8
"""Bytes in memory per link, world and frame: a position in float32, an orientation in float16."""


def check_replayed_worlds(work: PreparedJob, worlds: Sequence[int]) -> None:
    """Raise InvalidJob for a world index that is out of range."""
    for world in worlds:
        if not 0 <= world < work.worlds:
            raise InvalidJob(f"--animate {world}: must be from 0 to {work.worlds - 1}")


def animate(work: PreparedJob, worlds: Sequence[int], folder: Path, fps: float | None = None) -> list[Path]:
    """Write the motion of each world as USD; return the files to open.

    Args:
        work: the job.
        worlds: indices of worlds.
        folder: folder of the job; files are written to `animations` in it.
        fps: frames per second, rounded to a whole number of steps; None for the scene's.

    Raises:
        OutputError: a file cannot be written.
    """
    from ...animation_file import write

    recorded = record_worlds(work, worlds, fps)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    return [write(motion, folder / FOLDER / f"world-{world}.anim.usda")[0] for world, motion in recorded]


def record_worlds(work: PreparedJob, worlds: Sequence[int], fps: float | None = None) -> list[tuple[int, Recording]]:
    """Return the motions of worlds, by their numbers in order, up to their last finite frames.

    Raises:
        InvalidJob: a world is not one of the job.
    """
    check_replayed_worlds(work, worlds)
    chosen = np.unique(worlds)
    frames: list[Recording] = []
    replay_worlds(work, chosen, frame_steps(work, fps), frames.append)
    recording = concatenate(frames)
    found = []
    for i, world in enumerate(chosen.tolist()):
        motion = recording.world(i)
        finite = np.isfinite(motion.pose).all((1, 2, 3))
        found.append((world, motion[: len(motion) if finite.all() else int(finite.argmin())]))
    return found


def write_instanced(work: PreparedJob, folder: Path, fps: float | None = None, spacing: float | None = None) -> Path:
    """Write the motion of all worlds, side by side, as one point instancer over the scene; return the file.

    Args:
        work: the job.
        folder: folder of the job; the file is `animations/worlds.usdc` in it.
        fps: as of `animate`.
        spacing: distance between neighbouring worlds [m]. Default: from the bounds of the drawn geometry.

    Raises:
        InvalidJob: the frames do not fit in memory.
        OutputError: the file cannot be written.
    """
    from ...animation_file import write_instances

    every, links = frame_steps(work, fps), tuple(filter(None, work.model.link))
    rate = 1.0 / (every * work.scene.dt)
    needed, room = (
        (work.steps // every + 1) * work.worlds * len(links) * BYTES,
        shard_size.MEMORY_FRACTION * shard_size.free_bytes(),
    )
    if needed > room:
        raise InvalidJob(
            f"--instancer: {work.worlds} worlds of {len(links)} links at {rate:.3g} frames per second need "
            f"{needed / 1e9:.1f} GB, {room / 1e9:.1f} GB are free; reduce --fps"
        )
    crowd = {"links": list(links), "worlds": work.worlds, "spacing": spacing, "dt": work.scene.dt}
    shape = (-1, work.worlds, len(links), 7)
    path = folder / FOLDER / "worlds.usdc"
    path.parent.mkdir(parents=True, exist_ok=True)
    with staging_directory(path) as staged:
        poses = staged / "poses.raw"
        try:
            with poses.open("wb") as file:
                replay_worlds(work, np.arange(work.worlds), every, lambda frame: frame.pose.astype("<f8").tofile(file))
        except OSError as error:
            raise OutputError.of(path, error) from None
        frames = poses.stat().st_size // (8 * work.worlds * len(links) * 7)
        crowd["time"] = (np.arange(frames) / rate).tolist()
        return write_instances(Path(work.scene.source), path, crowd, poses, (frames, *shape[1:]))


def frame_steps(work: PreparedJob, fps: float | None) -> int:
    """Return the number of steps per frame."""
    return max(1, round(1.0 / ((fps or work.scene.fps) * work.scene.dt)))


def replay_worlds(work: PreparedJob, worlds: np.ndarray, every: int, take: Callable[[Recording], None]) -> None:
    """Simulate these worlds again and pass a frame to `take` every `every` steps, including the first."""
    sim = make_simulation(work, worlds)
    take(sim.frame())
    calls = [PeriodicCallback(lambda: take(sim.frame()), every, late=True)]
    calls += control_sequences.apply_controls(sim, worlds, work.events, work.rows)
    if work.policy:
        calls.append(PeriodicCallback(partial(work.policy, sim), work.every))
    run_rollout(sim, work.steps, calls)
