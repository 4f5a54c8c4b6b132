"""The state of a robot in Isaac Lab's words."""

import numpy as np
import torch

from ..simulation.simulation import Simulation
from .host_rows import on_host
from .rotations import rotate_inverse


class RobotState:
    """Base class of `Robot`: its quantities, each read when first used after a step; D joints, L bodies.

    Quaternions are (x, y, z, w). Velocities of bodies are those of their centres of mass, as in PhysX.
    """

    sim: Simulation
    dofs: torch.Tensor
    links: torch.Tensor
    _dofs_on_host: np.ndarray
    _row: int
    _own: np.ndarray
    _all: np.ndarray
    _hinged: bool

    def view(self, name: str, columns: np.ndarray, key: str = "", worlds: "np.ndarray | None" = None) -> torch.Tensor:
        """Return columns of a quantity of `Readout`, (W, numbers)."""
        raise NotImplementedError

    def field(self, name: str) -> torch.Tensor:
        """Return a field of the simulation, all columns."""
        raise NotImplementedError

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

    def root_vel_w_of(self, worlds: torch.Tensor) -> np.ndarray:
        """Return `root_vel_w` of worlds (indices) on the host, (worlds, 6), without reading what changed in others."""
        chosen = on_host(worlds)
        if self._hinged:
            return on_host(self.root_vel_w)[chosen]
        return on_host(self.view("root_velocity", self._own, worlds=chosen))[chosen]

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
        return (self._finite > 0.0).all(1)

    @property
    def all_finite(self) -> bool:
        """Return whether positions and velocities are finite in all worlds."""
        return float(self._finite.sum()) == self._finite.numel()  # below 2²⁴, else the mask is looked at

    @property
    def _finite(self) -> torch.Tensor:
        """1 or 0 of each articulation, (W, A)."""
        return self.view("finite", self._all)

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
