"""Response of a joint to a unit jump of its target, sampled at the ends of steps as a simulation records it."""

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from .plant import Gains, Plant, oscillation, step_matrix, stiffest

BAND = 0.02  # fraction of the jump within which the joint counts as settled
LONGEST = 100_000  # maximum number of steps


@dataclass(frozen=True)
class StepResponse:
    """Positions after each step, in units of the jump, starting with the initial position."""

    time: np.ndarray  # (T,) [s]
    position: np.ndarray  # (T,)

    @property
    def rise_time(self) -> float:
        """Time from 10 % to 90 % of the jump [s]; NaN if 90 % is not reached."""
        ends = [self._crossing(share) for share in (0.1, 0.9)]
        return ends[1] - ends[0]

    @property
    def overshoot(self) -> float:
        """Maximum position beyond the target, in units of the jump; 0 if there is none."""
        return max(float(self.position.max()) - 1.0, 0.0)

    @property
    def settling_time(self) -> float:
        """Time after which the position stays within 2 % of the jump [s]; NaN if it does not."""
        outside = np.flatnonzero(np.abs(self.position - 1.0) > BAND)
        last = outside[-1] if len(outside) else -1
        return float(self.time[last + 1]) if last + 1 < len(self.time) else float("nan")

    def _crossing(self, share: float) -> float:
        """Return the first time at that fraction of the jump, interpolated between two steps."""
        i = int(np.argmax(self.position >= share))
        if self.position[i] < share or i == 0:
            return float("nan")
        return float(np.interp(share, self.position[i - 1 : i + 1], self.time[i - 1 : i + 1]))


def step_response(plant: Plant, gains: Gains, seconds: float | None = None) -> StepResponse:
    """Return the response of a joint at rest to a jump of its target by one [rad | m].

    Args:
        plant: the joint.
        gains: gains of its drive.
        seconds: duration; None: until a thousandth of the jump is left.
    """
    if seconds is None:
        frequency, ratio = oscillation(plant, gains)
        slowest = frequency * (ratio - max(ratio**2 - 1.0, 0.0) ** 0.5)
        seconds = float(log(1000.0) / slowest) if slowest > 0.0 else LONGEST * plant.dt
    count = min(ceil(seconds / plant.dt), LONGEST)
    A, state = step_matrix(plant, gains), np.array((-1.0, 0.0))
    errors = [state[0]]
    for _ in range(count):
        state = A @ state
        errors.append(state[0])
    return StepResponse(np.arange(count + 1) * plant.dt, 1.0 + np.array(errors))


def largest_jump(plant: Plant, gains: Gains, max_force: float) -> float:
    """Return the largest jump of the target [rad | m] that the drive follows within its maximum force [N·m | N]."""
    return max_force / stiffest(plant, gains)


def measured(error: np.ndarray, speed: np.ndarray, dt: float) -> tuple[float, float]:
    """Return natural frequency [rad/s] and damping ratio of the law (e, v) → A (e, v) that fits a motion best.

    Args:
        error: (T,) q - q* after each step [rad | m].
        speed: (T,) speed after each step [rad/s | m/s].
        dt: the step [s], less than half a period.
    """
    size = np.abs(error).max(), np.abs(speed).max()
    states = np.stack([error / size[0], speed / size[1]], 1)
    A = np.linalg.lstsq(states[:-1], states[1:], rcond=None)[0]
    rates = np.log(np.linalg.eigvals(A).astype(complex)) / dt
    frequency = float(np.sqrt(abs(rates[0] * rates[1])))
    return frequency, float(-(rates[0] + rates[1]).real / (2.0 * frequency))
