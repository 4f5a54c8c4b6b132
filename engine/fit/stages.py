"""Stages of a fit: windows, Levenberg-Marquardt, starts of the logs, profiles of kinked parameters, intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from .fit_options import FitOptions, NotIdentifiable
from .identifiability import Identifiability, identify
from .intervals import covariance, rescale
from .jumps import jumping_parameters, jumps
from .levenberg_marquardt import STEP, THOROUGH, Linear, Optimum, Stop, cost_of, jacobian_at, minimize
from .log_finding import LogFinding
from .motion_log import MotionLog
from .piece import Piece, whole_log, windows_of
from .problem import Channels, Problem, noise_of_logs
from .profiles import kinked_places, profile_kinks
from .quantisation import quantised_covariance
from .random_search import search_at_random
from .result import Fit, FittedValue, LogError, error_of_log
from .rollout import Rollout
from .start_state import EXACT
from .start_values import free_stuck_joints

WINDOW, WINDOW_ITERATIONS = 0.5, 8  # [s] and their fit
OPEN_WINDOW = 0.25  # [s] of logs without commands
ZOOMS = (1.0, 0.1), (0.1, 0.02), (0.02, 0.005)  # parts of the range on each side, the starts of logs after each group
BROAD = 0.5  # deviation of a profile, in coordinates, above which it determines little
POLISHED = 3.0  # deviations of the first generation of a random search, in those of the fit
ROUGH = 0.03  # relative gain at which a fit without starts ends
NEAR_NOISE = 25.0  # mean squared residual, in units of the noise, below which starts matter
SPREAD_LOGS = 3  # logs whose fits one by one give a spread


@dataclass(eq=False)
class Fitting:
    """One fit."""

    rollout: Rollout
    logs: list[MotionLog]
    held: list[MotionLog]
    options: FitOptions
    iterations: int = 0
    widths: dict[int, float] = field(default_factory=dict)  # deviations of kinked parameters by their profiles

    def run(self, findings: tuple[LogFinding, ...]) -> Fit:
        """Fit and return the result."""
        channels = noise_of_logs(self.logs, self.rollout.model.unit, self.options.effort and not self.rollout.open_loop)
        self.problem = problem = self._problem(self.logs, channels)
        names = [p.name for p in problem.parameters]
        x = self._start()
        known = jacobian_at(problem.residuals, x, problem.space)
        self._check(names, known[1])
        near = self._by_windows(x)
        rough = Stop(gain=ROUGH, cost=NEAR_NOISE * len(known[0]), rough=True)
        stop = rough if self._fits_starts() else THOROUGH
        found = self._with_starts(self._minimize(problem, near, known if near is x else None, stop))
        if kinked_places(problem):
            found = self._by_profiles(found.x[: len(x)])
        if self.options.polish:
            found = self._polish(found)
        problem, free = self.problem, ~found.at_bound[: len(x)]
        unbound = free.copy()
        for i, width in self.widths.items():
            free[i] &= width > BROAD  # a profile that is narrow determines its parameter
        left = [name for name, there in zip(names, free, strict=True) if there]
        identifiability = identify(left, found.jacobian[:, : len(x)][:, free])
        self._refuse(identifiability)
        jumping = self._jumping(found)
        spread = self._covariance(found)
        scale = problem.scale
        values = tuple(
            FittedValue(p, float(v), float(np.sqrt(s)) if f else float("nan"), not f)
            for p, v, s, f in zip(
                problem.parameters, found.x[: len(x)] * scale, np.diag(spread) * scale**2, unbound, strict=True
            )
        )
        count = max(len(found.residual) - int(unbound.sum()), 1)
        return Fit(
            self.rollout.model.scene, values, spread * np.outer(scale, scale), identifiability,
            self._errors(found.x[: len(x)] * scale), findings, found.cost / count, self.iterations, problem.evaluations,
            self.options.fixed, jumping,
        )  # fmt: skip

    def _jumping(self, found: Optimum) -> tuple[str, ...]:
        """Return the names of parameters that change the motion in jumps; raise NotIdentifiable if it is not forced."""
        names = tuple(self.problem.parameters[i].name for i in jumping_parameters(self.problem, found))
        if names and not self.options.force:
            raise NotIdentifiable(f"{jumps(names, 1.0 / self.rollout.dt)}")
        return names

    def _start(self) -> np.ndarray:
        """Return the coordinates of the start."""
        scale, kept = self.problem.scale, tuple(self.options.start)
        pieces = [piece for group in self.problem.groups for piece in group[:1]]
        return free_stuck_joints(self.rollout, pieces, self.problem.start * scale, kept) / scale

    def _problem(self, logs: list[MotionLog], channels: Channels) -> Problem:
        """Return the problem of whole logs, or of windows of logs without commands."""
        if not self.rollout.open_loop:
            return Problem.of_logs(self.rollout, logs, channels, self.options.settle)
        return Problem(self.rollout, self._windows(logs), channels)

    def _windows(self, logs: list[MotionLog]) -> list[list[Piece]]:
        window = self.options.window or OPEN_WINDOW
        groups = windows_of(logs, window, self.rollout.dt)
        if not groups:
            raise InputError(f"{logs[0].name}: must last two windows of {window:g} s; record longer, or lower --window")
        return groups

    def _check(self, names: list[str], jacobian: np.ndarray) -> None:
        """Raise NotIdentifiable if parameters change nothing at the start."""
        smooth = [i for i in range(len(names)) if i not in kinked_places(self.problem)]
        found = identify([names[i] for i in smooth], jacobian[:, smooth])
        if found.silent:
            self._refuse(found)

    def _refuse(self, found: Identifiability) -> None:
        if not found.determined and not self.options.force:
            lost = [str(one) for one in found.weak if one.lost]
            silent = [f"{name} changes nothing in these logs" for name in found.silent]
            fix = "fix or leave out some of them, or record another motion (fajin excite)"
            raise NotIdentifiable(f"{'; '.join([*silent, *lost])}: {fix}", found)

    def _minimize(self, problem: Problem, x: np.ndarray, known: Linear | None = None, stop: Stop = THOROUGH) -> Optimum:
        found = minimize(problem.residuals, x, problem.space, stop, known)
        self.iterations += found.iterations
        return found

    def _with_starts(self, found: Optimum) -> Optimum:
        """Return an optimum of the parameters and the starts of the logs, from one of the parameters."""
        problem = self.problem
        if not self._fits_starts():
            return found
        x = np.concatenate((found.x, np.zeros(len(problem.start_scale))))
        better = minimize(problem.residuals, x, problem.space_with_starts)
        self.iterations += better.iterations
        self.problem = problem.started(better.x)
        return better

    def _fits_starts(self) -> bool:
        wanted = self.options.starts and not self.options.settle and not self.rollout.open_loop
        return wanted and self.problem.channels.position.max() >= EXACT

    def _by_profiles(self, x: np.ndarray) -> Optimum:
        """Return an optimum from profiles of the kinked parameters, each narrower than the one before."""
        found = started = minimize(self.problem.residuals, x, self.problem.space, Stop(0))
        for zooms in ZOOMS:
            for zoom in zooms:
                better, self.widths = profile_kinks(self.problem, found, zoom)
                found = self._minimize(self.problem, better) if better is not None else found
            started = self._with_starts(found)
            x = started.x[: len(x)]
            found = minimize(self.problem.residuals, x, self.problem.space, Stop(0))
        return started

    def _polish(self, found: Optimum) -> Optimum:
        """Return an optimum near the best point of a random search around one."""
        problem = self.problem
        x = found.x[: len(problem.parameters)]
        wide = POLISHED * np.sqrt(np.diag(covariance_at(problem, found, self.widths)))
        scale = np.where(wide > 0.0, wide, STEP)
        space = problem.space
        best = search_at_random(lambda tried: cost_of(problem.residuals(tried)), x, scale, (space.low, space.high))
        return self._with_starts(self._minimize(problem, best))

    def _by_windows(self, x: np.ndarray) -> np.ndarray:
        """Return coordinates that fit windows of the logs, if the whole logs are better for them."""
        window = self.options.window
        window = (WINDOW if kinked_places(self.problem) else 0.0) if window is None else window
        whole = window <= 0.0 or self.rollout.open_loop
        groups = [] if whole else windows_of(self.logs, window, self.rollout.dt)
        if not groups:
            return x
        problem = Problem(self.rollout, groups, self.problem.channels)
        near = minimize(problem.residuals, x, problem.space, Stop(WINDOW_ITERATIONS)).x
        self.problem.evaluations += problem.evaluations
        costs = cost_of(self.problem.residuals(np.stack((x, near))))
        return near if costs[1] <= costs[0] else x

    def _covariance(self, found: Optimum) -> np.ndarray:
        """Return the covariance of the coordinates, (P, P), not below the spread of three or more logs."""
        x = found.x[: len(self.problem.parameters)]
        many = len(self.logs) >= SPREAD_LOGS
        return covariance_at(
            self.problem, found, self.widths, [self._alone(log, x) for log in self.logs] if many else ()
        )

    def _alone(self, log: MotionLog, x: np.ndarray) -> np.ndarray:
        """Return the coordinates that fit one log."""
        problem = self._problem([log], self.problem.channels)
        found = minimize(problem.residuals, x, problem.space, Stop(10))
        self.problem.evaluations += problem.evaluations
        return found.x

    def _errors(self, values: np.ndarray) -> tuple[LogError, ...]:
        """Return the errors of all logs with the scene's values and with the fitted ones."""
        return tuple(
            error_of_log(self.rollout, log, self._pieces(log), values, held)
            for some, held in ((self.logs, False), (self.held, True))
            for log in some
        )

    def _pieces(self, log: MotionLog) -> list[Piece]:
        """Return a log as one piece, or as windows if it has no commands."""
        if self.rollout.open_loop:
            (pieces,) = self._windows([log])
            return pieces
        return [whole_log(log, self.rollout.dt, self.options.settle)]


def covariance_at(
    problem: Problem, found: Optimum, widths: Mapping[int, float], alone: Sequence[np.ndarray] = ()
) -> np.ndarray:
    """Return the covariance of the coordinates (P, P): robust, and not below the spread of logs; 0 at bounds.

    Args:
        problem: the problem.
        found: its optimum, of parameters, or of parameters and starts.
        widths: {place: deviation} of kinked parameters, by their profiles.
        alone: coordinates that fit one log each, (P,).
    """
    count = len(problem.parameters)
    free, kinked = ~found.at_bound, np.isin(np.arange(len(found.x)), list(widths))
    smooth = free & ~kinked
    blocks = problem.blocks_with_starts() if len(found.x) > count else problem.blocks()
    J, r = found.jacobian[:, smooth], found.residual
    measured = [one for some in problem.measured() for one in some]
    places = np.flatnonzero(smooth[:count])
    inner = covariance(J, r, blocks, quantised_covariance(J, r, measured))[: len(places), : len(places)]
    if alone:
        spread = np.stack(alone)[:, places].std(0, ddof=1) / np.sqrt(len(alone))
        inner = rescale(inner, np.maximum(spread, np.sqrt(np.diag(inner))))
    result = np.zeros((count, count))
    result[np.ix_(places, places)] = inner
    for i, width in widths.items():
        result[i, i] = width**2 * free[i]
    return result
