"""One joint alone with its drive, as a simulation step moves it.

From one substep δ to the next the error e = q − q* and the speed v become

    v' = σ v − κ e/δ,   e' = e + δ v'       determinant σ, trace 1 − κ + σ
    σ = 1 − g a x,   κ = δ² g k x,          a = δ (δ k + d),  x = 1/(1 + a ρ)

g is the speed that the joint gains per unit of the drive's impulse, ρ the value that the drive assumes for g. Under
PGS, which iterates to convergence, ρ = g. Under TGS ρ = (M⁻¹)_kk for a force drive and ρ = 1 for an acceleration drive.
A step has n of these substeps (TGS), or one with δ = h (PGS). Damping c of the links acts once before them:
v ← (1 − h c r) v. Viscous friction c adds to d (PGS), or follows each substep, λ = −δ c v; velocity iterations then
replace the sum of these impulses by −h c v (TGS).
"""

import cmath
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from ..scene import DriveType, SolverType


@dataclass(frozen=True)
class Plant:
    """Parameters of one joint as a step moves it."""

    dt: float  # [s]
    inertia: float  # inertia that the joint moves [kg·m² | kg]
    type: DriveType = DriveType.FORCE
    solver: SolverType = SolverType.PGS
    iterations: tuple[int, int] = (1, 0)  # position, velocity; the former are substeps under TGS
    free_inertia: float = 0.0  # 1/(M⁻¹)_kk, the inertia with all other joints free; 0: as inertia
    softness: float = 1.0  # r/(r + cfm), the factor by which an acceleration drive is weaker
    drag: float = 0.0  # damping of the links [N·m·s/rad | N·s/m]
    viscous: float = 0.0  # friction of the joint [N·m·s/rad | N·s/m]

    @property
    def tgs(self) -> bool:
        """Return whether the drive acts in substeps (TGS)."""
        return self.solver == SolverType.TGS

    @property
    def substeps(self) -> int:
        """Number of drive actions per step."""
        return self.iterations[0] if self.tgs else 1

    @property
    def delta(self) -> float:
        """Length of a substep [s]."""
        return self.dt / self.substeps

    @property
    def gain(self) -> float:
        """Speed per unit of drive impulse, g."""
        if self.type == DriveType.FORCE:
            return 1.0 / self.inertia
        return self.softness * (self.free_inertia or self.inertia) / self.inertia

    @property
    def assumed_response(self) -> float:
        """Value that the drive assumes for g, ρ."""
        if not self.tgs:
            return self.gain
        return 1.0 / (self.free_inertia or self.inertia) if self.type == DriveType.FORCE else 1.0

    @property
    def speed_retained(self) -> float:
        """Fraction of the speed left by the links' damping after a step."""
        return 1.0 - self.dt * self.drag / self.inertia

    @property
    def friction(self) -> float:
        """Relative loss of speed by viscous friction per time under TGS [1/s]."""
        return self.viscous / self.inertia if self.tgs else 0.0

    @property
    def added_damping(self) -> float:
        """Damping that viscous friction adds to the drive under PGS, in the drive's unit of damping."""
        return 0.0 if self.tgs else self.viscous / self.inertia / self.gain


@dataclass(frozen=True)
class Gains:
    """Gains of a drive: [N·m/rad | N/m] and [N·m·s/rad | N·s/m], or [1/s²] and [1/s] for an acceleration drive."""

    stiffness: float
    damping: float


def oscillation(plant: Plant, gains: Gains) -> tuple[float, float]:
    """Return natural frequency [rad/s] and damping ratio of the joint in the simulation."""
    sigma, kappa = coefficients(plant, gains)
    rates = [cmath.log(pole) for pole in np.linalg.eigvals(step_matrix(plant, gains)).astype(complex)]
    turned = plant.substeps * np.angle(np.linalg.eigvals(_substep(sigma, kappa, plant)[:2, :2]).astype(complex)).max()
    turns = 2.0 * pi * round((turned - max(rate.imag for rate in rates)) / (2.0 * pi))
    rates = [(rate + (1.0j if rate.imag > 0.0 else -1.0j) * turns) / plant.dt for rate in rates]
    frequency = sqrt(abs(rates[0] * rates[1]))
    return frequency, -(rates[0] + rates[1]).real / (2.0 * frequency) if frequency else 0.0


def stiffest(plant: Plant, gains: Gains) -> float:
    """Return the drive effort per error of a joint at rest [N·m/rad | N/m], the maximum while the error shrinks."""
    return coefficients(plant, gains)[1] * plant.inertia / plant.delta**2


def step_matrix(plant: Plant, gains: Gains) -> np.ndarray:
    """Return A of (e, v) → A (e, v) over a step, (2, 2)."""
    return step_of(*coefficients(plant, gains), plant)


def step_of(sigma: float, kappa: float, plant: Plant) -> np.ndarray:
    """Return A from a substep's σ and κ, (2, 2); the third internal state is the speed lost to friction."""
    start = np.diag((1.0, plant.speed_retained, 0.0))
    A = np.linalg.matrix_power(_substep(sigma, kappa, plant), plant.substeps) @ start
    if plant.friction:
        taken = plant.dt * plant.friction
        corrected = np.array(((1.0, 0.0, 0.0), (0.0, 1.0 - taken, 1.0), (0.0, taken, 0.0)))
        A = np.linalg.matrix_power(corrected, plant.iterations[1]) @ A
    return A[:2, :2]


def _substep(sigma: float, kappa: float, plant: Plant) -> np.ndarray:
    """Return the matrix of (e, v, friction) over a substep, (3, 3)."""
    delta, taken = plant.delta, plant.delta * plant.friction
    driven = np.array((-kappa / delta, sigma, 0.0))
    speed = (1.0 - taken) * driven
    return np.array(((1.0, 0.0, 0.0) + delta * speed, speed, taken * driven + (0.0, 0.0, 1.0)))


def coefficients(plant: Plant, gains: Gains) -> tuple[float, float]:
    """Return σ and κ."""
    delta = plant.delta
    a = delta * (delta * gains.stiffness + gains.damping + plant.added_damping)
    x = 1.0 / (1.0 + a * plant.assumed_response)
    return 1.0 - plant.gain * a * x, delta**2 * plant.gain * gains.stiffness * x
