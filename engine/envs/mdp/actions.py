"""Actions: what the numbers of a policy drive."""

from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

import torch

from ...errors import InputError, whole
from ..delayed_targets import DelayedTargets

if TYPE_CHECKING:
    from ..environment import Environment


def check_actions(actions: Any, shape: tuple[int, int]) -> None:
    """Check the actions of a control step, a tensor (W, A).

    Raises:
        InputError: `actions` has another shape or type, or requires a gradient.
    """
    if not isinstance(actions, torch.Tensor) or tuple(actions.shape) != shape:
        seen = tuple(actions.shape) if isinstance(actions, torch.Tensor) else type(actions).__name__
        raise InputError(f"actions = {seen}: must be a tensor {shape}, a row for each world")
    if actions.requires_grad and torch.is_grad_enabled() and not actions.is_inference():
        raise InputError("actions = a tensor that requires a gradient: must not require one; pass actions.detach()")
    if not actions.is_floating_point():
        raise InputError(f"actions = {actions.dtype}: must be floating point; pass actions.float()")


class ActionTerm(Protocol):
    """A part of an environment's actions."""

    size: int
    """Number of actions, set by `start`."""

    def start(self, env: "Environment") -> None:
        """Find the names in a new environment."""

    def apply(self, env: "Environment", actions: torch.Tensor) -> None:
        """Apply actions, (W, size), for the physics steps of a control step."""

    def reset(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Start anew in worlds (indices)."""


class JointAction:
    """Values of a field of joints: scale · action + offset.

    With a delay, every physics step has the values that were applied so many physics steps before, or the first ones of
    the episode; each world draws its delay at a reset. One launch takes all physics steps of a control step.

    Args:
        joint_names: regular expression of the joints; actions are in PhysX's order of the joints.
        scale: factor of the actions, in units of the field.
        use_default_offset: add the value of the joints in the scene.
        min_delay: least delay [physics steps].
        max_delay: largest delay [physics steps].

    Raises:
        InputError: `max_delay` is below `min_delay`, or `scale` not finite.
    """

    field = "effort"

    def __init__(
        self,
        joint_names: str = ".*",
        scale: float = 1.0,
        use_default_offset: bool = False,
        *,
        min_delay: int = 0,
        max_delay: int = 0,
    ):
        if not isfinite(scale):
            raise InputError(f"scale = {scale}: must be finite")
        self.joint_names, self.scale, self.use_default_offset = joint_names, scale, use_default_offset
        self.min_delay, self.max_delay = whole("min_delay", min_delay), whole("max_delay", max_delay)
        if max_delay < min_delay:
            raise InputError(f"max_delay = {max_delay}: must be from min_delay = {min_delay} on [physics steps]")
        self.size = 0
        self._delayed: DelayedTargets | None = None

    def start(self, env: "Environment") -> None:
        """Find the joints in a new environment."""
        self.columns = env.robot.find_joints(self.joint_names)
        self.size = len(self.columns)
        self.names = [env.robot.joint_names[i] for i in self.columns.tolist()]
        """Names of the joints, in the order of the actions."""
        self.offset = self.default(env) if self.use_default_offset else torch.zeros(self.size, device=env.device)
        """Values at action 0, (size,)."""
        if self.max_delay:
            self._delayed = DelayedTargets(env, self.field, self.columns, self.max_delay)

    def default(self, env: "Environment") -> torch.Tensor:
        """Return the values of the joints in the scene, (size,)."""
        return torch.zeros(self.size, device=env.device)

    def apply(self, env: "Environment", actions: torch.Tensor) -> None:
        """Set the field for the next physics steps."""
        values = actions * self.scale + self.offset
        if self._delayed:
            self._delayed.apply(values)
        else:
            env.robot.write_joints(self.field, values, None, self.columns)

    def reset(self, env: "Environment", worlds: torch.Tensor) -> None:
        """Draw the delays of worlds."""
        if self._delayed:
            drawn = env.random.uniform(self.min_delay, self.max_delay + 1, 1, worlds)[:, 0]
            self._delayed.start(worlds, drawn.floor().clamp(max=self.max_delay))


class JointEffortAction(JointAction):
    """Efforts of joints, scale · action [N·m | N]."""


class JointPositionAction(JointAction):
    """Position targets of joints, scale · action + the position in the scene [rad | m]."""

    field = "target_q"

    def __init__(self, joint_names: str = ".*", scale: float = 1.0, use_default_offset: bool = True, **delays: int):
        super().__init__(joint_names, scale, use_default_offset, **delays)

    def default(self, env: "Environment") -> torch.Tensor:
        """Return the positions of the joints in the scene, (size,)."""
        return env.robot.default_joint_pos[0, self.columns]


class JointVelocityAction(JointAction):
    """Speed targets of joints, scale · action [rad/s | m/s]."""

    field = "target_qd"
