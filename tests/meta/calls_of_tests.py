"""A pytest plugin: which functions of the engine each test calls, and tests in the order of a list.

    pytest -p calls_of_tests --write-calls calls.json tests/usd
    pytest -p calls_of_tests --run-listed tests.json tests/usd

Functions of kernels belong to every test that launches the kernel. What a test runs in other processes, and what a
cache keeps from an earlier test, is not seen.
"""

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, SimpleNamespace

import pytest

FOLDER = "/tests/fajin/"  # where mutate.py lays the engine of its copy
PARITY = "tests/parity/"
FIRST_SECONDS = 4.0  # of the tests of each set of kernels come first: about what compiling a kernel takes
seen = SimpleNamespace(codes={}, kernels={}, of_test=set(), tests={})
"""Code objects called since the last test began; kernels, those of this test, and what is written of each test."""


class Calls:
    """Which functions each test calls, and the seconds that tests and the kernels they launch took unbroken."""

    def __init__(self, file: Path):
        calls = json.loads(file.read_text())
        names = calls["functions"]
        self.kernel_seconds = [seconds for seconds, _ in calls["kernels"]]
        inside = [{names[i] for i in numbers} for _, numbers in calls["kernels"]]
        self.seconds = {test: seconds for test, (seconds, _, _) in calls["tests"].items()}
        self.kernels = {test: frozenset(used) for test, (_, _, used) in calls["tests"].items()}
        self.functions = {
            test: {names[i] for i in numbers}.union(*(inside[k] for k in used))
            for test, (_, numbers, used) in calls["tests"].items()
        }

    def callers(self, path: str, function: int) -> list[str]:
        """Return the tests that call the function at a line of a file; all for line 0, and if none is seen to."""
        place = f"{path}:{function}"
        return [test for test, called in self.functions.items() if place in called] or list(self.functions)

    def ordered(self, tests: list[str]) -> Iterator[tuple[str, float]]:
        """Yield tests with the seconds that each adds.

        Some tests of each set of kernels come first, parity and cheap sets before others.
        """
        groups: dict[frozenset[int], list[str]] = {}
        for test in sorted(tests, key=lambda test: (not test.startswith(PARITY), self.seconds[test])):
            groups.setdefault(self.kernels[test], []).append(test)
        order, compiled = [], set()

        def price(used: frozenset[int]) -> tuple[bool, float]:
            return not groups[used][0].startswith(PARITY), sum(self.kernel_seconds[k] for k in used - compiled)

        while groups:
            used = min(groups, key=price)
            cost = price(used)[1]
            group = groups.pop(used)
            compiled |= used
            spent = 0.0
            for test in group:
                order.append((spent > FIRST_SECONDS, test, cost))
                spent, cost = spent + self.seconds[test], 0.0
        for _, test, cost in sorted(order, key=lambda row: row[0]):
            yield test, cost + self.seconds[test]


def pytest_addoption(parser) -> None:
    """Add the options of this plugin."""
    parser.addoption("--write-calls", type=Path, help="Write seconds, functions and kernels of each test to this file.")
    parser.addoption("--only-kernels", action="store_true", help="Watch no functions outside kernels: much faster.")
    parser.addoption("--run-listed", type=Path, help="Run only the tests that this file names, in its order.")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items) -> None:
    """Keep the listed tests, in the order of the list."""
    if listed := config.getoption("run_listed"):
        place = {name: i for i, name in enumerate(json.loads(listed.read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


def pytest_sessionstart(session) -> None:
    """Watch kernels from the start."""
    if session.config.getoption("write_calls"):
        _watch_kernels()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Note time, functions and kernels of a test."""
    if not item.config.getoption("write_calls"):
        return (yield)
    seen.codes, seen.of_test, known = {}, set(), set(seen.kernels)
    note = None if item.config.getoption("only_kernels") else _note
    threading.settrace(note)
    sys.settrace(note)
    start = time.perf_counter()
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)
        compiling = sum(seen.kernels[key].seconds for key in set(seen.kernels) - known)
        seconds = max(0.0, time.perf_counter() - start - compiling)
        seen.tests[item.nodeid] = (seconds, list(seen.codes.values()), seen.of_test)


def pytest_sessionfinish(session) -> None:
    """Write functions as FILE:LINE, and for each test and kernel their numbers."""
    if path := session.config.getoption("write_calls"):
        number: dict[str, int] = {}
        kernel = {key: i for i, key in enumerate(seen.kernels)}
        kernels = [[one.seconds, _numbers(one.codes, number)] for one in seen.kernels.values()]
        tests = {
            name: [seconds, _numbers(codes, number), [kernel[key] for key in used]]
            for name, (seconds, codes, used) in seen.tests.items()
        }
        path.write_text(json.dumps({"functions": list(number), "kernels": kernels, "tests": tests}))


def _numbers(codes: list[CodeType], number: dict[str, int]) -> list[int]:
    """Return the numbers of the engine's functions among some code objects; new functions get the next numbers."""
    places = {
        f"engine/{code.co_filename.partition(FOLDER)[2]}:{code.co_firstlineno}"
        for code in codes
        if FOLDER in code.co_filename
    }
    return [number.setdefault(place, len(number)) for place in sorted(places)]


def _note(frame, *_) -> None:
    code = frame.f_code
    seen.codes[id(code)] = code


def _watch_kernels() -> None:
    """Have Taichi's kernels note the functions that they trace, the seconds of the first launch, and each launch."""
    from fajin.compiler.taichi_patches import fast_imports

    with fast_imports():
        from taichi.lang.kernel_impl import Func, Kernel
    trace, ensure, launch = Func.__call__, Kernel.ensure_compiled, Kernel.__call__

    def traced(self, *args, **kwargs):
        seen.codes[id(self.func.__code__)] = self.func.__code__
        return trace(self, *args, **kwargs)

    def ensured(self, *args):
        known, before, start = set(self.compiled_kernels), seen.codes, time.perf_counter()
        seen.codes, noted = {}, sys.gettrace()
        sys.settrace(_note)
        try:
            key = ensure(self, *args)
        finally:
            sys.settrace(noted)
            codes, seen.codes = seen.codes, before
        if key not in known:
            codes[id(self.func.__code__)] = self.func.__code__
            seen.kernels[id(self), key] = SimpleNamespace(
                owner=self, codes=list(codes.values()), start=start, seconds=0.0
            )
        seen.of_test.add((id(self), key))
        return key

    def launched(self, *args, **kwargs):
        result = launch(self, *args, **kwargs)
        for one in seen.kernels.values():
            one.seconds = one.seconds or time.perf_counter() - one.start
        return result

    Func.__call__, Kernel.ensure_compiled, Kernel.__call__ = traced, ensured, launched
