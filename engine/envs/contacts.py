"""Groups of colliders: net contact forces, and times in contact and in the air."""

from typing import TYPE_CHECKING

import torch

from ..errors import InputError

if TYPE_CHECKING:
    from .robot import Robot


class ContactGroup:
    """Contacts of G colliders in the last control step, in Isaac Lab's words; `env.contacts(colliders)` returns it.

    A collider is in contact while its net force is above 1 N. Times are those of every physics step, and a force that
    acts between two control steps is seen.

    Args:
        robot: robot of the simulation.
        dt: time of a control step [s].
        colliders: regular expression of a collider's path, or of its last name.

    Raises:
        InputError: no collider that may touch another one matches.
    """

    def __init__(self, robot: "Robot", dt: float, colliders: str):
        self._robot, self._dt, self._key = robot, dt + 0.5 * robot.sim.dt, f" of {colliders}"
        try:
            self.columns = robot.readout.colliders(colliders)
            """Columns of the colliders in the read-out, (G,)."""
        except (KeyError, ValueError) as error:
            raise InputError(str(error.args[0])) from None
        self.colliders = tuple(robot.readout.collider[i] for i in self.columns)
        """Paths of the colliders, (G,)."""
        self.bodies = torch.tensor([self._link(path) for path in self.colliders], device=robot.device)
        """Columns of the colliders' bodies, -1 for those of other articulations, (G,)."""

    def _link(self, collider: str) -> int:
        paths = self._robot.body_paths
        above = [i for i, path in enumerate(paths) if f"{collider}/".startswith(f"{path}/")]
        return max(above, key=lambda i: len(paths[i]), default=-1)

    def _view(self, name: str) -> torch.Tensor:
        return self._robot.view(name, self.columns, self._key)

    @property
    def net_forces_w(self) -> torch.Tensor:
        """Net forces on the colliders in the last physics step, world axes [N], (W, G, 3)."""
        return self._view("net_force").unflatten(1, (len(self.colliders), 3))

    @property
    def peak_force(self) -> torch.Tensor:
        """Largest |net force| over the physics steps of the control step [N], (W, G)."""
        return self._view("peak_force")

    @property
    def current_air_time(self) -> torch.Tensor:
        """Time since the colliders lost contact [s], 0 in contact, (W, G)."""
        return self._view("current_air_time")

    @property
    def last_air_time(self) -> torch.Tensor:
        """Time that the colliders were in the air before they last came in contact [s], (W, G)."""
        return self._view("last_air_time")

    @property
    def current_contact_time(self) -> torch.Tensor:
        """Time since the colliders came in contact [s], 0 in the air, (W, G)."""
        return self._view("current_contact_time")

    @property
    def last_contact_time(self) -> torch.Tensor:
        """Time that the colliders were in contact before they last lost it [s], (W, G)."""
        return self._view("last_contact_time")

    @property
    def first_contact(self) -> torch.Tensor:
        """Mask of the colliders that came in contact within the control step and still are, (W, G) of bool."""
        time = self.current_contact_time
        return (time > 0.0) & (time < self._dt)
