"""Bounds of joints from the scene, and targets over time, for plots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import InputError
from ...sampled_values import sampled_values
from ...scene import Axis, Scene, TimeSamples
from ...selection import match_names
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


@dataclass(frozen=True, eq=False)
class SceneJoints:
    """Values of a scene's joints at the times of a series: constant, or of time samples, as the engine has them."""

    series: Series
    known: dict[str, str]  # {name in the series: name in the scene}
    axes: dict[str, Axis]
    signals: dict[tuple[str, str], TimeSamples]  # by name in the scene and parameter

    @classmethod
    def of(cls, series: Series, scene: Scene) -> "SceneJoints":
        """Return the joints that a series and a scene share.

        Raises:
            InputError: there are none.
        """
        axes = {f"{joint.path}:{axis.token}": axis for part in scene.articulations for joint in part.joints
                for axis in joint.axes}  # fmt: skip
        known = match_names(series.dof, list(axes))
        if not known:
            raise InputError(
                f"{series.name}: must be a log of the scene's joints, {_first_and_more(list(axes))}; "
                f"it has {_first_and_more(series.dof)}; choose another scene, or --map NAME=JOINT"
            )
        return cls(series, known, axes, {(signal.dof, signal.parameter): signal for signal in scene.signals})

    def axis(self, i: int) -> Axis | None:
        """Return the axis of a column of the series; None if the scene does not have it."""
        return self.axes.get(self.known.get(self.series.dof[i], ""))

    def value(self, i: int, parameter: str) -> np.ndarray:
        """Return a parameter of the axis or the drive of a column over time, (T,)."""
        signal = self.signals.get((self.known[self.series.dof[i]], parameter))
        if signal is not None:
            return sampled_values(signal, self.series.time)
        axis = self.axes[self.known[self.series.dof[i]]]
        holder = axis if hasattr(axis, parameter) else axis.drive
        return np.full(len(self.series), float(getattr(holder, parameter)))


def add_bands(series: Series, scene: Scene, changes: Sequence[TargetChange] = ()) -> Series:
    """Return a series with targets, position limits, largest speeds and efforts of the scene's joints.

    Raises:
        InputError: none of the joints is in the scene.
    """
    joints = SceneJoints.of(series, scene)
    values, bands = dict(series.values), dict(series.bands)
    if "q" in values:
        if "target_q" not in values:
            values["target_q"] = targets(joints, changes)
        values["error"] = values["target_q"] - series.values["q"]
        bands["q"] = _bounds(joints, lambda axis, i: (joints.value(i, "lower"), joints.value(i, "upper")))
    if "qd" in values:
        bands["qd"] = _bounds(joints, lambda axis, i: _speeds(axis, series, i))
    if "effort" in values:
        bands["effort"] = _bounds(joints, lambda axis, i: _efforts(axis, joints, i))
    return replace(series, values=values, bands=bands)


def targets(joints: SceneJoints, changes: Sequence[TargetChange]) -> np.ndarray:
    """Return the target of each drive over time, (T, D); NaN without a drive. Time samples come before changes."""
    series = joints.series
    target = np.full((len(series), len(series.dof)), np.nan)
    for i in range(len(series.dof)):
        axis = joints.axis(i)
        if axis is None or axis.drive is None or not joints.value(i, "stiffness").any():
            continue
        target[:, i] = joints.value(i, "target_q")
        name = joints.known[series.dof[i]]
        for change in changes if (name, "target_q") not in joints.signals else ():
            if change.dof == name:
                target[series.time >= change.time - 1e-9, i] = change.value
    return target


def _bounds(joints: SceneJoints, bounds: Callable[[Axis, int], tuple]) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper bounds (T, D); infinite where there are none."""
    series = joints.series
    shape = (len(series), len(series.dof))
    lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
    for i in range(len(series.dof)):
        if axis := joints.axis(i):
            lower[:, i], upper[:, i] = bounds(axis, i)
    return lower, upper


def _speeds(axis: Axis, series: Series, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of the speed: that of the joint, and of the envelope at the effort of each time."""
    most = np.full(len(series), axis.max_velocity)
    envelope = axis.drive.envelope if axis.drive else None
    if envelope:
        effort = np.abs(np.nan_to_num(series.values["effort"][:, i])) if "effort" in series.values else 0.0
        most = np.minimum(most, envelope.max_actuator_velocity - envelope.speed_effort_gradient * effort)
    return -most, most


def _efforts(axis: Axis, joints: SceneJoints, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of the effort: that of the drive, and of the envelope at the speed of each time."""
    series = joints.series
    most = joints.value(i, "max_force") if axis.drive else np.full(len(series), np.inf)
    envelope = axis.drive.envelope if axis.drive else None
    if envelope and "qd" in series.values:
        speed = np.abs(np.nan_to_num(series.values["qd"][:, i]))
        most = most - envelope.velocity_dependent_resistance * speed
        if envelope.speed_effort_gradient > 0.0:
            room = (envelope.max_actuator_velocity - speed) / envelope.speed_effort_gradient
            most = np.minimum(most, np.maximum(room, 0.0))
    return -most, most
