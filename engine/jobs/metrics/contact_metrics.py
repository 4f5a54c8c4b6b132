"""Metrics of the contacts of each link that has colliders, computed from `Statistics`."""

from collections.abc import Iterable

import numpy as np

from ...selection import short_names
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
    """Return the selected metrics of every link that may touch something, {"foot:contact_time": (W,), …}."""
    columns = sim._fields.columns
    chosen = [int(i) for i in np.unique(columns.pair_links) if i >= 0]
    values = {name: LINK_METRICS[name].of(counted) for name in names if name in LINK_METRICS and chosen}
    links = short_names(columns.link)
    return {f"{links[i]}:{name}": rows[:, columns.links[i]] for name, rows in values.items() for i in chosen}
