"""Number of steps per launch: kernels do not hear Ctrl-C, so launches end after a quarter of a second."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

LAUNCH_SECONDS = 0.25
GROWTH = 8  # of the number of steps, from launch to launch


class LaunchLength:
    """Most steps of the next launch, from the measured time of launches before; the first launch has one step.

    A launch on a GPU ends after its call has returned. So steps are counted from launch to launch, and when there are
    as many as the most of one, the host waits for all of them and measures the time since the first began. No more
    than twice that number of steps is ever under way, and an interrupt is heard after half a second.

    Args:
        finish: waits until the device has done its work.
        waits: whether launches end after their calls have returned.
    """

    def __init__(self, finish: Callable[[], None] = lambda: None, waits: bool = False):
        self.most = 1
        self._finish, self._waits = finish, waits
        self._steps, self._began = 0, 0.0

    @contextmanager
    def launch(self, steps: int) -> Iterator[None]:
        """Measure a launch of some steps; its time may include compiling."""
        if not self._steps:
            self._began = perf_counter()
        yield
        self._steps += steps
        if self._waits and self._steps < self.most:
            return
        self._finish()
        self.measure(self._steps, perf_counter() - self._began)
        self._steps = 0

    def measure(self, steps: int, seconds: float) -> None:
        """Adapt to the time of some steps."""
        if not steps:
            return
        fitting = max(1, int(steps * LAUNCH_SECONDS / max(seconds, 1e-9)))
        if steps >= self.most:
            self.most = min(fitting, GROWTH * self.most)
        else:
            self.most = min(fitting, self.most)
