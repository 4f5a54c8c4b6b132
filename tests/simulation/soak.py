"""Simulate, run batches, save snapshots, write motions and serve pages in turns, and compare their bits with the first.

    python tests/simulation/soak.py --minutes 30

prints memory, descriptors and threads as they grow, and what differs.
"""

import argparse
import hashlib
import os
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil

import fajin
from fajin.visual.viewer.live import LiveViewer

SCENES = Path(__file__).parents[2] / "scenes"
LINES = 30  # of memory that are printed


def bits(*arrays: np.ndarray) -> str:
    """Return the SHA-256 of arrays."""
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def simulate(folder: Path) -> str:
    """Read a scene through the door, simulate and write its motion."""
    recording = fajin.Simulation(fajin.read(SCENES / "anymal_c.usda")).run(steps=100)
    files = fajin.write(recording, folder / "motion.usda")
    return bits(recording.q, recording.pose) + hashlib.sha256(files[1].read_bytes()).hexdigest()


def batch(folder: Path) -> str:
    """Simulate worlds with random parameters."""
    scene = fajin.read(SCENES / "double_pendulum.usda")
    table = fajin.batch(scene, {"elbow:q+": "normal(0, 0.3)"}, worlds=32, seconds=0.5)
    return hashlib.sha256(table.to_csv().encode()).hexdigest()


def snapshots(folder: Path) -> str:
    """Save a state, go on from it twice, once from its file."""
    sim = fajin.Simulation(fajin.read(SCENES / "pendulum.usda"), worlds=4)
    sim.step(50)
    saved = sim.save()
    saved.write(folder / "state.npz")
    ends = []
    for state in (saved, fajin.Snapshot.read(folder / "state.npz")):
        sim.load(state)
        sim.step(200)
        ends.append(bits(sim.q, sim.qd))
    assert ends[0] == ends[1], "a snapshot that was written goes on otherwise"
    return ends[0]


def page(folder: Path) -> str:
    """Serve a running simulation, and fetch its page and data."""
    sim = fajin.Simulation(fajin.read(SCENES / "pendulum.usda"))
    with LiveViewer(sim, passive=True) as viewer:
        fetched = [urllib.request.urlopen(viewer.url + place, timeout=60).read() for place in ("", "scene")]
        for _ in range(5):
            sim.step(20)
            viewer.sync()
    return bits(sim.q, sim.qd, np.frombuffer(fetched[1], np.uint8))


TURNS: tuple[Callable[[Path], str], ...] = (simulate, batch, snapshots, page)


def main(minutes: float) -> int:
    """Take turns; print how memory, descriptors and threads grow; return the number of differences."""
    process, known, wrong, turns = psutil.Process(), {}, 0, 0
    began = last = time.monotonic()
    first: list[tuple[float, int]] = []
    while time.monotonic() - began < 60.0 * minutes:
        for turn in TURNS:
            with tempfile.TemporaryDirectory() as folder:
                found = turn(Path(folder))
            if known.setdefault(turn, found) != found:
                wrong += 1
                print(f"{turn.__name__}, turn {turns}: other bits", flush=True)
        turns += 1
        first.append((process.memory_info().rss / 1e6, process.num_fds()))
        if time.monotonic() - last > 60.0 * minutes / LINES or turns == 5:
            last = time.monotonic()
            rss, descriptors = first[-1]
            line = f"{rss:.1f} MB, {descriptors} descriptors, {process.num_threads()} threads"
            below = sum(child.memory_info().rss for child in process.children(recursive=True)) / 1e6
            print(f"{(last - began) / 60.0:6.1f} min, {turns} turns: {line}; children {below:.0f} MB", flush=True)
    half = first[len(first) // 2 :]
    slope = np.polyfit(np.arange(len(half)), [rss for rss, _ in half], 1)[0] if len(half) > 2 else np.nan
    print(f"{turns} turns, {4 * turns} simulations or batches: {1000.0 * slope:.1f} KB per turn in the second half")
    print(f"descriptors from {min(n for _, n in first)} to {max(n for _, n in first)}; {wrong} differences")
    return wrong


if __name__ == "__main__":
    os.environ.pop("FAJIN_LIMITS", None)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    raise SystemExit(bool(main(parser.parse_args().minutes)))
