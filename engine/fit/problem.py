"""The least-squares problem of a fit: residuals of all logs for sets of coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .detection import noise, quantum
from .intervals import blocks_of
from .levenberg_marquardt import NEAR, STEP, Space
from .motion_log import MotionLog
from .parameters import KINKED, FitParameter
from .piece import Piece, whole_log
from .quantisation import Measured
from .rollout import Rollout

WIDE = 1e-2  # step of finite differences of kinked parameters, in coordinates
START = 1e-4, 0.2  # deviation of the start of a log from its measurement [rad | m], and of its speed [1/s]
START_STEP = 100.0 * STEP, 10.0 * STEP  # of finite differences: motion is nearly linear in its start
LEAST_NOISE = 1e-9  # [rad | m | N·m | N]
LEAST_PART = 0.01  # of the usual noise, that a joint has which looks better


@dataclass(frozen=True)
class Channels:
    """Standard deviations that residuals are divided by, per degree of freedom; None where efforts do not count."""

    position: np.ndarray  # (D,)
    effort: np.ndarray | None = None  # (D,)


def noise_of_logs(logs: Sequence[MotionLog], unit: Sequence[str], effort: bool = False) -> Channels:
    """Return noise and resolution of the positions and, if they count, the efforts of each of D degrees of freedom.

    Encoders of angles have the same, and those of distances: fast motion looks like noise. Efforts have their own.
    """
    positions = _levels([(log.column, log.q) for log in logs], len(unit))
    for kind in set(unit):
        same = np.array([one == kind for one in unit]) & (positions > 0.0)
        positions[np.array(unit) == kind] = np.median(positions[same]) if same.any() else 0.0
    efforts = _levels([(log.column, log.effort) for log in logs if log.effort is not None], len(unit))
    return Channels(_above(positions), _above(efforts) if effort and efforts.any() else None)


def _above(levels: np.ndarray) -> np.ndarray:
    """Return levels of noise, none far below the others: a joint may be still."""
    usual = float(np.median(levels[levels > 0.0])) if levels.any() else 0.0
    return np.maximum(levels, max(LEAST_NOISE, LEAST_PART * usual))


def _levels(measured: Sequence[tuple[tuple[int, ...], np.ndarray]], dofs: int) -> np.ndarray:
    """Return the mean noise of each degree of freedom, (D,); 0 without one."""
    found: dict[int, list[float]] = {}
    for columns, values in measured:
        for column, x in zip(columns, values.T, strict=True):
            found.setdefault(column, []).append(float(max(noise(x), quantum(x) / 12**0.5)))
    levels = np.zeros(dofs)
    levels[list(found)] = [np.mean(some) for some in found.values()]
    return levels


@dataclass(eq=False)
class Problem:
    """Residuals of logs against simulations.

    Args:
        rollout: the simulations.
        groups: pieces that are simulated together, with equally many steps each.
        channels: noise of the channels.
    """

    rollout: Rollout
    groups: Sequence[Sequence[Piece]]
    channels: Channels
    evaluations: int = field(default=0)

    @classmethod
    def of_logs(cls, rollout: Rollout, logs: Sequence[MotionLog], channels: Channels, settle: float = 0.0) -> "Problem":
        """Return the problem of whole logs, before which the scene rests for some seconds."""
        return cls(rollout, [[whole_log(log, rollout.dt, settle)] for log in logs], channels)

    @property
    def parameters(self) -> Sequence[FitParameter]:
        """Return the parameters."""
        return self.rollout.parameters

    @property
    def scale(self) -> np.ndarray:
        """Return the scales of the coordinates, (P,)."""
        return np.array([p.scale for p in self.parameters])

    @cached_property
    def space(self) -> Space:
        """Return bounds and steps of finite differences; steps of kinked parameters reach over several kinks."""
        low, high = np.array([p.bounds for p in self.parameters]).T
        return Space(low, high, np.where([p.quantity in KINKED for p in self.parameters], WIDE, STEP))

    @cached_property
    def space_with_starts(self) -> Space:
        """Return bounds and steps of the coordinates and of the starts of the logs."""
        free = np.full(len(self.start_scale), np.inf)
        ends = np.concatenate((self.space.low, -free)), np.concatenate((self.space.high, free))
        step = np.concatenate([np.full(len(piece.q), some) for piece, *_ in self.groups for some in START_STEP])
        step = step[self.start_free]
        near = np.concatenate((np.full(len(self.space.low), NEAR), NEAR / STEP * step))
        return Space(*ends, np.concatenate((self.space.step, step)), near)

    @property
    def start(self) -> np.ndarray:
        """Return the coordinates of the start, (P,)."""
        return np.array([p.start / p.scale for p in self.parameters])

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Return the residuals of sets of coordinates (V, P), divided by the noise, (V, N)."""
        count = len(self.parameters)
        values, offsets = x[:, :count] * self.scale, x[:, count:]
        if offsets.shape[1]:
            offsets = self._offsets(offsets)
        self.evaluations += len(values)
        parts, first = [], 0
        for group in self.groups:
            own = None
            if offsets.shape[1]:
                own = offsets[:, first : first + 2 * len(group[0].q)]
                first += own.shape[1]
            parts += self._of_group(values, group, own)
        if offsets.shape[1]:
            parts.append(x[:, count:])
        with_prior = [p for p in self.parameters if p.prior]
        if with_prior:
            places = [list(self.parameters).index(p) for p in with_prior]
            mean, spread = np.array([p.prior for p in with_prior]).T
            parts.append((values[:, places] - mean) / spread)
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    @cached_property
    def start_free(self) -> np.ndarray:
        """Return which starts are fitted, positions, then speeds, of every log: not speeds of joints at rest."""
        parts = [part for piece, *_ in self.groups for part in (np.ones(len(piece.q), bool), piece.qd != 0.0)]
        return np.concatenate(parts)

    @cached_property
    def start_scale(self) -> np.ndarray:
        """Return the deviations that are expected of the starts that are fitted."""
        positions = np.maximum(START[0], 5.0 * self.channels.position)
        sizes = [(positions[list(piece.log.column)], np.full(len(piece.q), START[1])) for piece, *_ in self.groups]
        return np.concatenate([part for both in sizes for part in both])[self.start_free]

    def _offsets(self, x: np.ndarray) -> np.ndarray:
        """Return the offsets of starts with coordinates (V, S) from those of the logs, (V, 2 D) by log."""
        result = np.zeros((len(x), len(self.start_free)))
        result[:, self.start_free] = x * self.start_scale
        return result

    def started(self, x: np.ndarray) -> "Problem":
        """Return the problem of whole logs with the starts of coordinates (P + S,)."""
        (offsets,), groups, first = self._offsets(x[None, len(self.parameters) :]), [], 0
        for (piece,) in self.groups:
            groups.append([piece.moved(offsets[first : first + 2 * len(piece.q)])])
            first += 2 * len(piece.q)
        return Problem(self.rollout, groups, self.channels, self.evaluations)

    def _of_group(self, values: np.ndarray, group: Sequence[Piece], offsets: np.ndarray | None) -> list[np.ndarray]:
        """Return the residuals of pieces that are simulated together; equal worlds are simulated once."""
        kinds, index = values, slice(None)
        if offsets is not None:
            both, index = np.unique(np.hstack((values, offsets)), axis=0, return_inverse=True)
            kinds, offsets, index = both[:, : values.shape[1]], both[:, values.shape[1] :], index.ravel()
        counts = self.channels.effort is not None
        q, effort = self.rollout.simulate(kinds, group, offsets, counts)
        bias = {p.column: values[:, i] for i, p in enumerate(self.parameters) if p.quantity == "bias"}
        parts = []
        for k, piece in enumerate(group):
            log, columns = piece.log, list(piece.log.column)
            residual = q[index, k][:, :, columns] if len(columns) < q.shape[-1] else q[index, k]
            residual -= log.q
            for j, column in enumerate(columns):
                if column in bias:
                    residual[:, :, j] += bias[column][:, None]
            residual /= self.channels.position[columns]
            parts.append(residual.reshape(len(values), -1))
            if self.channels.effort is not None and log.effort is not None:
                force = effort[index, k][:, 1:, columns] - log.effort[1:]
                parts.append((force / self.channels.effort[columns]).reshape(len(values), -1))
        return parts

    def measured(self) -> list[list[Measured]]:
        """Return what was measured, by piece, in the order of the residuals."""
        found = []
        for piece in (piece for group in self.groups for piece in group):
            log, columns = piece.log, list(piece.log.column)
            found.append([Measured(log.time, log.q, self.channels.position[columns])])
            if self.channels.effort is not None and log.effort is not None:
                found[-1].append(Measured(log.time[1:], log.effort[1:], self.channels.effort[columns]))
        return found

    def blocks(self) -> np.ndarray:
        """Return the block of every residual of half a second, (N,)."""
        parts, first = [], 0
        for some in self.measured():
            parts += [blocks_of(one.time, one.values.shape[1], first) for one in some]
            first = int(parts[-len(some)].max()) + 1
        priors = sum(p.prior is not None for p in self.parameters)
        return np.concatenate((*parts, first + np.arange(priors)))

    def blocks_with_starts(self) -> np.ndarray:
        """Return the blocks of residuals whose coordinates have starts, (N,)."""
        blocks = self.blocks()
        priors = sum(p.prior is not None for p in self.parameters)
        at = len(blocks) - priors
        own = int(blocks.max()) + 1 + np.arange(len(self.start_scale))
        return np.concatenate((blocks[:at], own, blocks[at:]))
