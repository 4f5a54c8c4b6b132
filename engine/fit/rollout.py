"""Simulations of a log under many sets of parameters, one world each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..model.model import Model
from ..simulation import Simulation
from ..simulation.snapshot import Part
from ..simulation.stream import NonFinite
from .link_inertia import move_centres
from .motion_log import MotionLog
from .parameters import FIELDS, FitParameter
from .piece import Piece, at_times, mean_command
from .world_fields import WorldFields, values_of

LANES = 8  # worlds of a pack in double precision: as many cost what one costs
COMMANDS = "target_q", "target_qd", "effort"
SPARE = 2 * LANES  # worlds that cost less than another simulation
MOST_SIMULATIONS = 4  # of different numbers of worlds
STARTED = Part.POSITIONS | Part.VELOCITIES | Part.ROOT | Part.CLOCK
"""State that a simulation has at the start of every launch; nothing else lasts from one to the next."""
MOST_NUMBERS = 1 << 26  # of a schedule and a recording at once


@dataclass(eq=False)
class Rollout:
    """A scene with parameters, in as many worlds as are asked for; in double precision, without sleep and contacts.

    Args:
        model: the compiled scene.
        parameters: the parameters, in the order of the columns of values.
        fixed: {quantity: {degree of freedom: value}} that differ from the scene.
        threads: number of CPU threads, 0 for all cores.
        linear: whether commands change linearly between the rows of a log.
        open_loop: whether measured efforts move the joints, for logs without commands; drives have no gains then.
    """

    model: Model
    parameters: Sequence[FitParameter]
    fixed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    threads: int = 0
    linear: bool = False
    open_loop: bool = False
    _sims: dict[int, Simulation] = field(default_factory=dict)
    _tables: dict[tuple[MotionLog, ...], dict[str, np.ndarray]] = field(default_factory=dict)

    def __post_init__(self):
        self.dt = self.model.scene.dt
        self.base: dict[str, np.ndarray] = {}
        sim = self._simulation(LANES)
        names = {*FIELDS.values(), *COMMANDS, "static_friction", "dynamic_friction", "mass", "inertia"}
        base = {name: np.array(sim.read(name)[0], float) for name in names}
        for quantity, values in self.fixed.items():
            for name in ("dynamic_friction", "static_friction") if quantity == "coulomb" else (FIELDS[quantity],):
                base[name][[self.model.dof.index(dof) for dof in values]] = list(values.values())
                sim.write(name, np.repeat(base[name][None], LANES, axis=0))
        for name in ("stiffness", "damping") if self.open_loop else ():
            base[name][:] = 0.0
            sim.write(name, np.repeat(base[name][None], LANES, axis=0))
        self.base = base
        self.fields = WorldFields(self.model, self.parameters, base)

    def simulate(
        self,
        values: np.ndarray | None,
        pieces: Sequence[Piece],
        offsets: np.ndarray | None = None,
        effort: bool = False,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and, if they are asked for, efforts at the rows of pieces with equally many steps.

        Args:
            values: sets of parameters, (V, P) in SI units; None: one set, the values of the scene and the fixed ones.
            pieces: K pieces with equally many rows.
            offsets: of the start of every set from that of its only piece, (V, 2 D).
            effort: whether efforts are returned, too.

        Returns:
            Positions and efforts of all degrees of freedom, (V, K, T, D) each, or (V, 0) without efforts; NaN for sets
            whose worlds became non-finite. Efforts are those of the steps that end at the rows.
        """
        sets = 1 if values is None else len(values)
        offsets = np.zeros((sets, 2 * len(pieces[0].q))) if offsets is None else offsets
        count = self._most_at_once(pieces)
        if sets <= count:
            return self._finite(values, pieces, offsets, effort)
        assert values is not None  # one set fits
        blocks = [slice(i, i + count) for i in range(0, sets, count)]
        parts = [self._finite(values[block], pieces, offsets[block], effort) for block in blocks]
        q, efforts = zip(*parts, strict=True)
        return np.concatenate(q), np.concatenate(efforts)

    def _most_at_once(self, pieces: Sequence[Piece]) -> int:
        steps = pieces[0].steps(self.dt) + self._lead(pieces)
        each = len(pieces) * (steps + 1) * 3 * len(self.model.dof)
        return max(1, MOST_NUMBERS // each // LANES * LANES)

    def _finite(
        self, values: np.ndarray | None, pieces: Sequence[Piece], offsets: np.ndarray, effort: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Simulate sets of parameters; one that becomes non-finite is simulated apart from the others."""
        try:
            return self._launch(values, pieces, offsets, effort)
        except NonFinite:
            if values is None or len(values) == 1:
                none = np.full((1, len(pieces), len(pieces[0].log), len(self.model.dof)), np.nan)
                return none, none if effort else none[:, 0, 0, :0]
            half = len(values) // 2
            halves = (slice(0, half), slice(half, None))
            parts = [self._finite(values[part], pieces, offsets[part], effort) for part in halves]
            return np.concatenate([q for q, _ in parts]), np.concatenate([efforts for _, efforts in parts])

    def _launch(
        self, values: np.ndarray | None, pieces: Sequence[Piece], offsets: np.ndarray, effort: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Simulate sets of parameters that fit in memory.

        Raises:
            NonFinite: a world became non-finite.
        """
        sets, count = len(offsets), len(pieces)
        worlds = self._worlds(sets * count)
        index = np.arange(worlds)
        of, piece_of = np.minimum(index // count, sets - 1), index % count
        sim = self._simulation(worlds)
        sim.reset(parts=STARTED)
        for name, array in self.fields.of(values).items():
            sim._fields.write_known(name, array[of])  # a set that no machine has becomes non-finite, and counts so
        if centres := self.fields.centres(values):
            move_centres(sim, {row: shift[of] for row, shift in centres.items()})
        self._write_start(sim, None if values is None else values[of], pieces, piece_of, offsets[of])
        lead = self._lead(pieces)
        delays = values_of(self.parameters, values, "delay").get(-1, np.zeros(sets)) + (lead - 1) * self.dt
        rows = {name: table[0] if count == 1 else table[piece_of] for name, table in self.commands(pieces).items()}
        sim.schedule(rows, delay=delays[of])
        recording = sim.run(steps=lead + pieces[0].steps(self.dt), record=("q", "effort") if effort else ("q",))
        shape = sets, count, len(pieces[0].log), len(self.model.dof)
        frames = (recording.q, recording.effort) if effort else (recording.q,)
        found = [self._at_rows(x[lead:], pieces, shape) for x in frames]
        return found[0], found[1] if effort else np.zeros((sets, 0))

    def _lead(self, pieces: Sequence[Piece]) -> int:
        """Return the number of steps before the first rows."""
        return int(np.ceil(pieces[0].settle / self.dt - 1e-6))

    def _at_rows(self, frames: np.ndarray, pieces: Sequence[Piece], shape: tuple[int, ...]) -> np.ndarray:
        """Return frames (S + 1, W, D) at the rows of the pieces, (V, K, T, D)."""
        result = np.empty(shape)
        sets, count = shape[:2]
        for k, piece in enumerate(pieces):
            mine = frames[:, k : sets * count : count]
            result[:, k] = at_times(mine, piece.log.time, self.dt).swapaxes(0, 1)
        return result

    def _worlds(self, needed: int) -> int:
        """Return a number of worlds: whole packs, or those of a simulation with a few packs more."""
        least = -(-needed // LANES) * LANES
        return min((worlds for worlds in self._sims if least <= worlds <= least + SPARE), default=least)

    def _simulation(self, worlds: int) -> Simulation:
        if worlds not in self._sims:
            if len(self._sims) >= MOST_SIMULATIONS:
                self._sims.clear()
            self._sims[worlds] = sim = Simulation(
                self.model, worlds, device="cpu", precision="f64", threads=self.threads, sleeping=False, contacts=False
            )
            for name, array in self.base.items():
                sim.write(name, np.repeat(array[None], worlds, axis=0))
        return self._sims[worlds]

    def commands(self, pieces: Sequence[Piece]) -> dict[str, np.ndarray]:
        """Return targets by field, (K, R, D) each: that of the first row, then those of every step and of steps after.

        There are as many steps after the last one as the earliest command needs.
        """
        logs = tuple(piece.log for piece in pieces)
        if logs not in self._tables:
            early = max((-p.low for p in self.parameters if p.quantity == "delay" and np.isfinite(p.low)), default=0.0)
            start = np.arange(-1, pieces[0].steps(self.dt) + int(np.ceil(early / self.dt)) + 1) * self.dt
            self._tables[logs] = {
                name: np.stack([self._command(log, name, start) for log in logs])
                for name in (("effort",) if self.open_loop else COMMANDS[:2])
                if any(getattr(log, name) is not None for log in logs)
            }
        return self._tables[logs]

    def _command(self, log: MotionLog, name: str, start: np.ndarray) -> np.ndarray:
        """Return one command of a log over steps, (R, D); columns without a command keep the value of the scene."""
        table, command = np.tile(self.base[name], (len(start), 1)), getattr(log, name)
        if name == "effort":  # a measured effort is that of the step that ends at its row
            command = np.vstack((command[1:], command[-1:]))
        if command is not None:
            table[:, list(log.column)] = mean_command(log.time, command, start, self.dt, self.linear)
        return table

    def _write_start(
        self,
        sim: Simulation,
        values: np.ndarray | None,
        pieces: Sequence[Piece],
        piece_of: np.ndarray,
        offsets: np.ndarray,
    ) -> None:
        """Write the state at the start of each world's piece; a bias of an encoder is not the joint's."""
        q, qd = np.array(sim.read("q")), np.array(sim.read("qd"))
        columns, joints = list(pieces[0].log.column), len(pieces[0].q)
        q[:, columns] = np.stack([piece.q for piece in pieces])[piece_of] + offsets[:, :joints]
        qd[:, columns] = np.stack([piece.qd for piece in pieces])[piece_of] + offsets[:, joints:]
        for column, numbers in values_of(self.parameters, values, "bias").items():
            q[:, column] -= numbers
        sim._fields.write_known("q", q)
        sim._fields.write_known("qd", qd)
