"""Fit of the smallest performance envelope around measured operating points.

    y ≤ a − b x,   x ≤ c − d y,   x = |v|, y = |τ|        a = max effort, b = resistance, c = max speed, d = gradient

Of all envelopes that hold at least a given share of the points, the fit has the smallest area, which makes it
independent of units. For given slopes (b, d) and p points outside the first line, a and c are order statistics. The
search therefore runs over (b, d), on a coarse grid and then finer, and over p. A point that more points dominate (in x
and y) than may be left out cannot affect the result and is dropped first.

Confidence: intervals of the parameters come from fits to points resampled with replacement (bootstrap, basic
intervals). With 95 % confidence, each interval contains the parameter of the envelope that holds this share of all
operating points that the motor could have shown. Points far from every limit carry no information about the limits.
"""

import heapq
from dataclasses import dataclass, replace
from math import ceil, inf, pi, tan

import numpy as np

from ..errors import InputError

CONFIDENCE = 0.95
TAILS = 0.5, 99.5  # [%], wider than the confidence level: a bootstrap of extremes underestimates their uncertainty
RESAMPLES = 100
MOST = 20_000  # maximum number of points to resample for the intervals
COARSE, FINEST = 12, 1e-3  # slope angles on the grid; final step of the search [rad]
FINE = 4e-3  # final step of the search for intervals [rad]
CLIMBERS = 4  # number of starts
SPLITS = 9  # number of splits of the outliers between the two lines
ROUND_OFF = 1e-9
BEYOND = 1.25  # factor beyond the data range to draw an unbounded envelope


class InvalidPoints(InputError):
    """Operating points that do not determine an envelope; the message gives the reason in one line."""


@dataclass(frozen=True)
class FittedEnvelope:
    """A fitted performance envelope with confidence intervals; its fields have the names of the drive parameters."""

    max_force: float  # [N·m | N]
    max_actuator_velocity: float  # [rad/s | m/s]
    velocity_dependent_resistance: float  # [N·m·s/rad | N·s/m]
    speed_effort_gradient: float  # [rad/s/(N·m) | m/s/N]
    held: float = 0.0  # share of the points inside
    intervals: dict[str, tuple[float, float]] | None = None  # confidence interval of each parameter

    def holds(self, velocity: np.ndarray, effort: np.ndarray) -> np.ndarray:
        """Return a mask of the operating points, (N,), inside the envelope, up to round-off."""
        x, y = np.abs(velocity), np.abs(effort)
        weak = y + self.velocity_dependent_resistance * x <= self.max_force * (1.0 + ROUND_OFF)
        return weak & (x + self.speed_effort_gradient * y <= self.max_actuator_velocity * (1.0 + ROUND_OFF))

    def corners(self, speed: float, effort: float) -> list[tuple[float, float]]:
        """Return the first-quadrant border as (velocity, effort) pairs, from the effort axis to the velocity axis.

        Args:
            speed: end of the border if the speed is unbounded.
            effort: end of the border if the effort is unbounded.
        """
        a = self.max_force if self.max_force < inf else effort * BEYOND
        c = self.max_actuator_velocity if self.max_actuator_velocity < inf else speed * BEYOND
        b, d = self.velocity_dependent_resistance, self.speed_effort_gradient
        top, end = min(a, c / d if d else inf), min(c, a / b if b else inf)
        v = min(max((c - d * a) / (1.0 - b * d), 0.0), end) if b * d < 1.0 else 0.0
        return [(0.0, top), (v, max(min(a - b * v, top), 0.0)), (end, 0.0)]


PARAMETERS = ("max_force", "max_actuator_velocity", "velocity_dependent_resistance", "speed_effort_gradient")


def fit_envelope(
    velocity: np.ndarray, effort: np.ndarray, share: float = 0.99, resamples: int = RESAMPLES
) -> FittedEnvelope:
    """Fit the envelope of smallest area that holds a share of the points, with confidence intervals of its parameters.

    Args:
        velocity: (N,) of either sign [rad/s | m/s].
        effort: (N,) of either sign [N·m | N].
        share: minimum share of the points inside; the remaining points are outliers.
        resamples: number of bootstrap samples; 0 for no intervals.

    Raises:
        InvalidPoints: too few points, no point with a speed or no point with an effort, or an invalid share.
    """
    x, y = np.abs(np.asarray(velocity, float)), np.abs(np.asarray(effort, float))
    if not 0.0 < share <= 1.0:
        raise InvalidPoints(f"share = {share:g}: must be above 0 and at most 1")
    if len(x) != len(y) or len(x) < 4:
        raise InvalidPoints(f"{len(x)} speeds and {len(y)} efforts: an envelope needs at least four points")
    if not (np.isfinite(x).all() and np.isfinite(y).all() and x.max() > 0.0 and y.max() > 0.0):
        raise InvalidPoints("operating points must be finite, some with a speed and some with an effort")
    scale = float(x.max()), float(y.max())
    points = np.stack([x / scale[0], y / scale[1]], 1)
    spare = _spare(len(points), share)
    found = _search(_deciding(points, spare), spare, _grid())
    fitted = _envelope(found, scale)
    intervals = _intervals(points, share, (found[1], found[2]), scale, resamples) if resamples else None
    return replace(fitted, held=float(fitted.holds(x, y).mean()), intervals=intervals)


def _spare(count: int, share: float) -> int:
    """Return the number of points that may be left out."""
    return count - ceil(share * count - ROUND_OFF)


def _grid() -> list[tuple[float, float]]:
    """Return angles of both slopes; for b d ≥ 1 the two lines would exchange roles."""
    angles = np.linspace(0.0, 0.5 * pi, COARSE, endpoint=False).tolist()
    return [(first, second) for first in angles for second in angles if first + second < 0.5 * pi - FINEST]


def _deciding(points: np.ndarray, spare: int) -> np.ndarray:
    """Return the points that at most `spare` other points dominate."""
    highest: list[float] = []  # the spare + 1 largest y among points with a larger x
    chosen = []
    for x, y in points[np.lexsort((-points[:, 1], -points[:, 0]))].tolist():
        if len(highest) <= spare:
            heapq.heappush(highest, y)
            chosen.append((x, y))
        elif y >= highest[0]:
            heapq.heapreplace(highest, y)
            chosen.append((x, y))
    return np.array(chosen)


def _search(
    points: np.ndarray, spare: int, starts: list[tuple[float, float]], finest: float = FINEST
) -> tuple[float, ...]:
    """Return area, angles, a and c of the smallest envelope, searched from the best starts with ever smaller steps."""
    ranked = sorted(_tightest(points, spare, start) for start in starts)
    return min(_descend(points, spare, start, finest) for start in ranked[:CLIMBERS])


def _descend(points: np.ndarray, spare: int, best: tuple[float, ...], finest: float) -> tuple[float, ...]:
    step = 0.25 * pi / COARSE
    while step > finest:
        around = [(best[1] + i * step, best[2] + j * step) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        around = [(max(first, 0.0), max(second, 0.0)) for first, second in around]
        tried = [_tightest(points, spare, pair) for pair in around if sum(pair) < 0.5 * pi - FINEST]
        better = min(tried, default=best)
        if better[0] < best[0] * (1.0 - ROUND_OFF):
            best = better
        else:
            step *= 0.5
    return best


def _tightest(points: np.ndarray, spare: int, angles: tuple[float, float]) -> tuple[float, ...]:
    """Return area, angles, a and c of the smallest envelope with these slopes, with at most `spare` points outside."""
    b, d = tan(angles[0]), tan(angles[1])
    lines = points[:, 1] + b * points[:, 0], points[:, 0] + d * points[:, 1]
    count = min(2 * spare + 1, len(points))
    high = [np.argpartition(-line, count - 1)[:count] for line in lines]
    high = [some[np.argsort(-line[some])] for some, line in zip(high, lines, strict=True)]
    rank = np.full(len(points), len(points))
    rank[high[0]] = np.arange(count)
    ranks = rank[high[1]]  # points beyond the first line, ranked by their distance beyond the second line

    def leave_out(above: int) -> tuple[float, ...]:
        """Leave out `above` points beyond the first line, and the remaining spare points beyond the second."""
        c = lines[1][high[1][np.flatnonzero(ranks >= above)[spare - above]]]
        kept = high[0][above:][lines[1][high[0][above:]] <= c]
        a = lines[0][kept[0]] if len(kept) else lines[0][lines[1] <= c].max()
        return (_area(float(a), b, float(c), d), *angles, float(a), float(c))

    middle, width = spare // 2, spare
    while True:
        near = {min(max(round(middle + width * i / SPLITS), 0), spare) for i in range(-SPLITS // 2, SPLITS // 2 + 2)}
        best, middle = min((leave_out(above), above) for above in near)
        if width <= SPLITS // 2:
            return best
        width = -(-2 * width // SPLITS)


def _area(a: float, b: float, c: float, d: float) -> float:
    """Return the area of 0 ≤ y ≤ a − b x, 0 ≤ x ≤ c − d y, with b d < 1."""
    top = min(a, c / d) if d > 0.0 else a
    end = min(c, a / b) if b > 0.0 else c
    x = min(max((c - d * a) / (1.0 - b * d), 0.0), end)
    y = min(max(a - b * x, 0.0), top)
    return float(0.5 * (x * (top + y) + y * (end - x)))


def _envelope(found: tuple[float, ...], scale: tuple[float, float]) -> FittedEnvelope:
    """Return the envelope of a search in the points' units; a line hidden by the other is moved until it touches it."""
    _, first, second, a, c = found
    b, d = tan(first), tan(second)
    a, c = (min(a, c / d) if d > 0.0 else a), (min(c, a / b) if b > 0.0 else c)
    speed, effort = scale
    return FittedEnvelope(a * effort, c * speed, b * effort / speed, d * speed / effort)


def _intervals(
    points: np.ndarray, share: float, angles: tuple[float, float], scale: tuple[float, float], resamples: int
) -> dict[str, tuple[float, float]]:
    """Return basic bootstrap intervals of the parameters: twice the fit minus the opposite quantile."""
    rng = np.random.default_rng(0)
    if len(points) > MOST:
        points = points[rng.choice(len(points), MOST, replace=False)]
    spare = _spare(len(points), share)
    near = _deciding(points, 3 * spare + 20)  # contains the deciding points of every resample
    rows = []
    for _ in range(resamples):
        drawn = near[rng.integers(len(near), size=rng.binomial(len(points), len(near) / len(points)))]
        fitted = _envelope(_search(_deciding(drawn, spare), spare, [angles], FINE), scale)
        rows.append([getattr(fitted, name) for name in PARAMETERS])
    own = _envelope(_search(_deciding(points, spare), spare, [angles], FINE), scale)
    low, high = np.percentile(rows, TAILS, axis=0)
    fits = [getattr(own, name) for name in PARAMETERS]
    return {
        name: (max(min(below, 2.0 * fit - above), 0.0), max(above, 2.0 * fit - below))
        for name, fit, below, above in zip(PARAMETERS, fits, low.tolist(), high.tolist(), strict=True)
    }
