"""How a joint answers when its target jumps by one: seen at the ends of the steps, as a simulation records it."""

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from .plant import Gains, Plant, oscillation, step_matrix, stiffest

BAND = 0.02  # of the jump, within which it counts as settled
LONGEST = 100_000  # steps that are looked at


@dataclass(frozen=True)
class StepResponse:
    """Positions after each step, in units of the jump, the start first."""

    time: np.ndarray  # (T,) [s]
    position: np.ndarray  # (T,)

    @property
    def rise_time(self) -> float:
        """From 10 % to 90 % of the jump [s]; NaN where it does not get there."""
        ends = [self._crossing(share) for share in (0.1, 0.9)]
        return ends[1] - ends[0]

    @property
    def overshoot(self) -> float:
        """How far it goes beyond the jump, in units of it; 0 if it does not."""
        return max(float(self.position.max()) - 1.0, 0.0)

    @property
    def settling_time(self) -> float:
        """After which it stays within 2 % of the jump [s]; NaN where it does not."""
        outside = np.flatnonzero(np.abs(self.position - 1.0) > BAND)
        last = outside[-1] if len(outside) else -1
        return float(self.time[last + 1]) if last + 1 < len(self.time) else float("nan")

    def _crossing(self, share: float) -> float:
        """When it is that far first, between two steps on a line."""
        i = int(np.argmax(self.position >= share))
        if self.position[i] < share or i == 0:
            return float("nan")
        return float(np.interp(share, self.position[i - 1 : i + 1], self.time[i - 1 : i + 1]))


def step_response(plant: Plant, gains: Gains, seconds: float | None = None) -> StepResponse:
    """The answer of a joint at rest to a jump of its target by one [rad | m].

    Args:
        plant: what is moved, and how.
        gains: of its drive.
        seconds: how long; until only a thousandth of the jump is left if None.
    """
    if seconds is None:
        frequency, ratio = oscillation(plant, gains)
        slowest = frequency * (ratio - max(ratio**2 - 1.0, 0.0) ** 0.5)
        seconds = log(1000.0) / slowest if slowest > 0.0 else LONGEST * plant.dt
    count = min(ceil(seconds / plant.dt), LONGEST)
    A, state = step_matrix(plant, gains), np.array((-1.0, 0.0))
    errors = [state[0]]
    for _ in range(count):
        state = A @ state
        errors.append(state[0])
    return StepResponse(np.arange(count + 1) * plant.dt, 1.0 + np.array(errors))


def largest_jump(plant: Plant, gains: Gains, max_force: float) -> float:
    """The largest jump of the target [rad | m] that the drive answers within its maximum force [N·m | N]."""
    return max_force / stiffest(plant, gains)


def measured(error: np.ndarray, speed: np.ndarray, dt: float) -> tuple[float, float]:
    """Natural frequency [rad/s] and damping ratio of a motion: those of the law (e, v) → A (e, v) that fits it best.

    Args:
        error: (T,) q - q* after each step [rad | m].
        speed: (T,) after each step [rad/s | m/s].
        dt: the step [s], less than half a period.
    """
    size = np.abs(error).max(), np.abs(speed).max()
    states = np.stack([error / size[0], speed / size[1]], 1)
    A = np.linalg.lstsq(states[:-1], states[1:], rcond=None)[0]
    rates = np.log(np.linalg.eigvals(A).astype(complex)) / dt
    frequency = float(np.sqrt(abs(rates[0] * rates[1])))
    return frequency, float(-(rates[0] + rates[1]).real / (2.0 * frequency))
