"""What becomes of damaged USD files: many are read by one forked child, in the functions of the door.

    python tests/fuzz/fuzz_door.py --files 100000 --seed 1

prints a table and the rate. A child has the limits of a reader; one that dies is replaced, and its file is read once
more through `fajin.read`. A caller must get a scene without NaN, or one line; all else is a failure.
"""

import argparse
import gc
import json
import math
import mmap
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from damaged_files import KINDS, damaged_file
from pxr import Work
from sound_files import sound_files

import fajin
from fajin.sandbox.server import _answer
from fajin.scene import Scene
from fajin.scene.serialization import MALFORMED, from_plain

FAILURES = ("traceback", "NaN", "overlong", "crash", "hang")
OUTCOMES = ("scene", "refused", "died", *FAILURES)
CPU = 2  # [s] limit of a file
WALL = 60  # [s]
MEMORY = 0.5  # [GB]
LIMITS = f"cpu={CPU},wall={WALL},memory={MEMORY},output=0.05"
LONGEST = 1_000  # letters of a refusal
BLOCK = 1_000  # files of one child
COMPILED = 4  # of so many scenes one is compiled, which takes as long as reading
READER = "fajin.usd.read.plain_scene:read_plain"
SEED, PHASE, COUNTS = 0, 1, 2  # words of the shared memory
LONGEST_SEEN = COUNTS + len(OUTCOMES)
READING, CALLING = 0, 1


@dataclass(frozen=True)
class Verdict:
    """What became of one input."""

    kind: str  # one of OUTCOMES
    detail: str = ""


def judge_scene(scene: Scene) -> Verdict:
    """What becomes of a scene in the caller: it is compiled, without NaN."""
    from fuzz_scenes import not_a_number

    try:
        name = not_a_number(scene, fajin.compile(scene))
    except fajin.InvalidScene as error:
        return judge_refusal(error)
    return Verdict("NaN" if name else "scene", name)


def judge_refusal(error: fajin.InvalidScene) -> Verdict:
    """What a refusal says."""
    line = str(error)
    if " that fajin reads (" in line or " answers with a scene (" in line:
        return Verdict("traceback", line)
    if len(line) > LONGEST or "\n" in line:
        return Verdict("overlong", line)
    return Verdict("died" if " survives (" in line or " is read within " in line else "refused", line)


def judge_door(path: Path) -> Verdict:
    """What becomes of a file in `fajin.read`, which has a child for it."""
    with mock.patch.dict(os.environ, {"FAJIN_LIMITS": LIMITS}):
        try:
            return judge_scene(fajin.read(path))
        except fajin.InvalidScene as error:
            return judge_refusal(error)
        except Exception:  # whatever it is, it is what is looked for
            return _traceback()


def judge_here(path: Path, shared: memoryview, compiled: bool = True) -> Verdict:
    """What becomes of a file in the functions of the door, in this process."""
    request = {"cwd": "", "function": READER}
    request["arguments"] = {"path": str(path), "overrides": [], "files": False, "root": ""}
    answer = _answer(request)
    shared[PHASE] = CALLING
    try:
        ((kind, value),) = json.loads(answer).items()
        if kind == "invalid":
            return judge_refusal(fajin.InvalidScene(*map(str, value[:6])))
        if kind == "fault":
            return Verdict("died" if value == "memory" else "traceback", str(value))
        scene = from_plain(Scene, value["scene"])
        return judge_scene(scene) if compiled else Verdict("scene")
    except (*MALFORMED, Exception):  # whatever it is, it is what is looked for
        return _traceback()


def _traceback() -> Verdict:
    return Verdict("traceback", traceback.format_exc(limit=-2).replace("\n", " "))


class Fuzzer:
    """Damaged files by seed, and the counts of what became of them."""

    def __init__(self, kinds: dict, folder: Path):
        Work.SetConcurrencyLimit(1)  # a fork has no other threads
        self.kinds = kinds
        self.shared = memoryview(mmap.mmap(-1, 4096)).cast("q")
        self.folder = folder

    @property
    def counts(self) -> Counter:
        """Files by what became of them."""
        return Counter({name: self.shared[COUNTS + i] for i, name in enumerate(OUTCOMES)})

    def run_block(self, first: int, end: int) -> None:
        """Judge the files of seeds; a child that dies is replaced."""
        seed = first
        while seed < end:
            self.shared[SEED] = seed
            if child := os.fork():
                _, status = os.waitpid(child, 0)
                if code := os.waitstatus_to_exitcode(status):
                    self._judge_death(self.shared[SEED], code, self.shared[PHASE])
                seed = self.shared[SEED] + 1
            else:
                self._judge_many(seed, end)

    def _judge_many(self, seed: int, end: int) -> None:
        """Judge the files of seeds in this process, and exit."""
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 2)
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = size + int(MEMORY * 1e9)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for signum in (signal.SIGPROF, signal.SIGALRM, signal.SIGINT):
            signal.signal(signum, signal.SIG_DFL)
        for now in range(seed, end):
            self.shared[SEED], self.shared[PHASE] = now, READING
            path = damaged_file(self.folder, now, self.kinds)
            signal.setitimer(signal.ITIMER_PROF, CPU)
            signal.setitimer(signal.ITIMER_REAL, WALL)
            verdict = judge_here(path, self.shared, now % COMPILED == 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            for file in self.folder.iterdir():
                if file.name.startswith(path.stem):
                    file.unlink()
            self._note(now, verdict)
        os._exit(0)

    def _judge_death(self, seed: int, code: int, phase: int) -> None:
        """Judge a file that ended its child, through the door."""
        left = sorted(self.folder.glob("damaged_*"), key=lambda path: len(path.name))
        verdict = Verdict("crash", f"code {code} before the file was written")
        if left:
            verdict = judge_door(left[0])
        if phase == CALLING:
            verdict = Verdict("hang" if code == -signal.SIGPROF else "crash", f"code {code} in the caller")
        self._note(seed, verdict if verdict.kind in FAILURES else Verdict("died", f"code {code}; {verdict.detail}"))
        for path in left:
            path.unlink()

    def _note(self, seed: int, verdict: Verdict) -> None:
        self.shared[COUNTS + OUTCOMES.index(verdict.kind)] += 1
        self.shared[LONGEST_SEEN] = max(self.shared[LONGEST_SEEN], len(verdict.detail))
        if verdict.kind in FAILURES:
            print(f"{verdict.kind}: seed {seed}: {verdict.detail}"[:1_000], flush=True)


def main() -> None:
    """Damage files, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file; each has the next")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this time")
    parser.add_argument("--every", type=int, default=100_000, help="print the counts after so many files")
    parser.add_argument("--kinds", nargs="*", default=[], help="kinds of damage; all by default")
    options = parser.parse_args()
    from fajin.usd.read.plain_scene import prepare

    prepare()
    folder = Path(tempfile.mkdtemp(prefix="fajin-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    kinds = {kind: n for kind, n in KINDS.items() if not options.kinds or kind.__name__ in options.kinds}
    fuzzer = Fuzzer(kinds, folder)
    for name in sorted(sound_files(str(fuzzer.folder)))[:1]:  # the children inherit what is loaded
        assert judge_here(fuzzer.folder / name, fuzzer.shared).kind == "scene"
    gc.collect()
    gc.freeze()  # a collection in a child would copy the pages of all that it inherits
    began, end = time.monotonic(), options.seed + options.files
    try:
        for first in range(options.seed, end, BLOCK):
            fuzzer.run_block(first, min(first + BLOCK, end))
            done = first + BLOCK - options.seed
            if time.monotonic() - began > options.seconds:
                break
            if done % options.every < BLOCK:
                print_counts(fuzzer.counts, time.monotonic() - began)
    finally:
        shutil.rmtree(fuzzer.folder, ignore_errors=True)
    print_counts(fuzzer.counts, time.monotonic() - began)
    print(f"longest message: {fuzzer.shared[LONGEST_SEEN]} letters")


def print_counts(counts: Counter, seconds: float) -> None:
    """Print the counts and the rate."""
    total = counts.total() or 1
    parts = ", ".join(f"{number:,} {kind} ({100.0 * number / total:.2f} %)" for kind, number in counts.most_common())
    print(f"{total:,} files, {total / seconds:.1f}/s: {parts}", flush=True)


if __name__ == "__main__":
    main()
