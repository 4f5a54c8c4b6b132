"""Number of steps per launch: kernels do not hear Ctrl-C, so launches end after a quarter of a second."""

LAUNCH_SECONDS = 0.25
GROWTH = 8  # of the number of steps, from launch to launch


class LaunchLength:
    """Most steps of the next launch, from the measured time of the last one; the first launch has one step."""

    def __init__(self):
        self.most = 1

    def measure(self, steps: int, seconds: float) -> None:
        """Adapt to a launch of some steps; its time may include compiling."""
        if not steps:
            return
        fitting = max(1, int(steps * LAUNCH_SECONDS / max(seconds, 1e-9)))
        if steps >= self.most:
            self.most = min(fitting, GROWTH * self.most)
        else:
            self.most = min(fitting, self.most)
