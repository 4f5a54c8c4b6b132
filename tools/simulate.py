"""`fajin simulate`: a robot's USD file in, its motion out."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from fajin.tools.cli_options import Device, Precision, Solver, step_length
from fajin.tools.simulate_run import Task, run_simulation

WARNINGS = 10  # lines


def simulate(  # one parameter an option: typer reads them off the signature
    scene: Annotated[
        str, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file, or a compiled model.")
    ],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="[SCENE's name].anim.usda beside it.")] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Length of the motion [s]; by default the file's, or 5.")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Length of the motion in steps.")] = None,
    dt: Annotated[str | None, typer.Option(help="Length of a step [s], also 1/120; by default the file's.")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second, each of whole steps; the file's, or 60.")] = None,
    device: Annotated[Device, typer.Option(help="auto is CUDA where there is one, else CPU.")] = Device.AUTO,
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0 is one a core.")] = 0,
    precision: Annotated[Precision | None, typer.Option(help="Of all numbers; the file's, or f32.")] = None,
    solver: Annotated[Solver | None, typer.Option(help="In place of the file's.")] = None,
    position_iterations: Annotated[int | None, typer.Option(help="In place of the file's.")] = None,
    velocity_iterations: Annotated[int | None, typer.Option(help="In place of the file's.")] = None,
    joints: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Every step's q, qd, effort: .npz, .csv or .parquet.")
    ] = None,
    drive: Annotated[
        list[str] | None, typer.Option(metavar="REGEX=KP,KD[,MAX]", help="Gains of the joints so named, in SI.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PRIM.ATTR=VALUE", help="An attribute's value.")
    ] = None,
    controls: Annotated[
        Path | None, typer.Option(metavar="EVENTS.json", help="Targets and efforts, set at given steps.")
    ] = None,
    no_sleep: Annotated[bool, typer.Option("--no-sleep", help="Nothing falls asleep, however still.")] = False,
    flatten: Annotated[bool, typer.Option("--flatten", help="One self-contained file, .usdz as well.")] = False,
) -> None:
    """Simulate a robot's USD file and write its motion over it."""
    import fajin
    from fajin.scene import overrides
    from fajin.simulation.control_events import read_controls

    source = fajin.read(scene, tuple(set_ or ()))
    source = overrides.with_dt(source, step_length(dt) if dt else source.dt)
    source = overrides.with_solver(source, solver.value) if solver else source
    source = overrides.with_iterations(source, position_iterations, velocity_iterations)
    for text in drive or ():
        source = overrides.with_drive(source, text)
    task = Task(
        steps=_length(seconds, steps, source),
        every=_steps_a_frame(source.fps if fps is None else fps, source.dt),
        output=_motion(Path(scene), output, joints),
        joints=joints,
        flatten=flatten,
    )
    _check(task, source.source, named=output is not None)
    warn(source)
    sim = fajin.Simulation(
        source,
        device=device.value,
        precision=precision.value if precision else source.precision,
        threads=threads,
        sleeping=not no_sleep,
    )
    events = read_controls(controls, sim.dof) if controls else ()
    raise typer.Exit(run_simulation(sim, task, events))


def warn(scene) -> None:
    """Say what the file says and the simulation leaves out."""
    for report in scene.reports[:WARNINGS]:
        print(f"fajin: warning: {report}", file=sys.stderr)
    if (more := len(scene.reports) - WARNINGS) and more > 0:
        print(f"fajin: … and {more} more: fajin inspect {scene.source}", file=sys.stderr)


def _check(task: Task, scene: str, named: bool) -> None:
    """Raise now what would otherwise go wrong after the simulation."""
    from fajin.atomic_write import OutputError
    from fajin.recording.joint_log import check_joint_log

    try:
        if task.output:
            from fajin.usd.write import check_output

            check_output(scene, task.output, task.flatten)
    except OutputError as error:
        raise error if named else OutputError(f"{error} with -o") from None
    if task.joints:
        check_joint_log(task.joints)


def _motion(scene: Path, output: Path | None, joints: Path | None) -> Path | None:
    """Where the motion goes; a compiled model has no stage under it, so nowhere unless asked."""
    if scene.suffix != ".npz" or output:
        return output or scene.with_name(f"{scene.stem}.anim.usda")
    if joints is None:
        raise typer.BadParameter(f"{scene} is compiled: add --joints LOG, or -o OUT where the scene's files still are")
    return None


def _length(seconds: float | None, steps: int | None, scene) -> int:
    """Number of steps."""
    if seconds is not None and steps is not None:
        raise typer.BadParameter("--seconds and --steps both say how long; give one of them")
    if (steps or 0) < 0 or not 0.0 <= (seconds or 0.0) < float("inf"):
        raise typer.BadParameter("--seconds and --steps must be finite and not negative")
    return steps if steps is not None else round((scene.duration if seconds is None else seconds) / scene.dt)


def _steps_a_frame(fps: float, dt: float) -> int:
    if not 0.0 < fps < float("inf"):
        raise typer.BadParameter(f"--fps {fps:g}: must be positive and finite")
    every = max(1, round(1.0 / (fps * dt)))
    if abs(1.0 / (every * dt) - fps) > 1e-6 * fps:
        print(
            f"fajin: note: {1.0 / (every * dt):g} frames a second, not {fps:g}: a frame is a whole number of steps",
            file=sys.stderr,
        )
    return every
