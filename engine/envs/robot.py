"""The robot of an environment: its names, what is read of its state, and what events write to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..errors import InputError
from ..quaternion import multiply
from ..selection import match_columns, short_names
from ..simulation.readout import Readout
from ..simulation.reset import VALUES, Entry
from ..simulation.snapshot import Part
from .philox import Numbers
from .robot_state import RobotState

if TYPE_CHECKING:
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


class Robot(RobotState):
    """The acting articulation in W worlds: D joints and L bodies in PhysX's order, breadth first.

    Args:
        sim: simulation of a scene in which one articulation has joints.
        device: device of the tensors.

    Raises:
        InputError: none or several articulations have joints.
    """

    def __init__(self, sim: "Simulation", device: torch.device):
        self.sim, self.device, self._buffers = sim, device, {}
        self._fresh: set[str] = set()  # fields whose buffers have the present state
        self._staged: Staged | None = None
        acting = [(i, path) for i, path in enumerate(sim.articulation) if len(sim.indexing[path].dof)]
        if len(acting) != 1:
            names = ", ".join(path for _, path in acting) or "none"
            raise InputError(f"{sim.scene.source}, articulations with joints = {names}: must be one")
        self._row, self.path = acting[0]
        self._own = np.array([self._row])
        order = sim.indexing[self.path]
        self.dofs = torch.from_numpy(order.dofs).to(device)
        """Columns of the joints in the fields of the simulation, (D,)."""
        self._dofs_on_host = order.dofs
        self._dof_columns: dict[str, tuple[int, ...]] = {}
        kept = order.links >= 0
        self.links = torch.from_numpy(order.links[kept]).to(device)
        """Columns of the bodies in the fields of the simulation, (L,)."""
        self._dof_names, self.body_paths = order.dof, tuple(np.array(order.link, object)[kept])
        self.joint_names = tuple(name.partition(":")[0] for name in short_names(self._dof_names))
        """Names of the joints, (D,)."""
        self.body_names = short_names(self.body_paths)
        """Names of the bodies, (L,)."""
        self.readout = Readout(sim, new_memory=self._new_memory if device.type == "cuda" else None)
        """Read-out of the quantities of the robot, see `view`."""
        self._hinged = self._row in self.readout.hinged  # its root link moves, and the root of its tree does not
        self._rows: dict[str, slice] = {}
        self._stale, self._values = True, torch.zeros(0, 0)
        self._default_values()

    def _default_values(self) -> None:
        """Keep the state of the scene."""
        sim = self.sim
        self.default_joint_pos = self.joint_pos.clone()
        """Joint positions of the scene [rad | m], (W, D)."""
        self.default_joint_vel = self.joint_vel.clone()
        """Joint speeds of the scene [rad/s | m/s], (W, D)."""
        self.default_root_pose = self.root_pose_w.clone()
        """Root pose of the scene, (W, 7)."""
        self.default_root_vel = self.root_vel_w.clone()
        """Root velocity of the scene, (W, 6)."""
        states = {"q": self.default_joint_pos, "qd": self.default_joint_vel}
        states |= {"root_pose": self.default_root_pose, "root_velocity": self.default_root_vel}
        self.start = {name: values[:1].cpu().numpy().copy() for name, values in states.items()}
        """State of the scene on the host: q, qd (1, D), root_pose (1, 7), root_velocity (1, 6)."""
        self.start_turn = multiply(self.start["root_pose"][:, 3:], np.eye(4, dtype=np.float32)).T
        """Factors of a quaternion that turns the root of the scene about its axes: products with it add up, (4, 4)."""
        self.default_mass = torch.from_numpy(sim.read("mass")[0]).to(self.device)[self.links]
        """Masses of the bodies in the scene [kg], (L,)."""

    def find_joints(self, names: str = ".*") -> torch.Tensor:
        """Return the columns of joints: a name or a regular expression.

        Raises:
            KeyError: no joint matches; the message lists the joints.
        """
        return self._find(names, self._dof_names, "dof")

    def of_joints(self, values: torch.Tensor, names: str) -> torch.Tensor:
        """Return the columns of joints, by a name or a regular expression, of values of all joints, (W, n).

        Raises:
            KeyError: no joint matches; the message lists the joints.
        """
        columns = self.find_joints(names)
        return values if len(columns) == len(self.joint_names) else values[:, columns]

    def find_bodies(self, names: str = ".*") -> torch.Tensor:
        """Return the columns of bodies: a name or a regular expression.

        Raises:
            KeyError: no body matches; the message lists the bodies.
        """
        return self._find(names, self.body_paths, "link")

    def _find(self, names: str, known: tuple[str, ...], of: str) -> torch.Tensor:
        key = f"find {of} {names}"
        if key not in self._buffers:
            self._buffers[key] = torch.tensor(match_columns(names, known, of), device=self.device)
        return self._buffers[key]

    def change(self, worlds: "np.ndarray | None" = None) -> None:
        """Forget what was read; the state of worlds (None: all) has changed."""
        self._fresh.clear()
        if worlds is None:
            self._stale = True
        elif not self._stale:
            self.readout.update(worlds)
            self._copy(worlds)

    def view(self, name: str, columns: np.ndarray, key: str = "") -> torch.Tensor:
        """Return columns of a quantity of `Readout`, (W, numbers), in memory that the next change overwrites.

        Args:
            name: name of the quantity.
            columns: columns of the quantity.
            key: name of these columns, if there are several choices.
        """
        rows = self._rows.get(name + key)
        if rows is None:
            rows = self._rows[name + key] = self.readout.add(name, columns)
            self._stale = True
        if self._stale:
            self.readout.update()
            self._stale = False
            self._copy()
        return self._values[:, rows]

    def _new_memory(self, count: int) -> torch.Tensor:
        """Return memory of so many numbers on the device, in single precision as the simulation."""
        return torch.zeros(count, device=self.device)

    def _copy(self, worlds: "np.ndarray | None" = None) -> None:
        """Take over the values of the read-out in worlds (None: all), a row for each world.

        Torch sums numbers that lie side by side in one order, whatever the number of worlds.
        """
        values = torch.as_tensor(self.readout.values).T
        if self._values.shape != values.shape:
            self._values = torch.zeros(*values.shape, device=self.device)
        if worlds is None:
            self._values.copy_(values)
        else:
            pair: Any = self._values, values
            if self.device.type == "cpu":  # NumPy takes a fraction of torch's time for few worlds
                pair = self._values.numpy(), values.numpy()
            pair[0][worlds] = pair[1][worlds]

    def field(self, name: str) -> torch.Tensor:
        """Return a field of the simulation, all columns, in memory that the next reading overwrites."""
        if name not in self._buffers:
            values = torch.from_numpy(self.sim.read(name))
            self._buffers[name] = values.to(self.device)
        elif name not in self._fresh:
            self.sim.read(name, out=self._buffers[name])
        self._fresh.add(name)
        return self._buffers[name]

    @contextmanager
    def resetting(self, worlds: torch.Tensor, staged_only: bool = False) -> Iterator[None]:
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
            yield
        finally:
            self._staged = None
        self._write(staged, _ALL if staged_only else _STATE)
        self.readout.reset(staged.chosen)
        self.change(staged.chosen)

    def _write(self, staged: Staged, parts: Part) -> None:
        self.sim._reset.write(staged.chosen, parts, tuple(staged.entries), staged.arrays)

    @contextmanager
    def _staging(self, worlds: torch.Tensor) -> Iterator[Staged]:
        """Yield the states that the present reset of worlds sets, or some that are set at the end of the context."""
        if self._staged is not None and self._staged.worlds is worlds:
            yield self._staged
            return
        staged = Staged(worlds)
        yield staged
        if len(staged.chosen):
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
        columns = self.dof_columns(names)
        with self._staging(worlds) as staged:
            at = staged.place(numbers.array) + numbers.first
            for name, (low, high) in zip(("q", "qd"), ranges, strict=True):
                count = len(columns)
                staged.entries.append(Entry(name, columns, at, operation, (low,) * count, (high,) * count))
                at += count

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
        with self._staging(worlds) as staged:
            for name, drawn, (low, high) in zip(("root_pose", "root_velocity"), numbers, ranges, strict=True):
                at = staged.place(drawn.array) + drawn.first
                staged.entries.append(Entry(name, (self._row,), at, "add", low, high))
            if origins is not None:
                pose = staged.entries[-2]
                staged.entries[-2] = pose._replace(shift=staged.place(origins))

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
        key = f"write {name}"
        if key not in self._buffers:
            self._buffers[key] = torch.from_numpy(self.sim.read(name)).to(self.device)
        self._buffers[key][:, self.dofs[columns]] = torch.as_tensor(values)
        self.sim.write(name, self._buffers[key])

    def _write_joints_of(
        self, name: str, values: "torch.Tensor | np.ndarray", worlds: torch.Tensor, columns: torch.Tensor
    ) -> None:
        """Set columns of a field in worlds."""
        at = self._dofs_on_host[on_host(columns)]
        if name in VALUES:
            with self._staging(worlds) as staged:
                given = self.sim._reset.as_numbers(name, on_host(values))
                staged.entries.append(Entry(name, tuple(at.tolist()), staged.place(given)))
            return
        chosen = on_host(worlds)
        rows = self.sim.read(name, worlds=chosen)
        rows[:, at] = on_host(values)
        self.sim.write(name, rows, chosen)
        self.change(chosen)

    def write_root(self, name: str, values: np.ndarray, worlds: torch.Tensor) -> None:
        """Set "root_pose" (7) or "root_velocity" (6) in worlds, (worlds, 7 | 6)."""
        with self._staging(worlds) as staged:
            given = self.sim._reset.as_numbers(name, values[:, None], slice(self._row, self._row + 1))
            staged.entries.append(Entry(name, (self._row,), staged.place(given)))


def on_host(values: "torch.Tensor | np.ndarray") -> np.ndarray:
    """Return a tensor or an array as an array."""
    return values if isinstance(values, np.ndarray) else values.numpy() if values.is_cpu else values.cpu().numpy()


def set_rows(tensor: torch.Tensor, worlds: torch.Tensor, values: "np.ndarray | float") -> None:
    """Set rows of a tensor, (W, …), in worlds: NumPy takes a fraction of torch's time for few worlds."""
    if tensor.is_cpu:
        tensor.numpy()[worlds.numpy()] = values
    else:
        tensor[worlds] = torch.as_tensor(values, dtype=tensor.dtype, device=tensor.device)
