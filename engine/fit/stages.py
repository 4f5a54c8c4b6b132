"""Stages of a fit: windows, Levenberg-Marquardt, starts of the logs, profiles of kinked parameters, intervals."""

from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from .fit_options import FitOptions, NotIdentifiable
from .friction_start import free_stuck_joints
from .identifiability import Identifiability, identify
from .intervals import covariance, rescale
from .levenberg_marquardt import STEP, THOROUGH, Linear, Optimum, Stop, cost_of, jacobian_at, minimize
from .log_finding import LogFinding
from .motion_log import MotionLog
from .normal_equations import gram, project
from .parameters import KINKED
from .piece import Piece, whole_log
from .problem import Channels, Problem, noise_of_logs
from .profiles import follower, profile_deviation
from .random_search import search_at_random
from .result import Fit, FittedValue, LogError
from .rollout import Rollout
from .start_state import EXACT
from .windows import windows_of

WINDOW, WINDOW_ITERATIONS = 0.5, 8  # [s] and their fit
OPEN_WINDOW = 0.25  # [s] of logs without commands
PROFILE, FOLLOWED = 96, 4  # values of a profile, and launches in which the other parameters follow them
ZOOMS = (1.0, 0.1), (0.1, 0.02), (0.02, 0.005)  # parts of the range on each side, the starts of logs after each group
BROAD = 0.5  # deviation of a profile, in coordinates, above which it determines little
POLISHED = 3.0  # deviations of the first generation of a random search, in those of the fit
ROUGH = 0.03  # relative gain at which a fit without starts ends
LEAST_GAIN = 0.05  # part of the sum of squares that starts must explain to be fitted
START_ITERATIONS = 6  # of parameters and starts together
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
        channels = noise_of_logs(
            self.logs, len(self.rollout.model.dof), self.options.effort and not self.rollout.open_loop
        )
        self.problem = problem = self._problem(self.logs, channels)
        names = [p.name for p in problem.parameters]
        x = self._start()
        known = jacobian_at(problem.residuals, x, problem.space)
        self._check(names, known[1])
        near = self._by_windows(x)
        stop = Stop(gain=ROUGH) if self._fits_starts() else THOROUGH
        found = self._with_starts(self._minimize(problem, near, known if near is x else None, stop))
        if self._kinked():
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
            self.options.fixed,
        )  # fmt: skip

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
        smooth = [i for i in range(len(names)) if i not in self._kinked()]
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
        count = len(problem.start_scale)
        x = np.concatenate((found.x, np.zeros(count)))
        r, J = known = self._jacobian_with_starts(problem, found)
        free = np.concatenate((~found.at_bound[: len(problem.parameters)], np.ones(count, bool)))
        J = J[:, free]
        gradient = project(J, r)
        if gradient @ np.linalg.pinv(gram(J), hermitian=True) @ gradient < LEAST_GAIN * (r @ r):
            return self._minimize(problem, found.x, (found.residual, found.jacobian))
        better = minimize(problem.residuals, x, problem.space_with_starts, Stop(START_ITERATIONS), known)
        self.iterations += better.iterations
        self.problem = problem.started(better.x)
        return better

    def _fits_starts(self) -> bool:
        wanted = self.options.starts and not self.options.settle and not self.rollout.open_loop
        return wanted and self.problem.channels.position.max() >= EXACT

    def _jacobian_with_starts(self, problem: Problem, found: Optimum) -> Linear:
        """Return residuals and Jacobian with starts of the logs, from those without."""
        starts, count = len(problem.start_scale), len(found.residual)
        split = count - sum(p.prior is not None for p in problem.parameters)
        base = np.concatenate((found.residual[:split], np.zeros(starts), found.residual[split:]))
        moved = problem.residuals(np.hstack((np.tile(found.x, (starts, 1)), STEP * np.eye(starts))))
        J = np.zeros((len(base), len(found.x) + starts))
        J[np.r_[:split, split + starts : len(base)], : len(found.x)] = found.jacobian
        J[:, len(found.x) :] = ((moved - base) / STEP).T
        return base, J

    def _by_profiles(self, x: np.ndarray) -> Optimum:
        """Return an optimum from profiles of the kinked parameters, each narrower than the one before."""
        found = started = minimize(self.problem.residuals, x, self.problem.space, Stop(0))
        for zooms in ZOOMS:
            for zoom in zooms:
                better = self._profile(found, zoom)
                found = self._minimize(self.problem, better) if better is not None else found
            started = self._with_starts(found)
            x = started.x[: len(x)]
            found = minimize(self.problem.residuals, x, self.problem.space, Stop(0))
        return started

    def _polish(self, found: Optimum) -> Optimum:
        """Return an optimum near the best point of a random search around one."""
        problem = self.problem
        x = found.x[: len(problem.parameters)]
        wide = POLISHED * np.sqrt(np.diag(self._covariance(found)))
        scale = np.where(wide > 0.0, wide, STEP)
        space = problem.space
        best = search_at_random(lambda tried: cost_of(problem.residuals(tried)), x, scale, (space.low, space.high))
        return self._with_starts(self._minimize(problem, best))

    def _by_windows(self, x: np.ndarray) -> np.ndarray:
        """Return coordinates that fit windows of the logs, if the whole logs are better for them."""
        window = self.options.window
        window = (WINDOW if self._kinked() else 0.0) if window is None else window
        whole = window <= 0.0 or self.rollout.open_loop
        groups = [] if whole else windows_of(self.logs, window, self.rollout.dt)
        if not groups:
            return x
        problem = Problem(self.rollout, groups, self.problem.channels)
        near = minimize(problem.residuals, x, problem.space, Stop(WINDOW_ITERATIONS)).x
        self.problem.evaluations += problem.evaluations
        costs = cost_of(self.problem.residuals(np.stack((x, near))))
        return near if costs[1] <= costs[0] else x

    def _kinked(self) -> list[int]:
        return [i for i, p in enumerate(self.problem.parameters) if p.quantity in KINKED]

    def _profile(self, found: Optimum, zoom: float) -> np.ndarray | None:
        """Return coordinates with better values of kinked parameters, within a part of their range; None if none.

        The other parameters follow each value by steps with the Jacobian of the optimum.
        """
        x, cost, better = found.x, found.cost, False
        low, high = self.problem.space.low, self.problem.space.high
        for i in self._kinked():
            follow = follower(found.jacobian, i)
            reach = zoom * (high[i] - low[i])
            tried = np.repeat(x[None], PROFILE, axis=0)
            tried[:, i] = np.linspace(max(x[i] - reach, low[i]), min(x[i] + reach, high[i]), PROFILE)
            least = np.full(PROFILE, np.inf)
            for _ in range(FOLLOWED):
                residuals = self.problem.residuals(tried)
                costs = cost_of(residuals)
                if costs.min() < cost * (1.0 - 1e-4):
                    x, cost, better = tried[int(costs.argmin())].copy(), float(costs.min()), True
                least = np.minimum(least, costs)
                steps = np.nan_to_num(residuals) @ follow
                tried = np.clip(tried - np.clip(steps, -1.0, 1.0), low, high)
            self.widths[i] = profile_deviation(tried[:, i], least, len(found.residual))
        return x if better else None

    def _covariance(self, found: Optimum) -> np.ndarray:
        """Return the covariance of the coordinates, (P, P): robust, and not below the spread of three or more logs."""
        count = len(self.problem.parameters)
        free, every = ~found.at_bound[:count], ~found.at_bound
        result = np.zeros((count, count))
        kinked = np.isin(np.arange(len(every)), self._kinked())
        every, with_starts = every & ~kinked, len(found.x) > count
        smooth = free & ~kinked[:count]
        blocks = self.problem.blocks_with_starts() if with_starts else self.problem.blocks()
        inner = covariance(found.jacobian[:, every], found.residual, blocks)[: smooth.sum(), : smooth.sum()]
        if len(self.logs) >= SPREAD_LOGS:
            each = np.stack([self._alone(log, found.x[:count]) for log in self.logs])[:, smooth]
            spread = each.std(0, ddof=1) / np.sqrt(len(each))
            inner = rescale(inner, np.maximum(spread, np.sqrt(np.diag(inner))))
        result[np.ix_(smooth, smooth)] = inner
        for i in (i for i in self._kinked() if free[i]):
            result[i, i] = self.widths[i] ** 2
        return result

    def _alone(self, log: MotionLog, x: np.ndarray) -> np.ndarray:
        """Return the coordinates that fit one log."""
        problem = self._problem([log], self.problem.channels)
        found = minimize(problem.residuals, x, problem.space, Stop(10))
        self.problem.evaluations += problem.evaluations
        return found.x

    def _errors(self, values: np.ndarray) -> tuple[LogError, ...]:
        """Return the errors with the scene's values and with the fitted ones."""
        result = []
        for log, held in (*((log, False) for log in self.logs), *((log, True) for log in self.held)):
            pieces = [whole_log(log, self.rollout.dt, self.options.settle)]
            if self.rollout.open_loop:
                (pieces,) = self._windows([log])
                log = log.rows(slice(0, sum(len(piece.log) for piece in pieces)), "")
            before, after = self._seen(None, pieces), self._seen(values, pieces)
            rms = [np.sqrt(((x - log.q) ** 2).mean(0)) for x in (before, after)]
            result.append(LogError(log, held, rms[0], rms[1], after))
        return tuple(result)

    def _seen(self, values: np.ndarray | None, pieces: list[Piece]) -> np.ndarray:
        """Return the positions that a log should show, biases included, (T, D); None: with the scene's values."""
        columns = pieces[0].log.column
        q, _ = self.rollout.simulate(None if values is None else values[None], pieces)
        seen = np.concatenate(q[0])[:, list(columns)]
        for i, p in enumerate(self.rollout.parameters):
            if values is not None and p.quantity == "bias" and p.column in columns:
                seen[:, columns.index(p.column)] += values[i]
        return seen
