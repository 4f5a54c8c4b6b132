"""Parameters of pairs of colliders, from their materials, offsets and bodies."""

from collections.abc import Callable

import numpy as np

from ..scene import CombineMode
from .collider_facts import ColliderFacts

FEW = 256
"""Most pairs of an island whose parameters are kept for islands with equal numbers, as copies of a robot have."""


def pair_values(facts: ColliderFacts, one: np.ndarray, two: np.ndarray) -> dict[str, np.ndarray]:
    """Return the parameters of the pairs of colliders `one` and `two`: arrays that are shared, to read only."""
    if len(one) > FEW:
        return _pair_values(facts, one, two)
    numbers = facts.pair_numbers
    key = numbers[one].tobytes(), numbers[two].tobytes()
    if key not in facts.values_of_pairs:
        facts.values_of_pairs[key] = _pair_values(facts, one, two)
    return facts.values_of_pairs[key]


def _pair_values(facts: ColliderFacts, one: np.ndarray, two: np.ndarray) -> dict[str, np.ndarray]:
    def both(name: str) -> tuple[np.ndarray, np.ndarray]:
        values = facts.values(name)
        return values[one], values[two]

    rule, bounce = (np.maximum(*both(name)) for name in ("friction_combine", "restitution_combine"))
    dynamic = combine(rule, *both("dynamic_friction"))
    stiffness, damping = springs(both, bounce)
    depenetration = facts.max_depenetration
    return {
        "REST_DISTANCE": np.add(*both("rest_offset")),
        "CONTACT_STATIC_FRICTION": np.maximum(combine(rule, *both("static_friction")), dynamic),
        "CONTACT_DYNAMIC_FRICTION": dynamic,
        "CONTACT_RESTITUTION": combine(bounce, *both("restitution")),
        "CONTACT_SLOP": np.maximum(facts.slop[one], facts.slop[two]),
        "CONTACT_STIFFNESS": stiffness,
        "CONTACT_DAMPING": damping,
        "CONTACT_ACCELERATION": np.maximum(*both("acceleration_spring")),
        "TORSIONAL_RADIUS": np.maximum(*both("torsional_patch_radius")),
        "MIN_TORSIONAL_RADIUS": np.maximum(*both("min_torsional_patch_radius")),
        "CONTACT_MAX_IMPULSE": np.minimum(facts.max_impulse[one], facts.max_impulse[two]),
        "MAX_DEPENETRATION": np.minimum(depenetration[one], depenetration[two]),
    }


def combine(rule: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the values of pairs of materials."""
    modes = {
        CombineMode.AVERAGE: (a + b) / 2.0,
        CombineMode.MIN: np.minimum(a, b),
        CombineMode.MULTIPLY: a * b,
        CombineMode.MAX: np.maximum(a, b),
    }
    return np.select([rule == mode for mode in modes], list(modes.values()))


def springs(both: Callable[[str], tuple[np.ndarray, np.ndarray]], bounce: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness and damping of compliant contacts: combined, or those of the only compliant material."""
    (k0, k1), (d0, d1) = both("stiffness"), both("damping")
    two, first = (k0 > 0.0) & (k1 > 0.0), k0 > 0.0
    rule = np.maximum(*both("damping_combine"))
    stiffness = np.where(two, combine(bounce, k0, k1), np.where(first, k0, k1))
    return stiffness, np.where(two, combine(rule, d0, d1), np.where(first, d0, d1))
