"""The robot of an environment: its names, and what is read of its state."""

from typing import TYPE_CHECKING

import numpy as np
import torch

from ..errors import InputError
from ..quaternion import multiply
from ..selection import match_columns, short_names
from ..simulation.readout import Readout
from .robot_writes import RobotWrites

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


class Robot(RobotWrites):
    """The acting articulation in W worlds: D joints and L bodies in PhysX's order, breadth first.

    Args:
        sim: simulation of a scene in which one articulation has joints.
        device: device of the tensors.

    Raises:
        InputError: none or several articulations have joints.
    """

    def __init__(self, sim: "Simulation", device: torch.device):
        super().__init__(sim)
        self.device = device
        self._fresh: set[str] = set()  # fields whose buffers have the present state
        acting = [(i, path) for i, path in enumerate(sim.articulation) if len(sim.indexing[path].dof)]
        if len(acting) != 1:
            names = ", ".join(path for _, path in acting) or "none"
            raise InputError(f"{sim.scene.source}, articulations with joints = {names}: must be one")
        self._row, self.path = acting[0]
        self._own, self._all = np.array([self._row]), np.arange(len(sim.articulation))
        order = sim.indexing[self.path]
        self.dofs = torch.from_numpy(order.dofs).to(device)
        """Columns of the joints in the fields of the simulation, (D,)."""
        self._dofs_on_host = order.dofs
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
        self._rows: dict[tuple[str, str], slice] = {}  # in the read-out, by name and key of a quantity
        self._views: dict[tuple[str, str], torch.Tensor] = {}
        self._stale, self._values = True, torch.zeros(0, 0)
        self._shared = False  # whether the values are the memory of the read-out
        self._changed: set[int] = set()  # worlds to read again, where not all are
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
            self._changed.clear()
        elif not self._stale:
            self._changed.update(worlds.tolist())

    def view(self, name: str, columns: np.ndarray, key: str = "", worlds: "np.ndarray | None" = None) -> torch.Tensor:
        """Return columns of a quantity of `Readout`, (W, numbers), in memory that the next change overwrites.

        Args:
            name: name of the quantity.
            columns: columns of the quantity.
            key: name of these columns, if there are several choices.
            worlds: worlds whose rows shall be those of the present state; None for all.
        """
        found = self._views.get((name, key))
        if found is None:
            self._rows[name, key] = self.readout.add(name, columns)
            self._stale, self._shared = True, False
        if self._stale or (self._changed and (worlds is None or not self._changed.isdisjoint(worlds.tolist()))):
            self._update()
        return self._views[name, key] if found is None else found

    def _update(self) -> None:
        """Read the worlds again that have changed."""
        if self._stale:
            self._changed.clear()
            self.readout.update()
            self._take_over()
            self._stale = False
            return
        worlds = np.array(sorted(self._changed))
        self._changed.clear()
        self.readout.update(worlds)
        self._take_over(worlds)

    def _new_memory(self, count: int) -> torch.Tensor:
        """Return memory of so many numbers on the device, in single precision as the simulation."""
        return torch.zeros(count, device=self.device)

    def _take_over(self, worlds: "np.ndarray | None" = None) -> None:
        """Take over the values of the read-out in worlds (None: all), a row for each world.

        Torch sums numbers that lie side by side in one order, whatever the number of worlds. So they lie in the
        read-out on a CPU, whose memory the values then are.
        """
        if self._shared:
            return
        values = torch.as_tensor(self.readout.values).T
        if self._values.shape != values.shape:
            self._shared = values.is_contiguous()
            self._values = values if self._shared else torch.zeros(*values.shape, device=self.device)
            self._views = {key: self._values[:, rows] for key, rows in self._rows.items()}
        if worlds is None:
            self._values.copy_(values)
        else:
            self._values[worlds] = values[worlds]

    def field(self, name: str) -> torch.Tensor:
        """Return a field of the simulation, all columns, in memory that the next reading overwrites."""
        if name not in self._buffers:
            values = torch.from_numpy(self.sim.read(name))
            self._buffers[name] = values.to(self.device)
        elif name not in self._fresh:
            self.sim.read(name, out=self._buffers[name])
        self._fresh.add(name)
        return self._buffers[name]
