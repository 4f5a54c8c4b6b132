"""Poses in which a joint moves the least and the largest inertia, within the limits of its robot."""

from math import inf, pi

import numpy as np

from .effective_inertia import InertiaProbe

WIDTHS = (1.0, 0.25, 0.0625)  # fractions of a joint's range, searched in turn about the best position
PLACES = 9  # positions tried per width


def extreme_poses(scales: InertiaProbe, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the poses in which each named degree of freedom moves the least and the largest inertia, (K, D) each.

    The search starts from the best of fixed random poses and improves one joint at a time. A revolute joint without
    limits covers one turn; a prismatic joint without limits keeps its position.

    Args:
        scales: probe of a robot, for a hundred poses or more at once.
        names: names of degrees of freedom.
    """
    low, high, start = _ranges(scales)
    poses = low + (high - low) * np.random.default_rng(0).random((scales.sim.worlds, len(low)))
    poses[0] = start
    inertia = scales.inertias(names, poses)
    lightest, heaviest = (
        _climbed(scales, names, poses[np.argmax(sign * inertia, 0)], low, high, sign) for sign in (-1.0, 1.0)
    )
    return lightest, heaviest


def _climbed(
    scales: InertiaProbe, names: list[str], poses: np.ndarray, low: np.ndarray, high: np.ndarray, sign: float
) -> np.ndarray:
    """Return improved poses: each joint in turn moves where sign · inertia is greatest."""
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
    """Return lower bound, upper bound and present position of each degree of freedom."""
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
