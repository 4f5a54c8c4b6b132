"""`fajin fit SCENE`: parameters of a robot from recorded motions, written as a layer over the scene."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools.cli_options import (
    PositionIterations,
    SceneFile,
    SolverOverride,
    VelocityIterations,
    step_length,
)
from fajin.tools.device_options import Threads
from fajin.tools.table import print_message

if TYPE_CHECKING:
    from fajin.fit import Fit, MotionLog

NOT_IDENTIFIABLE = 4  # exit code
DEFAULT = "armature,coulomb,viscous,delay"


def fit(  # one parameter per option: typer reads the signature
    scene: SceneFile,
    log: Annotated[
        list[Path], typer.Option(metavar="LOG", help="Fit this log: .csv, .npz, .parquet, .mcap or .pt. Repeatable.")
    ],
    hold_back: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="LOG", help="Compare with this log only. Default: the last log, or the last third of one."
        ),
    ] = None,
    joint: Annotated[str, typer.Option(metavar="REGEX", help="Select the joints of parameters without a name.")] = ".*",
    parameters: Annotated[
        str,
        typer.Option(
            metavar="P,P,…",
            help="Fit these: armature, coulomb, viscous, static_ratio, stiffness, damping, max_force, bias, delay, "
            "elbow:armature, link3:mass, hand:payload, ….",
        ),
    ] = DEFAULT,
    fix: Annotated[
        list[str] | None, typer.Option(metavar="JOINT:QUANTITY=VALUE", help="Set a value that is not fitted.")
    ] = None,
    prior: Annotated[
        list[str] | None, typer.Option(metavar="P=normal(MEAN,SD)", help="Add knowledge of a parameter.")
    ] = None,
    start: Annotated[list[str] | None, typer.Option(metavar="P=VALUE", help="Start a parameter at this value.")] = None,
    gains: Annotated[
        str | None, typer.Option(metavar="KP,KD", help="Set the gains of all drives of the log. Default: the scene's.")
    ] = None,
    map_: Annotated[
        Path | None, typer.Option("--map", metavar="MAP.toml", help="Map names, units, signs and offsets of the logs.")
    ] = None,
    dt: Annotated[str | None, typer.Option(help="Set the step, such as 1/500 [s]. Default: the scene's.")] = None,
    solver: SolverOverride = None,
    position_iterations: PositionIterations = None,
    velocity_iterations: VelocityIterations = None,
    window: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0.0, help="Start with pieces of this length. Default: 0.5 for static_ratio, else 0."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="LAYER", help="Write the values to this layer. Default: print only."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page with curves and intervals.")
    ] = None,
    settle: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.0, max=60.0, help="Hold the first targets before each log, which starts at rest."
        ),
    ] = 0.0,
    hold: Annotated[
        str, typer.Option(metavar="zero|linear", help="Hold each commanded row until the next, or interpolate.")
    ] = "zero",
    polish: Annotated[
        bool,
        typer.Option("--polish", help="Search around the optimum by CMA-ES (package cma), for motions with stiction."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Fit and write parameters that the logs do not determine.")
    ] = False,
    threads: Threads = 0,
) -> None:
    """Fit armature, friction, masses, delay and gains to logs of the real robot.

    Prints values with 95 % intervals, and the errors of fitted and held-back logs before and after. Numbers belong to
    the step and solver of the fit. Exit code 2: a log or option is wrong; 4: the logs do not determine a parameter.
    """
    import fajin
    from fajin.fit import FitOptions, NotIdentifiable, fit_logs
    from fajin.fit.parameters import parse_fixed
    from fajin.scene.overrides import with_settings

    _check_files(scene, output, report)
    source = with_settings(
        fajin.read(scene), step_length(dt), solver and solver.value, position_iterations, velocity_iterations
    )
    model = fajin.compile(source)
    logs, held = ([_read(path, model.dof, map_) for path in paths] for paths in (log, hold_back or ()))
    options = FitOptions(
        joint,
        gains=_gains(gains),
        fixed=parse_fixed(model, fix or ()),
        priors=_priors(prior or ()),
        start=_numbers(start or (), "--start"),
        window=window,
        hold=hold,
        polish=polish,
        settle=settle,
        force=force,
        threads=threads,
    )
    try:
        found = fit_logs(source, logs, [text for text in parameters.split(",") if text], held, options)
    except NotIdentifiable as error:
        print_message(f"{error}; nothing is written")
        raise typer.Exit(NOT_IDENTIFIABLE) from None
    _show(found)
    if report:
        from fajin.fit.report import fit_page
        from fajin.tools.show_page import write_page

        write_page(fit_page(found, scene.stem).html(), report)
    _write(found, scene, output, force)


def _check_files(scene: Path, output: Path | None, report: Path | None) -> None:
    """Raise errors now that would otherwise occur at the end."""
    from fajin.atomic_write import OutputError

    if output:
        from fajin.author.layer import check

        check(scene, output, False)
    if report and report.suffix != ".html":
        raise OutputError(f"{report}: must have the suffix .html; rename it")


def _read(path: Path, dof: tuple[str, ...], mapping: Path | None) -> "MotionLog":
    from fajin.fit import read_motion_log

    return read_motion_log(path, dof, mapping)


def _gains(text: str | None) -> tuple[float, float] | None:
    """Parse "20,1.5"."""
    if text is None:
        return None
    from math import inf

    from fajin.errors import InputError

    try:
        stiffness, damping = (float(number) for number in text.split(","))
    except ValueError:
        stiffness = damping = -1.0
    if not (0.0 <= stiffness < inf and 0.0 <= damping < inf):
        raise InputError(f"--gains {text}: must be stiffness,damping in SI units, from 0; write 20,1.5")
    return stiffness, damping


def _numbers(texts: list[str] | tuple[()], option: str) -> dict[str, float]:
    """Parse "elbow:armature=0.1"."""
    from fajin.errors import InputError

    found = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise InputError(f"{option} {text}: must be PARAMETER=number; write elbow:armature=0.1") from None
    return found


def _priors(texts: list[str] | tuple[()]) -> dict[str, tuple[float, float]]:
    """Parse "elbow:armature=normal(0.1,0.01)"."""
    from fajin.errors import InputError
    from fajin.jobs.description.distributions import Distribution

    found = {}
    for text in texts:
        name, _, law = text.rpartition("=")
        prior = Distribution.parse(law)
        if prior.name != "normal" or prior.numbers[1] <= 0.0 or not name:
            raise InputError(f"--prior {text}: must be PARAMETER=normal(mean,deviation), deviation above 0")
        found[name] = prior.numbers[0], prior.numbers[1]
    return found


def _show(found: "Fit") -> None:
    """Print what was found in the logs, what they determine, the values and the errors."""
    from fajin.fit.jumps import jumps
    from fajin.fit.report import missing_laws, short_rows, verdict
    from fajin.tools.table import print_table

    for finding in found.findings:
        print(f"log: {finding}")
    singular = found.identifiability
    print(f"identifiability: condition {singular.condition:.3g}")
    for line in singular.lines():
        print(f"identifiability: {line}")
    print_table("Fitted values, with 95 % intervals", 4, ("parameter", "value", "unit", "note"), short_rows(found))
    columns = ("log", "", "rms before", "after", "mean after")
    errors = [
        [e.log.name, "held back" if e.held_back else "fitted", *(f"{1e3 * x:.4g}" for x in (*e.rms, e.mean_absolute))]
        for e in found.errors
    ]
    print_table("Errors of positions [mrad | mm]", 2, columns, errors)
    print(verdict(found))
    if found.jumping:
        print(f"residual: {jumps(found.jumping, 1.0 / found.scene.dt)}")
    for line in missing_laws(found):
        print(f"residual: {line}")


def _write(found: "Fit", scene: Path, output: Path | None, force: bool) -> None:
    """Author the values, and print the changes; exit with 4 if the logs do not determine all of them."""
    from fajin.fit.authoring import author_fit

    if not found.identifiable and not force:
        loose = ", ".join(one.name for one in found.values if one.loose)
        reason = f"{loose}: intervals wider than the values" if loose else "some parameters are not determined"
        print_message(f"{reason}; nothing is written; fix them, or pass --force")
        raise typer.Exit(NOT_IDENTIFIABLE)
    if output is None:
        print("nothing is written; add -o LAYER")
        return
    changes = author_fit(found, scene, output)
    for change in changes:
        print(change)
    print(f"wrote {output}: {len(found.values)} fitted values, a layer over {scene}")
