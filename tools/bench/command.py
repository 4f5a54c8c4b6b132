"""`fajin bench`: measures speed and its parts beside the peer engines that are installed."""

import os
import platform
import sys
from collections.abc import Sequence
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from fajin.device.names import DeviceName, PrecisionName
from fajin.selection import suggestion

from ..cli_options import Solver
from .models import STANDING
from .studies import STUDIES, StudyRequest

ROBOTS_HELP = (
    "Select franka, g1, cartpole, ant, quadruped, ant_standing, g1_standing, chain30, tree30, stack20, boxes1000, "
    "wall500, pile500, crowd100 (any size), or a USD file; repeatable."
)


class Clock(str, Enum):
    """Clock of a measurement."""

    AUTO = "auto"
    PROCESSOR = "processor"
    WALL = "wall"


DEVICES, PRECISIONS, SOLVERS, ITERATIONS = [DeviceName.CPU], [PrecisionName.F32], [Solver.PGS], ["4/1"]
"""Default variations."""


def bench(  # one parameter per option: typer reads the signature
    study: Annotated[str, typer.Argument(metavar="STUDY", help=f"Run this study: {', '.join(STUDIES)}.")] = "robots",
    robot: Annotated[list[str] | None, typer.Option(help=ROBOTS_HELP)] = None,
    worlds: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Set the number of worlds (`copies`, `reading`: robots); repeatable."),
    ] = None,
    threads: Annotated[list[int] | None, typer.Option(min=1, help="Set the number of threads; repeatable.")] = None,
    device: Annotated[
        list[DeviceName],
        typer.Option(help="Select fajin's device; cpu-lanes is a GPU's code path on the CPU; repeatable."),
    ] = DEVICES,
    precision: Annotated[list[PrecisionName], typer.Option(help="Set fajin's precision; repeatable.")] = PRECISIONS,
    solver: Annotated[list[Solver], typer.Option(help="Set the solver of fajin and PhysX; repeatable.")] = SOLVERS,
    iterations: Annotated[list[str], typer.Option(help="Set position/velocity iterations; repeatable.")] = ITERATIONS,
    dt: Annotated[float, typer.Option(help="Set the step [s].")] = 0.005,
    repeats: Annotated[int, typer.Option(min=1, help="Set the number of rounds; medians are printed.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.0, help="Set the minimum time of a measurement [s].")] = 0.5,
    clock: Annotated[
        Clock,
        typer.Option(help="Select the clock; auto: processor time on one thread, else wall time."),
    ] = Clock.AUTO,
    contacts: Annotated[
        bool,
        typer.Option("--contacts", help="Simulate contacts. Default robots: quadruped, ant_standing, g1_standing."),
    ] = False,
    peers: Annotated[
        str, typer.Option(help="Compare with these engines if installed; empty for none.")
    ] = "mujoco,ovphysx",
    ovphysx: Annotated[
        str, typer.Option(help="Use this Python interpreter for ovphysx. Default: the present one.")
    ] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write all measurements as JSON.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table as CSV, with all digits.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Plot the table: .png, .svg or .pdf.")] = None,
) -> None:
    """Measure speed: equal robot, drives, limits and step in fajin, MuJoCo and PhysX, interleaved on the same cores."""
    if study not in STUDIES:
        near = suggestion(study, STUDIES) or f"; there are {', '.join(STUDIES)}"
        raise typer.BadParameter(f"STUDY = {study}: must be the name of a study{near}")
    chosen = STUDIES[study]
    grid = (device, precision, solver, map(_iterations, iterations))
    settings = [
        {
            "device": d,
            "precision": p,
            "solver": s,
            "iterations": i,
            "dt": dt,
            "seconds": seconds,
            "clock": clock.value,
            "contacts": contacts,
        }
        for d, p, s, i in product(*([getattr(value, "value", value) for value in values] for values in grid))
    ]
    _check(output, csv, plot)
    robots = STANDING if contacts else chosen.robots
    cases = _cases(robot or robots, worlds or chosen.worlds, threads or chosen.threads, settings)
    request = StudyRequest(cases, repeats, _peers(peers), {"ovphysx": ovphysx} if ovphysx else {})
    _report(study, request, output, csv, plot)


def _report(study: str, request: StudyRequest, output: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Run a study, print its table and write the requested files."""
    from rich.console import Console

    from .plots import draw_rows
    from .report import table, write_csv, write_json

    machine = f"{_processor()}, Python {platform.python_version()}"
    wide, progress = Console(width=None if sys.stdout.isatty() else 160), Console(stderr=True)
    wide.print(f"$ fajin {' '.join(sys.argv[1:])}\n{machine}", highlight=False, markup=False)
    rows, records = [], []
    with progress.status(f"measuring {study}") as status:
        for more, measured in STUDIES[study].measure(request):
            rows += more
            records += measured
            status.update(f"measuring {study}: {len(rows)} rows")
    wide.print(table(rows))
    if output:
        write_json(sys.argv[1:], machine, records, output)
    if csv:
        write_csv(rows, csv)
    if plot:
        draw_rows(rows, STUDIES[study].unit, f"fajin bench {study}\n{machine}", plot)


def _check(output: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Raise errors now that would otherwise occur after the measurements."""
    from fajin.atomic_write import staging_directory
    from fajin.tools.plots import check_picture

    if plot:
        check_picture(plot)
    for path in filter(None, (output, csv)):
        with staging_directory(path):
            pass


def _cases(robots: Sequence[str], worlds: Sequence[int], threads: Sequence[int], settings: list[dict]) -> list[dict]:
    """Return every case in the order of the table."""
    from .models import dofs, joints, load, path_of

    cases = []
    for robot in robots:
        path = path_of(robot)
        first = settings[0]
        scene = load(path, first["solver"], first["iterations"], first["dt"])
        case = {"robot": path, "name": Path(robot).stem, "dofs": dofs(scene), "joints": joints(scene)}
        cases += [
            {**case, "worlds": count, "threads": cores, **setting}
            for setting, count, cores in product(settings, worlds, threads)
        ]
    return cases


def _iterations(text: str) -> tuple[int, int]:
    position, _, velocity = text.partition("/")
    try:
        return int(position), int(velocity or 1)
    except ValueError:
        raise typer.BadParameter(f"--iterations {text}: must be position/velocity iterations such as 4/1") from None


def _peers(text: str) -> tuple[str, ...]:
    """Return the requested peers."""
    known, peers = ("mujoco", "ovphysx"), tuple(filter(None, text.split(",")))
    if unknown := set(peers) - set(known):
        raise typer.BadParameter(f"--peers {min(unknown)}: must be one of {', '.join(known)}")
    return peers


def _processor() -> str:
    """Return the name of the processor and its number of cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"
