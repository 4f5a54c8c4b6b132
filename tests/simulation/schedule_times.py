"""Time of a step of anymal_c's time-sampled scene: `python tests/simulation/schedule_times.py`.

By the schedule of its samples, and by a launch, a write of all targets and a frame per step; interleaved, one thread.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import fajin

SCENE = Path(__file__).parents[2] / "scenes" / "anymal_c.usda"
ROUNDS = 7


def main() -> None:
    """Print both times and the largest difference of positions."""
    scene = fajin.read(SCENE)
    steps = round(scene.duration / scene.dt)
    sampled = fajin.Simulation(scene, threads=1)
    written = fajin.Simulation(replace(scene, signals=()), threads=1)
    column = {name: i for i, name in enumerate(written.dof)}

    def by_schedule() -> np.ndarray:
        sampled.reset()
        return sampled.run(steps=steps).q[-1]

    def by_step() -> np.ndarray:
        written.reset()
        for k in range(steps):
            target = np.array(written.target_q)
            for signal in scene.signals:
                target[:, column[signal.dof]] = np.interp(k * scene.dt, signal.times, signal.values)
            written.target_q = target
            last = written.run(steps=1).q[-1]
        return last

    difference = np.abs(by_schedule() - by_step()).max()
    rounds = [(cost(by_schedule), cost(by_step)) for _ in range(ROUNDS)]
    fast, slow = (statistics.median(column) / steps * 1e6 for column in zip(*rounds, strict=True))
    ratio = statistics.median(b / a for a, b in rounds)
    print(f"schedule {fast:.1f} µs a step, step by step {slow:.1f} µs, ratio {ratio:.1f}, difference {difference:.2g}")


def cost(run: Callable[[], np.ndarray]) -> float:
    """Return the processor time of a run [s]."""
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    main()
