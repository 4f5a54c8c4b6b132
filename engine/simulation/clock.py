"""The clock of a simulation: its step and the number of steps done."""

from math import inf

from ..errors import whole


class Clock:
    """Time of all worlds of a simulation.

    Args:
        dt: step [s].
    """

    def __init__(self, dt: float):
        self.dt = dt
        self.steps = 0

    @property
    def dt(self) -> float:
        """Step [s].

        Raises:
            ValueError: set to a value that is not above 0 and finite.
        """
        return self._dt

    @dt.setter
    def dt(self, dt: float) -> None:
        if not 0.0 < dt < inf:
            raise ValueError(f"dt = {dt}: must be finite and above 0 seconds")
        self._dt = dt

    @property
    def steps(self) -> int:
        """Number of steps since the start.

        Raises:
            TypeError, ValueError: set to a value that is not a whole number from 0.
        """
        return self._steps

    @steps.setter
    def steps(self, steps: int) -> None:
        self._steps = whole("steps", steps)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.steps * self.dt
