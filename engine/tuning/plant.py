"""One joint with its drive, alone, as a step of the simulation moves it.

From one substep δ to the next the error e = q − q* and the speed v go

    v' = σ v − κ e/δ,   e' = e + δ v'       determinant σ, trace 1 − κ + σ
    σ = 1 − g a x,   κ = δ² g k x,          a = δ (δ k + d),  x = 1/(1 + a ρ)

g is the speed that the joint gains per unit of the drive's impulse, ρ what the drive takes for it: under PGS, which
iterates until it is right, ρ = g; under TGS, of a force drive, ρ = (M⁻¹)_kk, and of an acceleration drive ρ = 1.

A step is n of these (TGS), or one with δ = h (PGS). Damping c of the links acts once, before: v ← (1 − h c r) v.
Viscous friction c adds to d (PGS), or comes after each substep, λ = −δ c v, and velocity iterations put −h c v in the
place of the sum of these (TGS).
"""

import cmath
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from ..scene import DriveType, SolverType


@dataclass(frozen=True)
class Plant:
    """One joint as a step moves it."""

    dt: float  # [s]
    inertia: float  # that it moves [kg·m² | kg]
    type: DriveType = DriveType.FORCE
    solver: SolverType = SolverType.PGS
    iterations: tuple[int, int] = (1, 0)  # position, velocity; the former are substeps under TGS
    free_inertia: float = 0.0  # 1/(M⁻¹)_kk, that it would move if all others were free; 0: the same
    softness: float = 1.0  # r/(r + cfm), which an acceleration drive loses
    drag: float = 0.0  # of its links' own damping [N·m·s/rad | N·s/m]
    viscous: float = 0.0  # friction of the joint [N·m·s/rad | N·s/m]

    @property
    def tgs(self) -> bool:
        """Whether the drive acts in substeps."""
        return self.solver == SolverType.TGS

    @property
    def substeps(self) -> int:
        """How often the drive acts in a step."""
        return self.iterations[0] if self.tgs else 1

    @property
    def delta(self) -> float:
        """Length of a substep [s]."""
        return self.dt / self.substeps

    @property
    def gain(self) -> float:
        """g."""
        if self.type == DriveType.FORCE:
            return 1.0 / self.inertia
        return self.softness * (self.free_inertia or self.inertia) / self.inertia

    @property
    def assumed_response(self) -> float:
        """ρ."""
        if not self.tgs:
            return self.gain
        return 1.0 / (self.free_inertia or self.inertia) if self.type == DriveType.FORCE else 1.0

    @property
    def speed_retained(self) -> float:
        """Share of its speed that the links' damping leaves in a step."""
        return 1.0 - self.dt * self.drag / self.inertia

    @property
    def friction(self) -> float:
        """Speed that viscous friction takes per speed and time under TGS [1/s]."""
        return self.viscous / self.inertia if self.tgs else 0.0

    @property
    def added_damping(self) -> float:
        """What viscous friction adds to the damping of the drive under PGS, in the unit of that damping."""
        return 0.0 if self.tgs else self.viscous / self.inertia / self.gain


@dataclass(frozen=True)
class Gains:
    """Of a drive: [N·m/rad | N/m] and [N·m·s/rad | N·s/m], or [1/s²] and [1/s] of an acceleration drive."""

    stiffness: float
    damping: float


def oscillation(plant: Plant, gains: Gains) -> tuple[float, float]:
    """Natural frequency [rad/s] and damping ratio that the joint has in the simulation."""
    sigma, kappa = coefficients(plant, gains)
    rates = [cmath.log(pole) for pole in np.linalg.eigvals(step_matrix(plant, gains)).astype(complex)]
    turned = plant.substeps * np.angle(np.linalg.eigvals(_substep(sigma, kappa, plant)[:2, :2]).astype(complex)).max()
    turns = 2.0 * pi * round((turned - max(rate.imag for rate in rates)) / (2.0 * pi))
    rates = [(rate + (1.0j if rate.imag > 0.0 else -1.0j) * turns) / plant.dt for rate in rates]
    frequency = sqrt(abs(rates[0] * rates[1]))
    return frequency, -(rates[0] + rates[1]).real / (2.0 * frequency) if frequency else 0.0


def stiffest(plant: Plant, gains: Gains) -> float:
    """Effort of the drive per error of a joint at rest [N·m/rad | N/m]: the most it gives while the error shrinks."""
    return coefficients(plant, gains)[1] * plant.inertia / plant.delta**2


def step_matrix(plant: Plant, gains: Gains) -> np.ndarray:
    """A of (e, v) → A (e, v) over a step, (2, 2)."""
    return step_of(*coefficients(plant, gains), plant)


def step_of(sigma: float, kappa: float, plant: Plant) -> np.ndarray:
    """A of a substep's σ and κ, (2, 2); besides e and v goes what friction took so far."""
    start = np.diag((1.0, plant.speed_retained, 0.0))
    A = np.linalg.matrix_power(_substep(sigma, kappa, plant), plant.substeps) @ start
    if plant.friction:
        taken = plant.dt * plant.friction
        corrected = np.array(((1.0, 0.0, 0.0), (0.0, 1.0 - taken, 1.0), (0.0, taken, 0.0)))
        A = np.linalg.matrix_power(corrected, plant.iterations[1]) @ A
    return A[:2, :2]


def _substep(sigma: float, kappa: float, plant: Plant) -> np.ndarray:
    """(e, v, friction) → the same after a substep, (3, 3)."""
    delta, taken = plant.delta, plant.delta * plant.friction
    driven = np.array((-kappa / delta, sigma, 0.0))
    speed = (1.0 - taken) * driven
    return np.array(((1.0, 0.0, 0.0) + delta * speed, speed, taken * driven + (0.0, 0.0, 1.0)))


def coefficients(plant: Plant, gains: Gains) -> tuple[float, float]:
    """σ and κ."""
    delta = plant.delta
    a = delta * (delta * gains.stiffness + gains.damping + plant.added_damping)
    x = 1.0 / (1.0 + a * plant.assumed_response)
    return 1.0 - plant.gain * a * x, delta**2 * plant.gain * gains.stiffness * x
