"""Few kernels for all tests: each contains more laws than its scene needs.

    python tests/support/shared_kernels.py SHARE SHARES

A kernel takes 15 to 100 s to compile, so the tests do not compile a kernel per combination of laws, but at most three
per lane type: without contacts, with contacts of all shapes, and for pairs that share slots. Another selection of
shapes would be a kernel of its own. `kernels/test_features.py` shows that laws which a scene does not need change none
of its bits.
The command compiles the shared kernels into the cache. `conftest` runs it before the workers start if the cache is
empty: workers that run side by side would wait for each other.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from fajin.device import Device
from fajin.device.buffer import fill_array, new_array
from fajin.tables.features import Features
from fajin.tables.layout import STATISTICS
from fajin.tables.schedule import SCHEDULE_HEADER

SCENES = Path(__file__).parents[2] / "scenes"
LAWS = (
    "floats",
    "dense",
    "locks",
    "mimics",
    "actuators",
    "joints",
    "gears",
    "breaks",
    "tendons",
    "sleeps",
    "schedule",
    "results",
    "statistics",
    "monitors",
)
CONTACTS = (
    *("planes", "boxes", "convexes", "polyhedra", "meshes", "crowds", "surfaces", "slops", "speculation", "continuous"),
    *("kinematics", "rounds", "cores", "hulls", "capsules", "kept_on_meshes", "cores_on_meshes", "impulse_limits"),
)
BODIES = (
    *("floats", "locks", "sleeps", "schedule", "results", "statistics", "monitors"),
    *("planes", "boxes", "convexes", "crowds", "surfaces", "slops", "speculation", "continuous", "impulse_limits"),
)
"""What scenes need whose pairs share slots, or in double precision: balls and boxes on the ground."""
WITHOUT, WITH, SHARED = "pendulum.usda", "stack_of_five.usda", 6

KERNELS = [  # device, precision, worlds, scene, slots that its pairs share: those that take longest first
    ("cpu", "f32", 1, WITH, None), ("cpu", "f32", 20, WITH, None),
    ("cpu", "f32", 20, WITH, SHARED), ("cpu", "f64", 1, WITH, None),
    ("cpu", "f32", 1, WITH, SHARED), ("cpu", "f32", 20, WITHOUT, None), ("cpu", "f64", 20, WITHOUT, None),
    ("cpu", "f32", 1, WITHOUT, None), ("cpu", "f64", 1, WITHOUT, None), ("cpu-lanes", "f32", 20, WITHOUT, None),
]  # fmt: skip


def shared_features(features: Features, device: Device) -> Features:
    """Return the features of the shared kernel of a device that contains `features`."""
    if features.slots:
        names = BODIES
    elif features.contacts and device.bits == 64:
        names = (*BODIES, "kinematics")
    elif features.contacts:
        names = (*LAWS, *CONTACTS)
    else:
        names = LAWS
    return replace(features, **dict.fromkeys(names, True))


class SharedKernels:
    """Launches of shared kernels in the place of a simulation's own; what a simulation does not use changes nothing.

    A simulation without schedule, statistics, monitors or sleep gets a schedule without columns, statistics that have
    ended, monitors that nobody reads, and articulations that are never due to sleep. Other devices than the CPU have
    their own kernels.

    Args:
        launcher: the class `State` of `fajin.device.state`.
    """

    def __init__(self, launcher: type):
        self._launcher = launcher
        self._own = {name: getattr(launcher, name) for name in ("run", "_features")}
        own, run = launcher._features, launcher.run

        def launch(state, *args, **kwargs):
            if state.device.name != "cpu":
                return run(state, *args, **kwargs)
            with_statistics, with_monitors = (name in state._arrays for name in ("statistics", "monitors"))
            if not with_statistics:
                state._arrays["statistics"] = ended_statistics(state)
            if not with_monitors:
                state.buffer("monitors")
            if not state.sleeps:
                keep_awake(state)
            if not state.schedules:
                clear_schedule(state)
            try:
                return run(state, *args, **kwargs)
            finally:
                if not with_statistics:
                    state.drop("statistics")
                if not with_monitors:
                    state.drop("monitors")

        self._shared = {
            "run": launch,
            "_features": lambda state: (
                shared_features(own(state), state.device) if state.device.name == "cpu" else own(state)
            ),
        }

    def use(self, shared: bool) -> None:
        """Use shared kernels from now on, or each scene's own."""
        for name, function in (self._shared if shared else self._own).items():
            setattr(self._launcher, name, function)


def ended_statistics(state):
    """Return statistics of which nothing is counted: END_STEP is 0."""
    if not hasattr(state, "_ended_statistics"):
        counts = {"A": len(state.model.tables["ARTICULATIONS"]), "D": len(state.model.dof), "L": len(state.model.link)}
        size = sum(width * counts[owner] for _, owner, width, _ in STATISTICS)
        state._ended_statistics = state.array("statistics", (max(1, size * state.batch.elements),))
    return state._ended_statistics


def keep_awake(state) -> None:
    """Keep every articulation awake, and its timers as they are."""
    sleep = state.buffer("sleep")
    for name, value in (("ASLEEP", 0.0), ("IDLE_STEPS", 1e30)):
        rows = state.layout.places[name][1]
        if state.device.packed:
            sleep.memory[:, rows] = value
        else:
            sleep.write(np.full((state.worlds, rows.stop - rows.start), value, state.float), rows)


def clear_schedule(state) -> None:
    """Upload a schedule without columns: all worlds are at one place of its only row."""
    arrays = state._schedule_arrays
    if arrays._tables or not arrays._arrays:
        words = np.zeros(len(SCHEDULE_HEADER) + len(state.model.tables["ISLANDS"]) + 1, np.int32)
        words[[SCHEDULE_HEADER["EVERY"], SCHEDULE_HEADER["TOGETHER"]]] = 1
        words[SCHEDULE_HEADER["ISLAND_COLUMNS"]] = len(SCHEDULE_HEADER)
        arrays._arrays = {
            "words": new_array(state.device, words.shape, "i4"),
            "numbers": new_array(state.device, (1,), f"f{state.device.bits // 8}"),
        }
        fill_array(arrays._arrays["words"], state.device, words, "i4")
        arrays._copied, arrays._tables = [], []


def main(share: int, shares: int) -> None:
    """Compile every `shares`-th kernel, from number `share` on."""
    import fajin
    from fajin.device.state import State

    SharedKernels(State).use(True)
    for device, precision, worlds, scene, slots in KERNELS[share::shares]:
        scene = fajin.read(SCENES / scene)
        fajin.Simulation(scene, worlds, device, precision, threads=1, contact_slots=slots).step(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
