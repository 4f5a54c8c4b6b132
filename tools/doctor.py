"""`fajin doctor`: what is installed, what there is to run on, and whether it simulates what PhysX does."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

OK, ABSENT, WRONG = "ok", "-", "wrong"
ROBOTS = ("franka", "g1", "cartpole", "ant")


class Backend(str, Enum):
    """Where the reference cases are run."""

    CPU = "cpu"
    LANES = "cpu-lanes"
    CUDA = "cuda"
    VULKAN = "vulkan"


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what is here, and whether that is as it should be."""

    what: str
    here: str
    verdict: str = OK  # ok | - (not here, and need not be) | wrong
    number: float | None = None  # what `here` says, for programs
    unit: str = ""


def doctor(
    device: Annotated[
        list[Backend], typer.Option(help="Where to run the reference cases; repeatable. By default cpu, the path of a "
                                    "GPU on it (cpu-lanes), and cuda where there is one.")
    ] = (),
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:  # fmt: skip
    """Look at this installation: versions, devices, memory, cache, and motions recorded from PhysX on each device.

    Exit code 2 where something is wrong.
    """
    from fajin.device.backends import backends

    here = backends()
    asked = [backend.value for backend in device] or ["cpu", "cpu-lanes", *(["cuda"] if here["cuda"] else [])]
    findings = []
    for more in (_packages(), _devices(here), _caches(), _memory(), _references(asked)):
        findings += more
    wrong = sum(finding.verdict == WRONG for finding in findings)
    if as_json:
        print(json.dumps({"wrong": wrong, "findings": [asdict(finding) for finding in findings]}, indent=1))
    else:
        _show(findings)
        print(f"{wrong} wrong" if wrong else "all is well")
    raise typer.Exit(2 if wrong else 0)


def _packages() -> Iterator[Finding]:
    """Python, what fajin needs, and what its extras bring."""
    import platform
    from importlib.metadata import PackageNotFoundError, requires, version

    yield Finding("python", platform.python_version())
    needed = {"fajin": ""}
    for text in requires("fajin") or ():
        name, extra = re.match(r"[\w.-]+", text)[0], re.search(r"extra == [\"'](\w+)", text)
        if extra is None or extra[1] not in ("dev", "test"):
            needed.setdefault(name, extra[1] if extra else "")
    for name, extra in {**needed, "ovphysx": "bench"}.items():
        what = f"{name} (for {extra})" if extra else name
        try:
            yield Finding(what, version(name))
        except PackageNotFoundError:
            yield Finding(what, "not installed", ABSENT if extra else WRONG)


def _devices(here: dict[str, str]) -> Iterator[Finding]:
    from fajin.device.backends import absence

    for name, said in here.items():
        yield Finding(f"device {name}", said or absence(name), OK if said else ABSENT)


def _caches() -> Iterator[Finding]:
    """Where compiled kernels are kept, and how much of them; a folder that cannot be written costs seconds a start."""
    from fajin.device.backends import caches
    from fajin.device.kernel_cache import unwritable

    for name, folder in caches().items():
        reason, size = unwritable(folder), _size(folder)
        said = (
            f"{folder} cannot be written ({reason}): every start compiles"
            if reason
            else f"{folder}, {size / 1e6:,.1f} MB"
        )
        yield Finding(f"cache of {name}", said, WRONG if reason else OK, size, "B")


def _size(folder: Path) -> int:
    """Bytes of all files below a folder; others may come and go meanwhile."""
    size = 0
    for file in folder.rglob("*"):
        with suppress(OSError):
            size += file.stat().st_size if file.is_file() else 0
    return size


def _memory() -> Iterator[Finding]:
    """What is free, and what a world of some robots takes of it."""
    import fajin
    from fajin.device.free_memory import free_bytes
    from fajin.device.memory_estimate import batch_footprint

    from .bench.models import path_of

    yield Finding("free memory", f"{free_bytes() / 2**30:,.1f} GiB", number=free_bytes(), unit="B")
    for robot in ROBOTS:
        model = fajin.compile(fajin.read(path_of(robot)))
        cpu, gpu = (batch_footprint(model, device).world for device in ("cpu", "cpu-lanes"))
        most = batch_footprint(model, "cpu").most()
        said = f"{cpu:,} bytes on a CPU, {gpu:,} on a GPU; {most:,} worlds fit on the CPU"
        yield Finding(f"a world of {robot}", said, number=cpu, unit="B")


def _references(devices: list[str]) -> Iterator[Finding]:
    """How near each device comes to PhysX's motions, and to the first device's."""
    from rich.console import Console

    from .reference_motions import CASES, simulate_apart

    first = None
    for device in devices:
        with Console(stderr=True).status(f"simulating on {device}"):
            outcomes = simulate_apart(device)
        if isinstance(outcomes, str):
            yield Finding(f"motions on {device}", outcomes, WRONG)
            continue
        first = first or outcomes
        for case, about in CASES.items():
            error, beside = outcomes[case].error(case), outcomes[case].distance(first[case].q)
            same = "" if device == devices[0] else f", {beside:.2f} from {devices[0]}'s"
            said = f"{error:.2f} of round-off from PhysX's{same}: {about}"
            fine = error <= 1.0 and outcomes[case].apart == 0.0
            said += "" if outcomes[case].apart == 0.0 else f"; its worlds are {outcomes[case].apart:.1e} apart"
            number = error if isfinite(error) else None
            yield Finding(f"{case} on {device}", said, OK if fine else WRONG, number, "of round-off")


def _show(findings: list[Finding]) -> None:
    """As a table."""
    import sys

    from rich.console import Console
    from rich.markup import escape

    from .table import table

    shown = table("", 3, "what", "here", "verdict")
    for finding in findings:
        shown.add_row(*(escape(text) for text in (finding.what, finding.here, finding.verdict)))
    Console(width=None if sys.stdout.isatty() else 140).print(shown)
