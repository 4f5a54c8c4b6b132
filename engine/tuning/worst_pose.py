"""The poses in which a joint has least and most to move, within the limits of its robot."""

from math import inf, pi

import numpy as np

from .effective_inertia import InertiaProbe

WIDTHS = (1.0, 0.25, 0.0625)  # of the range of a joint, searched about the best place in turn
PLACES = 9  # in each


def extreme_poses(scales: InertiaProbe, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Poses in which each named degree of freedom moves the least and the largest inertia, (K, D) each.

    Random poses, always the same ones, and from the best of them joint by joint. A joint without limits turns once; a
    slider without limits stays where it is.

    Args:
        scales: of a robot, for a hundred poses or more at once.
        names: of degrees of freedom.
    """
    low, high, start = _ranges(scales)
    poses = low + (high - low) * np.random.default_rng(0).random((scales.sim.worlds, len(low)))
    poses[0] = start
    inertia = scales.inertias(names, poses)
    return tuple(
        _climbed(scales, names, poses[np.argmax(sign * inertia, 0)], (low, high, sign)) for sign in (-1.0, 1.0)
    )


def _climbed(scales: InertiaProbe, names: list[str], poses: np.ndarray, search: tuple) -> np.ndarray:
    """The poses, better: one joint after the other goes where it is best."""
    low, high, sign = search
    moving = [d for d, name in enumerate(scales.dof) if high[d] > low[d] and name not in scales.followers]
    for width in WIDTHS:
        for d in moving:
            shifts = np.linspace(-width, width, PLACES) * (high[d] - low[d])
            tried = np.repeat(poses[:, None], PLACES, 1)
            tried[:, :, d] = np.clip(tried[:, :, d] + shifts, low[d], high[d])
            found = [scales.inertias([name], places)[:, 0] * sign for name, places in zip(names, tried, strict=True)]
            poses = tried[range(len(names)), np.argmax(found, 1)]
    return scales.with_followers(poses)


def _ranges(scales: InertiaProbe) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each degree of freedom may be, and where it is."""
    axes = {f"{joint.path}:{axis.token}": axis for joint in scales.robot.joints for axis in joint.axes}
    start = np.asarray(scales.sim.q)[0, scales.columns]
    bounds = []
    for name, q in zip(scales.dof, start, strict=True):
        axis = axes[name]
        if -inf < axis.lower <= axis.upper < inf:
            bounds.append((axis.lower, axis.upper))
        elif axis.rotational and axis.lower == -inf and axis.upper == inf:
            bounds.append((-pi, pi))
        else:
            bounds.append((q, q))
    low, high = np.array(bounds).T
    return low, high, start
