"""Flags for bounds that a degree of freedom is at, computed from the last step of every world, (W, D).

    saturated    |τ| ≥ max_force, within the round-off of n iterations that sum τ: 8 n ε (max_force + |effort|)
    at_limit     the limit acted in the last step, or q is at the limit or beyond
    on_envelope  |τ| ≥ max_force − k_v |q̇|  or  |q̇| ≥ v_max − k_τ |τ|, within the speed change of the step, |q̈| h

τ is the effort of drive and user together, `applied_effort`.
"""

import numpy as np

from ..tables.layout import INFINITE
from ..tables.topology import NODE, TABLES
from .field import FieldValues


def saturated(fields: FieldValues) -> np.ndarray:
    """Return the sign of the effort of drive and user if it was max_force through the whole step, else 0."""
    bound, given = np.minimum(fields.read("max_force"), INFINITE), fields.read("applied_effort")
    counts = fields.state.model.tables["ISLANDS"][:, TABLES["ISLANDS"]["POSITION_ITERATIONS"]]
    room = 8 * counts.max() * np.finfo(given.dtype).eps * (bound + np.abs(fields.read("effort")))
    return np.sign(given) * ((bound > 0.0) & (bound < INFINITE) & (np.abs(given) >= bound - room))


def at_limit(fields: FieldValues) -> np.ndarray:
    """Return -1 at the lower limit, 1 at the upper; where both meet, the limit that acted last, else the lower."""
    q, push = fields.read("q"), fields.read("limit_effort")
    lower, upper = fields.read("lower"), fields.read("upper")
    limited = np.isfinite(lower) & np.isfinite(upper)
    touched = np.where(q <= lower, -1.0, np.where(q >= upper, 1.0, 0.0))
    return np.where(push != 0.0, -np.sign(push), touched) * limited


def on_envelope(fields: FieldValues) -> np.ndarray:
    """Return 1 where effort and speed are at or beyond an edge of the envelope; 0 elsewhere and without an envelope."""
    state, nodes = fields.state, fields.state.model.nodes
    names = ("MAX_ACTUATOR_VELOCITY", "VELOCITY_DEPENDENT_RESISTANCE", "SPEED_EFFORT_GRADIENT")
    fastest, resistance, gradient = (state.parameters[name] for name in names)
    bound = np.minimum(fields.read("max_force"), INFINITE)
    effort, speed, slack = (
        np.abs(fields.read("applied_effort")),
        np.abs(fields.read("qd")),
        np.abs(fields.read("qdd")) * fields.clock.dt,
    )
    rounding = 8 * np.finfo(effort.dtype).eps
    weak = effort >= bound * (1.0 - rounding) - resistance * (speed + slack)
    fast = speed + slack >= fastest * (1.0 - rounding) - gradient * effort
    has = np.zeros(len(fields.columns.dof), bool)
    has[nodes[nodes[:, NODE["ENVELOPE"]] > 0, NODE["DOF"]]] = True
    return (has & (bound > 0.0) & (weak | fast)).astype(effort.dtype)
