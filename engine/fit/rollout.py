"""Simulations of a log under many sets of parameters, one world each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..model.model import Model
from ..simulation import Simulation
from ..simulation.stream import NonFinite
from .motion_log import MotionLog
from .parameters import FIELDS, FitParameter
from .start_state import state_at

LANES = 8  # worlds of a pack in double precision: as many cost what one costs
MOST_SIMULATIONS = 4  # of different numbers of worlds
MOST_NUMBERS = 1 << 26  # of a schedule and a recording at once


@dataclass(frozen=True, eq=False)
class Piece:
    """Consecutive rows of a log, with the state at their start."""

    log: MotionLog
    q: np.ndarray  # (D,)
    qd: np.ndarray  # (D,)

    def moved(self, offset: np.ndarray) -> "Piece":
        """Return the piece with another start: offsets of positions, then of speeds, (2 D,)."""
        joints = len(self.q)
        return Piece(self.log, self.q + offset[:joints], self.qd + offset[joints:])

    def steps(self, dt: float) -> int:
        """Return the number of steps that reach the last row."""
        return max(1, int(np.ceil(self.log.time[-1] / dt - 1e-6)))


def whole_log(log: MotionLog, dt: float) -> Piece:
    """Return a log as one piece."""
    return Piece(log, *state_at(log, 0, dt))


def held_mean(time: np.ndarray, command: np.ndarray, start: np.ndarray, dt: float) -> np.ndarray:
    """Return the mean of a command over steps, where every row is held until the next one, (S, D).

    Args:
        time: times of the rows, (T,) [s].
        command: (T, D).
        start: start of each step at the command, (S,) [s]; before the first row, that row holds.
        dt: length of a step [s].
    """
    sums = np.vstack((np.zeros((1, command.shape[1])), np.cumsum(command[:-1] * np.diff(time)[:, None], axis=0)))

    def integral(at: np.ndarray) -> np.ndarray:
        row = np.clip(np.searchsorted(time, at, side="right") - 1, 0, None)
        return sums[row] + command[row] * (at - time[row])[:, None]

    return (integral(start + dt) - integral(start)) / dt


def at_times(frames: np.ndarray, time: np.ndarray, dt: float) -> np.ndarray:
    """Return frames (S + 1, …) after each step, at other times: linear between steps, (T, …)."""
    place = time / dt
    whole = np.rint(place)
    if np.abs(place - whole).max() < 1e-3:
        return frames[whole.astype(int)]
    row = np.clip(place.astype(int), 0, len(frames) - 2)
    part = (place - row).reshape(-1, *[1] * (frames.ndim - 1))
    return frames[row] * (1.0 - part) + frames[row + 1] * part


@dataclass(eq=False)
class Rollout:
    """A scene with parameters, in as many worlds as are asked for; in double precision, without sleep and contacts.

    Args:
        model: the compiled scene.
        parameters: the parameters, in the order of the columns of values.
        fixed: {quantity: {degree of freedom: value}} that differ from the scene.
        threads: number of CPU threads, 0 for all cores.
    """

    model: Model
    parameters: Sequence[FitParameter]
    fixed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    threads: int = 0
    _sims: dict[int, Simulation] = field(default_factory=dict)

    def __post_init__(self):
        self.dt = self.model.scene.dt
        sim = self._simulation(LANES)
        names = {*FIELDS.values(), "static_friction", "dynamic_friction", "mass", "inertia", "target_q", "target_qd"}
        self.base = {name: np.array(sim.read(name)[0], float) for name in names}
        for quantity, values in self.fixed.items():
            for name in ("dynamic_friction", "static_friction") if quantity == "coulomb" else (FIELDS[quantity],):
                self.base[name][[self.model.dof.index(dof) for dof in values]] = list(values.values())

    def simulate(
        self, values: np.ndarray, pieces: Sequence[Piece], offsets: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and efforts at the rows of pieces with equally many steps.

        Args:
            values: sets of parameters, (V, P) in SI units.
            pieces: K pieces with equally many rows.
            offsets: of the start of every set from that of its only piece, (V, 2 D).

        Returns:
            Positions and efforts of all degrees of freedom, (V, K, T, D) each; NaN for sets whose worlds became
            non-finite. Efforts are those of the steps that end at the rows.
        """
        count = self._most_at_once(pieces)
        offsets = np.zeros((len(values), 2 * len(pieces[0].q))) if offsets is None else offsets
        blocks = [slice(i, i + count) for i in range(0, len(values), count)]
        parts = [self._finite(values[block], pieces, offsets[block]) for block in blocks]
        q, effort = zip(*parts, strict=True)
        return np.concatenate(q), np.concatenate(effort)

    def _most_at_once(self, pieces: Sequence[Piece]) -> int:
        steps = pieces[0].steps(self.dt)
        each = len(pieces) * (steps + 1) * 3 * len(self.model.dof)
        return max(1, MOST_NUMBERS // each // LANES * LANES)

    def _finite(
        self, values: np.ndarray, pieces: Sequence[Piece], offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Simulate sets of parameters; one that becomes non-finite is simulated apart from the others."""
        try:
            return self._launch(values, pieces, offsets)
        except NonFinite:
            if len(values) == 1:
                shape = (1, len(pieces), len(pieces[0].log), len(self.model.dof))
                return np.full(shape, np.nan), np.full(shape, np.nan)
            half = len(values) // 2
            halves = (slice(0, half), slice(half, None))
            parts = [self._finite(values[part], pieces, offsets[part]) for part in halves]
            return np.concatenate([q for q, _ in parts]), np.concatenate([effort for _, effort in parts])

    def _launch(
        self, values: np.ndarray, pieces: Sequence[Piece], offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Simulate sets of parameters that fit in memory.

        Raises:
            NonFinite: a world became non-finite.
        """
        sets, count = len(values), len(pieces)
        worlds = -(-sets * count // LANES) * LANES
        index = np.arange(worlds)
        of, piece_of = np.minimum(index // count, sets - 1), index % count
        sim = self._simulation(worlds)
        sim.reset()
        for name, array in self.fields(values).items():
            sim.write(name, array[of])
        starts = [pieces[k].moved(offsets[i]) for i, k in zip(of.tolist(), piece_of.tolist(), strict=True)]
        self._write_start(sim, values[of], starts)
        tables, delays = self.commands(values, pieces)
        rows = {name: table[0] if count == 1 else table[piece_of] for name, table in tables.items()}
        sim.schedule(rows, delay=delays[of])
        recording = sim.run(steps=pieces[0].steps(self.dt), record=("q", "effort"))
        shaped = [x[:, : sets * count].reshape(len(x), sets, count, -1) for x in (recording.q, recording.effort)]
        q, effort = (
            np.stack([at_times(x[:, :, k], piece.log.time, self.dt) for k, piece in enumerate(pieces)], axis=2)
            for x in shaped
        )
        return q.transpose(1, 2, 0, 3), effort.transpose(1, 2, 0, 3)

    def _simulation(self, worlds: int) -> Simulation:
        if worlds not in self._sims:
            if len(self._sims) >= MOST_SIMULATIONS:
                self._sims.clear()
            self._sims[worlds] = Simulation(
                self.model, worlds, device="cpu", precision="f64", threads=self.threads, sleeping=False, contacts=False
            )
        return self._sims[worlds]

    def _values_of(self, values: np.ndarray, quantity: str) -> dict[int, np.ndarray]:
        """Return {column: one value per set} of a quantity."""
        return {p.column: values[:, i] for i, p in enumerate(self.parameters) if p.quantity == quantity}

    def fields(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Return the fields of a simulation for sets of parameters, (V, C) or (V, C, n) each."""
        found = {name: np.repeat(self.base[name][None], len(values), axis=0) for name in self.base
                 if not name.startswith("target")}  # fmt: skip
        for quantity, name in FIELDS.items():
            for column, numbers in self._values_of(values, quantity).items():
                found[name][:, column] = numbers
        self._set_friction(found, values)
        for column, numbers in self._values_of(values, "mass").items():
            found["inertia"][:, column] *= (numbers / self.base["mass"][column])[:, None]
            found["mass"][:, column] = numbers
        for column, numbers in self._values_of(values, "payload").items():
            found["mass"][:, column] += numbers
        return found

    def _set_friction(self, found: dict[str, np.ndarray], values: np.ndarray) -> None:
        """Set static and dynamic friction from Coulomb friction and the ratio of both."""
        ratios = self._values_of(values, "static_ratio")
        coulomb = self._values_of(values, "coulomb")
        dynamic, static = self.base["dynamic_friction"], self.base["static_friction"]
        for column in {*ratios, *coulomb}:
            slides = coulomb.get(column, np.full(len(values), dynamic[column]))
            authored = static[column] / dynamic[column] if dynamic[column] > 0.0 else 1.0
            found["dynamic_friction"][:, column] = slides
            found["static_friction"][:, column] = slides * ratios.get(column, np.full(len(values), authored))

    def commands(self, values: np.ndarray, pieces: Sequence[Piece]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Return targets of every step by field, (K, S, D) each, and the delay after them of every set, (V,) [s].

        Tables are early or late by whole steps, so that a fraction of a step is interpolated once.
        """
        delays = self._values_of(values, "delay").get(-1, np.zeros(len(values)))
        first = np.floor(delays.min() / self.dt) * self.dt
        steps = pieces[0].steps(self.dt)
        start = np.arange(steps) * self.dt - first
        tables = {}
        for name in ("target_q", "target_qd"):
            if all(getattr(piece.log, name) is None for piece in pieces):
                continue
            tables[name] = np.tile(self.base[name], (len(pieces), steps, 1))
            for k, piece in enumerate(pieces):
                command = getattr(piece.log, name)
                if command is not None:
                    tables[name][k][:, list(piece.log.column)] = held_mean(piece.log.time, command, start, self.dt)
        return tables, np.maximum(delays - first, 0.0)

    def _write_start(self, sim: Simulation, values: np.ndarray, pieces: Sequence[Piece]) -> None:
        """Write the state at the start of each world's piece; a bias of an encoder is not the joint's."""
        q, qd = np.array(sim.read("q")), np.array(sim.read("qd"))
        for world, piece in enumerate(pieces):
            columns = list(piece.log.column)
            q[world, columns], qd[world, columns] = piece.q, piece.qd
        for column, numbers in self._values_of(values, "bias").items():
            q[:, column] -= numbers
        sim.write("q", q)
        sim.write("qd", qd)
