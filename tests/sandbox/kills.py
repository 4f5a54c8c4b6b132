"""Kill commands at random moments, run them again, and compare their outputs with those of a run without kills.

    python tests/sandbox/kills.py --kills 100 --seed 1

prints a line per failure, and the counts. A victim is the command, one of its workers, or the process that reads its
scene. After a kill no output is incomplete; after the next run the outputs have the same bytes, and nothing else is
left.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import psutil

from fajin.jobs.shards.result_table import read_columns

SCENE = Path(__file__).parents[2] / "scenes" / "double_pendulum.usda"
GONE = 10.0  # [s] after which no process of a killed command lives
AGAIN = 3  # runs that may follow a kill


@dataclass(frozen=True)
class Command:
    """A command, and its outputs below a folder."""

    words: tuple[str, ...]
    resume: tuple[str, ...]  # that of the next run, if the folder of the output exists
    outputs: tuple[str, ...]


COMMANDS = {
    "simulate": Command(("simulate", "{scene}", "--seconds", "5", "-o", "out.usda", "--joints", "log.npz"), (),
                        ("out.usda", "out.anim.usdc", "log.npz")),
    "batch": Command(("batch", "{scene}", "-o", "job", "--worlds", "40", "--shard-size", "4", "--seconds", "1",
                      "--workers", "2", "--random", "elbow:q+=normal(0,0.3)", "--device", "cpu"),
                     ("batch", "-o", "job", "--resume", "--workers", "2"), ("job/metrics",)),
    "write": Command(("author", "drive", "{scene}", "--joint", "elbow", "--kp", "3", "-o", "drives.usda"), (),
                     ("drives.usda",)),
}  # fmt: skip


def start(folder: Path, words: tuple[str, ...]) -> subprocess.Popen:
    """Start a command in a folder, with limits as outside of tests."""
    env = {name: value for name, value in os.environ.items() if name != "FAJIN_LIMITS"}
    line = [sys.executable, "-m", "fajin", *(word.format(scene=SCENE) for word in words)]
    return subprocess.Popen(
        line, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def run(folder: Path, words: tuple[str, ...]) -> tuple[int, str]:
    """Run a command to its end; return its exit code and its lines of errors."""
    running = start(folder, words)
    _, said = running.communicate()
    return running.returncode, said.decode()


def content(file: Path) -> bytes:
    """Return the bytes of a file; of a table its numbers, because its metadata has the time that it took."""
    if file.suffix != ".parquet":
        return file.read_bytes()
    columns = read_columns(file)
    return b"".join(
        name.encode() + b"=" + repr(np.asarray(cells).tolist()).encode() for name, cells in sorted(columns.items())
    )


def files_of(folder: Path, command: Command) -> dict[str, str]:
    """Return {path: SHA-256} of the contents of the outputs that exist."""
    places = [folder / output for output in command.outputs]
    files = [file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*")))]
    return {
        str(file.relative_to(folder)): hashlib.sha256(content(file)).hexdigest()
        for file in files
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    }


def leftovers(folder: Path) -> list[str]:
    """Return hidden files and folders."""
    return [str(file.relative_to(folder)) for file in folder.rglob(".*")]


def descendants(process: psutil.Process) -> list[psutil.Process]:
    """Return a process and all below it."""
    try:
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def kill(running: subprocess.Popen, draw: Random, seconds: float) -> tuple[str, list[psutil.Process]]:
    """Kill a process of a command after a random time; return which, and all that lived."""
    time.sleep(draw.uniform(0.0, seconds))
    if running.poll() is not None:
        return "ended", []
    living = descendants(psutil.Process(running.pid))
    at = draw.choice((0, *range(len(living)))) if living else 0
    if not living:
        return "ended", []
    living[at].kill()
    return "command" if at == 0 else "child", living


def trial(folder: Path, command: Command, wanted: dict[str, str], draw: Random, seconds: float) -> Iterator[str]:
    """Kill a command, run it again, and yield what is wrong; the first item is what was killed."""
    running = start(folder, command.words)
    victim, living = kill(running, draw, seconds)
    yield victim
    said = running.communicate()[1].decode()
    if running.returncode > 0 and "Traceback" in said:
        yield f"a traceback: {said.strip().splitlines()[-1]}"
    until = time.monotonic() + GONE
    while time.monotonic() < until and any(map(psutil.Process.is_running, living)):
        time.sleep(0.05)
    yield from (f"process {one.pid} lives on" for one in living if one.is_running())
    for name, content in files_of(folder, command).items():
        if wanted.get(name) != content:
            yield f"{name} is incomplete after the kill"
    for _ in range(AGAIN):
        again = bool(command.resume) and (folder / "job" / "manifest.json").exists()
        code, said = run(folder, command.resume if again else command.words)
        if code == 0:
            break
    if code:
        yield f"exit code {code}: {said.strip()[-300:]}"
    if files_of(folder, command) != wanted:
        yield "other bytes"
    yield from (f"{name} is left" for name in leftovers(folder))


def main(kills: int, seed: int, names: list[str]) -> Counter:
    """Kill commands in turns; print and count what is wrong."""
    counts: Counter = Counter()
    for name in names:
        command = COMMANDS[name]
        with tempfile.TemporaryDirectory() as folder:
            assert run(Path(folder), command.words)[0] == 0  # kernels are compiled
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            assert run(Path(folder), command.words)[0] == 0
            seconds, wanted = time.monotonic() - began, files_of(Path(folder), command)
            assert wanted
        for i in range(kills // len(names)):
            with tempfile.TemporaryDirectory() as folder:
                victim, *wrong = trial(Path(folder), command, wanted, Random(f"{seed} {name} {i}"), seconds)
            counts[f"{name}: killed the {victim}" if victim != "ended" else f"{name}: ended before"] += 1
            counts["failures"] += bool(wrong)
            for what in wrong:
                print(f"{name} {i}, {victim}: {what}", flush=True)
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", nargs="*", default=list(COMMANDS), choices=COMMANDS)
    options = parser.parse_args()
    for kind, number in main(options.kills, options.seed, options.commands).most_common():
        print(f"{number:6d} {kind}")
