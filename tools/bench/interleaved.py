"""Engines by turns: each in a process of its own that stands ready, and every round lets each of them run once.

What else the machine does, its clock and its temperature then meet all of them alike; ratios are of the same round.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ENGINES_SCRIPT = Path(__file__).with_name("engines.py")


@dataclass
class Result:
    """What one engine did in one case."""

    case: dict
    told: dict  # by the engine: version, seconds to set up, steps of a measurement
    rates: dict[str, list[float]] = field(default_factory=dict)  # name → steps of a world per second, one a round

    def rate(self, name: str = "") -> float:
        """The median."""
        return statistics.median(self.rates[name])

    def ratio(self, other: "Result", name: str = "", others: str | None = None) -> float:
        """How many times as fast as another, the median of all rounds."""
        pairs = zip(self.rates[name], other.rates[name if others is None else others], strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)

    def record(self) -> dict[str, Any]:
        """All of it, for a file."""
        return {**self.case, **self.told, "rates": self.rates}


class Runner:
    """An engine in a process of its own, with its case set up; told None where the engine is not installed."""

    def __init__(self, case: dict, python: str):
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed in __exit__
        command = [python, "-I", str(ENGINES_SCRIPT), json.dumps(case)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        self._process = subprocess.Popen(command, text=True, **pipes)
        told = self._process.stdout.readline()
        self.result = Result(case, json.loads(told)) if told else None
        if not told:
            self._complain(case)

    def measure(self) -> None:
        """Run once."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        for name, rate in json.loads(self._process.stdout.readline()).items():
            self.result.rates.setdefault(name, []).append(rate)

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._errors.close()

    def _complain(self, case: dict) -> None:
        self._process.wait()
        self._errors.seek(0)
        reason = self._errors.read().strip().splitlines()[-1:] or [f"exit code {self._process.returncode}"]
        if "ModuleNotFoundError" not in reason[0]:
            print(f"fajin: {case['engine']}, {case['name']}, {case['worlds']} worlds: {reason[0]}", file=sys.stderr)


def measure_interleaved(cases: list[dict], repeats: int, pythons: dict[str, str] | None = None) -> list[Result | None]:
    """Measure cases by turns, so many rounds; None for an engine that is not there.

    A case says its `engine`; `pythons` which interpreter runs it, this one by default.
    """
    with ExitStack() as stack:
        runners = []
        for case in cases:
            python = (pythons or {}).get(case["engine"], sys.executable)
            runners.append(stack.enter_context(Runner(case, python)))
        for _ in range(repeats):
            for runner in runners:
                if runner.result:
                    runner.measure()
        return [runner.result for runner in runners]
