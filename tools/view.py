"""`fajin view`: a motion, or a scene that runs, in a browser; or as a file to keep."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools import look_options as look
from fajin.tools.cli_options import Browser, NoContacts, Port, step_length

if TYPE_CHECKING:
    from fajin import Simulation
    from fajin.visual.look.bands import TargetChange
    from fajin.visual.motion.motion import Motion
    from fajin.visual.viewer.live_page import LiveOptions

USD = (".usda", ".usdc", ".usd", ".usdz")


def view(  # one parameter per option: typer reads the signature
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SCENE|MOTION", help="A USD file without motion runs; an animated one, a log or a batch plays."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write .html or .glb, and open nothing.")
    ] = None,
    scene: look.SceneOfLog = None,
    contact_log: look.ContactLogOption = None,
    worlds: Annotated[
        str | None,
        typer.Option(metavar="FIRST:LAST", help="Select worlds of a batch, or the number of running worlds."),
    ] = None,
    layout: look.WorldLayout = look.Layout.GRID,
    start: look.Start = None,
    end: look.End = None,
    camera: look.CameraFields = "",
    follow: look.Follow = "",
    show: look.Show = "",
    hide: look.Hide = "",
    fps: Annotated[
        float | None, typer.Option(help="Set the most frames per second. Default: 60; of worlds 30.")
    ] = None,
    joint: Annotated[str | None, typer.Option(metavar="REGEX", help="Select the plotted joints. Default: all.")] = None,
    controls: look.DrawnTargets = None,
    log: Annotated[
        Path | None, typer.Option(metavar="EVENTS.json", help="Write what was done, for simulate --controls.")
    ] = None,
    dt: Annotated[str | None, typer.Option(help="Set the step of a running scene, such as 1/120 [s].")] = None,
    no_contacts: NoContacts = False,
    seconds: Annotated[float | None, typer.Option(help="End a running scene after this time. Default: Ctrl-C.")] = None,
    host: Annotated[str, typer.Option(help="Serve other machines, too, with a token in the address.")] = "127.0.0.1",
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Look at a motion, or run a scene with a slider per drive, in a browser; nothing is fetched from anywhere."""
    from fajin.errors import InputError
    from fajin.tools.show_page import show_page, write_page
    from fajin.visual.viewer.live_page import LiveOptions
    from fajin.visual.viewer.motion_page import MotionPageOptions, motion_page

    for path, kinds in ((output, (".html", ".glb")), (log, (".json",))):
        if path is not None and path.suffix not in kinds:
            raise InputError(f"{path}: must have a suffix of {', '.join(kinds)}; rename it")
    choices, grid = look.read_choices(camera, follow, show, hide), layout is look.Layout.GRID
    motion = look.read_shown(source, scene, worlds or "0:64", contact_log)
    if output is None and len(motion.track) == 1 and source.suffix in USD:
        _check_live(start, end, contact_log)
        sim = _live_simulation(source, worlds, dt, no_contacts)
        _serve_live(sim, source.name, LiveOptions(choices, grid), (host, port), browser, seconds, log)
        return
    if log is not None:
        raise InputError(f"--log {log}: must be of a running scene; remove it, this one plays")
    motion = look.cut(motion, start, end)
    if output is not None and output.suffix == ".glb":
        _write_glb(motion.side_by_side() if grid else motion, output)
        return
    if fps is not None and not 0.0 < fps < float("inf"):
        raise InputError(f"--fps {fps:g}: must be positive and finite; write 60")
    choices = replace(choices, show=look.shown_names(motion, choices.show))
    changes = _target_changes(motion, controls) if controls else ()
    html = motion_page(motion, MotionPageOptions(source.name, fps, joint, changes, look=choices, grid=grid)).html()
    if output is not None:
        write_page(html, output)
    else:
        show_page(html, port, browser)


def _target_changes(motion: "Motion", controls: Path) -> "tuple[TargetChange, ...]":
    """Return the changes of targets by the events of a file."""
    import fajin
    from fajin.simulation.control_events import ControlTarget
    from fajin.simulation.control_file import read_controls
    from fajin.visual.look.bands import target_changes

    model = fajin.compile(motion.scene)
    events = read_controls(controls, ControlTarget(model.dof, model.link, model.scene.dt))
    return target_changes(events, model.dof, motion.scene.dt)


def _check_live(start: float | None, end: float | None, contact_log: Path | None) -> None:
    """Raise InputError for options of motions."""
    from fajin.errors import InputError

    for name, value in (("--from", start), ("--to", end), ("--contact-log", contact_log)):
        if value is not None:
            raise InputError(f"{name} {value}: must be of a motion; remove it, this scene runs")


def _live_simulation(source: Path, worlds: str | None, dt: str | None, no_contacts: bool) -> "Simulation":
    """Return the simulation of a scene, compiled."""
    import sys

    import fajin
    from fajin.errors import InputError
    from fajin.scene.overrides import with_settings
    from fajin.tools.simulate_messages import message_of_reports

    if worlds is not None and not (worlds.isdecimal() and 0 < int(worlds) <= 4096):
        raise InputError(f"--worlds {worlds}: must be a number from 1 to 4096 for a scene that runs; write 16")
    scene = with_settings(fajin.read(source), step_length(dt))
    for message in message_of_reports(scene):
        print(f"fajin: {message}", file=sys.stderr)
    sim = fajin.Simulation(scene, worlds=int(worlds or 1), contacts=not no_contacts)
    sim.step(0)  # compile before the page appears
    return sim


def _serve_live(
    sim: "Simulation",
    title: str,
    options: "LiveOptions",
    address: tuple[str, int],
    browser: bool,
    seconds: float | None,
    log: Path | None,
) -> None:
    """Run a scene until Ctrl-C, the end of what FAJIN_END names, or a time; write what was done to a log."""
    import sys

    from fajin.tools.show_page import announce
    from fajin.tools.signals import end_of_input, interruptible
    from fajin.visual.viewer.live import LiveViewer

    with LiveViewer(sim, title, address, options=options) as viewer:
        if not viewer.server.is_loopback:
            print(f"fajin: warning: --host {address[0]}: others in your network may reach this page", file=sys.stderr)
        with interruptible() as wish:  # before the address is known: whoever reads it may end the page at once
            announce(viewer.url, viewer.server.port, browser)
            ended = end_of_input()
            viewer.run(seconds, lambda: wish.stop or ended())
        if log is not None:
            viewer.write_events(log)
            print(f"wrote {log}: {len(viewer.events)} events")


def _write_glb(motion: "Motion", output: Path) -> None:
    """Write a binary glTF file."""
    from fajin.visual.look.glb import write_glb

    write_glb(motion.look, motion.track, output)
    print(f"wrote {output}: {output.stat().st_size / 1e6:.2f} MB")
