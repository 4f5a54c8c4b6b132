"""Gains that give a joint a wanted natural frequency and damping ratio at the simulated step.

An implicit drive adds damping of about ω δ/2 to the damping of its gains. A step moves a joint as the continuous
oscillator does, sampled at the ends of steps, if its two poles are exp((−ζ ± √(ζ² − 1)) ω h). For a joint alone these
poles follow from the gains in closed form (`plant.py`), and the gains from the poles: with x = 1 − (1 − σ) ρ/g,

    σ = exp(−2 ζ ω δ),   κ = (1 − z₁)(1 − z₂)          z₁, z₂ the poles of a substep
    k = κ/(g δ² x),      d = (1 − σ)/(g δ x) − δ k

The drive can only brake: d ≥ 0 bounds the step to about 2 ζ/ω.
"""

import cmath
from dataclasses import replace
from math import exp, inf, isfinite, pi, sqrt

import numpy as np

from ..errors import InputError
from ..scene import DriveType
from .plant import Gains, Plant, step_of

BISECTIONS = 60
NEWTON_STEPS = 30
SHORTEST = 1e-9  # fraction of the longest step, below which round-off dominates
OVER = 30.0  # 2 ζ ω δ, above which a motion ends within one substep


class Untunable(InputError):
    """Raised for a motion that no gains give at the step; the message states in one line what to change."""


def gains(plant: Plant, natural_frequency: float, damping_ratio: float) -> Gains:
    """Return the gains for that natural frequency [rad/s] and damping ratio in the simulation.

    Raises:
        Untunable: the frequency or ratio is not positive and finite, or the step is so long that damping would be
            negative; the message states the largest possible step.
    """
    for name, value, unit in (("frequency", natural_frequency, " rad/s"), ("damping ratio", damping_ratio, "")):
        if not 0.0 < value < inf:
            raise Untunable(f"{name} = {value:g}{unit}: must be positive and finite")
    found = _solve(plant, natural_frequency, damping_ratio)
    if found is None:
        raise Untunable(_why_not(plant, natural_frequency, damping_ratio))
    return found


def continuous_gains(plant: Plant, natural_frequency: float, damping_ratio: float) -> Gains:
    """Return the textbook gains, k = I ω² and d = 2 ζ ω I, exact for an infinitely short step without friction."""
    inertia = plant.inertia if plant.type == DriveType.FORCE else 1.0
    return Gains(inertia * natural_frequency**2, 2.0 * damping_ratio * natural_frequency * inertia)


def largest_step(plant: Plant, natural_frequency: float, damping_ratio: float) -> float:
    """Return the longest step [s] at which gains give that motion: ∞ if every useful step does, 0 if none does."""
    turning = natural_frequency * sqrt(max(1.0 - damping_ratio**2, 0.0))
    highest = OVER / (2.0 * natural_frequency * damping_ratio)
    limit = plant.substeps * min(0.5 * pi / turning if turning else inf, highest)

    def possible(step: float) -> bool:
        return _solve(replace(plant, dt=step), natural_frequency, damping_ratio) is not None

    if possible(0.999 * limit):
        return inf
    low, high = 0.0, limit
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if possible(middle) else (low, middle)
    return low if low > SHORTEST * limit else 0.0


def _solve(plant: Plant, natural_frequency: float, damping_ratio: float) -> Gains | None:
    """Return gains that are not negative, or None."""
    decay, turn = damping_ratio * natural_frequency, cmath.sqrt(damping_ratio**2 - 1.0) * natural_frequency
    if plant.speed_retained <= 0.0 or plant.delta * plant.friction >= 1.0 or 2.0 * decay * plant.delta > OVER:
        return None
    rates = np.array((-decay + turn, -decay - turn))
    sigma = (exp(-2.0 * decay * plant.dt) / plant.speed_retained) ** (1.0 / plant.substeps) / (
        1.0 - plant.delta * plant.friction
    )
    point = np.array((sigma, np.prod(np.expm1(rates * plant.delta)).real))
    if plant.speed_retained < 1.0 or plant.friction:
        point = _match(point, plant, np.exp(rates * plant.dt))
    found = _invert(plant, *point)
    real = isfinite(found.stiffness) and isfinite(found.damping)
    return found if real and found.stiffness >= 0.0 and found.damping >= 0.0 else None


def _match(point: np.ndarray, plant: Plant, poles: np.ndarray) -> np.ndarray:
    """Return (σ, κ) near the given point that give the step these poles, by Newton's method; NaN if none is found."""
    wanted = np.array((np.prod(poles).real, np.sum(poles).real))

    def miss(point: np.ndarray) -> np.ndarray:
        stiffness, damping = point
        A = step_of(stiffness, damping, plant)
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
    """Return the gains of σ and κ; not finite if there are none."""
    taken = (1.0 - sigma) / plant.gain
    x = 1.0 - taken * plant.assumed_response if plant.assumed_response != plant.gain else sigma
    if not x > 0.0:
        return Gains(inf, inf)
    stiffness = kappa / (plant.gain * plant.delta**2 * x)
    return Gains(float(stiffness), float(taken / x / plant.delta - plant.delta * stiffness - plant.added_damping))


def _why_not(plant: Plant, natural_frequency: float, damping_ratio: float) -> str:
    """Return why there are no gains, and how to change the request."""
    wish = f"natural frequency {natural_frequency:g} rad/s with damping ratio {damping_ratio:g}"
    if 2.0 * natural_frequency * damping_ratio * plant.delta > OVER:
        return f"{wish}: must outlast one step of {plant.dt:.6g} s; reduce the step, frequency or ratio"
    step = largest_step(plant, natural_frequency, damping_ratio)
    if step == 0.0:
        passive = (plant.drag + plant.viscous) / (2.0 * natural_frequency * plant.inertia)
        return f"{wish}: must exceed the ratio {passive:.4g} of friction and link damping alone; increase the ratio"
    more = ", use more position iterations" if plant.tgs else ""
    return (
        f"{wish}: a step of {plant.dt:.6g} s alone damps more; must be at most {step:.6g} s (1/{1.0 / step:.4g}); "
        f"reduce the step{more}, or increase the ratio"
    )
