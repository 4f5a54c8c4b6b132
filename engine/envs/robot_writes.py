"""What resets, events and actions write to the robot of an environment."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import torch

from ..simulation.reset import VALUES, Entry
from ..simulation.snapshot import Part
from .host_rows import on_host
from .philox import Numbers
from .robot_state import RobotState

if TYPE_CHECKING:
    from ..simulation.readout import Readout
    from ..simulation.simulation import Simulation

_STATE = Part.POSITIONS | Part.VELOCITIES | Part.ROOT
"""Parts of the state that events of a reset write."""


_ALL = Part.ALL & ~Part.PARAMETERS
"""Parts that a reset restores."""

_OTHERS = _ALL & ~_STATE
"""Parts beside the state."""

Range = tuple[float, float]
SixRanges = tuple[tuple[float, ...], tuple[float, ...]]
"""Lower and upper bounds of six numbers."""


class Staged:
    """States that a reset sets at its end: entries, in their order, and the arrays of their numbers.

    Args:
        worlds: indices of the worlds.
    """

    def __init__(self, worlds: torch.Tensor):
        self.worlds, self.chosen = worlds, on_host(worlds)
        self.entries: list[Entry] = []
        self.arrays: list[np.ndarray] = []  # (worlds, K), side by side
        self._width = 0

    def place(self, array: np.ndarray) -> int:
        """Return the first column of an array among those of all arrays, which it joins."""
        if self.arrays and self.arrays[-1] is array:  # of numbers that were drawn together
            return self._width - array.shape[1]
        self.arrays.append(array)
        self._width += array.shape[1]
        return self._width - array.shape[1]


class RobotWrites(RobotState):
    """Base class of `Robot`: resets of worlds, drawn and given states, targets and efforts.

    Args:
        sim: simulation of the robot.
    """

    readout: "Readout"
    device: torch.device

    def __init__(self, sim: "Simulation"):
        self.sim = sim
        self._staged: Staged | None = None
        self._buffers: dict[str, torch.Tensor] = {}
        self._dof_columns: dict[str, tuple[int, ...]] = {}
        self._entries: dict[tuple, list[Entry]] = {}  # of what was drawn: equal ones are found faster if they are one
        self._inverses: tuple[torch.Tensor, torch.Tensor] | None = None  # columns, and see `_inverse`

    def find_joints(self, names: str = ".*") -> torch.Tensor:
        """Return the columns of joints."""
        raise NotImplementedError

    def change(self, worlds: "np.ndarray | None" = None) -> None:
        """Forget what was read."""
        raise NotImplementedError

    @contextmanager
    def resetting(self, worlds: torch.Tensor, staged_only: bool = False) -> Iterator[Staged]:
        """Reset worlds; states that are written to the robot in them within the context are set together at its end.

        What is written to the simulation itself stays only where it is not a state. Only these worlds are read again.

        Args:
            worlds: indices of the worlds.
            staged_only: whether nothing is written to the simulation itself, so that one reset suffices.
        """
        self._staged = staged = Staged(worlds)
        if not staged_only:
            self.sim.reset(staged.chosen, _OTHERS)
        try:
            yield staged
        finally:
            self._staged = None
        self._write(staged, _ALL if staged_only else _STATE, monitors=True)
        self.change(staged.chosen)

    def reset_again(self, worlds: torch.Tensor, entries: tuple[Entry, ...], numbers: np.ndarray) -> None:
        """Reset worlds as `resetting` did with these entries, from other numbers, (worlds, K)."""
        chosen = on_host(worlds)
        self.sim._reset.write(chosen, _ALL, entries, [numbers], monitors=True)
        self.change(chosen)

    def _write(self, staged: Staged, parts: Part, monitors: bool = False) -> None:
        self.sim._reset.write(staged.chosen, parts, tuple(staged.entries), staged.arrays, monitors)

    def _stage(self, worlds: torch.Tensor) -> Staged:
        """Return the states that the present reset of worlds sets, or those that `_set` sets."""
        now = self._staged
        return now if now is not None and now.worlds is worlds else Staged(worlds)

    def _set(self, staged: Staged) -> None:
        """Set states, unless the present reset sets them at its end."""
        if staged is not self._staged and len(staged.chosen):
            self._write(staged, Part(0))
            self.change(staged.chosen)

    def draw_joints(
        self, numbers: Numbers, worlds: torch.Tensor, names: str, ranges: tuple[Range, Range], operation: str
    ) -> None:
        """Set positions and speeds of joints in worlds to those of the scene plus or times drawn ones.

        Args:
            numbers: numbers in [0, 1), (worlds, K), and the first column of 2 n: n positions, then n speeds.
            worlds: indices of the worlds.
            names: name or regular expression of the n joints.
            ranges: ranges of the positions and of the speeds.
            operation: add | scale.
        """
        staged = self._stage(worlds)
        at = staged.place(numbers.array) + numbers.first
        key = names, ranges, operation, at
        if key not in self._entries:
            columns, count = self.dof_columns(names), len(self.dof_columns(names))
            bounds = [((low,) * count, (high,) * count) for low, high in ranges]
            pairs = zip(("q", "qd"), (at, at + count), bounds, strict=True)
            self._entries[key] = [Entry(name, columns, first, operation, *ends) for name, first, ends in pairs]
        staged.entries += self._entries[key]
        self._set(staged)

    def draw_root(
        self,
        numbers: tuple[Numbers, Numbers],
        worlds: torch.Tensor,
        ranges: tuple[SixRanges, SixRanges],
        origins: "np.ndarray | None",
    ) -> None:
        """Set the root's pose and velocity in worlds to those of the scene plus drawn offsets.

        Args:
            numbers: numbers in [0, 1), (worlds, K), and the first column of six, for pose and velocity.
            worlds: indices of the worlds.
            ranges: lower and upper bounds of the offsets x, y, z [m], roll, pitch, yaw [rad], and of their rates.
            origins: further offsets of the position, (worlds, 3); None: none.
        """
        staged = self._stage(worlds)
        first = tuple(staged.place(drawn.array) + drawn.first for drawn in numbers)
        shift = -1 if origins is None else staged.place(origins)
        key = ranges, first, shift
        if key not in self._entries:
            row = (self._row,)
            pose = Entry("root_pose", row, first[0], "add", *ranges[0], shift)
            self._entries[key] = [pose, Entry("root_velocity", row, first[1], "add", *ranges[1])]
        staged.entries += self._entries[key]
        self._set(staged)

    def dof_columns(self, names: str) -> tuple[int, ...]:
        """Return the columns of joints in the fields of the simulation.

        Raises:
            KeyError: no joint matches; the message lists the joints.
        """
        if names not in self._dof_columns:
            self._dof_columns[names] = tuple(self._dofs_on_host[on_host(self.find_joints(names))].tolist())
        return self._dof_columns[names]

    def write_joints(
        self, name: str, values: "torch.Tensor | np.ndarray", worlds: torch.Tensor | None, columns: torch.Tensor
    ) -> None:
        """Set columns of a field of the joints, (worlds, len(columns)), in worlds (None: all).

        In some worlds, as at a reset, the other columns keep what the simulation has. In all worlds, as for targets and
        efforts, they keep what was written here before, which saves the reading.
        """
        if worlds is not None:
            self._write_joints_of(name, values, worlds, columns)
            return
        key, given = f"write {name}", torch.as_tensor(values)
        if key not in self._buffers:
            self._buffers[key] = torch.from_numpy(self.sim.read(name)).to(self.device)
        if len(columns) == self._buffers[key].shape[1]:
            torch.index_select(given, 1, self._inverse(columns), out=self._buffers[key])
        else:
            self._buffers[key][:, self.dofs[columns]] = given
        whole = self._buffers[key]
        self.sim.write(name, whole.numpy() if whole.is_cpu else whole)  # NumPy's protocol is faster than DLPack

    def _inverse(self, columns: torch.Tensor) -> torch.Tensor:
        """Return where the columns of the fields of all joints are among columns of the robot."""
        if self._inverses is None or self._inverses[0] is not columns:
            self._inverses = columns, torch.argsort(self.dofs[columns])
        return self._inverses[1]

    def _write_joints_of(
        self, name: str, values: "torch.Tensor | np.ndarray", worlds: torch.Tensor, columns: torch.Tensor
    ) -> None:
        """Set columns of a field in worlds."""
        at = self._dofs_on_host[on_host(columns)]
        if name in VALUES:
            staged = self._stage(worlds)
            given = self.sim._reset.as_numbers(name, on_host(values))
            staged.entries.append(Entry(name, tuple(at.tolist()), staged.place(given)))
            self._set(staged)
            return
        chosen = on_host(worlds)
        rows = self.sim.read(name, worlds=chosen)
        rows[:, at] = on_host(values)
        self.sim.write(name, rows, chosen)
        self.change(chosen)

    def write_root(self, name: str, values: np.ndarray, worlds: torch.Tensor) -> None:
        """Set "root_pose" (7) or "root_velocity" (6) in worlds, (worlds, 7 | 6)."""
        staged = self._stage(worlds)
        given = self.sim._reset.as_numbers(name, values[:, None], slice(self._row, self._row + 1))
        staged.entries.append(Entry(name, (self._row,), staged.place(given)))
        self._set(staged)
