"""Compile the kernels that many tests share, into Taichi's cache.

    python tests/shared_kernels.py SHARE SHARES

A process reads the cache when it starts and writes to it when it ends, so test workers that run side by side would each
compile them all. `conftest` runs this before the workers start if the cache is empty.
"""

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import fajin
from fajin.simulation.statistics import Statistics
from fajin.tables.features import Features

SCENE = Path(__file__).parents[1] / "scenes" / "pendulum.usda"
SINGLE = (  # features of the scenes that tests simulate one world of
    "", "floats", "mimics", "joints", "tendons", "sleeps", "floats mimics", "floats joints", "floats tendons",
    "floats sleeps", "mimics sleeps", "floats joints sleeps",
)  # fmt: skip
PACKED = ("", "floats", "joints", "tendons", "sleeps", "joints sleeps", "mimics sleeps", "tendons sleeps")
BATCH = ("sleeps statistics", "sleeps statistics silent")  # of shards, with results of steps and without
KERNELS = [
    *product(["f32"], [20, 1], BATCH),
    *product(["f32", "f64"], [1], SINGLE),
    *product(["f32"], [20], PACKED),
    *product(["f64"], [20], ("", "floats", "sleeps")),
]


def main(share: int, shares: int) -> None:
    """Compile every `shares`-th kernel, from number `share` on."""
    scene = fajin.read(SCENE)
    for precision, worlds, features in KERNELS[share::shares]:
        sim = fajin.Simulation(scene, worlds, "cpu", precision=precision, threads=1)
        words = features.split()
        if "statistics" in words:
            Statistics(sim)
        state = sim._synced_state()
        has = dict.fromkeys((word for word in words if word not in ("statistics", "silent")), True)
        state.features = replace(Features(floats=False, results="silent" not in words), **has)
        sim.step(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
