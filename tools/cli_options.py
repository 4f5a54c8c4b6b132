"""Option types that several commands share."""

from enum import Enum
from fractions import Fraction
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


def step_length(text: str) -> float:
    """Return a step [s] from the user's text.

    Raises:
        typer.BadParameter: neither a number nor a fraction.
    """
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"--dt {text}: must be a number of seconds or a fraction such as 1/120") from None


def is_given(context: typer.Context, name: str) -> bool:
    """Return whether a parameter stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
