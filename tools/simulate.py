"""`fajin simulate`: simulates a robot's USD file and writes its motion."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.device.names import DeviceName
from fajin.tools.cli_options import (
    AttributeOverrides,
    DeviceChoice,
    DriveOverrides,
    NoContacts,
    PositionIterations,
    PrecisionChoice,
    SolverOverride,
    Threads,
    VelocityIterations,
    step_length,
)
from fajin.tools.simulate_run import Task, run_simulation

if TYPE_CHECKING:
    from fajin import Scene

WARNINGS = 10  # lines


def simulate(  # one parameter per option: typer reads the signature
    scene: Annotated[
        str, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file, or a compiled model.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the motion to this file. Default: SCENE's name with .anim.usda."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Set the simulated time [s]. Default: the scene's, else 5.")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Set the number of steps.")] = None,
    dt: Annotated[str | None, typer.Option(help="Set the step, such as 1/120 [s]. Default: the scene's.")] = None,
    fps: Annotated[
        float | None, typer.Option(help="Set frames per second, rounded to whole steps. Default: the scene's, else 60.")
    ] = None,
    device: DeviceChoice = DeviceName.AUTO,
    threads: Threads = 0,
    precision: PrecisionChoice = None,
    solver: SolverOverride = None,
    position_iterations: PositionIterations = None,
    velocity_iterations: VelocityIterations = None,
    joints: Annotated[
        Path | None,
        typer.Option(metavar="LOG", help="Write q, qd and effort of every step: .npz, .csv, .parquet or .mcap."),
    ] = None,
    drive: DriveOverrides = None,
    set_: AttributeOverrides = None,
    controls: Annotated[
        Path | None, typer.Option(metavar="EVENTS.json", help="Apply targets, efforts and forces at given steps.")
    ] = None,
    no_sleep: Annotated[bool, typer.Option("--no-sleep", help="Disable sleeping.")] = False,
    no_contacts: NoContacts = False,
    view: Annotated[bool, typer.Option("--view", help="Play the motion in a browser afterwards.")] = False,
    flatten: Annotated[bool, typer.Option("--flatten", help="Write one self-contained file; also .usdz.")] = False,
) -> None:
    """Simulate a robot's USD file and write its motion as a layer over it."""
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
        view=view,
    )
    _check(task, source.source, named=output is not None)
    warn(source)
    sim = fajin.Simulation(
        source,
        device=device.value,
        precision=precision.value if precision else source.precision,
        threads=threads,
        sleeping=not no_sleep,
        contacts=not no_contacts,
    )
    events = read_controls(controls, sim.dof, sim.link) if controls else ()
    raise typer.Exit(run_simulation(sim, task, events))


def warn(scene: "Scene") -> None:
    """Print warnings for what the file says and the simulation does not use; the same of several prims is one line."""
    groups: dict[tuple[str, str, str], list] = {}
    for report in scene.reports:
        groups.setdefault((report.attribute, report.value, report.message), []).append(report)
    for alike in list(groups.values())[:WARNINGS]:
        prims = f" ({len(alike)} prims)" if len(alike) > 1 else ""
        print(f"fajin: warning: {alike[0]}{prims}", file=sys.stderr)
    if (more := len(groups) - WARNINGS) and more > 0:
        print(f"fajin: … and {more} more: fajin inspect {scene.source}", file=sys.stderr)
    if scene.fit and (differing := scene.fit.differences(scene)):
        values = len(scene.fit.parameters)
        print(f"fajin: warning: {scene.source}: {values} values were fitted with {differing}", file=sys.stderr)


def _check(task: Task, scene: str, named: bool) -> None:
    """Raise errors now that would otherwise occur after the simulation."""
    from fajin.atomic_write import OutputError
    from fajin.recording.joint_log import check_joint_log

    try:
        if task.output:
            from fajin.usd.write.writer import check_output

            check_output(scene, task.output, task.flatten)
    except OutputError as error:
        raise error if named else OutputError(f"{error} with -o") from None
    if task.joints:
        check_joint_log(task.joints)


def _motion(scene: Path, output: Path | None, joints: Path | None) -> Path | None:
    """Return the path of the motion; None for a compiled model, which has no stage below, unless -o is given."""
    if scene.suffix != ".npz" or output:
        return output or scene.with_name(f"{scene.stem}.anim.usda")
    if joints is None:
        raise typer.BadParameter(
            f"{scene}: is compiled, so an output must be named; add --joints LOG, or -o OUT if its scene exists"
        )
    return None


def _length(seconds: float | None, steps: int | None, scene: "Scene") -> int:
    """Return the number of steps."""
    if seconds is not None and steps is not None:
        raise typer.BadParameter("--seconds, --steps: must not be combined; remove one of them")
    if (steps or 0) < 0 or not 0.0 <= (seconds or 0.0) < float("inf"):
        raise typer.BadParameter("--seconds, --steps: must be finite and not negative")
    return steps if steps is not None else round((scene.duration if seconds is None else seconds) / scene.dt)


def _steps_a_frame(fps: float, dt: float) -> int:
    if not 0.0 < fps < float("inf"):
        raise typer.BadParameter(f"--fps {fps:g}: must be positive and finite")
    every = max(1, round(1.0 / (fps * dt)))
    if abs(1.0 / (every * dt) - fps) > 1e-6 * fps:
        print(
            f"fajin: note: {1.0 / (every * dt):g} frames per second, not {fps:g}: a frame is a whole number of steps",
            file=sys.stderr,
        )
    return every
