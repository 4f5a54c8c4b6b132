"""`fajin bench`: steps per second over robots, worlds, threads, degrees of freedom and constraints, beside peers."""

import json
import os
import platform
import subprocess
import sys
import time
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .bench_dynamics import dynamics

ENGINES = Path(__file__).with_name("bench_engines.py")


class Study(str, Enum):
    """What is varied."""

    ROBOTS = "robots"
    DOFS = "dofs"
    WORLDS = "worlds"
    CONSTRAINTS = "constraints"
    LATENCY = "latency"
    STARTUP = "startup"
    DYNAMICS = "dynamics"


class Solver(str, Enum):
    """The solver of fajin and of PhysX."""

    PGS = "pgs"
    TGS = "tgs"


def bench(
    study: Annotated[Study, typer.Argument(help="What to vary.")] = Study.ROBOTS,
    robot: Annotated[list[str], typer.Option(help="franka, g1, chain30, tree30, or a USD file; repeatable.")] = (),
    worlds: Annotated[list[int], typer.Option(help="Worlds at once; repeatable.")] = (),
    threads: Annotated[list[int], typer.Option(help="Threads; repeatable.")] = (1,),
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or vulkan, for fajin.")] = "cpu",
    solver: Annotated[Solver, typer.Option(help="Solver of fajin and PhysX.")] = Solver.PGS,
    iterations: Annotated[str, typer.Option(help="Position/velocity iterations of fajin and PhysX.")] = "4/1",
    dt: Annotated[float, typer.Option(help="Step [s].")] = 0.005,
    repeats: Annotated[int, typer.Option(help="Measurements; their median is shown.")] = 5,
    seconds: Annotated[float, typer.Option(help="Shortest measurement [s].")] = 0.5,
    peers: Annotated[
        str, typer.Option(help="mujoco,ovphysx: those installed are run; empty for none.")
    ] = "mujoco,ovphysx",
    ovphysx: Annotated[str, typer.Option(help="Python interpreter that has ovphysx; this one if not given.")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Also write every measurement as JSON.")] = None,
) -> None:
    """Measure speed: the same robot, drives, limits and step in fajin, MuJoCo and PhysX, on the same core."""
    from rich.console import Console

    position, _, velocity = iterations.partition("/")
    common = {
        "device": device,
        "solver": solver.value,
        "iterations": (int(position), int(velocity or 1)),
        "dt": dt,
        "repeats": repeats,
        "seconds": seconds,
    }
    wide = Console(width=None if sys.stdout.isatty() else 120)
    wide.print(f"$ fajin {' '.join(sys.argv[1:])}", highlight=False, markup=False)
    wide.print(f"{_processor()}, Python {platform.python_version()}", highlight=False)
    if study is Study.STARTUP:
        table, results = _startup(repeats)
    elif study is Study.DYNAMICS:
        table = _table("question", "robot", "worlds", "fajin [ms]", "Pinocchio [ms]", "× Pinocchio")
        results = dynamics(_grid(robot or ("franka",), worlds or (4096,), threads, common), table)
    elif study is Study.CONSTRAINTS:
        table, results = _constraints(_grid(robot or ("franka",), worlds or (1, 4096), threads, common))
    elif study is Study.ROBOTS:
        asked = [peer for peer in peers.split(",") if peer]
        table, results = _robots(
            _grid(robot or ("franka", "g1"), worlds or (1, 64, 4096), threads, common), asked, ovphysx
        )
    else:
        over = {
            Study.DOFS: (robot or ("chain9", "chain30", "chain60", "chain120"), worlds or (1024,)),
            Study.WORLDS: (robot or ("franka",), worlds or (64, 256, 1024, 4096, 16384, 65536)),
            Study.LATENCY: (robot or ("franka", "g1"), worlds or (1,)),
        }[study]
        table, results = _scaling(_grid(*over, threads, common))
    wide.print(table)
    if output:
        output.write_text(json.dumps({"command": sys.argv[1:], "results": results}, indent=1) + "\n")


def _grid(robots, worlds, threads, common: dict) -> list[dict]:
    """Every case, in the order of the table."""
    from .bench_models import dofs, joints, load, path_of

    cases = []
    for robot in robots:
        path = path_of(robot)
        scene = load(path, common["solver"], common["iterations"], common["dt"])
        told = {"robot": path, "name": Path(robot).stem, "dofs": dofs(scene), "joints": joints(scene)}
        cases += [{**common, **told, "worlds": count, "threads": several} for count in worlds for several in threads]
    return cases


def _time(engine: str, case: dict, python: str = sys.executable) -> dict | None:
    """What the child process measured; None if the engine is not installed."""
    command = [python, "-I", str(ENGINES), json.dumps({**case, "engine": engine})]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout:
        return {"engine": engine, **case, **json.loads(done.stdout.splitlines()[-1])}
    reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    if "ModuleNotFoundError" not in reason[0]:
        typer.echo(f"{engine}, {case['name']}, {case['worlds']} worlds: {reason[0]}", err=True)
    return None


def _robots(cases: list[dict], peers: list[str], ovphysx: str):
    """Steps of one world per second of each engine, and how many times a peer's fajin's are."""
    table = _table("robot", "dofs", "worlds", "threads", "fajin [1/s]")
    for peer in peers:
        table.add_column(f"{peer} \\[1/s]", justify="right")
        table.add_column(f"× {peer}", justify="right")
    results = []
    for case in cases:
        mine = _time("fajin", case)
        if mine is None:
            continue
        results.append(mine)
        row = [case["name"], str(case["dofs"]), f"{case['worlds']:,}", str(case["threads"]), f"{mine['rate']:,.0f}"]
        for peer in peers:
            python = (peer == "ovphysx" and ovphysx) or sys.executable
            other = _time(peer, case, python)
            row += [f"{other['rate']:,.0f}", f"{mine['rate'] / other['rate']:.1f}"] if other else ["-", "-"]
            results += [other] if other else []
        table.add_row(*row)
    return table, results


def _scaling(cases: list[dict]):
    """Time of one step of one world, and that per degree of freedom relative to the first row."""
    table = _table("robot", "dofs", "worlds", "threads", "steps/s", "µs/step", "ns/(dof·step)", "relative")
    results = []
    for case in cases:
        result = _time("fajin", case)
        if result is None:
            continue
        results.append(result)
        per_dof = [1e9 / measured["rate"] / measured["dofs"] for measured in (result, results[0])]
        numbers = (f"{result['rate']:,.0f}", f"{1e6 / result['rate']:.3f}", f"{per_dof[0]:.2f}")
        counts = (str(result["dofs"]), f"{case['worlds']:,}", str(case["threads"]))
        table.add_row(case["name"], *counts, *numbers, f"{per_dof[0] / per_dof[1]:.2f}")
    return table, results


def _constraints(cases: list[dict]):
    """How many times as long a step takes with each constraint as without it: both in one process, taking turns."""
    import statistics

    from .bench_constraints import CONSTRAINTS

    table = _table("constraint", "robot", "worlds", "threads", "µs/step", "without", "ratio", "of ratios")
    results = []
    for case in cases:
        for constraint in CONSTRAINTS:
            result = _time("fajin", {**case, "constraint": constraint})
            if result is None:
                continue
            results.append(result)
            ratios = [bare / loaded for bare, loaded in zip(result["without"], result["rates"], strict=True)]
            times = (f"{1e6 / statistics.median(result[which]):.3f}" for which in ("rates", "without"))
            counts = (case["name"], f"{case['worlds']:,}", str(case["threads"]))
            spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
            table.add_row(constraint, *counts, *times, f"{statistics.median(ratios):.2f}", spread)
    return table, results


def _startup(repeats: int):
    """Wall-clock time of whole commands: the help, a simulation with compiled kernels at hand and without."""
    import statistics
    import tempfile

    from .bench_models import path_of

    simulate = ["simulate", path_of("franka"), "--steps", "100"]
    table = _table("command", "kernels", "median [s]", "of")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        out = ["-o", f"{folder}/out.usda"]
        for words, kernels in ((["--help"], "-"), ([*simulate, *out], "none"), ([*simulate, *out], "compiled")):
            times = []
            for repeat in range(repeats):
                cache = f"{folder}/{repeat if kernels == 'none' else 0}"
                environment = {**os.environ, "XDG_CACHE_HOME": cache, "TI_OFFLINE_CACHE_FILE_PATH": cache}
                begin = time.perf_counter()
                command = [sys.executable, "-m", "fajin.tools", *words]
                subprocess.run(command, env=environment, capture_output=True, check=True)
                times.append(time.perf_counter() - begin)
            results.append({"command": words, "kernels": kernels, "seconds": times})
            table.add_row(f"fajin {words[0]}", kernels, f"{statistics.median(times):.2f}", str(len(times)))
    return table, results


def _table(first: str, *others: str):
    """An empty table that can be pasted into a page."""
    from rich.box import MARKDOWN
    from rich.markup import escape
    from rich.table import Table

    table = Table(escape(first), box=MARKDOWN)
    for other in others:
        table.add_column(escape(other), justify="right")
    return table


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
