"""Gains that give a joint the natural frequency and damping ratio that are wanted, at the step it is simulated with.

An implicit drive damps what it moves by about ω δ/2 more than its gains say. From one substep δ to the next, of one
joint with its drive, the error e = q − q* and the speed v go

    v' = σ v − κ e/δ,   e' = e + δ v'            determinant σ, trace 1 − κ + σ
    force drive            σ = x,  κ = δ² k r x,          x = 1/(1 + a r)
    acceleration, PGS      σ = x,  κ = δ² k s x,          x = 1/(1 + a s)
    acceleration, TGS      σ = 1 − s a x,  κ = δ² k s x,  x = 1/(1 + a)
    a = δ (δ k + d);  r = 1/inertia;  s = r/(r + cfm), what the softness of the links leaves of an acceleration drive

A step is n of these (TGS), or one with δ = h (PGS). Damping c of the links acts once, before: v ← (1 − h c r) v.
Viscous friction c adds to d (PGS), or comes after each substep, λ = −δ c v, and velocity iterations put −h c v in the
place of the sum of these (TGS). A step moves as the continuous oscillator if its poles are exp((−ζ ± √(ζ² − 1)) ω h).
"""

import cmath
from dataclasses import dataclass, replace
from math import exp, inf, isfinite, pi, sqrt

import numpy as np

from .scene import DriveType, SolverType

BISECTIONS = 60
NEWTON_STEPS = 30
LONGEST = 300.0  # decay of a step that a number can hold


class Untunable(ValueError):
    """A motion that no gains give at the step; the message says what would make it possible, in one line."""


@dataclass(frozen=True)
class Plant:
    """One joint as a step moves it."""

    dt: float  # [s]
    inertia: float  # that it feels [kg·m² | kg]
    type: DriveType = DriveType.FORCE
    solver: SolverType = SolverType.PGS
    iterations: tuple[int, int] = (1, 0)  # position, velocity; the former are substeps under TGS
    drag: float = 0.0  # of its links' own damping [N·m·s/rad | N·s/m]
    viscous: float = 0.0  # friction of the joint [N·m·s/rad | N·s/m]
    softness: float = 1.0  # s, of an acceleration drive

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
        """What a gain is multiplied by to give an acceleration."""
        return 1.0 / self.inertia if self.type == DriveType.FORCE else self.softness

    @property
    def kept(self) -> float:
        """Share of its speed that the links' damping leaves in a step."""
        return 1.0 - self.dt * self.drag / self.inertia

    @property
    def friction(self) -> float:
        """Speed that viscous friction takes per speed and time under TGS [1/s]."""
        return self.viscous / self.inertia if self.tgs else 0.0

    @property
    def brake(self) -> float:
        """What viscous friction adds to the damping of the drive under PGS, in the unit of that damping."""
        return 0.0 if self.tgs else self.viscous / self.inertia / self.gain


@dataclass(frozen=True)
class Gains:
    """Of a drive: [N·m/rad | N/m] and [N·m·s/rad | N·s/m], or [1/s²] and [1/s] of an acceleration drive."""

    stiffness: float
    damping: float


def gains(plant: Plant, natural_frequency: float, damping_ratio: float) -> Gains:
    """The gains with which the joint has that natural frequency [rad/s] and damping ratio in the simulation.

    Raises:
        Untunable: the frequency or ratio is not positive and finite, or the step is too long, so that the drive would
            have to push; the message names the largest step that is possible.
    """
    for name, value, unit in (("frequency", natural_frequency, " rad/s"), ("damping ratio", damping_ratio, "")):
        if not 0.0 < value < inf:
            raise Untunable(f"{name} = {value:g}{unit}: must be positive and finite")
    found = _solve(plant, natural_frequency, damping_ratio)
    if found is None:
        raise Untunable(_why_not(plant, natural_frequency, damping_ratio))
    return found


def continuous_gains(plant: Plant, natural_frequency: float, damping_ratio: float) -> Gains:
    """The gains of the textbook, k = I ω² and d = 2 ζ ω I: those of an infinitely short step without friction."""
    inertia = plant.inertia if plant.type == DriveType.FORCE else 1.0
    return Gains(inertia * natural_frequency**2, 2.0 * damping_ratio * natural_frequency * inertia)


def largest_step(plant: Plant, natural_frequency: float, damping_ratio: float) -> float:
    """The longest step [s] at which gains give that motion: ∞ if any step does, 0 if none."""
    turning = natural_frequency * sqrt(max(1.0 - damping_ratio**2, 0.0))
    highest = 0.5 * pi / turning if turning else LONGEST / (2.0 * natural_frequency * damping_ratio)
    low, high = 0.0, plant.substeps * highest

    def possible(step: float) -> bool:
        return _solve(replace(plant, dt=step), natural_frequency, damping_ratio) is not None

    if possible(0.999 * high):
        return inf
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if possible(middle) else (low, middle)
    return low


def oscillation(plant: Plant, gains: Gains) -> tuple[float, float]:
    """Natural frequency [rad/s] and damping ratio that the joint has in the simulation."""
    sigma, kappa = _coefficients(plant, gains)
    rates = [cmath.log(pole) for pole in np.linalg.eigvals(step_matrix(plant, gains)).astype(complex)]
    turned = plant.substeps * np.angle(np.linalg.eigvals(_substep(sigma, kappa, plant)[:2, :2]).astype(complex)).max()
    turns = 2.0 * pi * round((turned - max(rate.imag for rate in rates)) / (2.0 * pi))
    rates = [(rate + (1.0j if rate.imag > 0.0 else -1.0j) * turns) / plant.dt for rate in rates]
    frequency = sqrt(abs(rates[0] * rates[1]))
    return frequency, -(rates[0] + rates[1]).real / (2.0 * frequency) if frequency else 0.0


def step_matrix(plant: Plant, gains: Gains) -> np.ndarray:
    """A of (e, v) → A (e, v) over a step, (2, 2)."""
    return _step(*_coefficients(plant, gains), plant)


def _step(sigma: float, kappa: float, plant: Plant) -> np.ndarray:
    """A; besides e and v goes what friction took so far."""
    start = np.diag((1.0, plant.kept, 0.0))
    A = np.linalg.matrix_power(_substep(sigma, kappa, plant), plant.substeps) @ start
    if plant.friction:
        taken = plant.dt * plant.friction
        corrected = np.array(((1.0, 0.0, 0.0), (0.0, 1.0 - taken, 1.0), (0.0, taken, 0.0)))
        A = np.linalg.matrix_power(corrected, plant.iterations[1]) @ A
    return A[:2, :2]


def _substep(sigma: float, kappa: float, plant: Plant) -> np.ndarray:
    delta, taken = plant.delta, plant.delta * plant.friction
    driven = np.array((-kappa / delta, sigma, 0.0))
    return np.array(
        (
            np.array((1.0, 0.0, 0.0)) + delta * (1.0 - taken) * driven,
            (1.0 - taken) * driven,
            taken * driven + (0.0, 0.0, 1.0),
        )
    )


def _coefficients(plant: Plant, gains: Gains) -> tuple[float, float]:
    """σ and κ."""
    delta, gain = plant.delta, plant.gain
    a = delta * (delta * gains.stiffness + gains.damping + plant.brake)
    if plant.type == DriveType.ACCELERATION and plant.tgs:
        x = 1.0 / (1.0 + a)
        sigma = 1.0 - gain * a * x
    else:
        sigma = x = 1.0 / (1.0 + a * gain)
    return sigma, delta**2 * gains.stiffness * gain * x


def _solve(plant: Plant, natural_frequency: float, damping_ratio: float) -> Gains | None:
    """Gains that are not negative, or None."""
    decay, turn = damping_ratio * natural_frequency, cmath.sqrt(damping_ratio**2 - 1.0) * natural_frequency
    if plant.kept <= 0.0 or plant.delta * plant.friction >= 1.0 or 2.0 * decay * plant.dt > LONGEST * plant.substeps:
        return None
    rates = np.array((-decay + turn, -decay - turn))
    sigma = (exp(-2.0 * decay * plant.dt) / plant.kept) ** (1.0 / plant.substeps) / (1.0 - plant.delta * plant.friction)
    point = np.array((sigma, np.prod(np.expm1(rates * plant.delta)).real))
    if plant.kept < 1.0 or plant.friction:
        point = _match(point, plant, np.exp(rates * plant.dt))
    found = _invert(plant, *point)
    real = isfinite(found.stiffness) and isfinite(found.damping)
    return found if real and found.stiffness >= 0.0 and found.damping >= 0.0 else None


def _match(point: np.ndarray, plant: Plant, poles: np.ndarray) -> np.ndarray:
    """(σ, κ) near the point given with which the step has these poles, by Newton's method; NaN if there is none."""
    wanted = np.array((np.prod(poles).real, np.sum(poles).real))

    def miss(point: np.ndarray) -> np.ndarray:
        A = _step(*point, plant)
        return np.array((np.linalg.det(A), np.trace(A))) - wanted

    for _ in range(NEWTON_STEPS):
        widths = np.diag(1e-6 * np.abs(point))
        slopes = [(miss(point + width) - miss(point - width)) / (2.0 * width.sum()) for width in widths]
        (a, b), (c, d) = np.stack(slopes, 1)
        if not abs(a * d - b * c) > 0.0:
            break
        change = np.array(((d, -b), (-c, a))) @ miss(point) / (a * d - b * c)
        point = point - change
        if (np.abs(change) <= 1e-13 * np.abs(point)).all():
            return point
    return np.full(2, np.nan)


def _invert(plant: Plant, sigma: float, kappa: float) -> Gains:
    """The gains of σ and κ; not finite where there are none."""
    gain, delta, x = plant.gain, plant.delta, sigma
    a = (1.0 / sigma - 1.0) / gain
    if plant.type == DriveType.ACCELERATION and plant.tgs:
        x = 1.0 - (1.0 - sigma) / gain
        a = 1.0 / x - 1.0 if x > 0.0 else inf
    stiffness = kappa / (gain * delta**2 * x)
    return Gains(stiffness, a / delta - delta * stiffness - plant.brake)


def _why_not(plant: Plant, natural_frequency: float, damping_ratio: float) -> str:
    """Why there are no gains, and what would make some."""
    wish = f"natural frequency {natural_frequency:g} rad/s with damping ratio {damping_ratio:g}"
    step = largest_step(plant, natural_frequency, damping_ratio)
    if step == 0.0:
        passive = (plant.drag + plant.viscous) / (2.0 * natural_frequency * plant.inertia)
        return f"{wish}: friction and damping of the links give {passive:.4g} already; ask for a larger ratio"
    more = ", or more position iterations" if plant.solver == SolverType.TGS else ""
    return (
        f"{wish}: a step of {plant.dt:.6g} s damps more than that by itself; "
        f"the largest possible step is {step:.6g} s (1/{1.0 / step:.4g}); give a smaller one{more}, or a larger ratio"
    )
