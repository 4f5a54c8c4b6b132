"""Comparison of two logs: error, bias and delay of every joint."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...selection import match_names
from .series import Series

MOST_DELAY = 0.5  # [s] largest delay that is searched for
STANDING = 1e-9  # speed per sample below which a joint has no delay


@dataclass(frozen=True)
class JointComparison:
    """Difference B - A of a quantity of one joint."""

    dof: str  # name in A
    other: str  # name in B
    unit: str
    rms: float
    maximum: float  # of |B - A|
    when: float  # [s] time of the maximum
    bias: float  # mean of B - A
    delay: float  # [s] by which B lags A; NaN for a joint that does not move


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two logs at the times of the finer one where both have values; B is shifted by `shift`."""

    quantity: str
    joints: tuple[JointComparison, ...]
    time: np.ndarray  # (T,) [s]
    a: np.ndarray  # (T, D)
    b: np.ndarray  # (T, D)
    delay: float  # [s] by which B lags A, all joints together; NaN if nothing moves
    shift: float  # [s] by which B was shifted
    resolution: float  # [s] step of the finer log, which delays are searched with

    @property
    def worst(self) -> float:
        """Return the largest rms error of the joints."""
        return max(joint.rms for joint in self.joints)


def compare_series(a: Series, b: Series, quantity: str = "q", shift: float | None = 0.0) -> Comparison:
    """Compare a quantity of the joints that two logs share.

    Args:
        a: the reference.
        b: the other log; its joints have the names of those of `a`, or their prim names.
        quantity: "q", "qd", …, in both logs.
        shift: time [s] by which B lags A and is shifted; None: the delay that is found.

    Raises:
        InputError: a log lacks the quantity, or the logs share no joint or no time.
    """
    pairs = _shared(a, b, quantity)
    left = [a.dof.index(name) for name in pairs]
    right = [b.dof.index(name) for name in pairs.values()]
    x, y = a.values[quantity][:, left], b.values[quantity][:, right]
    step = min(_step(a), _step(b))
    delays = [find_delay((a.time, x[:, [i]]), (b.time, y[:, [i]]), step) for i in range(len(left))]
    delay = find_delay((a.time, x), (b.time, y), step)
    moved = (0.0 if np.isnan(delay) else delay) if shift is None else shift
    first, last = max(a.time[0], b.time[0] - moved), min(a.time[-1], b.time[-1] - moved)
    if not last > first:
        raise InputError(
            f"{b.name}: must overlap {a.name} in time; it has {b.time[0]:g} to {b.time[-1]:g} s, "
            f"not {a.time[0]:g} to {a.time[-1]:g} s; give its --delay"
        )
    time = np.arange(first, last + 1e-9 * step, step)
    A, B = _resample(a.time, x, time), _resample(b.time, y, time + moved)
    joints = tuple(
        _compare_joint((dof, other, a.unit_of(quantity, k)), time, (A[:, i], B[:, i]), delays[i])
        for i, (k, (dof, other)) in enumerate(zip(left, pairs.items(), strict=True))
    )
    return Comparison(quantity, joints, time, A, B, delay, moved, step)


def find_delay(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray], step: float) -> float:
    """Return by how many seconds B lags A; NaN if A does not move or the logs share too little time.

    The delay has the least squared difference of speeds over all shifts up to `MOST_DELAY`, refined by a parabola
    through the three best. Speeds have no offset, so a bias between the logs does not act on the delay.

    Args:
        a: times (T,) and values (T, D).
        b: times and values of the other log.
        step: step of the shifts [s].
    """
    first, last = max(a[0][0], b[0][0]), min(a[0][-1], b[0][-1])
    most = min(MOST_DELAY, (last - first) / 4.0)
    count = int(most / step)
    times = np.arange(first + count * step, last - count * step, step)
    if count < 1 or len(times) < 8:
        return np.nan
    speed = np.diff(_resample(*a, times), axis=0)
    if np.abs(speed).max() < STANDING:
        return np.nan
    wide = times[0] + step * np.arange(-count, len(times) + count)
    other = np.diff(_resample(*b, wide), axis=0)
    shifts = range(2 * count + 1)
    errors = np.array([((other[k : k + len(speed)] - speed) ** 2).sum() for k in shifts])
    best = int(errors.argmin())
    part = 0.0
    if 0 < best < len(errors) - 1:
        before, at, after = errors[best - 1 : best + 2]
        curvature = before - 2.0 * at + after
        part = 0.5 * (before - after) / curvature if curvature > 0.0 else 0.0
    return (best - count + part) * step


def _shared(a: Series, b: Series, quantity: str) -> dict[str, str]:
    """Return {joint of A: joint of B}."""
    for series in (a, b):
        if quantity not in series.values:
            raise InputError(f"{series.name}: must have {quantity}; it has {', '.join(series.quantities())}")
    there = [b.dof[i] for i in b.columns_of(quantity)]
    pairs = match_names([a.dof[i] for i in a.columns_of(quantity)], there)
    if not pairs:
        raise InputError(
            f"{b.name}: must share joints with {a.name}; it has {', '.join(there[:6])}, not "
            f"{', '.join(a.dof[:6])}; name them by --map NAME=JOINT"
        )
    return pairs


def _step(series: Series) -> float:
    """Return the median step of a log [s]."""
    steps = np.diff(series.time)
    if not (steps > 0.0).any():
        raise InputError(f"{series.name}: must have at least two times; record a longer motion")
    return float(np.median(steps[steps > 0.0]))


def _resample(time: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return values (N, D) at other times, linear between rows; rows that are NaN do not count."""
    columns: list[np.ndarray] = []
    for column in values.T:
        there = np.isfinite(column)
        columns.append(np.interp(at, time[there], column[there]))
    return np.stack(columns, axis=1)


def _compare_joint(
    names: tuple[str, str, str], time: np.ndarray, values: tuple[np.ndarray, np.ndarray], delay: float
) -> JointComparison:
    error = values[1] - values[0]
    worst = int(np.abs(error).argmax())
    rms = float(np.sqrt((error**2).mean()))
    return JointComparison(*names, rms, float(np.abs(error[worst])), float(time[worst]), float(error.mean()), delay)


def parse_renaming(texts: Sequence[str]) -> dict[str, str]:
    """Return {name in the log: joint} of texts NAME=JOINT.

    Raises:
        InputError: a text has no "=".
    """
    for text in texts:
        if "=" not in text.strip("="):
            raise InputError(f"--map {text}: must be NAME=JOINT; write the log's name first")
    return dict(text.split("=", 1) for text in texts)
