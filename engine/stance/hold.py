"""Drives that hold a robot in the pose of its carriage, and the iterations with which the solver delivers them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from ..scene.articulation import MOST_ITERATIONS
from .carry import Carriage
from .delivery import MARGIN, Gains, delivered_stiffness, free_gains, planted_gains

GROWTH = 1.25
"""Ratio of the numbers of iterations that are tried."""


@dataclass(frozen=True, eq=False)
class Hold:
    """Gains of the joints of a robot on a ground."""

    carriage: Carriage
    gains: Mapping[str, Gains]  # by degree of freedom
    iterations: int  # position iterations of the robot
    free: Mapping[str, float]  # inertia of each degree of freedom while all others are free [kg·m² | kg]
    step: float  # of the simulation [s]

    @property
    def on_feet(self) -> bool:
        """Return whether feet carry the robot, and no wheel."""
        supports = self.carriage.supports
        return bool(supports) and not any(support.wheel for support in supports)

    def role(self, name: str) -> str:
        """Return the role of a degree of freedom: leg | wheel | ""."""
        return self.carriage.holdings[name].role

    def law(self, name: str) -> tuple[float, float, float]:
        """Return stiffness, damping and effort at q = 0 of a degree of freedom; a wheel has no stiffness.

        The delivered effort at the pose is the one that holds it.
        """
        gains = self.gains[name]
        if self.role(name) == "wheel":
            return 0.0, gains.damping, 0.0
        return gains.stiffness, gains.damping, gains.stiffness * self._target(name, gains.delivered)

    def effort(self, name: str, stiffness: float, damping: float) -> float:
        """Return the effort at q = 0 with which an actuator of other gains holds the pose."""
        delivered = stiffness
        if self.role(name) == "leg":
            delivered = delivered_stiffness(stiffness, damping, self.free[name], self.step / self.iterations)
        return stiffness * self._target(name, delivered)

    def _target(self, name: str, delivered: float) -> float:
        """Return the target whose distance from the pose gives the effort that holds it, within limits [rad | m]."""
        tree = self.carriage.tree
        dof = tree.names.index(name)
        lead = self.carriage.holdings[name].effort / delivered if delivered else 0.0
        return float(np.clip(self.carriage.q[dof] + lead, tree.axes[dof].lower, tree.axes[dof].upper))


def missing_stiffness(held: Hold, gains: Mapping[str, tuple[float, float]]) -> float:
    """Return by which factor stiffnesses of legs would have to grow to hold the pose; at most 1 if they hold it.

    Args:
        held: the robot.
        gains: stiffness and damping of the drives by degree of freedom; those left out have none.
    """
    carried = held.carriage
    if carried.stability is None:
        return 0.0
    stiffness = np.zeros(len(carried.tree.names))
    for i, name in enumerate(carried.tree.names):
        if name in gains and held.role(name) == "leg":
            substep = held.step / held.iterations
            stiffness[i] = delivered_stiffness(*gains[name], held.free[name], substep)
    return carried.stability.least_frequency(stiffness) ** 2


def hold(carried: Carriage, free: Mapping[str, float], motion: tuple[float, float], step: float) -> Hold:
    """Return the drives that hold a robot.

    Args:
        carried: the robot, its pose and what its joints carry.
        free: inertia of each degree of freedom while all others are free [kg·m² | kg].
        motion: natural frequency [rad/s] and damping ratio.
        step: of the simulation [s].
    """
    iterations = carried.tree.robot.position_iterations
    while True:
        found = {name: _gains(carried, name, free[name], motion, step / iterations) for name in carried.holdings}
        if _stands(carried, found) or iterations == MOST_ITERATIONS:
            return Hold(carried, found, iterations, free, step)
        iterations = min(MOST_ITERATIONS, int(GROWTH * iterations) + 1)


def _gains(carried: Carriage, name: str, free: float, motion: tuple[float, float], substep: float) -> Gains:
    """Return the gains of a degree of freedom."""
    holding = carried.holdings[name]
    if holding.role == "leg" and holding.least < inf and free < inf:
        return planted_gains((holding.inertia, free), motion, holding.least, substep)
    return free_gains(holding.inertia, motion, holding.least)


def _stands(carried: Carriage, gains: Mapping[str, Gains]) -> bool:
    """Return whether the delivered stiffnesses hold the pose with a margin, or none can."""
    least = max((holding.least for holding in carried.holdings.values()), default=0.0)
    if carried.stability is None or least == inf:
        return True
    legs = np.array([carried.holdings[name].role == "leg" for name in carried.tree.names])
    stiffness = legs * [gains[name].delivered for name in carried.tree.names]
    return carried.stability.least_frequency(stiffness) < (1.0 + 1e-6) / MARGIN
