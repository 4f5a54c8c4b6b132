"""Groups of colliders: net contact forces, and times in the air."""

import re
from typing import TYPE_CHECKING

import torch

from ..errors import InputError

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation
    from .robot import Robot

THRESHOLD = 1.0
"""Force above which a collider touches [N], Isaac Lab's."""


class ContactGroup:
    """Contacts of G colliders at the end of the last control step; `env.contacts(colliders)` returns it.

    Args:
        sim: simulation.
        robot: robot of the simulation.
        dt: time of a control step [s].
        colliders: regular expression of a collider's path, or of its last name.

    Raises:
        InputError: no collider matches, or none that matches is in a pair.
    """

    def __init__(self, sim: "Simulation", robot: "Robot", dt: float, colliders: str):
        self._robot, self._dt, self._forces, device = robot, dt, None, robot.device
        try:
            fits = re.compile(colliders).fullmatch
        except re.error as error:
            raise InputError(f"colliders = {colliders!r}: must be a regular expression; {error}") from None
        self.colliders = tuple(path for path in sim.collider if fits(path) or fits(path.rpartition("/")[2]))
        """Paths of the colliders, (G,)."""
        pairs = [pair.split("|") for pair in sim.pair]
        sides = [[(i, s) for i, pair in enumerate(pairs) for s in (0, 1) if pair[s] == c] for c in self.colliders]
        if not any(sides):
            names = ", ".join(dict.fromkeys(path for pair in pairs for path in pair))
            raise InputError(
                f"colliders = {colliders!r}: must match a collider that may touch another: {names or 'none'}"
            )
        most = max(map(len, sides))
        padded = [side + [(0, -1)] * (most - len(side)) for side in sides]
        self._pairs = torch.tensor([[pair for pair, _ in side] for side in padded], device=device)
        signs = {0: 1.0, 1: -1.0, -1: 0.0}
        self._signs = torch.tensor([[signs[s] for _, s in side] for side in padded], device=device)
        self.air_time = torch.zeros(sim.worlds, len(self.colliders), device=device)
        """Time since the colliders last touched [s], 0 if they do, (W, G)."""
        self.last_air_time = torch.zeros_like(self.air_time)
        """Time in the air of the colliders that have touched since the step before [s], else 0, (W, G)."""
        links = [self._link(path) for path in self.colliders]
        self.bodies = torch.tensor(links, device=device)
        """Columns of the colliders' bodies, -1 for those of the world, (G,)."""

    def _link(self, collider: str) -> int:
        paths = self._robot.body_paths
        above = [i for i, path in enumerate(paths) if f"{collider}/".startswith(f"{path}/")]
        return max(above, key=lambda i: len(paths[i]), default=-1)

    @property
    def forces(self) -> torch.Tensor:
        """Net forces on the colliders in the last physics step, world axes [N], (W, G, 3)."""
        if self._forces is None:
            pairs = self._robot.field("pair_force")
            total = pairs[:, self._pairs[:, 0]] * self._signs[:, 0, None]
            for k in range(1, self._pairs.shape[1]):
                total = total + pairs[:, self._pairs[:, k]] * self._signs[:, k, None]
            self._forces = total
        return self._forces

    @property
    def touching(self) -> torch.Tensor:
        """Mask of the net forces above 1 N, (W, G) of bool."""
        return self.forces.square().sum(-1) > THRESHOLD**2

    def update(self) -> None:
        """Read the forces of a control step that has ended."""
        self._forces = None
        touching = self.touching
        self.last_air_time = torch.where(touching, self.air_time, 0.0)
        self.air_time = torch.where(touching, 0.0, self.air_time + self._dt)

    def reset(self, worlds: torch.Tensor) -> None:
        """Set forces and times of worlds to 0."""
        self.air_time[worlds] = 0.0
        self.last_air_time[worlds] = 0.0
        if self._forces is not None:
            self._forces[worlds] = 0.0
