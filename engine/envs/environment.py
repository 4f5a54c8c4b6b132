"""Interface of an environment that terms use."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch

    from ..simulation.simulation import Simulation
    from .contacts import ContactGroup
    from .philox import WorldRandom
    from .robot import Robot


class Environment(Protocol):
    """The part of an `Env` that terms read and write; W worlds."""

    sim: "Simulation"
    robot: "Robot"
    random: "WorldRandom"
    device: "torch.device"
    worlds: int
    dt: float
    """Time of a control step [s]."""
    episode_length: "torch.Tensor"
    """Control steps of the episodes so far, (W,)."""
    max_episode_length: int
    """Control steps at which an episode is truncated."""
    num_actions: int
    actions: "torch.Tensor"
    """Actions of the last control step, (W, num_actions)."""
    last_actions: "torch.Tensor"
    """Actions of the control step before, (W, num_actions)."""
    autoreset: str

    @property
    def terminated(self) -> "torch.Tensor":
        """Mask of the worlds in which a termination holds, (W,) of bool."""
        ...

    def due(self, seconds: float) -> "torch.Tensor":
        """Return the indices of the worlds whose episodes have lasted a multiple of a time."""
        ...

    def command(self, name: str) -> "torch.Tensor":
        """Return the command of a name, (W, K)."""
        ...

    def contacts(self, colliders: str) -> "ContactGroup":
        """Return the contacts of colliders by regular expression."""
        ...
