"""Few kernels for all tests: each contains more laws than its scene needs.

    python tests/shared_kernels.py SHARE SHARES

A kernel takes 20 to 70 s to compile, and a process that loads it from Taichi's cache spends 4 s on machine code. So the
tests do not compile a kernel per combination of laws; `kernels/test_features.py` shows that laws which a scene does not
need change none of its bits. The command compiles the shared kernels into Taichi's cache. `conftest` runs it before the
workers start if the cache is empty: workers that run side by side would each compile them all.
"""

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import fajin
from fajin.simulation.statistics import Statistics
from fajin.tables.features import Features

SCENES = Path(__file__).parents[1] / "scenes"
LAWS = ("floats", "mimics", "joints", "tendons")
CONVEX = ("boxes", "rounds", "hulls", "convexes", "capsules", "polyhedra", "meshes", "crowds")
"""Kinds of pairs of which few scenes have any, and many bodies; the common kernel with contacts does without them."""

KERNELS = [  # precision, worlds, scene, and the features that it alone does not show
    *product(("f32", "f64"), (1, 20), ("pendulum.usda",), ("", "sleeps")),
    *product(("f32",), (1,), ("stack_of_five.usda",), ("", "sleeps")),
    *product(("f32",), (1, 20), ("quadruped_standing.usda",), ("", "sleeps")),
    ("f32", 20, "pendulum.usda", "sleeps statistics"),
    ("f32", 20, "pendulum.usda", "sleeps statistics silent"),
]


def shared_features(features: Features) -> Features:
    """Return the features of the shared kernel that contains `features`."""
    has = dict.fromkeys(LAWS, True) | {"planes": features.contacts, "kinematics": features.contacts}
    if any(getattr(features, kind) for kind in CONVEX):
        has |= dict.fromkeys(CONVEX, True)
    return replace(features, **has)


def main(share: int, shares: int) -> None:
    """Compile every `shares`-th kernel, from number `share` on."""
    for precision, worlds, scene, words in KERNELS[share::shares]:
        sim = fajin.Simulation(fajin.read(SCENES / scene), worlds, "cpu", precision=precision, threads=1)
        if "statistics" in words.split():
            Statistics(sim)
        state = sim._synced_state()
        features = replace(state.features, sleeps="sleeps" in words, results="silent" not in words)
        state.features = shared_features(features)
        sim.step(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
