"""The robot's state after the last control step, in Isaac Lab's words; each quantity is read when first used."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from ..errors import InputError
from ..selection import match_columns, short_names
from ..simulation.readout import Readout
from ..simulation.snapshot import Part
from .rotations import rotate_inverse

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


_STATE = Part.POSITIONS | Part.VELOCITIES | Part.ROOT
"""Parts of the state that events of a reset write."""


_RESET = Part.ALL & ~Part.PARAMETERS
"""Parts that a reset restores."""


class Staged(NamedTuple):
    """States that a reset sets at its end."""

    worlds: torch.Tensor
    values: dict[str, np.ndarray]  # by field


class Robot:
    """The acting articulation in W worlds: D joints and L bodies in PhysX's order, breadth first.

    Quaternions are (x, y, z, w). Velocities of bodies are those of their centres of mass, as in PhysX.

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
        self._starts = {name: sim.read(name)[:1] for name in ("q", "qd")}  # of the scene, which resets restore
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
    def resetting(self, worlds: torch.Tensor) -> Iterator[None]:
        """Reset worlds; states that are written to the robot in them within the context are set together at its end.

        What is written to the simulation itself stays only where it is not a state. Only these worlds are read again.
        """
        chosen = worlds.cpu().numpy()
        self.sim.reset(chosen, _RESET & ~_STATE)
        self._staged = staged = Staged(worlds, {})
        try:
            yield
        finally:
            self._staged = None
        self.sim.reset(chosen, _STATE, staged.values)
        self.readout.reset(chosen)
        self.change(chosen)

    def write_joints(self, name: str, values: torch.Tensor, worlds: torch.Tensor | None, columns: torch.Tensor) -> None:
        """Set columns of a field of the joints, (worlds, len(columns)), in worlds (None: all).

        In some worlds, as at a reset, the other columns keep what the simulation has. In all worlds, as for targets and
        efforts, they keep what was written here before, which saves the reading.
        """
        if worlds is not None:
            chosen, at = worlds.cpu().numpy(), self._dofs_on_host[columns.cpu().numpy()]
            staged = self._staged if self._staged and self._staged.worlds is worlds and name in ("q", "qd") else None
            if staged:
                rows = staged.values.setdefault(name, np.repeat(self._starts[name], len(chosen), 0))
            else:
                rows = self.sim.read(name, worlds=chosen)
            rows[:, at] = values.cpu().numpy()
            if not staged:
                self.sim.write(name, rows, chosen)
                self.change(chosen)
            return
        key = f"write {name}"
        if key not in self._buffers:
            self._buffers[key] = torch.from_numpy(self.sim.read(name)).to(self.device)
        self._buffers[key][:, self.dofs[columns]] = values
        self.sim.write(name, self._buffers[key])

    def write_root(self, name: str, values: np.ndarray, worlds: torch.Tensor) -> None:
        """Set "root_pose" (7) or "root_velocity" (6) in worlds, (worlds, 7 | 6)."""
        chosen, rows = worlds.cpu().numpy(), values[:, None].astype(np.float32)
        if len(self.sim.articulation) > 1:
            whole = self.sim.read(name, worlds=chosen)
            whole[:, self._row] = values
            rows = whole
        if self._staged and self._staged.worlds is worlds:
            self._staged.values[name] = rows
            return
        self.sim.write(name, rows, chosen)
        self.change(chosen)

    @property
    def joint_pos(self) -> torch.Tensor:
        """Joint positions [rad | m], (W, D)."""
        return self.view("q", self._dofs_on_host)

    @property
    def joint_vel(self) -> torch.Tensor:
        """Joint speeds [rad/s | m/s], (W, D)."""
        return self.view("qd", self._dofs_on_host)

    @property
    def joint_acc(self) -> torch.Tensor:
        """Joint accelerations of the last physics step [rad/s² | m/s²], (W, D)."""
        return self.view("qdd", self._dofs_on_host)

    @property
    def applied_torque(self) -> torch.Tensor:
        """Efforts of the drives and of the user in the last physics step [N·m | N], (W, D)."""
        return self.view("applied_effort", self._dofs_on_host)

    @property
    def joint_pos_limits(self) -> torch.Tensor:
        """Lower and upper limits of the joints [rad | m], (W, D, 2)."""
        return torch.stack([self.field("lower")[:, self.dofs], self.field("upper")[:, self.dofs]], -1)

    @property
    def root_pose_w(self) -> torch.Tensor:
        """Position [m] and quaternion of the root, world axes, (W, 7)."""
        return self.view("root_pose", self._own)

    @property
    def root_vel_w(self) -> torch.Tensor:
        """Linear and angular velocity of the root [m/s, rad/s], world axes, (W, 6)."""
        if self._hinged:
            return self.field("root_velocity")[:, self._row]
        return self.view("root_velocity", self._own)

    @property
    def root_lin_vel_b(self) -> torch.Tensor:
        """Linear velocity of the root [m/s], axes of the root, (W, 3)."""
        if self._hinged:
            return rotate_inverse(self.root_pose_w[:, 3:], self.root_vel_w[:, :3])
        return self.view("root_velocity_b", self._own)[:, :3]

    @property
    def root_ang_vel_b(self) -> torch.Tensor:
        """Angular velocity of the root [rad/s], axes of the root, (W, 3)."""
        if self._hinged:
            return rotate_inverse(self.root_pose_w[:, 3:], self.root_vel_w[:, 3:])
        return self.view("root_velocity_b", self._own)[:, 3:]

    @property
    def projected_gravity_b(self) -> torch.Tensor:
        """Direction of gravity, axes of the root, (W, 3)."""
        return self.view("projected_gravity_b", self._own)

    @property
    def finite(self) -> torch.Tensor:
        """Mask of the worlds whose positions and velocities are finite, (W,) of bool."""
        return (self.view("finite", np.arange(len(self.sim.articulation))) > 0.0).all(1)

    @property
    def body_pose_w(self) -> torch.Tensor:
        """Positions [m] and quaternions of the bodies, world axes, (W, L, 7)."""
        return self.field("link_pose")[:, self.links]

    @property
    def body_vel_w(self) -> torch.Tensor:
        """Linear and angular velocities of the bodies [m/s, rad/s], world axes, (W, L, 6)."""
        return self.field("link_velocity")[:, self.links]

    @property
    def body_incoming_wrench_b(self) -> torch.Tensor:
        """Force and torque of the parents on the bodies in the last physics step [N, N·m], joint axes, (W, L, 6)."""
        return self.field("link_incoming_force")[:, self.links]
