"""Settings of a fit, and the errors of one that cannot be done."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import InputError
from .identifiability import Identifiability


class BadLog(InputError):
    """A log with faults that must be mended before a fit."""


class NotIdentifiable(InputError):
    """Parameters that the logs do not determine."""

    def __init__(self, message: str, found: Identifiability | None = None):
        super().__init__(message)
        self.found = found


@dataclass(frozen=True)
class FitOptions:
    """Settings of a fit."""

    joint: str = ".*"
    gains: tuple[float, float] | None = None  # stiffness and damping of the fitted joints' drives
    fixed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # {quantity: {degree of freedom: value}}
    priors: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # {parameter: mean, deviation}
    start: Mapping[str, float] = field(default_factory=dict)  # {parameter: value}
    window: float | None = None  # [s]; 0: no windows; None: half a second if a parameter has kinks
    hold: str = "zero"  # commands between rows: zero (each row until the next) | linear
    polish: bool = False  # search around the optimum at random, for motions that jump between branches
    effort: bool = True  # count measured efforts
    force: bool = False  # fit although parameters are not determined
    starts: bool = True  # fit the state at the start of each log
    hold_back: bool = True  # hold back a log, or the last third of a single one, if none is named
    settle: float = 0.0  # [s] for which the scene rests under the first targets of a log before it
    threads: int = 0
