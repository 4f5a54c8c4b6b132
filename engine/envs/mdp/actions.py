"""Actions: what the numbers of a policy drive."""

from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from ..environment import Environment


class ActionTerm(Protocol):
    """A part of an environment's actions."""

    size: int
    """Number of actions, set by `start`."""

    def start(self, env: "Environment") -> None:
        """Find the names in a new environment."""

    def apply(self, env: "Environment", actions: torch.Tensor) -> None:
        """Apply actions, (W, size), for the physics steps of a control step."""


class JointAction:
    """Values of a field of joints: scale · action + offset.

    Args:
        joint_names: regular expression of the joints; actions are in PhysX's order of the joints.
        scale: factor of the actions, in units of the field.
        use_default_offset: add the value of the joints in the scene.
    """

    field = "effort"

    def __init__(self, joint_names: str = ".*", scale: float = 1.0, use_default_offset: bool = False):
        self.joint_names, self.scale, self.use_default_offset = joint_names, scale, use_default_offset
        self.size = 0

    def start(self, env: "Environment") -> None:
        """Find the joints in a new environment."""
        self.columns = env.robot.find_joints(self.joint_names)
        self.size = len(self.columns)
        self.names = [env.robot.joint_names[i] for i in self.columns.tolist()]
        """Names of the joints, in the order of the actions."""
        self.offset = self.default(env) if self.use_default_offset else torch.zeros(self.size, device=env.device)
        """Values at action 0, (size,)."""

    def default(self, env: "Environment") -> torch.Tensor:
        """Return the values of the joints in the scene, (size,)."""
        return torch.zeros(self.size, device=env.device)

    def apply(self, env: "Environment", actions: torch.Tensor) -> None:
        """Set the field for the next physics steps."""
        env.robot.write_joints(self.field, actions * self.scale + self.offset, None, self.columns)


class JointEffortAction(JointAction):
    """Efforts of joints, scale · action [N·m | N]."""


class JointPositionAction(JointAction):
    """Position targets of joints, scale · action + the position in the scene [rad | m]."""

    field = "target_q"

    def __init__(self, joint_names: str = ".*", scale: float = 1.0, use_default_offset: bool = True):
        super().__init__(joint_names, scale, use_default_offset)

    def default(self, env: "Environment") -> torch.Tensor:
        """Return the positions of the joints in the scene, (size,)."""
        return env.robot.default_joint_pos[0, self.columns]


class JointVelocityAction(JointAction):
    """Speed targets of joints, scale · action [rad/s | m/s]."""

    field = "target_qd"
