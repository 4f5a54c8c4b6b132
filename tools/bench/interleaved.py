"""Interleaved measurements: each engine waits in its own process, and every round runs each of them once.

Other load, clock frequency and temperature then affect all engines equally; ratios are taken within a round.
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
    """Measurements of one engine in one case."""

    case: dict
    facts: dict  # reported by the engine: version, setup seconds, steps per measurement
    rates: dict[str, list[float]] = field(default_factory=dict)  # name → steps of a world per second, one per round

    def rate(self, name: str = "") -> float:
        """Return the median rate."""
        return statistics.median(self.rates[name])

    def ratio(self, other: "Result", name: str = "", others: str | None = None) -> float:
        """Return the median over all rounds of this rate relative to another."""
        pairs = zip(self.rates[name], other.rates[name if others is None else others], strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)

    def record(self) -> dict[str, Any]:
        """Return the result as plain values for a file."""
        return {**self.case, **self.facts, "rates": self.rates}


class Runner:
    """An engine in its own process with its case set up; `result` is None if the engine is not installed."""

    def __init__(self, case: dict, python: str):
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed in __exit__
        command = [python, "-I", str(ENGINES_SCRIPT), json.dumps(case)]
        self._process = subprocess.Popen(
            command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None  # both are pipes
        self._input, self._output = self._process.stdin, self._process.stdout
        line = self._output.readline()
        self.result = Result(case, json.loads(line)) if line else None
        if not line:
            self._complain(case)

    def measure(self) -> None:
        """Measure once."""
        assert self.result is not None  # only installed engines are measured
        self._input.write("\n")
        self._input.flush()
        for name, rate in json.loads(self._output.readline()).items():
            self.result.rates.setdefault(name, []).append(rate)

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self._input.close()
        self._process.wait()
        self._errors.close()

    def _complain(self, case: dict) -> None:
        self._process.wait()
        self._errors.seek(0)
        reason = self._errors.read().strip().splitlines()[-1:] or [f"exit code {self._process.returncode}"]
        if "ModuleNotFoundError" not in reason[0]:
            print(f"fajin: {case['engine']}, {case['name']}, {case['worlds']} worlds: {reason[0]}", file=sys.stderr)


def measure_interleaved(cases: list[dict], repeats: int, pythons: dict[str, str] | None = None) -> list[Result | None]:
    """Measure cases interleaved in a number of rounds; return None for an engine that is not installed.

    A case names its `engine`; `pythons` maps engines to interpreters. Default: the present interpreter.
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
