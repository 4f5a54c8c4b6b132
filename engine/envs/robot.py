"""The robot's state after the last control step, in Isaac Lab's words; each quantity is read when first used."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from ..errors import InputError
from ..selection import match_columns, short_names
from ..simulation.snapshot import Part
from .measured import measured
from .rotations import rotate_inverse

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


_STATE = Part.POSITIONS | Part.VELOCITIES | Part.ROOT
"""Parts of the state that events of a reset write."""


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
        self.values: dict[str, torch.Tensor] = {}
        """Quantities that were computed since the state changed, by name."""
        self._fresh: set[str] = set()  # fields whose buffers have the present state
        self._staged: Staged | None = None
        acting = [(i, path) for i, path in enumerate(sim.articulation) if len(sim.indexing[path].dof)]
        if len(acting) != 1:
            names = ", ".join(path for _, path in acting) or "none"
            raise InputError(f"{sim.scene.source}, articulations with joints = {names}: must be one")
        self._row, self.path = acting[0]
        order = sim.indexing[self.path]
        self._dofs = torch.from_numpy(order.dofs).to(device)
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
        self.default_joint_pos = self.joint_pos.clone()
        """Joint positions of the scene [rad | m], (W, D)."""
        self.default_joint_vel = self.joint_vel.clone()
        """Joint speeds of the scene [rad/s | m/s], (W, D)."""
        self.default_root_pose = self.root_pose_w.clone()
        """Root pose of the scene, (W, 7)."""
        self.default_root_vel = self.root_vel_w.clone()
        """Root velocity of the scene, (W, 6)."""
        self.default_mass = torch.from_numpy(sim.read("mass")[0]).to(device)[self.links]
        """Masses of the bodies in the scene [kg], (L,)."""
        self._down = torch.tensor([0.0, 0.0, -1.0], device=device).expand(sim.worlds, 3)

    def find_joints(self, names: str = ".*") -> torch.Tensor:
        """Return the columns of joints: a name or a regular expression.

        Raises:
            KeyError: no joint matches; the message lists the joints.
        """
        return self._find(names, self._dof_names, "dof")

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

    def change(self) -> None:
        """Forget what was read; the state has changed."""
        self.values.clear()
        self._fresh.clear()

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

        What is written to the simulation itself stays only where it is not a state. What was read of the other worlds
        stays, so that a reset of few worlds does not read all of them again.
        """
        chosen = worlds.cpu().numpy()
        self.sim.reset(chosen)
        self._staged = staged = Staged(worlds, {})
        try:
            yield
        finally:
            self._staged = None
        if staged.values:
            self.sim.reset(chosen, _STATE, staged.values)
        self._keep(worlds, self._starts | staged.values)

    def _keep(self, worlds: torch.Tensor, known: dict[str, np.ndarray]) -> None:
        """Keep what was read of other worlds after states of some worlds were set to known rows."""
        self.values.clear()
        for name in [*self._fresh]:
            if name in known:
                self._buffers[name][worlds] = torch.from_numpy(known[name]).to(self.device)
            elif name == "pair_force":
                self._buffers[name][worlds] = 0.0
            else:
                self._fresh.discard(name)

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
                self.change()
            return
        key = f"write {name}"
        if key not in self._buffers:
            self._buffers[key] = torch.from_numpy(self.sim.read(name)).to(self.device)
        self._buffers[key][:, self._dofs[columns]] = values
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
        if name == "root_velocity" and "link_velocity" not in self._fresh:  # nothing else that was read depends on it
            self.values.clear()
            self._buffers[name][worlds] = torch.from_numpy(rows).to(self.device)
        else:
            self.change()

    @measured
    def joint_pos(self) -> torch.Tensor:
        """Joint positions [rad | m], (W, D)."""
        return self.field("q")[:, self._dofs]

    @measured
    def joint_vel(self) -> torch.Tensor:
        """Joint speeds [rad/s | m/s], (W, D)."""
        return self.field("qd")[:, self._dofs]

    @measured
    def joint_acc(self) -> torch.Tensor:
        """Joint accelerations of the last physics step [rad/s² | m/s²], (W, D)."""
        return self.field("qdd")[:, self._dofs]

    @measured
    def applied_torque(self) -> torch.Tensor:
        """Efforts of the drives and of the user in the last physics step [N·m | N], (W, D)."""
        return self.field("applied_effort")[:, self._dofs]

    @measured
    def joint_pos_limits(self) -> torch.Tensor:
        """Lower and upper limits of the joints [rad | m], (W, D, 2)."""
        return torch.stack([self.field("lower")[:, self._dofs], self.field("upper")[:, self._dofs]], -1)

    @measured
    def root_pose_w(self) -> torch.Tensor:
        """Position [m] and quaternion of the root, world axes, (W, 7)."""
        return self.field("root_pose")[:, self._row]

    @measured
    def root_vel_w(self) -> torch.Tensor:
        """Linear and angular velocity of the root [m/s, rad/s], world axes, (W, 6)."""
        return self.field("root_velocity")[:, self._row]

    @measured
    def root_lin_vel_b(self) -> torch.Tensor:
        """Linear velocity of the root [m/s], axes of the root, (W, 3)."""
        return rotate_inverse(self.root_pose_w[:, 3:], self.root_vel_w[:, :3])

    @measured
    def root_ang_vel_b(self) -> torch.Tensor:
        """Angular velocity of the root [rad/s], axes of the root, (W, 3)."""
        return rotate_inverse(self.root_pose_w[:, 3:], self.root_vel_w[:, 3:])

    @measured
    def projected_gravity_b(self) -> torch.Tensor:
        """Direction of gravity, axes of the root, (W, 3)."""
        return rotate_inverse(self.root_pose_w[:, 3:], self._down)

    @measured
    def body_pose_w(self) -> torch.Tensor:
        """Positions [m] and quaternions of the bodies, world axes, (W, L, 7)."""
        return self.field("link_pose")[:, self.links]

    @measured
    def body_vel_w(self) -> torch.Tensor:
        """Linear and angular velocities of the bodies [m/s, rad/s], world axes, (W, L, 6)."""
        return self.field("link_velocity")[:, self.links]

    @measured
    def body_incoming_wrench_b(self) -> torch.Tensor:
        """Force and torque of the parents on the bodies in the last physics step [N, N·m], joint axes, (W, L, 6)."""
        return self.field("link_incoming_force")[:, self.links]
