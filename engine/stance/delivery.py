"""Gains of which the solver delivers a stiffness while a foot stands.

A substep δ of TGS solves the drive of a joint once, and the contacts of the foot undo the rate that the drive gives to
the foot, whose inertia I₀ about the joint is small. With the stretch e and the rate v of the joint before that, the
drive acts with

    τ = (k e − (d + δ k) v) / s,   s = 1 + δ (d + δ k) / I₀

Stiffness κ and damping β act on the robot if k = s κ and d = s β, so that

    s = 1 / (1 − β δ/I₀ − κ δ²/I₀)

which needs β δ + κ δ² < I₀. Heavier damping softens a foot: k/s tends to k I₀/(δ d).
"""

from dataclasses import dataclass
from math import inf, sqrt

BUDGET = 0.8  # of β δ/I₀ + κ δ²/I₀, at most: s is at most 5
STIFF = 0.5  # part of the budget that the stiffness takes, at most
MARGIN = 2.0  # frequency of joints that hold a robot relative to the least one: four times the stiffness


@dataclass(frozen=True)
class Gains:
    """Gains of a joint of a leg."""

    stiffness: float  # of its drive [N·m/rad | N/m]
    damping: float
    delivered: float  # stiffness κ with which the drive holds the robot


def free_gains(inertia: float, motion: tuple[float, float], least: float) -> Gains:
    """Return the gains of a joint that no contact disturbs, at a frequency of at least MARGIN least [rad/s]."""
    frequency, ratio = motion
    if least < inf:
        frequency = max(frequency, MARGIN * least)
    stiffness = inertia * frequency**2
    return Gains(stiffness, 2.0 * ratio * frequency * inertia, stiffness)


def planted_gains(inertia: tuple[float, float], motion: tuple[float, float], least: float, substep: float) -> Gains:
    """Return the gains of a joint between the base and a foot that stands.

    The joint swings at the frequency if a substep delivers its stiffness and damping, else at the highest one that it
    delivers, but not below MARGIN least. There the damping is as much as a substep delivers.

    Args:
        inertia: that the joint moves while the foot stands, and in the air, I₀ [kg·m² | kg].
        motion: natural frequency [rad/s] and damping ratio.
        least: frequency below which the robot falls [rad/s].
        substep: δ [s].
    """
    (moved, free), (frequency, ratio) = inertia, motion
    room = BUDGET * free
    highest = (sqrt(ratio**2 + room / moved) - ratio) / substep
    frequency = max(MARGIN * least, min(frequency, highest))
    stiffness = min(moved * frequency**2, STIFF * room / substep**2)
    damping = min(2.0 * ratio * moved * frequency, room / substep - stiffness * substep)
    scale = 1.0 / (1.0 - (damping + stiffness * substep) * substep / free)
    return Gains(scale * stiffness, scale * damping, stiffness)


def delivered_stiffness(stiffness: float, damping: float, free: float, substep: float) -> float:
    """Return k/s, the stiffness with which a drive of these gains holds a foot of inertia I₀ = `free`."""
    return stiffness / (1.0 + substep * (damping + substep * stiffness) / free)
