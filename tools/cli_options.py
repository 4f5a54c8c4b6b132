"""What several commands let the user choose between."""

from enum import Enum
from fractions import Fraction

import typer


class Device(str, Enum):
    """Where to simulate."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"
    VULKAN = "vulkan"


class Precision(str, Enum):
    """Of all numbers."""

    F32 = "f32"
    F64 = "f64"


class Solver(str, Enum):
    """How the rows of a step are iterated."""

    PGS = "pgs"
    TGS = "tgs"


def step_length(text: str) -> float:
    """A step [s] as the user writes it.

    Raises:
        typer.BadParameter: neither a number nor a fraction.
    """
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"--dt {text}: must be a number of seconds or a fraction such as 1/120") from None
