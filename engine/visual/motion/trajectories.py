"""Trajectories of a batch job, from the zarr groups of its shards."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...jobs.results.manifest import read_manifest
from ...jobs.rollout.trajectories import zarr
from ...jobs.shards.shard import TRAJECTORIES_FOLDER

QUANTITIES = ("q", "qd", "effort")


@dataclass(frozen=True, eq=False)
class BatchTrajectories:
    """Frames of the recorded worlds of a job."""

    scene: str
    time: np.ndarray  # (T,) [s]
    world: np.ndarray  # (W,) their numbers in the job
    dof: tuple[str, ...]
    unit: tuple[str, ...]
    series: dict[str, np.ndarray]  # q, qd, effort: (T, W, D)
    root_pose: np.ndarray  # (T, W, A, 7)


def read_trajectories(folder: Path, worlds: slice | None = None) -> BatchTrajectories:
    """Read the trajectories of a job; worlds that ended early keep their last frame.

    Raises:
        InputError: the folder is not a job's, or has no trajectories of these worlds.
    """
    job = read_manifest(folder)["job"]
    files = sorted((folder / TRAJECTORIES_FOLDER).glob("*.zarr"))
    groups = [zarr().open_group(file, mode="r") for file in files]
    if not groups:
        raise InputError(f"{folder}: must have trajectories; run fajin batch with --record 'worlds=0:16'")
    numbers = np.concatenate([np.asarray(group["world"]) for group in groups])
    chosen = np.zeros(len(numbers), bool)
    chosen[np.argsort(numbers, kind="stable")[worlds or slice(None)]] = True
    if not chosen.any():
        raise InputError(
            f"--worlds {worlds and f'{worlds.start}:{worlds.stop}'}: must be recorded worlds, from 0 to "
            f"{len(numbers) - 1}; choose some of these"
        )
    time = max((np.asarray(group["time"]) for group in groups), key=len)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in (*QUANTITIES, "root_pose")}
    start = 0
    for group in groups:
        here = chosen[start : start + group["world"].shape[0]]
        start += len(here)
        for name, arrays in parts.items():
            frames = np.asarray(group[name])[:, here]
            short = len(time) - len(frames)
            arrays.append(np.concatenate([frames, np.repeat(frames[-1:], short, axis=0)]) if short else frames)
    joined = {name: np.concatenate(arrays, axis=1) for name, arrays in parts.items()}
    about = dict(groups[0].attrs)
    return BatchTrajectories(
        scene=str(job["scene"]),
        time=time,
        world=numbers[chosen],
        dof=tuple(about["dof"]),
        unit=tuple(about["unit"]),
        root_pose=joined.pop("root_pose"),
        series=joined,
    )
