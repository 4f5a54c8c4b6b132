"""Fits of a scene's parameters to logs: start, windows, Levenberg–Marquardt, profiles of kinked parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import InputError
from ..model.model import Model, compile
from ..scene import Scene
from ..scene.overrides import with_gains
from .detection import LogFinding, inspect_log
from .identifiability import Identifiability, exact_pairs, identify
from .intervals import covariance, rescale
from .levenberg_marquardt import Optimum, cost_of, jacobian_at, minimize
from .motion_log import MotionLog
from .parameters import KINKED, FitParameter, parse_parameters
from .problem import Problem, noise_of_logs
from .result import Fit, FittedValue, LogError
from .rollout import Piece, Rollout, whole_log
from .windows import windows_of

WINDOW, WINDOW_ITERATIONS = 0.5, 8  # [s] and their fit
PROFILE = 96  # values of a profile, one launch
TRAIN = 2.0 / 3.0  # of a single log


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
    effort: bool = True  # count measured efforts
    force: bool = False  # fit although parameters are not determined
    hold_back: bool = True  # hold back a log, or the last third of a single one, if none is named
    threads: int = 0


def fit_logs(
    scene: Scene,
    logs: Sequence[MotionLog],
    parameters: Sequence[str],
    hold_back: Sequence[MotionLog] = (),
    options: FitOptions | None = None,
) -> Fit:
    """Fit parameters of a scene to logs.

    Args:
        scene: the scene; its step and solver are those of the fit.
        logs: logs to fit.
        parameters: texts such as "armature", "elbow:coulomb", "link3:mass", "delay".
        hold_back: logs that are only compared. Default: the last log, or the last third of a single one.
        options: settings.

    Raises:
        BadLog: a log has faults.
        NotIdentifiable: parameters change nothing, or only together.
        InputError: a parameter or joint does not exist.
    """
    options = options or FitOptions()
    model = compile(_with_gains(scene, logs, options))
    findings = check_logs(model, [*logs, *hold_back], any(text.endswith("bias") for text in parameters))
    logs, held = _split(logs, hold_back, options.hold_back)
    wanted = _started(parse_parameters(model, logs, parameters, options.joint), options)
    still = all(log.target_qd is None or not log.target_qd.any() for log in logs)
    if pairs := exact_pairs([(p.name, p.quantity, p.column) for p in wanted], still):
        text = "; ".join(f"{a} and {b} are one number where targets have no speed" for a, b in pairs)
        raise NotIdentifiable(f"{text}: fit one of each pair")
    rollout = Rollout(model, wanted, options.fixed, options.threads)
    return _Fitting(rollout, logs, held, options).run(tuple(findings))


def check_logs(model: Model, logs: Sequence[MotionLog], biased: bool) -> list[LogFinding]:
    """Return what is found in logs.

    Raises:
        BadLog: a log has faults.
    """
    findings, faults = [], []
    for log in logs:
        columns = list(log.column)
        limits = tuple(model.parameters[name][columns] for name in ("LOWER", "UPPER"))
        limits = tuple(np.where(np.abs(x) > 1e9, np.copysign(np.inf, x), x) for x in limits)
        found = inspect_log(log, limits, biased)  # pyright: ignore[reportArgumentType]
        faults += [f"{log.name}: {item}" for item in found if item.fault]
        findings += [replace(item, text=f"{log.name}: {item.text}") for item in found if not item.fault]
    if faults:
        raise BadLog("; ".join(faults))
    lacking = [log.name for log in logs if log.target_q is None]
    if lacking:
        raise BadLog(f"{lacking[0]}: must have target_q, the commanded positions; record them with the positions")
    return findings


def _with_gains(scene: Scene, logs: Sequence[MotionLog], options: FitOptions) -> Scene:
    """Return the scene with the gains of the options on all joints of the logs."""
    if options.gains is None:
        return scene
    gains = dict(zip(("stiffness", "damping"), options.gains, strict=True))
    return with_gains(scene, {name: dict(gains) for log in logs for name in log.dof})


def _split(
    logs: Sequence[MotionLog], held: Sequence[MotionLog], by_itself: bool
) -> tuple[list[MotionLog], list[MotionLog]]:
    """Return the logs to fit, and those that are held back."""
    if held or not by_itself:
        return list(logs), list(held)
    if len(logs) > 1:
        return list(logs[:-1]), [logs[-1]]
    (log,) = logs
    row = int(len(log) * TRAIN)
    return [log.rows(slice(0, row), " (first part)")], [log.rows(slice(row, None), " (rest)")]


def _started(parameters: list[FitParameter], options: FitOptions) -> list[FitParameter]:
    """Return parameters with the starts and priors of the options."""
    known = {p.name for p in parameters}
    for option, given in (("--prior", options.priors), ("start", options.start)):
        if unknown := set(given) - known:
            raise InputError(f"{option} {min(unknown)}: must be a fitted parameter, one of {', '.join(sorted(known))}")
    return [replace(p, prior=options.priors.get(p.name), start=options.start.get(p.name, p.start)) for p in parameters]


@dataclass(eq=False)
class _Fitting:
    """One fit."""

    rollout: Rollout
    logs: list[MotionLog]
    held: list[MotionLog]
    options: FitOptions
    iterations: int = 0

    def run(self, findings: tuple[LogFinding, ...]) -> Fit:
        """Fit and return the result."""
        channels = noise_of_logs(self.logs, self.options.effort)
        self.problem = problem = Problem.of_logs(self.rollout, self.logs, channels)
        names = [p.name for p in problem.parameters]
        x = problem.start
        self._check(names, jacobian_at(problem.residuals, x, problem.bounds[1])[1])
        x = self._by_windows(x)
        found = self._minimize(problem, x)
        for _ in range(2 if self._kinked() else 0):
            better = self._profile(found)
            if better is None:
                break
            found = self._minimize(problem, better)
        free = ~found.at_bound
        identifiability = identify([n for n, f in zip(names, free, strict=True) if f], found.jacobian[:, free])
        self._refuse(identifiability)
        spread = self._covariance(found)
        scale = problem.scale
        values = tuple(
            FittedValue(p, float(v), float(np.sqrt(s)) if f else float("nan"), not f)
            for p, v, s, f in zip(problem.parameters, found.x * scale, np.diag(spread) * scale**2, free, strict=True)
        )
        count = max(len(found.residual) - int(free.sum()), 1)
        return Fit(
            self.rollout.model.scene, values, spread * np.outer(scale, scale), identifiability,
            self._errors(found.x * scale), findings, found.cost / count, self.iterations, problem.evaluations,
            self.options.fixed,
        )  # fmt: skip

    def _check(self, names: list[str], jacobian: np.ndarray) -> None:
        """Raise NotIdentifiable if parameters change nothing at the start."""
        found = identify(names, jacobian)
        if found.silent:
            self._refuse(found)

    def _refuse(self, found: Identifiability) -> None:
        if not found.determined and not self.options.force:
            lost = [str(one) for one in found.weak if one.lost]
            silent = [f"{name} changes nothing in these logs" for name in found.silent]
            fix = "fix or leave out some of them, or record another motion (fajin excite)"
            raise NotIdentifiable(f"{'; '.join([*silent, *lost])}: {fix}", found)

    def _minimize(self, problem: Problem, x: np.ndarray, most: int = 40) -> Optimum:
        found = minimize(problem.residuals, x, problem.bounds, most)
        self.iterations += found.iterations
        return found

    def _by_windows(self, x: np.ndarray) -> np.ndarray:
        """Return coordinates that fit windows of the logs, if the whole logs are better for them."""
        window = self.options.window
        window = (WINDOW if self._kinked() else 0.0) if window is None else window
        groups = windows_of(self.logs, window, self.rollout.dt) if window > 0.0 else []
        if not groups:
            return x
        problem = Problem(self.rollout, groups, self.problem.channels)
        near = minimize(problem.residuals, x, problem.bounds, WINDOW_ITERATIONS).x
        self.problem.evaluations += problem.evaluations
        costs = cost_of(self.problem.residuals(np.stack((x, near))))
        return near if costs[1] <= costs[0] else x

    def _kinked(self) -> list[int]:
        return [i for i, p in enumerate(self.problem.parameters) if p.quantity in KINKED]

    def _profile(self, found: Optimum) -> np.ndarray | None:
        """Return coordinates with a better value of a kinked parameter; None if there is none."""
        x, cost, better = found.x.copy(), found.cost, False
        low, high = self.problem.bounds
        for i in self._kinked():
            tried = np.repeat(x[None], PROFILE, axis=0)
            tried[:, i] = np.linspace(low[i], high[i], PROFILE)
            costs = cost_of(self.problem.residuals(tried))
            if costs.min() < cost * (1.0 - 1e-3):
                x, cost, better = tried[int(costs.argmin())], float(costs.min()), True
        return x if better else None

    def _covariance(self, found: Optimum) -> np.ndarray:
        """Return the covariance of the coordinates, (P, P): robust, and not below the spread of three or more logs."""
        free = ~found.at_bound
        result = np.zeros((len(free), len(free)))
        inner = covariance(found.jacobian[:, free], found.residual, self.problem.blocks())
        if len(self.logs) >= 3:
            each = np.stack([self._alone(log, found.x) for log in self.logs])[:, free]
            spread = each.std(0, ddof=1) / np.sqrt(len(each))
            inner = rescale(inner, np.maximum(spread, np.sqrt(np.diag(inner))))
        result[np.ix_(free, free)] = inner
        return result

    def _alone(self, log: MotionLog, x: np.ndarray) -> np.ndarray:
        """Return the coordinates that fit one log."""
        problem = Problem.of_logs(self.rollout, [log], self.problem.channels)
        found = minimize(problem.residuals, x, problem.bounds, 10)
        self.problem.evaluations += problem.evaluations
        return found.x

    def _errors(self, values: np.ndarray) -> tuple[LogError, ...]:
        """Return the errors with the scene's values and with the fitted ones."""
        plain = Rollout(self.rollout.model, [], self.options.fixed, self.options.threads)
        result = []
        for log, held in (*((log, False) for log in self.logs), *((log, True) for log in self.held)):
            start = whole_log(log, self.rollout.dt)
            before = self._error(plain, np.zeros((1, 0)), start)
            after = self._error(self.rollout, values[None], start)
            rms = [np.sqrt(((x - log.q) ** 2).mean(0)) for x in (before, after)]
            result.append(LogError(log, held, *rms, after))
        return tuple(result)

    def _error(self, rollout: Rollout, values: np.ndarray, piece: Piece) -> np.ndarray:
        """Return the positions that the log should show, biases included, (T, D)."""
        q, _ = rollout.simulate(values, [piece])
        seen = q[0, 0][:, list(piece.log.column)]
        for i, p in enumerate(rollout.parameters):
            if p.quantity == "bias" and p.column in piece.log.column:
                seen[:, piece.log.column.index(p.column)] += values[0, i]
        return seen
