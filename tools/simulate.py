"""`fajin simulate`: simulates a robot's USD file and writes its motion."""

import sys
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.device.names import DeviceName
from fajin.tools.cli_options import (
    AttributeOverrides,
    DriveOverrides,
    NoContacts,
    PositionIterations,
    Seconds,
    SolverOverride,
    TimeStep,
    VelocityIterations,
    step_length,
)
from fajin.tools.device_options import DeviceChoice, PrecisionChoice, Threads
from fajin.tools.simulate_run import Task, check_room, meanwhile, run_simulation
from fajin.tools.table import print_message

if TYPE_CHECKING:
    from fajin import Scene

MOST_STEPS = 10**15
"""More steps take longer than a lifetime."""

CONTACT_SLOTS = 1024  # most near pairs of an island: one world has the memory


def simulate(  # one parameter per option: typer reads the signature
    scene: Annotated[
        str, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file, or a compiled model.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the motion to this file. Default: SCENE's name with .anim.usda."),
    ] = None,
    seconds: Seconds = None,
    steps: Annotated[int | None, typer.Option(help="Set the number of steps.")] = None,
    dt: TimeStep = None,
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
    contact_log: Annotated[
        Path | None,
        typer.Option(metavar="LOG.npz", help="Write the contact points of every frame, for view and render."),
    ] = None,
    drive: DriveOverrides = None,
    set_: AttributeOverrides = None,
    controls: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Apply targets, efforts and forces over time: .json, .csv, .parquet."),
    ] = None,
    base: Annotated[
        bool | None,
        typer.Option("--fixed-base/--floating-base", help="Fix the roots of all robots to the world, or free them."),
    ] = None,
    ground: Annotated[
        bool, typer.Option("--ground", help="Add a ground plane where the lowest collider touches it.")
    ] = False,
    wave: Annotated[
        bool, typer.Option("--wave", help="Swing all joints within their limits, to see the robot move.")
    ] = False,
    no_sleep: Annotated[bool, typer.Option("--no-sleep", help="Disable sleeping.")] = False,
    no_contacts: NoContacts = False,
    view: Annotated[bool, typer.Option("--view", help="Play the motion in a browser afterwards.")] = False,
    flatten: Annotated[bool, typer.Option("--flatten", help="Write one self-contained file; also .usdz.")] = False,
    instancer: Annotated[
        bool, typer.Option("--instancer", help="Write all links as one USD point instancer, for thousands of copies.")
    ] = False,
) -> None:
    """Simulate a robot's USD file and write its motion as a layer over it."""
    from fajin.scene_file import SceneRequest

    if instancer and (flatten or view):
        raise typer.BadParameter("--instancer, --flatten, --view: must not be combined; choose one of them")
    reader = SceneRequest(scene, tuple(set_ or ()))  # a child process reads while this process loads what it needs
    import fajin
    from fajin.device import warm_up
    from fajin.scene.overrides import with_base, with_settings
    from fajin.scene.wave import with_wave
    from fajin.simulation.control_events import ControlTarget
    from fajin.simulation.control_file import read_controls
    from fajin.tools.simulate_messages import messages_before

    warm_up(device.value, precision.value if precision else "f32", threads)
    method = solver and solver.value
    source = with_settings(
        reader.scene(), step_length(dt), method, position_iterations, velocity_iterations, drive or ()
    )
    source = source if base is None else with_base(source, base)
    source = _on_ground(source) if ground else source
    length = _length(seconds, steps, source)
    source = with_wave(source, length * source.dt) if wave else source
    task = Task(
        steps=length,
        every=_steps_a_frame(source, fps),
        output=_motion(Path(scene), output, joints),
        joints=joints,
        contacts=contact_log,
        flatten=flatten,
        instancer=instancer,
        view=view,
    )
    with meanwhile(lambda: _check(task, source.source, named=output is not None)):
        sim = fajin.Simulation(
            source,
            device=device.value,
            precision=precision.value if precision else source.precision,
            threads=threads,
            sleeping=not no_sleep,
            contacts=not no_contacts,
            contact_slots=CONTACT_SLOTS,
        )
    events = read_controls(controls, ControlTarget(sim.dof, sim.link, sim.dt, length)) if controls else ()
    check_room(sim, task)
    texts = None if Path(scene).suffix == ".npz" else tuple(set_ or ())
    with meanwhile(lambda: sim.step(0)):  # compiles
        for message in messages_before(source, texts, bool(events)):
            print_message(message)
    raise typer.Exit(run_simulation(sim, task, events))


def _on_ground(scene: "Scene") -> "Scene":
    """Return the scene with a ground below it; print where that is."""
    from fajin.stance.ground import with_ground

    scene, height = with_ground(scene)
    print_message(f"ground at height {height:.6g} m, where the lowest collider touches it")
    return scene


def _check(task: Task, scene: str, named: bool) -> None:
    """Raise errors now that would otherwise occur after the simulation."""
    from fajin.atomic_write import OutputError, make_folder
    from fajin.recording.contact_log import check_contact_log
    from fajin.recording.joint_log import check_joint_log

    for path in (task.output, task.joints, task.contacts):
        if path:
            make_folder(path)
    try:
        if task.output:
            from fajin.animation_file import check_output

            check_output(scene, task.output, task.flatten)
    except OutputError as error:
        raise error if named else OutputError(f"{error} with -o") from None
    if task.joints:
        check_joint_log(task.joints)
    if task.contacts:
        check_contact_log(task.contacts)


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
    if (steps or 0) < 0 or not 0.0 <= (seconds or 0.0) < inf:
        raise typer.BadParameter("--seconds, --steps: must be finite and not negative")
    wanted = (scene.duration if seconds is None else seconds) / scene.dt if steps is None else steps
    if wanted > MOST_STEPS:
        raise typer.BadParameter(f"--seconds, --steps: must be at most {MOST_STEPS:.0e} steps, but are {wanted:.3g}")
    return round(wanted)


def _steps_a_frame(scene: "Scene", fps: float | None) -> int:
    """Return the steps per frame; print the frame rate if it is not the one that the user asked for."""
    wanted = scene.fps if fps is None else fps
    if not 0.0 < wanted < inf:
        raise typer.BadParameter(f"--fps {wanted:g}: must be positive and finite")
    every = max(1, round(1.0 / (wanted * scene.dt)))
    rate = 1.0 / (every * scene.dt)
    if fps is not None and abs(rate - fps) > 1e-6 * fps:
        fitting = ceil(1.0 / (fps * scene.dt)) * fps
        print(
            f"fajin: note: {rate:g} frames per second, not {fps:g}: a frame is a whole number of steps; "
            f"--dt 1/{fitting:g} fits",
            file=sys.stderr,
        )
    return every
