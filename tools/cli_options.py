"""Option types that several commands share."""

from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer


class Solver(str, Enum):
    """Solver for the rows of a step."""

    PGS = "pgs"
    TGS = "tgs"


class DriveOutput(str, Enum):
    """Output of a drive: force or acceleration."""

    FORCE = "force"
    ACCELERATION = "acceleration"


SceneFile = Annotated[Path, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file.")]
TimeStep = Annotated[str | None, typer.Option(help="Set the step, such as 1/120 [s]. Default: the scene's.")]
Seconds = Annotated[float | None, typer.Option(help="Set the simulated time [s]. Default: the scene's, else 5.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OVERRIDE", help="Override an attribute: PRIM.attribute=value; repeatable."),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Serve the page at this port. Default: any free one.")]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")]
SolverOverride = Annotated[Solver | None, typer.Option(help="Override the scene's solver.")]
PositionIterations = Annotated[int | None, typer.Option(help="Override the scene's position iterations.")]
NoContacts = Annotated[bool, typer.Option("--no-contacts", help="Drop the scene's colliders.")]
VelocityIterations = Annotated[int | None, typer.Option(help="Override the scene's velocity iterations.")]
DriveOverrides = Annotated[
    list[str] | None,
    typer.Option(metavar="REGEX=KP,KD[,MAX]", help="Set drive gains (SI units) on all joints matching REGEX."),
]
AttributeOverrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PRIM.ATTR=VALUE", help="Override an attribute, in the file's unit."),
]


def step_length(text: str | None) -> float | None:
    """Return a step [s] from the user's text; None for none.

    Raises:
        typer.BadParameter: neither a number nor a fraction.
    """
    try:
        return float(Fraction(text)) if text else None
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"--dt {text}: must be a number of seconds or a fraction such as 1/120") from None


def is_given(context: typer.Context, name: str) -> bool:
    """Return whether a parameter stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
