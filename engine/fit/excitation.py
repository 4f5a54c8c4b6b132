"""Motions to record on the real robot: random Fourier series within its limits, chosen by what they determine.

A candidate is worth the determinant of JᵀJ, the inverse volume of the parameters' uncertainty at the present guess
(D-optimality). Sets are chosen greedily. Each motion starts smoothly and ends with a hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..model.model import Model
from .identifiability import Identifiability, identify
from .intervals import invert
from .levenberg_marquardt import STEP
from .motion_log import MotionLog
from .parameters import FitParameter, parse_parameters, short_name
from .piece import Piece
from .rollout import Rollout

HARMONICS, BASE = 5, 0.2  # and [Hz]
ROWS = 200.0  # [1/s] rows of a motion
RAMP, HOLD = 0.5, 0.1  # [s] of the start, fraction at the end
MARGIN = 0.8  # of limits, speeds and efforts
REACH = np.pi / 2.0  # [rad | m] largest distance from the start of a joint without limits
AT_ONCE = 8  # candidates in a launch
SHRUNK = 12  # times that a candidate becomes smaller
LESS = 0.7, 0.9  # sizes of the joints whose efforts are too large, and of the others, each time


@dataclass(frozen=True, eq=False)
class Motion:
    """Targets of joints over time, and what they determine."""

    time: np.ndarray  # (T,) [s]
    dof: tuple[str, ...]
    unit: tuple[str, ...]
    target_q: np.ndarray  # (T, D)
    information: np.ndarray  # JᵀJ (P, P) of coordinates, per unit of noise


@dataclass(frozen=True, eq=False)
class MotionSet:
    """Chosen motions, and what they determine together."""

    motions: tuple[Motion, ...]
    parameters: tuple[FitParameter, ...]
    deviations: np.ndarray  # (P,) expected standard deviations in SI units, at the noise that was asked for
    identifiability: Identifiability
    gain: float  # geometric mean of the deviations of the median single candidate by those of the best


@dataclass(frozen=True)
class ExcitationOptions:
    """Settings of the search."""

    joint: str = ".*"
    seconds: float = 5.0
    count: int = 1
    candidates: int = 60
    seed: int = 0
    noise: float = 1e-4  # [rad | m] of the encoders
    threads: int = 0


def find_motions(model: Model, texts: Sequence[str], options: ExcitationOptions) -> MotionSet:
    """Return the motions that determine parameters best, of random candidates.

    Raises:
        InputError: a joint or parameter does not exist, or no candidate stays within the efforts.
    """
    time = np.arange(round(options.seconds * ROWS) + 1) / ROWS
    columns = _moved(model, options.joint)
    rest = _log(model, time, np.tile(model.q, (len(time), 1))[:, columns], columns)
    moved = _log(model, time, _fourier(np.random.default_rng(0), time, len(columns)) + rest.q, columns)
    parameters = parse_parameters(model, [moved], texts, options.joint)
    rollout = Rollout(model, parameters, threads=options.threads)
    logs = [_candidate(model, time, columns, (options.seed, i)) for i in range(options.candidates)]
    scored = [one for i in range(0, len(logs), AT_ONCE) for one in _scored(rollout, logs[i : i + AT_ONCE])]
    if not scored:
        raise InputError(_overloaded(rollout, logs[0], options))
    chosen = _greedy(scored, options.count)
    total = sum((motion.information for motion in chosen), np.zeros((len(parameters),) * 2))
    deviations = options.noise * _deviations(total) * [p.scale for p in parameters]
    volumes = sorted(np.exp(np.log(_deviations(m.information)).mean()) for m in scored)
    values, vectors = np.linalg.eigh(total)
    roots = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    roots[:, np.diag(total) <= 0.0] = 0.0
    return MotionSet(
        tuple(chosen), tuple(parameters), deviations, identify([p.name for p in parameters], roots),
        float(volumes[len(volumes) // 2] / volumes[0]),
    )  # fmt: skip


def _overloaded(rollout: Rollout, log: MotionLog, options: ExcitationOptions) -> str:
    """Return the text of an error: joints that rest beyond `MARGIN` of their efforts, or motions that are too short."""
    model, columns = rollout.model, list(log.column)
    rest = replace(log, target_q=np.tile(log.q[0], (len(log), 1)))
    _, effort = rollout.simulate(None, [Piece(rest, log.q[0], 0.0 * log.q[0])], effort=True)
    most = model.parameters["MAX_FORCE"][columns]
    weak = [short_name(model.dof, c) for c, e, m in zip(columns, effort[0, 0, -1, columns], most, strict=True)
            if not abs(e) <= MARGIN * m]  # fmt: skip
    if weak:
        return (
            f"--joint {options.joint}: must match joints that hold their load with {100 * MARGIN:.0f} % of max_force, "
            f"unlike {', '.join(weak)}; select others, raise max_force, or author another state"
        )
    return f"--seconds {options.seconds:g}: no candidate stays within efforts; give longer motions"


def _moved(model: Model, joint: str) -> list[int]:
    """Return the degrees of freedom with a drive that a pattern matches."""
    from ..selection import match_columns

    try:
        chosen = match_columns(joint, model.dof, "dof")
    except KeyError as error:
        raise InputError(f"--joint {joint}: {error.args[0]}; name one of these") from None
    driven = [i for i in chosen if model.parameters["STIFFNESS"][i] > 0.0]
    if not driven:
        raise InputError(f"--joint {joint}: must match joints with stiff drives; author them with fajin author drive")
    return driven


def _log(model: Model, time: np.ndarray, target: np.ndarray, columns: Sequence[int]) -> MotionLog:
    return MotionLog("motion", "", time, tuple(model.dof[i] for i in columns), tuple(columns), target, target)


def _fourier(rng: np.random.Generator, time: np.ndarray, joints: int) -> np.ndarray:
    """Return random Fourier series with ranges from -1 to 1, that start and end at rest, (T, D)."""
    end = time[-1]
    speed = np.clip(time / RAMP, 0.0, 1.0) * np.clip((end * (1.0 - HOLD) - time) / RAMP, 0.0, 1.0)
    phase = np.concatenate(([0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(time))))
    values = np.zeros((len(time), joints))
    for k in range(1, HARMONICS + 1):
        a, b = rng.normal(size=(2, joints))
        angle = 2.0 * np.pi * BASE * k * phase[:, None]
        values += a * np.sin(angle) + b * (np.cos(angle) - 1.0)
    return values / np.maximum(np.abs(values).max(0), 1e-9)


def _candidate(model: Model, time: np.ndarray, columns: Sequence[int], seed: tuple[int, int]) -> MotionLog:
    """Return a random motion within positions and speeds of the joints."""
    values = _fourier(np.random.default_rng(seed), time, len(columns))
    rates = np.abs(np.gradient(values, time, axis=0)).max(0)
    for j, column in enumerate(columns):
        lower, upper, fastest = (float(model.parameters[name][column]) for name in ("LOWER", "UPPER", "MAX_VELOCITY"))
        start = float(model.q[column])
        above, below = max(upper - start, 0.0), max(start - lower, 0.0)
        x = values[:, j]
        room = [REACH, MARGIN * fastest / rates[j]]
        room += [MARGIN * above / x.max()] if x.max() > 0.0 else []
        room += [MARGIN * below / -x.min()] if x.min() < 0.0 else []
        values[:, j] = start + min(room) * x
    return _log(model, time, values, columns)


def _scored(rollout: Rollout, logs: Sequence[MotionLog]) -> list[Motion]:
    """Return the candidates whose efforts stay within the drives', smaller if need be, with their information."""
    parameters = rollout.parameters
    logs = _within_efforts(rollout, logs)
    if not logs:
        return []
    scale = np.array([p.scale for p in parameters])
    x = np.array([p.start for p in parameters]) / scale
    values = np.vstack((x, x + STEP * np.eye(len(x)))) * scale
    zero = np.zeros(len(logs[0].dof))
    pieces = [Piece(log, log.target_q[0], zero) for log in logs]  # pyright: ignore[reportOptionalSubscript]
    q, _ = rollout.simulate(values, pieces)
    columns = list(logs[0].column)
    unit = tuple(rollout.model.unit[i] for i in columns)
    found = []
    for k, log in enumerate(logs):
        seen = q[:, k][:, :, columns]
        bias = np.array(
            [[(p.quantity == "bias") * (p.column == c) * p.scale * STEP for c in columns] for p in parameters]
        )
        J = ((seen[1:] + bias[:, None] - seen[0]) / STEP).reshape(len(parameters), -1)
        if np.isfinite(J).all():
            found.append(Motion(log.time, log.dof, unit, log.q, J @ J.T))
    return found


def _within_efforts(rollout: Rollout, logs: Sequence[MotionLog]) -> list[MotionLog]:
    """Return the logs whose efforts stay within the drives'.

    Joints move less until the efforts do: all of a candidate, and more so those whose efforts are too large.
    """
    columns = list(logs[0].column)
    most = MARGIN * rollout.model.parameters["MAX_FORCE"][columns]
    left, found = list(logs), []
    for _ in range(SHRUNK):
        pieces = [Piece(log, log.q[0], 0.0 * log.q[0]) for log in left]
        _, effort = rollout.simulate(None, pieces, effort=True)
        peaks = np.abs(effort[0][:, 1:, columns]).max(1)
        found += [log for log, peak in zip(left, peaks, strict=True) if (peak <= most).all()]
        left = [
            _shrunk(log, np.where(peak > most, *LESS))
            for log, peak in zip(left, peaks, strict=True)
            if not (peak <= most).all()
        ]
        if not left:
            break
    return found


def _shrunk(log: MotionLog, factors: np.ndarray) -> MotionLog:
    """Return a motion whose joints move less, about their start."""
    q = log.q[0] + factors * (log.q - log.q[0])
    return replace(log, q=q, target_q=q)


def _greedy(motions: Sequence[Motion], count: int) -> list[Motion]:
    """Return motions that together have the largest determinant, one after the other."""
    left, chosen = list(motions), []
    size = len(motions[0].information)
    total = 1e-12 * np.trace(motions[0].information) * np.eye(size)
    for _ in range(min(count, len(motions))):
        worth = [np.linalg.slogdet(total + motion.information)[1] for motion in left]
        best = left.pop(int(np.argmax(worth)))
        chosen.append(best)
        total = total + best.information
    return chosen


def _deviations(information: np.ndarray) -> np.ndarray:
    """Return standard deviations of coordinates for noise of one."""
    return np.sqrt(np.diag(invert(information)))
