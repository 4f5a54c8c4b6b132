"""Kinematic bodies that follow the motions of a scene."""

from math import inf

import numpy as np

from ..quaternion import conjugate, multiply, rotate, rotation_vector, slerp
from ..scene import BodyMotion, Link, Scene
from .field import View
from .field_access import FieldAccess
from .fields import Fields

ROUNDING = 1e-6
"""Share of a step."""
CHANGE = {"root_pose": 1e-4, "root_velocity": 1e-6}
"""Difference [m | quaternion] and [m/s | rad/s], relative to what is above 1, beyond which poses are set anew."""


class BodyMotions:
    """Poses and velocities of kinematic bodies, which a step takes from one pose of the motion to the next.

    Args:
        scene: the scene with motions.
        fields: the fields of its simulation.
    """

    def __init__(self, scene: Scene, fields: FieldAccess):
        self._fields = fields
        self._motions = scene.motions
        self._coms = np.array([link_of(scene, motion.body).com for motion in scene.motions], float)
        self._columns = [fields.columns.articulation.index(motion.body) for motion in scene.motions]

    def boundary(self, last: int) -> int:
        """Return the step, at most `last`, before which the velocity of a body may change."""
        clock = self._fields.clock
        for motion, arm in zip(self._motions, self._coms, strict=True):
            end = clock.steps + 1
            if not (arm.any() and turns(motion)):  # else the centre of mass moves along an arc
                after = next((time for time in motion.times if time > clock.time + ROUNDING * clock.dt), inf)
                end = max(end, int(min(after / clock.dt + ROUNDING, last)))
            last = min(last, end)
        return last

    def apply(self) -> None:
        """Set poses and velocities at the start of a launch."""
        dt, step = self._fields.clock.dt, self._fields.clock.steps
        if self._motions:
            here, there = (np.stack([pose_of(motion, k * dt) for motion in self._motions]) for k in (step, step + 1))
            turn = rotation_vector(multiply(there[:, 3:], conjugate(here[:, 3:])))
            arms = self._coms
            moved = there[:, :3] + rotate(there[:, 3:], arms) - here[:, :3] - rotate(here[:, 3:], arms)
            self._write({"root_pose": here, "root_velocity": np.concatenate([moved, turn], axis=1) / dt})

    def _write(self, values: dict[str, np.ndarray]) -> None:
        """Set poses and velocities where a velocity changes or something else moved a body; a write wakes.

        In between, poses follow from the velocities, so that motion does not depend on the lengths of launches.
        """
        for name, numbers in values.items():
            before = self._fields.read(name)[:, self._columns].astype(np.float64)
            if (np.abs(before - numbers) > CHANGE[name] * np.maximum(1.0, np.abs(numbers))).any():
                break
        else:
            return
        for name, numbers in values.items():
            View(self._fields, Fields.quantity(name))[:, self._columns] = numbers


def turns(motion: BodyMotion) -> bool:
    """Return whether a body turns."""
    return len({quaternion for _, quaternion in motion.poses}) > 1


def link_of(scene: Scene, path: str) -> Link:
    """Return the link of a kinematic body."""
    return next(articulation.links[0] for articulation in scene.articulations if articulation.path == path)


def pose_of(motion: BodyMotion, time: float) -> np.ndarray:
    """Return the pose of a motion at a time [s]: position and quaternion, (7,)."""
    last = len(motion.times) - 1
    i = min(int(np.searchsorted(motion.times, time, side="right")), last)
    k = max(i - 1, 0)
    (p, q), (place, turn) = (tuple(map(np.array, motion.poses[j])) for j in (k, i))
    span = motion.times[i] - motion.times[k]
    share = min(max((time - motion.times[k]) / span, 0.0), 1.0) if span > 0.0 else 0.0
    return np.concatenate([p + share * (place - p), slerp(q, turn, share)])
