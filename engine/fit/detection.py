"""Faults of a log that are found before anything is fitted: order, sign, unit, offset, lag, clock, length, motion.

A finding has a code, names a joint and says what was seen. `fault` findings stop a fit; the others are facts.
"""

from math import pi

import numpy as np

from .clocks import LATE, find_clock_faults, find_lag
from .log_finding import LogFinding, moving
from .motion_log import MotionLog

LAGS = 16  # at which columns are compared with targets
CERTAIN = 0.9  # correlation that a permutation or sign must have
LESS = 0.3  # by how much the correlation of the named column must be smaller
TURN = 180.0 / pi
SIMILAR = 1.6  # factor by which the range of a joint that follows its target may differ from the target's
OFFSET = 0.2  # [rad | m] distance of a resting joint from its target that no load explains
LEAST_MARGIN = (5e-3, 0.05)  # [m], [rad] by which noise may leave the limits of a joint that is almost locked
STEADY = 0.1  # spread of the speed of a motion at constant speed, as a fraction of the speed


def inspect_log(
    log: MotionLog,
    limits: tuple[np.ndarray, np.ndarray] | None = None,
    biased: bool = False,
    expected: np.ndarray | None = None,
) -> list[LogFinding]:
    """Return what is found in a log, faults first.

    Args:
        log: the log.
        limits: lower and upper position limits of its joints, (D,) each; infinite where there are none.
        biased: whether offsets are fitted, so that they are not faults.
        expected: positions that the scene predicts, loads included, (T, D). Default: the targets.
    """
    times = find_clock_faults(log)
    found = [*times, *_length(log), *_quantisation(log)]
    named = [*_unit(log, limits), *_order(log)]
    if not named:
        named = [*_limits(log, limits), *_offset(log, biased, expected)]
        named += [] if any(item.fault for item in times) else find_lag(log)
    return sorted([*named, *found], key=lambda item: not item.fault)


def correlations(q: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the correlation of every measured column with every target, (D, D); 0 where one does not move."""
    a, b = (x - x.mean(0) for x in (q, target))
    size = np.outer(np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0))
    table = np.divide(a.T @ b, size, out=np.zeros_like(size), where=size > 0.0)
    return table * np.outer(moving(q), moving(target))


def lagged_correlations(log: MotionLog) -> np.ndarray:
    """Return the correlation of every measured column with every target at the lag that makes it largest, (D, D)."""
    rows = np.unique(np.linspace(0, min(LATE / log.period, len(log) / 4), LAGS).astype(int))
    tables = np.stack([correlations(log.q[n:], log.target_q[: len(log) - n]) for n in rows])  # pyright: ignore[reportOptionalSubscript]
    best = np.abs(tables).argmax(0)
    return np.take_along_axis(tables, best[None], 0)[0]


def match_columns_by_motion(table: np.ndarray) -> np.ndarray:
    """Return the measured column that follows each target, by the largest correlations; -1 without one."""
    left = np.abs(table)
    found = np.full(table.shape[1], -1)
    for _ in range(len(found)):
        i, j = np.unravel_index(int(left.argmax()), left.shape)
        if left[i, j] <= 0.0:
            break
        found[j], left[i, :], left[:, j] = i, -1.0, -1.0
    return found


def _order(log: MotionLog) -> list[LogFinding]:
    """Return findings of columns that follow the target of another joint, or their own with the other sign."""
    if log.target_q is None:
        return []
    table = lagged_correlations(log)
    found, own = match_columns_by_motion(table), np.diag(table)
    names = [name.partition(":")[0].rpartition("/")[2] for name in log.dof]
    result = []
    for j, i in enumerate(found):
        if i in (-1, j) or abs(table[i, j]) < CERTAIN or abs(own[j]) > abs(table[i, j]) - LESS:
            continue
        text = f"the column of {names[i]} follows the target of {names[j]} (correlation {table[i, j]:.3f}, its own "
        text += f"{own[j]:.3f}): the columns are permuted; map {names[j]} to the column of {names[i]}"
        result.append(LogFinding("order", log.dof[j], text, True))
    for j in range(len(found)) if not result else ():
        if own[j] < -CERTAIN:
            text = f"moves against its target (correlation {own[j]:.3f}); set sign = -1 in the mapping"
            result.append(LogFinding("sign", log.dof[j], text, True))
    return result


def _unit(log: MotionLog, limits: tuple[np.ndarray, np.ndarray] | None) -> list[LogFinding]:
    """Return findings of angles in degrees: against the targets, or against the limits of the scene."""
    result = []
    turns = np.array([name.rpartition(":")[2].startswith("rot") for name in log.dof])
    if log.target_q is not None:
        follows = np.abs(np.diag(lagged_correlations(log))) > CERTAIN
        ratio = np.ptp(log.q, axis=0) / np.where(follows, np.ptp(log.target_q, axis=0), np.nan)
        for j in np.flatnonzero(follows & turns):
            for factor, words in ((TURN, "q is in degrees"), (1.0 / TURN, "target_q is in degrees")):
                if abs(np.log(ratio[j] / factor)) < np.log(SIMILAR):
                    text = f"its range is {ratio[j]:.3g} times that of its target: {words}; set unit = 'deg'"
                    result.append(LogFinding("unit", log.dof[j], text, True))
    if result or limits is None:
        return result
    reach = np.maximum(np.abs(limits[0]), np.abs(limits[1]))
    most = np.abs(log.q).max(0)
    reach = np.where(np.isfinite(reach), reach, 2.0 * pi)
    far = [j for j in np.flatnonzero(turns) if most[j] > 4.0 * max(reach[j], 1.0) and most[j] / TURN < 1.5 * reach[j]]
    for j in far:
        text = f"reaches {most[j]:.4g}, beyond {reach[j]:.4g} rad: q is in degrees; set unit = 'deg' in the mapping"
        result.append(LogFinding("unit", log.dof[j], text, True))
    return result


def _limits(log: MotionLog, limits: tuple[np.ndarray, np.ndarray] | None) -> list[LogFinding]:
    """Return findings of positions that the scene's limits do not allow."""
    if limits is None:
        return []
    result = []
    for j in range(len(log.dof)):
        low, high = limits[0][j], limits[1][j]
        least = LEAST_MARGIN[log.dof[j].rpartition(":")[2].startswith("rot")]
        margin = max(0.1 * (high - low), least) if np.isfinite(high - low) else 0.3
        if low - margin > log.q[:, j].min() or log.q[:, j].max() > high + margin:
            text = f"is at {log.q[:, j].min():.4g} to {log.q[:, j].max():.4g}, outside its limits {low:.4g} to "
            text += f"{high:.4g}: order, sign or offset of the log may be wrong; check the mapping"
            result.append(LogFinding("limits", log.dof[j], text, True))
        elif least < high - low < np.inf and min(log.q[:, j].min() - low, high - log.q[:, j].max()) < 1e-3:
            result.append(LogFinding("at-limit", log.dof[j], "reaches a limit; its friction may be wrong there"))
    return result


def _offset(log: MotionLog, biased: bool, expected: np.ndarray | None) -> list[LogFinding]:
    """Return findings of joints that rest far from their targets."""
    if log.target_q is None:
        return []
    reference = log.target_q if expected is None else expected
    speed = np.abs(np.gradient(log.target_q, log.time, axis=0))
    peak = speed.max(0)
    result = []
    for j in range(len(log.dof)):
        still = speed[:, j] <= 0.05 * peak[j]
        rows = still if still.sum() > 10 else np.ones(len(log), bool)
        offset = float(np.median((log.q - reference)[rows, j]))
        if abs(offset) > OFFSET:
            where = "its target" if expected is None else "where the scene rests"
            text = f"rests {offset:.4g} from {where}: zero of the encoder, or gains; fit bias, or map offset"
            result.append(LogFinding("offset", log.dof[j], text, not biased))
    return result


def _length(log: MotionLog) -> list[LogFinding]:
    """Return findings of logs whose motion determines little: still, at constant speed, or shorter than a period."""
    there = np.flatnonzero(moving(log.q))
    if not len(there):
        return [LogFinding("still", "", "no joint moves; record a motion", True)]
    speed = np.gradient(smooth(log.q[:, there], 5), log.time, axis=0)
    mean = np.abs(np.median(speed, axis=0))
    steady = (np.abs(speed - np.median(speed, axis=0)) < STEADY * mean).mean(0) > 0.8
    if steady.all():
        text = "moves at constant speed, which determines no armature and no delay; record reversals"
        return [LogFinding("constant", "", text, True)]
    if max(reversals(column) for column in speed.T) < 2:
        text = f"{log.seconds:.3g} s are shorter than a period of the motion: no joint reverses twice; record longer"
        return [LogFinding("short", "", text, True)]
    lazy = [log.dof[j] for j in range(len(log.dof)) if j not in there]
    return [LogFinding("still", name, "does not move") for name in lazy]


def reversals(speed: np.ndarray) -> int:
    """Return how often a speed changes its sign by more than 5 % of its peak."""
    dead = 0.05 * np.abs(speed).max()
    signs = np.sign(speed[np.abs(speed) > dead])
    return int((signs[1:] != signs[:-1]).sum())


def smooth(values: np.ndarray, count: int) -> np.ndarray:
    """Return the running mean of `count` rows, (T, D)."""
    count = min(count, len(values))
    padded = np.pad(values, ((count // 2, count - 1 - count // 2), (0, 0)), mode="edge")
    sums = np.cumsum(np.vstack((np.zeros((1, values.shape[1])), padded)), axis=0)
    return (sums[count:] - sums[:-count]) / count


def quantum(values: np.ndarray) -> float:
    """Return the resolution of an encoder: the smallest step between values; 0 if values look continuous."""
    steps = np.abs(np.diff(values))
    steps = steps[steps > 0.0]
    if len(steps) < 10:
        return 0.0
    least = float(steps.min())
    off = np.abs(steps / least - np.round(steps / least))
    return least if np.median(off) < 0.01 and np.quantile(steps, 0.2) < 1.5 * least else 0.0


def noise(values: np.ndarray) -> float:
    """Return the standard deviation of white noise on a smooth signal, by its sixth differences."""
    sixth = np.diff(values, n=6)
    return float(np.median(np.abs(sixth))) / (0.6745 * np.sqrt(924.0)) if len(sixth) else 0.0


def _quantisation(log: MotionLog) -> list[LogFinding]:
    result = []
    for j, name in enumerate(log.dof):
        if step := quantum(log.q[:, j]):
            result.append(
                LogFinding("quantised", name, f"is measured in steps of {step:.3g} (noise {step / 12**0.5:.2g})")
            )
    return result
