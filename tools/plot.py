"""`fajin plot`: joint quantities of logs over time, as a page, a picture or text."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools.cli_options import Browser, Port
from fajin.tools.look_options import DrawnTargets

if TYPE_CHECKING:
    from fajin.recording.joint_log_reader import LogOptions
    from fajin.visual.look.series import Series

MOST_TEXT = 6  # joints in a terminal
TimeColumn = Annotated[str | None, typer.Option(help="Name the column of times. Default: time.")]
LogDegrees = Annotated[bool, typer.Option("--degrees", help="Take angles without a unit as degrees, not radians.")]
JointFilter = Annotated[str | None, typer.Option(metavar="REGEX", help="Select joints. Default: all.")]
Renamings = Annotated[list[str] | None, typer.Option("--map", metavar="NAME=JOINT", help="Rename a joint of the log.")]


def plot(  # one parameter per option: typer reads the signature
    logs: Annotated[list[Path], typer.Argument(metavar="LOG...", help="Joint logs: .npz, .csv, .parquet or .mcap.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write .html, .png, .svg or .pdf; - for text. Default: a browser, or text where there is no display.",
        ),
    ] = None,
    scene: Annotated[
        Path | None, typer.Option(help="Draw targets, limits, largest efforts and envelopes of this scene.")
    ] = None,
    controls: DrawnTargets = None,
    joint: JointFilter = None,
    quantity: Annotated[str, typer.Option(metavar="NAMES", help="Select q, qd, effort, error. Default: all.")] = "",
    time_column: TimeColumn = None,
    degrees: LogDegrees = False,
    map_: Renamings = None,
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Plot positions, speeds and efforts of logs, with targets and bounds."""
    from fajin.visual.viewer.browser import has_display

    about = log_options(time_column, degrees, map_)
    series = [read_log(path, about, scene, controls) for path in logs]
    wanted = [name.strip() for name in quantity.split(",") if name.strip()]
    chosen = [one.select(joint, wanted) for one in series]
    if output == "-" or (output is None and browser and not has_display()):
        print_text(chosen)
    elif output is None or output.endswith(".html"):
        _page(chosen, output, port, browser)
    else:
        from fajin.tools.series_plots import draw_series

        draw_series(chosen, Path(output))
        print(f"wrote {output}")


def log_options(time_column: str | None, degrees: bool, renamings: list[str] | None) -> "LogOptions":
    """Return what options say about logs."""
    from fajin.recording.joint_log_reader import LogOptions
    from fajin.visual.look.comparison import parse_renaming

    return LogOptions(time_column, "deg" if degrees else "rad", parse_renaming(renamings or ()))


def read_log(
    path: Path, about: "LogOptions | None" = None, scene: Path | None = None, controls: Path | None = None
) -> "Series":
    """Return the series of a log, with the bounds of a scene if one is given.

    Raises:
        InputError, InvalidScene: the log, the scene or the events cannot be read.
    """
    import fajin
    from fajin.errors import InputError
    from fajin.recording.joint_log_reader import read_joint_log
    from fajin.simulation.control_events import ControlTarget
    from fajin.simulation.control_file import read_controls
    from fajin.visual.look.bands import add_bands, target_changes
    from fajin.visual.look.series import series_of_log

    series = series_of_log(read_joint_log(path, about))
    if controls and not scene:
        raise InputError(f"--controls {controls}: must have a scene with the joints; add --scene SCENE")
    if scene is None:
        return series
    source = fajin.read(scene)
    model = fajin.compile(source)
    events = read_controls(controls, ControlTarget(model.dof, model.link, source.dt)) if controls else ()
    return add_bands(series, source, target_changes(events, model.dof, source.dt))


def print_text(series: "list[Series]") -> None:
    """Print a plot per quantity and joint, of several logs over each other.

    An error is not drawn, as target and position show it.
    """
    from fajin.tools.text_plot import MARKS, text_plot
    from fajin.visual.look.log_panels import joints_of
    from fajin.visual.look.series import short_names

    dof, columns = joints_of(series)
    names, drawn = short_names(dof), series[: len(MARKS)]
    title = ", ".join(one.name for one in drawn)
    for quantity in ("q", "qd", "effort", "residual"):
        joints = sorted({columns[n][one.dof[i]] for n, one in enumerate(drawn) if quantity in one.values
                         for i in one.columns_of(quantity)})  # fmt: skip
        for joint in joints[:MOST_TEXT]:
            curves, unit = _text_curves(
                drawn, [{at: name for name, at in one.items()}.get(joint) for one in columns], quantity
            )
            print(f"{title}: {quantity} of {names[joint]} [{unit}]")
            print(text_plot(curves, "time [s]", reference=None))
        if (more := len(joints) - MOST_TEXT) > 0:
            print(f"… and {more} more joint{'s' * (more > 1)}; choose some by --joint")
    if more_logs := series[len(drawn) :]:
        print(f"… and {len(more_logs)} more log{'s' * (len(more_logs) > 1)}; write a page by -o plots.html")


def _text_curves(series: "list[Series]", names: list[str | None], quantity: str) -> tuple[dict[str, tuple], str]:
    """Return the curves of a joint, which each log names, by log; of one log also the target; and their unit."""
    import numpy as np

    curves, unit = {}, ""
    for one, name in zip(series, names, strict=False):
        if name is None or quantity not in one.values:
            continue
        i = one.dof.index(name)
        unit = one.unit_of(quantity, i)
        found = {quantity if len(series) == 1 else one.name: one.values[quantity][:, i]}
        if len(series) == 1 and f"target_{quantity}" in one.values:
            found["target"] = one.values[f"target_{quantity}"][:, i]
        for label, values in found.items():
            finite = np.isfinite(values)
            if finite.any():
                curves[label] = (one.time[finite].tolist(), values[finite].tolist())
    return curves, unit


def _page(series: "list[Series]", output: str | None, port: int, browser: bool) -> None:
    """Write or show the page of one log, or of several over each other."""
    from fajin.tools.show_page import show_page, write_page
    from fajin.visual.look.log_panels import add_logs
    from fajin.visual.look.pack import Buffers, pack_page, page_head
    from fajin.visual.look.page import Page

    title = ", ".join(one.name for one in series)
    notes = [f"{one.name}: incomplete, the simulation ended early" for one in series if not one.complete]
    head, buffers = page_head("plots", title, notes), Buffers()
    add_logs(head, series, buffers)
    html = Page("document", title, pack_page(head, buffers)).html()
    if output:
        write_page(html, Path(output))
    else:
        show_page(html, port, browser)
