"""`fajin compare`: two logs of one robot, such as a simulated and a real one."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools.cli_options import Port
from fajin.tools.plot import JointFilter, LogDegrees, Renamings, TimeColumn, log_options, read_log

if TYPE_CHECKING:
    from fajin.visual.look.comparison import Comparison
    from fajin.visual.motion.motion import Motion


def compare(  # one parameter per option: typer reads the signature
    a: Annotated[Path, typer.Argument(metavar="A", help="A joint log, the reference.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another one, such as that of the real robot.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write .html, .json or .csv. Default: a table."),
    ] = None,
    quantity: Annotated[str, typer.Option(help="Compare q, qd or effort.")] = "q",
    map_: Renamings = None,
    degrees: LogDegrees = False,
    time_column: TimeColumn = None,
    delay: Annotated[
        str, typer.Option(metavar="SECONDS", help="Shift B by this delay; auto: the one that is found. Default: 0.")
    ] = "0",
    joint: JointFilter = None,
    fail_above: Annotated[
        float | None, typer.Option(metavar="RMS", help="Exit with 1 if the rms error of a joint is greater.")
    ] = None,
    scene: Annotated[Path | None, typer.Option(help="Draw the robot of this scene, and B as a ghost.")] = None,
    port: Port = 0,
    show: Annotated[bool, typer.Option("--show", help="Open the page in a browser.")] = False,
) -> None:
    """Compare two logs: rms, largest error and when, bias and delay of every joint; --map and --degrees are of B."""
    from fajin.errors import InputError
    from fajin.tools.show_page import show_page, write_page
    from fajin.visual.look.comparison import compare_series
    from fajin.visual.viewer.compare_page import compare_page

    if output is not None and output.suffix not in (".html", ".json", ".csv"):
        raise InputError(f"{output}: must have a suffix of .html, .json, .csv; rename it")
    left = read_log(a).select(joint)
    right = read_log(b, log_options(time_column, degrees, map_))
    found = compare_series(left, right, quantity, _shift(delay))
    names = (a.name, b.name)
    page = output is None or output.suffix == ".html"
    motions = _motions(found, scene) if page and scene and (output or show) else None  # refused before the table
    if page or show:
        _print_table(found, names)
    if page and (output or show):
        html = compare_page(found, names, motions).html()
        write_page(html, output) if output else show_page(html, port, True)
    elif output:
        _write_table(found, names, output)
    if fail_above is not None and not found.worst <= fail_above:
        print(f"rms {found.worst:.6g} is above {fail_above:g}")
        raise typer.Exit(1)


def _shift(text: str) -> float | None:
    """Return the shift of B [s]; None for the delay that is found."""
    import math

    from fajin.errors import InputError

    if text == "auto":
        return None
    try:
        shift = float(text)
    except ValueError:
        shift = math.nan
    if not math.isfinite(shift):
        raise InputError(f"--delay {text}: must be auto or a number of seconds; write 0.037")
    return shift


def _print_table(found: "Comparison", names: tuple[str, str]) -> None:
    """Print errors and delays, and what the delays are known to."""
    from fajin.tools.table import number, print_table
    from fajin.visual.look.panels import comparison_table
    from fajin.visual.look.series import short_names

    table = comparison_table(found, short_names([joint.dof for joint in found.joints]))
    rows = [["" if v is None else v if isinstance(v, str) else number(v) for v in row] for row in table["rows"]]
    shift = f"; B is shifted by {found.shift * 1e3:.4g} ms" if found.shift else ""
    print_table(f"{names[1]} against {names[0]}: {table['caption']}{shift}", 1, table["columns"], rows)


def _motions(found: "Comparison", scene: Path) -> "tuple[Motion, Motion]":
    """Return the motions of both logs, and print what of the robot cannot be drawn."""
    from fajin.tools.look_options import print_notes
    from fajin.visual.viewer.compare_page import compared_motions

    motions = compared_motions(found, scene)
    print_notes(motions[0])
    return motions


def _write_table(found: "Comparison", names: tuple[str, str], output: Path) -> None:
    """Write the comparison as JSON or CSV."""
    from fajin.atomic_write import staged_file

    with staged_file(output) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        rows = [_plain(vars(joint)) for joint in found.joints]
        if output.suffix == ".json":
            about = {"a": names[0], "b": names[1], "quantity": found.quantity, "worst_rms": found.worst}
            about |= {"delay": found.delay, "shift": found.shift, "resolution": found.resolution}
            json.dump(_plain(about) | {"joints": rows}, file, indent=1, ensure_ascii=False, allow_nan=False)
        else:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    print(f"wrote {output}")


def _plain(values: dict) -> dict:
    """Return plain values; NaN is None."""
    return {key: None if value != value else value if isinstance(value, str) else float(value)
            for key, value in values.items()}  # fmt: skip
