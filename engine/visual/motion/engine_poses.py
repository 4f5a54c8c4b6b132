"""Poses of links from joint positions, computed by the engine."""

from dataclasses import replace

import numpy as np

from ...device import running_or_cpu
from ...errors import InputError
from ...scene import Scene
from ...simulation import Simulation

FRAMES = 1024  # at once, each of them a world


def engine_poses(
    scene: Scene, q: np.ndarray, root_pose: np.ndarray | None = None
) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the links (L) and their poses (T, L, 7) for joint positions.

    Args:
        scene: the scene.
        q: (T, D) in the order of the scene's degrees of freedom.
        root_pose: (T, A, 7) poses of the roots of its articulations; None where they stand in the scene.
    """
    still = replace(scene, sleeping=False)
    sim = Simulation(still, worlds=max(1, min(len(q), FRAMES)), device=running_or_cpu(), contacts=False)
    pose = np.empty((len(q), len(sim.link), 7), np.float32)
    for first in range(0, len(q), FRAMES):
        count = min(FRAMES, len(q) - first)
        rows = np.minimum(first + np.arange(len(sim.q)), first + count - 1)  # idle worlds repeat the last frame
        if root_pose is not None:
            sim.root_pose = root_pose[rows]
        if q.shape[1]:
            sim.q = q[rows]
        pose[first : first + count] = np.asarray(sim.link_pose)[:count]
    return tuple(sim.link), pose


def in_order(dof: tuple[str, ...], named: tuple[str, ...], values: np.ndarray, place: str) -> np.ndarray:
    """Return columns of values (..., D) in the order `dof`, given their names.

    Raises:
        InputError: the names are not those of the scene.
    """
    if set(named) != set(dof):
        missing = sorted(set(dof) - set(named)) or sorted(set(named) - set(dof))
        where = "it lacks" if set(dof) - set(named) else "the scene lacks"
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        raise InputError(
            f"{place}: must be of this scene, but {where} {missing[0]}{more}; name the scene of the log by --scene"
        )
    return values[..., [named.index(name) for name in dof]]
