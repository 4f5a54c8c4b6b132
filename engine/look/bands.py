"""Bounds of joints from the scene, and targets over time, for plots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InputError
from ..scene import Axis, Scene
from ..selection import match_names
from .series import Series


@dataclass(frozen=True)
class TargetChange:
    """A new target of a degree of freedom from a time on."""

    time: float  # [s]
    dof: str  # as in a recording
    value: float  # [rad | m]


def target_changes(events: Sequence[Any], dof: tuple[str, ...], dt: float) -> tuple[TargetChange, ...]:
    """Return the changes of position targets among control events, for steps of `dt` [s]."""
    return tuple(
        TargetChange(event.step * dt, dof[event.dof], float(event.value))
        for event in events
        if event.parameter == "target_q"
    )


def _first_and_more(names: Sequence[str]) -> str:
    """Return the first name and the number of others."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else "none"


def add_bands(series: Series, scene: Scene, changes: Sequence[TargetChange] = ()) -> Series:
    """Return a series with targets, position limits, largest speeds and efforts of the scene's joints.

    Raises:
        InputError: none of the joints is in the scene.
    """
    axes = {f"{joint.path}:{axis.token}": axis for part in scene.articulations for joint in part.joints
            for axis in joint.axes}  # fmt: skip
    known = match_names(series.dof, list(axes))
    if not known:
        raise InputError(
            f"{series.name}: must be a log of the scene's joints, {_first_and_more(list(axes))}; "
            f"it has {_first_and_more(series.dof)}; choose another scene, or --map NAME=JOINT"
        )
    values, bands = dict(series.values), dict(series.bands)
    if "q" in values:
        q = series.values["q"]
        if "target_q" not in values:
            values["target_q"] = targets(series, axes, known, changes)
        values["error"] = values["target_q"] - q
        bands["q"] = _bounds(series, known, axes, lambda axis, _: (axis.lower, axis.upper))
    if "qd" in values:
        bands["qd"] = _bounds(series, known, axes, lambda axis, i: _speeds(axis, series, i))
    if "effort" in values:
        bands["effort"] = _bounds(series, known, axes, lambda axis, i: _efforts(axis, series, i))
    return replace(series, values=values, bands=bands)


def targets(
    series: Series, axes: dict[str, Axis], known: dict[str, str], changes: Sequence[TargetChange]
) -> np.ndarray:
    """Return the target of each drive over time, (T, D); NaN without a drive."""
    target = np.full((len(series), len(series.dof)), np.nan)
    for i, name in enumerate(series.dof):
        drive = axes[known[name]].drive if name in known else None
        if drive is None or drive.stiffness == 0.0:
            continue
        target[:, i] = drive.target_q
        for change in changes:
            if change.dof == known[name]:
                target[series.time >= change.time - 1e-9, i] = change.value
    return target


def _bounds(
    series: Series, known: dict[str, str], axes: dict[str, Axis], bounds: Callable[[Axis, int], tuple]
) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper bounds (T, D); infinite where there are none."""
    shape = (len(series), len(series.dof))
    lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
    for i, name in enumerate(series.dof):
        if name in known:
            lower[:, i], upper[:, i] = bounds(axes[known[name]], i)
    return lower, upper


def _speeds(axis: Axis, series: Series, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of the speed: that of the joint, and of the envelope at the effort of each time."""
    most = np.full(len(series), axis.max_velocity)
    envelope = axis.drive.envelope if axis.drive else None
    if envelope:
        effort = np.abs(np.nan_to_num(series.values["effort"][:, i])) if "effort" in series.values else 0.0
        most = np.minimum(most, envelope.max_actuator_velocity - envelope.speed_effort_gradient * effort)
    return -most, most


def _efforts(axis: Axis, series: Series, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of the effort: that of the drive, and of the envelope at the speed of each time."""
    most = np.full(len(series), axis.drive.max_force if axis.drive else np.inf)
    envelope = axis.drive.envelope if axis.drive else None
    if envelope and "qd" in series.values:
        speed = np.abs(np.nan_to_num(series.values["qd"][:, i]))
        most = most - envelope.velocity_dependent_resistance * speed
        if envelope.speed_effort_gradient > 0.0:
            room = (envelope.max_actuator_velocity - speed) / envelope.speed_effort_gradient
            most = np.minimum(most, np.maximum(room, 0.0))
    return -most, most
