"""Results of a fit: values with intervals, errors, and what the logs determine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..log_cholesky import SHAPE
from ..scene import Scene
from .identifiability import Identifiability
from .intervals import NORMAL
from .link_inertia import CENTRE
from .log_finding import LogFinding
from .motion_log import MotionLog
from .parameters import FitParameter
from .piece import Piece
from .rollout import Rollout


@dataclass(frozen=True)
class FittedValue:
    """One parameter after a fit, in SI units."""

    parameter: FitParameter
    value: float
    deviation: float  # standard deviation; NaN at a bound
    at_bound: bool

    @property
    def name(self) -> str:
        """Return the name, "elbow:armature"."""
        return self.parameter.name

    @property
    def interval(self) -> tuple[float, float]:
        """Return the bounds of the 95 % interval, within those of the parameter; NaN at a bound."""
        half, p = NORMAL * self.deviation, self.parameter
        low, high = np.clip((self.value - half, self.value + half), p.low, p.high)
        return float(low), float(high)

    @property
    def loose(self) -> bool:
        """Return whether the interval is wider than the value, or than the link, in a parameter that must not be 0."""
        if self.parameter.quantity in (*CENTRE, *SHAPE):
            return not self.at_bound and NORMAL * self.deviation > self.parameter.scale
        strict = self.parameter.quantity not in ("bias", "delay", "coulomb", "viscous", "payload")
        return strict and not self.at_bound and NORMAL * self.deviation > abs(self.value)


@dataclass(frozen=True, eq=False)
class LogError:
    """Error of the simulation against one log, per joint [rad | m]."""

    log: MotionLog
    held_back: bool
    before: np.ndarray  # (D,) rms with the scene's values
    after: np.ndarray  # (D,) rms with the fitted values
    simulated: np.ndarray  # (T, D) with the fitted values

    @property
    def rms(self) -> tuple[float, float]:
        """Return the rms over all joints before and after."""
        return tuple(float(np.sqrt((x**2).mean())) for x in (self.before, self.after))  # pyright: ignore[reportReturnType]

    @property
    def mean_absolute(self) -> float:
        """Return the mean of |error| over joints and rows, after the fit."""
        return float(np.abs(self.simulated - self.log.q).mean())


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted parameters of a scene."""

    scene: Scene  # with the gains and step of the fit
    values: tuple[FittedValue, ...]
    covariance: np.ndarray  # (P, P) in SI units; 0 for parameters at a bound
    identifiability: Identifiability
    errors: tuple[LogError, ...]
    findings: tuple[LogFinding, ...]
    chi_squared: float  # mean squared residual in units of the noise
    iterations: int
    evaluations: int  # rollouts
    fixed: Mapping[str, Mapping[str, float]]  # {quantity: {degree of freedom: value}}
    jumping: tuple[str, ...] = ()  # parameters that change the motion in jumps

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the parameters."""
        return tuple(one.name for one in self.values)

    @property
    def identifiable(self) -> bool:
        """Return whether the logs determine every parameter that is not at a bound."""
        loose = any(one.loose for one in self.values)
        return self.identifiability.determined and not loose and not self.jumping

    def __getitem__(self, name: str) -> FittedValue:
        """Return a parameter by name.

        Raises:
            KeyError: no such parameter.
        """
        for one in self.values:
            if one.name == name:
                return one
        raise KeyError(f"no parameter {name!r}; there are {', '.join(self.names)}")

    def rms(self, held_back: bool) -> float:
        """Return the rms error over all fitted, or all held-back, logs; NaN without one."""
        return rms_of([error for error in self.errors if error.held_back == held_back])


def rms_of(errors: Sequence[LogError]) -> float:
    """Return the rms error of logs, each row and joint with equal weight."""
    squares = [((error.simulated - error.log.q) ** 2).ravel() for error in errors]
    return float(np.sqrt(np.concatenate(squares).mean())) if squares else float("nan")


def error_of_log(rollout: Rollout, log: MotionLog, pieces: Sequence[Piece], values: np.ndarray, held: bool) -> LogError:
    """Return the errors of a log.

    Args:
        rollout: the simulations.
        log: the log.
        pieces: its pieces; rows after the last one do not count.
        values: fitted values, (P,).
        held: whether the log was held back.
    """
    rows = sum(len(piece.log) for piece in pieces)
    log = log if rows == len(log) else log.rows(slice(0, rows), "")
    before, after = (_seen(rollout, some, pieces) for some in (None, values))
    rms = [np.sqrt(((x - log.q) ** 2).mean(0)) for x in (before, after)]
    return LogError(log, held, rms[0], rms[1], after)


def _seen(rollout: Rollout, values: np.ndarray | None, pieces: Sequence[Piece]) -> np.ndarray:
    """Return the positions that a log should show, biases included, (T, D); None: with the scene's values."""
    columns = pieces[0].log.column
    q, _ = rollout.simulate(None if values is None else values[None], pieces)
    seen = np.concatenate(q[0])[:, list(columns)]
    for i, p in enumerate(rollout.parameters):
        if values is not None and p.quantity == "bias" and p.column in columns:
            seen[:, columns.index(p.column)] += values[i]
    return seen
