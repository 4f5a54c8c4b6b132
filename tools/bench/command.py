"""`fajin bench`: how fast it is, and where the time goes, beside the peers that are installed."""

import os
import platform
import sys
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from ..cli_options import Precision, Solver
from .studies import STUDIES, StudyRequest

StudyName = Enum("Study", {name.upper(): name for name in STUDIES}, type=str)
ROBOTS_HELP = "franka, g1, cartpole, ant, chain30, tree30 (any number), or a USD file; repeatable."


class Device(str, Enum):
    """Where fajin runs."""

    AUTO = "auto"
    CPU = "cpu"
    LANES = "cpu-lanes"
    CUDA = "cuda"
    VULKAN = "vulkan"


class Clock(str, Enum):
    """What time is."""

    AUTO = "auto"
    PROCESSOR = "processor"
    WALL = "wall"


def bench(  # one parameter an option: typer reads them off the signature
    study: Annotated[StudyName, typer.Argument(help="What to measure.")] = StudyName.ROBOTS,
    robot: Annotated[list[str], typer.Option(help=ROBOTS_HELP)] = (),
    worlds: Annotated[list[int], typer.Option(min=1, help="Worlds at once (in `copies`: robots); repeatable.")] = (),
    threads: Annotated[list[int], typer.Option(min=1, help="Threads; repeatable.")] = (),
    device: Annotated[list[Device], typer.Option(help="For fajin; cpu-lanes is a GPU's path. Repeatable.")] = ("cpu",),
    precision: Annotated[list[Precision], typer.Option(help="Of fajin; repeatable.")] = ("f32",),
    solver: Annotated[list[Solver], typer.Option(help="Solver of fajin and PhysX; repeatable.")] = ("pgs",),
    iterations: Annotated[list[str], typer.Option(help="Position/velocity iterations of both; repeatable.")] = ("4/1",),
    dt: Annotated[float, typer.Option(help="Step [s].")] = 0.005,
    repeats: Annotated[int, typer.Option(min=1, help="Rounds; medians are shown.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.0, help="Shortest measurement [s].")] = 0.5,
    clock: Annotated[
        Clock, typer.Option(help="Time of all cores together, or on the wall; auto: the former on one thread.")
    ] = Clock.AUTO,
    peers: Annotated[
        str, typer.Option(help="mujoco,ovphysx: those installed are run; empty for none.")
    ] = "mujoco,ovphysx",
    ovphysx: Annotated[str, typer.Option(help="Python interpreter that has ovphysx; this one if not given.")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Also write every measurement as JSON.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Also write the table as CSV, with all digits.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw it: .png, .svg or .pdf.")] = None,
) -> None:
    """Measure speed: the same robot, drives, limits and step in fajin, MuJoCo and PhysX, by turns on the same cores."""
    chosen = STUDIES[study.value]
    grid = (device, precision, solver, map(_iterations, iterations))
    settings = [
        {"device": d, "precision": p, "solver": s, "iterations": i, "dt": dt, "seconds": seconds, "clock": clock.value}
        for d, p, s, i in product(*([getattr(value, "value", value) for value in values] for values in grid))
    ]
    _check(output, csv, plot)
    cases = _cases((robot or chosen.robots, worlds or chosen.worlds, threads or chosen.threads), settings)
    asked = StudyRequest(cases, repeats, _peers(peers), {"ovphysx": ovphysx} if ovphysx else {})
    _tell(study.value, asked, (output, csv, plot))


def _tell(study: str, asked: StudyRequest, places: tuple[Path | None, Path | None, Path | None]) -> None:
    """Measure, and say what came out of it as it was asked for."""
    from rich.console import Console

    from .plots import draw_rows
    from .report import table, write_csv, write_json

    machine = f"{_processor()}, Python {platform.python_version()}"
    wide, progress = Console(width=None if sys.stdout.isatty() else 160), Console(stderr=True)
    wide.print(f"$ fajin {' '.join(sys.argv[1:])}\n{machine}", highlight=False, markup=False)
    rows, records = [], []
    with progress.status(f"measuring {study}") as status:
        for more, measured in STUDIES[study].measure(asked):
            rows += more
            records += measured
            status.update(f"measuring {study}: {len(rows)} rows")
    wide.print(table(rows))
    output, csv, plot = places
    if output:
        write_json(sys.argv[1:], machine, records, output)
    if csv:
        write_csv(rows, csv)
    if plot:
        draw_rows(rows, STUDIES[study].unit, f"fajin bench {study}\n{machine}", plot)


def _check(output: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Raise now what would otherwise go wrong after the measurements."""
    from fajin.atomic_write import staging_directory
    from fajin.tools.plots import check_picture

    if plot:
        check_picture(plot)
    for path in filter(None, (output, csv)):
        with staging_directory(path):
            pass


def _cases(grid: tuple, settings: list[dict]) -> list[dict]:
    """Every case, in the order of the table."""
    from .models import dofs, joints, load, path_of

    robots, *counts = grid
    cases = []
    for robot in robots:
        path = path_of(robot)
        first = settings[0]
        scene = load(path, first["solver"], first["iterations"], first["dt"])
        told = {"robot": path, "name": Path(robot).stem, "dofs": dofs(scene), "joints": joints(scene)}
        cases += [
            {**told, "worlds": worlds, "threads": threads, **setting}
            for setting, worlds, threads in product(settings, *counts)
        ]
    return cases


def _iterations(text: str) -> tuple[int, int]:
    position, _, velocity = text.partition("/")
    try:
        return int(position), int(velocity or 1)
    except ValueError:
        raise typer.BadParameter(f"--iterations {text}: give position/velocity iterations such as 4/1") from None


def _peers(text: str) -> tuple[str, ...]:
    """The peers asked for."""
    known, asked = ("mujoco", "ovphysx"), tuple(filter(None, text.split(",")))
    if unknown := set(asked) - set(known):
        raise typer.BadParameter(f"--peers {min(unknown)}: one of {', '.join(known)}")
    return asked


def _processor() -> str:
    """What the processor calls itself, and its cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"
