"""The least-squares problem of a fit: residuals of all logs for sets of coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .detection import noise, quantum
from .intervals import blocks_of
from .levenberg_marquardt import STEP, Space
from .motion_log import MotionLog
from .parameters import KINKED, FitParameter
from .piece import Piece, whole_log
from .rollout import Rollout

WIDE = 1e-2  # step of finite differences of kinked parameters, in coordinates
START = 1e-4, 0.2  # deviation of the start of a log from its measurement [rad | m], and of its speed [1/s]
LEAST_NOISE = 1e-9  # [rad | m | N·m | N]
LEAST_PART = 0.3, 0.01  # of the usual noise of positions and efforts: a joint that looks better may be still


@dataclass(frozen=True)
class Channels:
    """Standard deviations that residuals are divided by, per degree of freedom; None where efforts do not count."""

    position: np.ndarray  # (D,)
    effort: np.ndarray | None = None  # (D,)


def noise_of_logs(logs: Sequence[MotionLog], dofs: int, effort: bool = False) -> Channels:
    """Return the noise and resolution of positions and, if they count, of efforts, of each of D degrees of freedom."""
    positions = [(log.column, log.q) for log in logs]
    efforts = [(log.column, log.effort) for log in logs if log.effort is not None]
    position = _levels(positions, dofs, LEAST_PART[0])
    return Channels(position, _levels(efforts, dofs, LEAST_PART[1]) if effort and efforts else None)


def _levels(measured: Sequence[tuple[tuple[int, ...], np.ndarray]], dofs: int, least: float) -> np.ndarray:
    """Return the mean noise of each degree of freedom, not far below that of the others, (D,)."""
    found: dict[int, list[float]] = {}
    for columns, values in measured:
        for column, x in zip(columns, values.T, strict=True):
            found.setdefault(column, []).append(float(np.hypot(noise(x), quantum(x) / 12**0.5)))
    levels = np.zeros(dofs)
    levels[list(found)] = [np.mean(some) for some in found.values()]
    usual = float(np.median(levels[list(found)]))
    return np.maximum(levels, max(LEAST_NOISE, least * usual))


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
        return Space(*ends, np.concatenate((self.space.step, np.full(len(free), STEP))))

    @property
    def start(self) -> np.ndarray:
        """Return the coordinates of the start, (P,)."""
        return np.array([p.start / p.scale for p in self.parameters])

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Return the residuals of sets of coordinates (V, P), divided by the noise, (V, N)."""
        count = len(self.parameters)
        values, offsets = x[:, :count] * self.scale, x[:, count:]
        if offsets.shape[1]:
            offsets = offsets * self.start_scale
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
    def start_scale(self) -> np.ndarray:
        """Return the deviations of starts that are expected, positions, then speeds, of every log."""
        positions = np.maximum(START[0], 5.0 * self.channels.position)
        sizes = [(positions[list(piece.log.column)], np.full(len(piece.q), START[1])) for piece, *_ in self.groups]
        return np.concatenate([part for both in sizes for part in both])

    def started(self, x: np.ndarray) -> "Problem":
        """Return the problem of whole logs with the starts of coordinates (P + S,)."""
        offsets, groups, first = x[len(self.parameters) :] * self.start_scale, [], 0
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

    def blocks(self) -> np.ndarray:
        """Return the block of every residual of half a second, (N,)."""
        parts, first = [], 0
        for group in self.groups:
            for piece in group:
                log = piece.log
                times = [log.time]
                if self.channels.effort is not None and log.effort is not None:
                    times.append(log.time[1:])
                parts += [blocks_of(time, len(log.dof), first) for time in times]
                first = int(parts[-2 if len(times) > 1 else -1].max()) + 1
        priors = sum(p.prior is not None for p in self.parameters)
        return np.concatenate((*parts, first + np.arange(priors)))

    def blocks_with_starts(self) -> np.ndarray:
        """Return the blocks of residuals whose coordinates have starts, (N,)."""
        blocks = self.blocks()
        priors = sum(p.prior is not None for p in self.parameters)
        at = len(blocks) - priors
        own = int(blocks.max()) + 1 + np.arange(len(self.start_scale))
        return np.concatenate((blocks[:at], own, blocks[at:]))
