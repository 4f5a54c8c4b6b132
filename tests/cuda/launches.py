"""Time of the host for a launch and for exchanges, where kernels take none: python launches.py SCENE WORLDS OUT.json

It is the time that the process computes, so programs beside it do not count.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

REPEATS, ROUNDS = 200, 7


def microseconds(call: Callable[[], object]) -> float:
    """Return the time of a call, the median of some rounds of many calls [µs]."""
    times = []
    for _ in range(ROUNDS):
        began = process_time()
        for _ in range(REPEATS):
            call()
        times.append((process_time() - began) / REPEATS)
    return 1e6 * median(times)


def host_times(scene: str, worlds: int) -> dict[str, float]:
    """Return the times of a launch and of exchanges with NumPy by what is called [µs]."""
    import fajin

    sim = fajin.Simulation(fajin.read(scene), worlds, "cuda")
    sim._stepper.length.most = 1 << 20  # a launch whose length is measured ends with a wait
    sim.step()
    rows = np.zeros(np.array(sim.q).shape, np.float32)
    return {
        "step(1)": microseconds(sim.step),
        'write("target_q")': microseconds(lambda: sim.write("target_q", rows)),
        'read("q")': microseconds(lambda: sim.read("q", out=rows)),
    }


def host_times_apart(env: dict[str, str], out: Path, scene: str, worlds: int) -> dict[str, float]:
    """`host_times` in a process with that environment."""
    subprocess.run([sys.executable, __file__, scene, str(worlds), str(out)], env=env, check=True)
    return json.loads(out.read_text())


if __name__ == "__main__":
    Path(sys.argv[3]).write_text(json.dumps(host_times(sys.argv[1], int(sys.argv[2]))))
