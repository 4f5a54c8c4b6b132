"""Option types that several commands share."""

from enum import Enum
from fractions import Fraction

import typer


class Device(str, Enum):
    """Device of a simulation."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"
    VULKAN = "vulkan"


class Precision(str, Enum):
    """Floating-point precision of a simulation."""

    F32 = "f32"
    F64 = "f64"


class Solver(str, Enum):
    """Solver for the rows of a step."""

    PGS = "pgs"
    TGS = "tgs"


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
