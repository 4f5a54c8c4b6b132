"""Metrics of the contacts of each link that has colliders, computed from `Statistics`."""

from collections.abc import Iterable

import numpy as np

from ...simulation import Simulation
from .joint_metrics import Metric, MetricInputs

LINK_METRICS = {
    "contact_time": Metric("s", "time with a contact point", lambda c: c["CONTACT_STEPS"] * c.h),
    "peak_contact_force": Metric("N", "largest |net contact force|", lambda c: c["PEAK_CONTACT_FORCE"]),
    "slip_distance": Metric("m", "distance slid along what the link touches", lambda c: c["SLIP_DISTANCE"]),
    "penetration": Metric("m", "greatest penetration", lambda c: c["PENETRATION"]),
}
"""Numbers per link."""


def link_columns(sim: Simulation, counted: MetricInputs, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return the selected metrics of every link that may touch something, {"contact_time:/robot/foot": (W,), …}."""
    columns = sim._fields.columns
    chosen = [int(i) for i in np.unique(columns.pair_links) if i >= 0]
    values = {name: LINK_METRICS[name].of(counted) for name in names if name in LINK_METRICS and chosen}
    return {
        f"{name}:{columns.link[i]}": rows[:, columns.links[i]] for name, rows in values.items() for i in chosen
    }  # fmt: skip
