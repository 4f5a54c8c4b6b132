"""Real time of a running simulation."""

import time as clock
from dataclasses import dataclass, field

LATE = 0.25  # [s] behind real time after which the clock starts anew


@dataclass
class Pace:
    """Real time: when the next state is due, and how fast the simulation went lately."""

    speed: float = 1.0
    due: float = field(default_factory=clock.perf_counter)
    late: int = 0  # how often the simulation fell behind
    factor: float = 1.0  # simulated per real seconds, of the last second
    _since: tuple[float, float] = (0.0, 0.0)

    def wait(self, simulated: float, time: float) -> None:
        """Wait until the state after `simulated` seconds is due; `time` is that of the simulation."""
        self.due += simulated / self.speed
        now = clock.perf_counter()
        if now - self.due > LATE:
            self.due = now
            self.late += 1
        elif self.due > now:
            clock.sleep(self.due - now)
        now = clock.perf_counter()
        if now - self._since[0] > 1.0 or time < self._since[1]:
            if time > self._since[1] and self._since[0]:
                self.factor = (time - self._since[1]) / (now - self._since[0])
            self._since = now, time

    def restart(self) -> None:
        """Begin anew after a pause."""
        self.due = clock.perf_counter()
        self._since = 0.0, 0.0
