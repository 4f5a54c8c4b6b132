"""`fajin doctor`: checks packages, devices, memory and caches, and compares motions with PhysX's."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from fajin.device.names import CPU_LANES, DeviceName

from .finding import ABSENT, OK, WRONG, Finding

DEVELOPMENT = ("dev", "test", "docs", "types", "ci")  # extras for work on fajin itself, which its users do not miss


def doctor(
    device: Annotated[
        list[DeviceName] | None,
        typer.Option(
            help="Run the reference cases on this device; repeatable. Default: cpu, cpu-lanes (a GPU's code path on "
            "the CPU), and cuda if available."
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=0.0,
            help="Measure and compare a GPU that --device names for at most so many seconds; 0 leaves it out. "
            "Default: 60.",
        ),
    ] = 60.0,
    kernels: Annotated[
        bool, typer.Option("--kernels", help="List the compiled kernels in the cache, and check nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check this installation: versions, devices, memory, caches, and PhysX's recorded motions on each device.

    With --device cuda also the time of launches, the rate of the GPU's memory, the rates of robots over worlds, and the
    bits of the bundled scenes against the CPU's. Exit code 2 if something is wrong.
    """
    from fajin.device.backends import backends

    if kernels:
        from .kernel_table import print_kernels

        print_kernels(as_json)
        return
    here = backends()
    asked = [backend.value for backend in device or ()] or ["cpu", CPU_LANES, *(["cuda"] if here["cuda"] else [])]
    findings = _check(here, asked)
    if device and "cuda" in asked and here["cuda"] and seconds:
        from .gpu_checks import check_gpu

        findings += check_gpu(seconds)
    wrong = sum(finding.verdict == WRONG for finding in findings)
    if as_json:
        print(json.dumps({"wrong": wrong, "findings": [asdict(finding) for finding in findings]}, indent=1))
    else:
        _show(findings)
        print(f"{wrong} wrong" if wrong else "no problems")
    raise typer.Exit(2 if wrong else 0)


def _check(here: dict[str, str], asked: list[str]) -> list[Finding]:
    """Return the findings about this machine, and about the motions of some devices."""
    findings = []
    with ThreadPoolExecutor(len(asked)) as pool:
        started = _start_references(asked, pool)  # meanwhile the rest is checked
        for more in (_packages(), _devices(here), _caches(), _memory(), _references(started)):
            findings += more
    return findings


def _packages() -> Iterator[Finding]:
    """Yield Python, fajin's requirements, and the packages of its users' extras."""
    import platform
    from importlib.metadata import PackageNotFoundError, requires, version

    yield Finding("python", platform.python_version())
    needed = {"fajin": ""}
    for text in requires("fajin") or ():
        name, extra = re.split(r"[^\w.-]", text, maxsplit=1)[0], re.search(r"extra == [\"'](\w+)", text)
        if extra is None or extra[1] not in DEVELOPMENT:
            needed.setdefault(name, extra[1] if extra else "")
    for name, extra in {**needed, "ovphysx": "bench"}.items():
        what = f"{name} (for {extra})" if extra else name
        try:
            yield Finding(what, version(name))
        except PackageNotFoundError:
            yield Finding(what, "not installed", ABSENT if extra else WRONG)


def _devices(here: dict[str, str]) -> Iterator[Finding]:
    from fajin.device.backends import absence, automatic, is_faulty, own_code

    for name, said in here.items():
        absent = WRONG if is_faulty(name) else ABSENT
        yield Finding(f"device {name}", said or absence(name), OK if said else absent)
    said, least = automatic()
    yield Finding("device auto", said, number=least if isfinite(least) else None, unit="worlds")
    lack = own_code()
    yield Finding(
        "kernels", f"Taichi's own code: {lack}" if lack else "machine code by llvmlite", ABSENT if lack else OK
    )


def _caches() -> Iterator[Finding]:
    """Yield the cache folders and their sizes; an unwritable folder costs seconds per start."""
    from fajin.compiler.kernel_cache import unwritable
    from fajin.device.backends import caches

    for name, folder in caches().items():
        reason, size = unwritable(folder), _size(folder)
        said = (
            f"{folder} cannot be written ({reason}): every start compiles"
            if reason
            else f"{folder}, {size / 1e6:,.1f} MB"
        )
        yield Finding(f"cache of {name}", said, WRONG if reason else OK, size, "B")


def _size(folder: Path) -> int:
    """Return the bytes of all files below a folder, which may change meanwhile."""
    size = 0
    for file in folder.rglob("*"):
        with suppress(OSError):
            size += file.stat().st_size if file.is_file() else 0
    return size


def _memory() -> Iterator[Finding]:
    """Yield the free memory, and the memory per world of the recorded robots."""
    import fajin
    from fajin.device.free_memory import free_bytes
    from fajin.device.memory_estimate import batch_footprint

    from .reference_motions import CASES, FOLDER

    yield Finding("free memory", f"{free_bytes() / 2**30:,.1f} GiB", number=free_bytes(), unit="B")
    for robot in CASES:
        model = fajin.compile(fajin.read(FOLDER / f"{robot}.usda"))
        cpu, gpu = (it.world + it.scratch for it in (batch_footprint(model, device) for device in ("cpu", CPU_LANES)))
        most = batch_footprint(model, "cpu").most()
        said = f"{cpu:,} bytes on a CPU, {gpu:,} on a GPU; {most:,} worlds fit on the CPU"
        yield Finding(f"memory per world of {robot}", said, number=cpu, unit="B")


def _start_references(devices: list[str], pool: Executor) -> dict[str, Future]:
    """Start the reference cases on each device, in a process of its own."""
    from . import reference_motions

    return {device: pool.submit(reference_motions.simulate_apart, device) for device in devices}


def _references(started: dict[str, Future]) -> Iterator[Finding]:
    """Yield the deviation of each device's motions from PhysX's, and from the first device's."""
    from rich.console import Console

    from .reference_motions import CASES

    first, devices = None, list(started)
    for device in devices:
        with Console(stderr=True).status(f"simulating on {device}"):
            outcomes = started[device].result()
        if isinstance(outcomes, str):
            yield Finding(f"motions on {device}", outcomes, WRONG)
            continue
        first = first or outcomes
        for case, about in CASES.items():
            error, beside = outcomes[case].error(case), outcomes[case].distance(first[case].q)
            same = "" if device == devices[0] else f", {beside:.2f} from {devices[0]}'s"
            said = f"{error:.2f} of round-off from PhysX's{same}: {about}"
            fine = error <= 1.0 and outcomes[case].apart == 0.0
            said += "" if outcomes[case].apart == 0.0 else f"; its worlds differ by {outcomes[case].apart:.1e}"
            number = error if isfinite(error) else None
            yield Finding(f"{case} on {device}", said, OK if fine else WRONG, number, "of round-off")


def _show(findings: list[Finding]) -> None:
    """Print the findings as a table."""
    import sys

    from rich.console import Console

    from .table import Table

    shown = Table("", 3, ("what", "here", "verdict"), prims=False)
    for finding in findings:
        shown.add_row(finding.what, finding.here, finding.verdict)
    Console(width=None if sys.stdout.isatty() else 140, highlight=False, markup=False).print(shown)
