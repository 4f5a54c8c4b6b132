"""Checks of a GPU: times of launches and copies, rates over worlds, and bits of the bundled scenes against the CPU's.

Each check runs in a process of its own under a time limit and prints its findings as it makes them, lines of JSON. So
a check that fails, hangs or breaks the GPU's context leaves the others alone. To run one:
python -m fajin.tools.gpu_checks NAME [WORD]
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING

import numpy as np

from .demo import SCENES
from .finding import ABSENT, OK, WRONG, Finding

if TYPE_CHECKING:
    from fajin import Simulation

COMPARED_WORLDS, COMPARED_STEPS = 37, 60
"""Worlds and steps of a comparison of bits: a tile, and some worlds in a second one."""

QUANTITIES = ("q", "qd", "link_pose", "link_velocity")

ROBOTS = ("franka", "g1", "quadruped")
"""Robots whose rates are measured; the last stands on the ground."""

MOST_WORLDS, GROWTH = 1 << 20, 8
LAUNCHES, SECONDS, LONGEST_RUN = 200, 0.1, 1 << 20
"""Launches of one step that are timed; least seconds, or most steps, of a rate's measurement."""

SHARE = 0.5
"""Share of all seconds after which no new measurement begins; the rest is for bits."""

PROCESSES = 8
"""Most scenes that are compared at once."""


def check_gpu(
    seconds: float,
    scenes: Sequence[Path] | None = None,
    robots: Sequence[str] = ROBOTS,
    most_worlds: int = MOST_WORLDS,
) -> Iterator[Finding]:
    """Yield the findings of all checks; those for which no time is left are absent.

    Args:
        seconds: most seconds of all checks together.
        scenes: scenes whose bits are compared; None for those that ship with fajin.
        robots: robots whose rates are measured.
        most_worlds: most worlds in which they are.
    """
    end, half = monotonic() + seconds, monotonic() + SHARE * seconds
    for words in (("launches", robots[0]), ("memory",), *(("rates", robot, str(most_worlds)) for robot in robots)):
        yield from _run_apart(words, min(half - monotonic(), SHARE * seconds / 2))
    files = sorted(SCENES.glob("*.usda")) if scenes is None else scenes
    with ThreadPoolExecutor(min(PROCESSES, os.cpu_count() or 1)) as pool:
        for found in pool.map(lambda file: [*_run_apart(("bits", str(file)), end - monotonic())], files):
            yield from found


def _run_apart(words: Sequence[str], limit: float) -> Iterator[Finding]:
    """Yield the findings of one check from a child process, and one more if it does not end well in time."""
    what = f"{words[0]}{f' of {Path(words[1]).stem}' if words[1:] else ''} on cuda"
    if limit <= 0.0:
        yield Finding(what, "not run: no time was left; raise --seconds", ABSENT)
        return
    try:
        command = [sys.executable, "-m", __name__, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
        printed, errors, code = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        printed, errors, code = (late.stdout or b"").decode(errors="replace"), "", None
    lines = [line for line in printed.splitlines() if line.startswith("{") and line.endswith("}")]
    yield from (Finding(**json.loads(line)) for line in lines)
    if code is None:
        yield Finding(what, f"ended after {limit:.0f} s; raise --seconds", ABSENT)
    elif code:
        yield Finding(what, (errors.strip().splitlines() or [f"ended with code {code}"])[-1], WRONG)


def launches(robot: str) -> Iterator[Finding]:
    """Yield the host's time of a launch of one step of one world, and the time until the GPU is done with it."""
    sim = _simulation(robot, 1)
    sim.step()
    began = perf_counter()
    for _ in range(LAUNCHES):
        sim.step()
    host = (perf_counter() - began) / LAUNCHES
    _wait(sim)
    whole = (perf_counter() - began) / LAUNCHES
    said = f"{1e6 * host:,.0f} µs of the host, {1e6 * whole:,.0f} µs until it is done"
    yield Finding(f"launches of {robot} on cuda", f"one step of one world: {said}", OK, host, "s")


def memory() -> Iterator[Finding]:
    """Yield the rate at which the GPU copies within its memory."""
    from fajin import device
    from fajin.device.cuda_measure import copy_rate

    device.start("cuda")
    rate = copy_rate()
    yield Finding("memory on cuda", f"{rate / 1e9:,.0f} GB/s read and written by copies", OK, rate, "B/s")


def rates(robot: str, most_worlds: str) -> Iterator[Finding]:
    """Yield the steps per second of a robot in 1, 8, 64 … worlds, as many as fit."""
    import fajin

    worlds = 1
    while worlds <= int(most_worlds):
        what = f"{robot}, {worlds:,} worlds on cuda"
        try:
            rate = _rate(robot, worlds)
        except fajin.OutOfMemory as error:
            yield Finding(what, str(error), ABSENT)
            return
        yield Finding(what, f"{rate:,.0f} steps/s", OK, rate, "steps/s")
        worlds *= GROWTH


def _rate(robot: str, worlds: int) -> float:
    """Return the steps of one world per second in a launch that takes long enough to be timed."""
    sim, steps, took = _simulation(robot, worlds), 1, 0.0
    sim.step()
    _wait(sim)
    while took < SECONDS and steps < LONGEST_RUN:
        steps *= 2
        began = perf_counter()
        sim.step(steps)
        _wait(sim)
        took = perf_counter() - began
    return worlds * steps / took


def bits(scene: str) -> Iterator[Finding]:
    """Yield whether a scene moves to the bit as on the CPU, each world towards targets of its own."""
    import fajin

    found = {}
    for device in ("cpu", "cuda"):
        sim = fajin.Simulation(fajin.read(scene), COMPARED_WORLDS, device, "f32")
        sim.target_q = np.random.default_rng(0).normal(0.0, 0.3, np.array(sim.q).shape)
        sim.step(COMPARED_STEPS)
        found[device] = {name: sim.read(name) for name in QUANTITIES}
    wrong = []
    for name, cpu in found["cpu"].items():
        cuda = found["cuda"][name]
        differ = int((cpu.view(np.uint32) != cuda.view(np.uint32)).sum())
        if differ:
            wrong.append(f"{name} differs in {differ:,} of {cpu.size:,}, by {np.abs(cpu - cuda).max(initial=0.0):.1e}")
    said = "; ".join(wrong) or f"those of the CPU in {COMPARED_WORLDS} worlds after {COMPARED_STEPS} steps"
    yield Finding(f"bits of {Path(scene).stem} on cuda", said, WRONG if wrong else OK)


def _simulation(robot: str, worlds: int) -> "Simulation":
    """Return a robot of `fajin bench` in some worlds on CUDA."""
    import fajin

    from .bench.models import path_of

    return fajin.Simulation(fajin.read(path_of(robot)), worlds, "cuda", "f32", sleeping=False)


def _wait(sim: "Simulation") -> None:
    """Wait until the GPU has done its work."""
    sim.read("q", worlds=[0])


CHECKS = {check.__name__: check for check in (launches, memory, rates, bits)}


if __name__ == "__main__":
    for finding in CHECKS[sys.argv[1]](*sys.argv[2:]):
        print(json.dumps(asdict(finding)), flush=True)
