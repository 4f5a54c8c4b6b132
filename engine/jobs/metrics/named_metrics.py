"""Metrics of each world at its end: numbers per degree of freedom, and per link with colliders, from `Statistics`.

A metric that a joint cannot have is NaN: a response without a drive or without a change of target, a settling time
if the error is still too large at the end, an envelope metric without an envelope.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ...selection import short_names
from ...simulation import Simulation
from ...simulation.statistics import Statistics
from ...tables.layout import INFINITE
from .. import InvalidJob


@dataclass(frozen=True)
class MetricInputs:
    """Statistics of a simulation, with the parameters that metrics compare them to."""

    statistics: Statistics
    h: float  # step [s]
    driven: np.ndarray  # (W, D) whether the dof has an active drive
    enveloped: np.ndarray  # (W, D) whether the dof has a performance envelope

    @classmethod
    def of(cls, sim: Simulation, statistics: Statistics) -> "MetricInputs":
        """Return the inputs for a simulation's statistics."""
        edges = [sim.read("max_actuator_velocity") < INFINITE]
        edges += [sim.read(name) > 0.0 for name in ("velocity_dependent_resistance", "speed_effort_gradient")]
        driven = (sim.read("stiffness") > 0.0) & (sim.read("max_force") > 0.0)
        return cls(statistics, sim.dt, driven, np.any(edges, 0))

    def __getitem__(self, name: str) -> np.ndarray:
        """Return one statistic, in float64."""
        return self.statistics[name].astype(np.float64)

    @property
    def steps(self) -> np.ndarray:
        """Number of steps of each world, (W, 1)."""
        return self.statistics.ended[:, None].astype(np.float64)

    def mean(self, name: str) -> np.ndarray:
        """Return the mean over the steps of a summed statistic."""
        return self[name] / np.maximum(self.steps, 1.0)

    def response(self, values: np.ndarray) -> np.ndarray:
        """Return the values where a drive has a changed target, NaN elsewhere."""
        return np.where(self.driven & (self["RISE"] != 0.0), values, np.nan)

    def settling_time(self) -> np.ndarray:
        """Return the time from the start of the response until the error stays small."""
        last = self["LAST_UNSETTLED_STEP"]
        return self.response(np.where(last < self.steps, (last + 1.0 - self["RESPONSE_START"]) * self.h, np.nan))

    def overshoot(self) -> np.ndarray:
        """Return the overshoot as a fraction of the rise."""
        rise = np.abs(self["RISE"])
        return self.response(self["OVERSHOOT"] / np.where(rise > 0.0, rise, 1.0))


@dataclass(frozen=True)
class Metric:
    """A number per degree of freedom or link: its unit (rotation | translation) and its meaning."""

    unit: str
    meaning: str
    of: Callable[[MetricInputs], np.ndarray]


METRICS = {
    "settling_time": Metric(
        "s", "from a change of target until the error stays within 2 %", MetricInputs.settling_time
    ),
    "overshoot": Metric("1", "largest excess beyond the target, as a fraction of the change", MetricInputs.overshoot),
    "rms_error": Metric(
        "rad | m",
        "root mean square of target_q - q",
        lambda c: np.where(c.driven, np.sqrt(c.mean("SQUARED_ERROR")), np.nan),
    ),
    "peak_effort": Metric("N·m | N", "largest |effort| of drive and user", lambda c: c["PEAK_EFFORT"]),
    "mean_effort": Metric("N·m | N", "mean |effort|", lambda c: c.mean("ABSOLUTE_EFFORT")),
    "rms_effort": Metric("N·m | N", "root mean square effort", lambda c: np.sqrt(c.mean("SQUARED_EFFORT"))),
    "peak_speed": Metric("rad/s | m/s", "largest |joint speed|", lambda c: c["PEAK_SPEED"]),
    "work": Metric("J", "work of drive and user", lambda c: c["WORK"]),
    "energy": Metric("J", "sum of |work of a step| of drive and user", lambda c: c["ABSOLUTE_WORK"]),
    "time_at_lower": Metric("s", "time with the lower limit acting", lambda c: c["AT_LOWER"] * c.h),
    "time_at_upper": Metric("s", "time with the upper limit acting", lambda c: c["AT_UPPER"] * c.h),
    "time_saturated": Metric("s", "time with |effort| within 0.1 % of max_force", lambda c: c["SATURATED"] * c.h),
    "time_on_envelope": Metric(
        "s",
        "time within 0.1 % of the envelope's edge",
        lambda c: np.where(c.enveloped, c["ON_ENVELOPE"] * c.h, np.nan),
    ),
}


LINK_METRICS = {
    "contact_time": Metric("s", "time with a contact point", lambda c: c["CONTACT_STEPS"] * c.h),
    "peak_contact_force": Metric("N", "largest |net contact force|", lambda c: c["PEAK_CONTACT_FORCE"]),
    "slip_distance": Metric("m", "distance slid along what the link touches", lambda c: c["SLIP_DISTANCE"]),
    "penetration": Metric("m", "greatest penetration", lambda c: c["PENETRATION"]),
}
"""Numbers per link."""
NAMED: dict[str, Metric] = {**METRICS, **LINK_METRICS}
"""All metrics by name."""


def link_columns(sim: Simulation, counted: MetricInputs, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return the selected metrics of every link that may touch something, {"foot:contact_time": (W,), …}."""
    columns = sim._fields.columns
    chosen = [int(i) for i in np.unique(columns.collider_links) if i >= 0]
    values = {name: LINK_METRICS[name].of(counted) for name in names if name in LINK_METRICS and chosen}
    links = short_names(columns.link)
    return {f"{links[i]}:{name}": rows[:, columns.links[i]] for name, rows in values.items() for i in chosen}


def choose_metrics(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the metrics and the functions "module:function" among texts; "all" selects all metrics, "none" none.

    Raises:
        InvalidJob: unknown metric.
    """
    names, functions = [], []
    for text in texts:
        if ":" in text:
            functions.append(text)
        elif text == "all":
            names += NAMED
        elif text in NAMED:
            names.append(text)
        elif text != "none":
            raise InvalidJob(
                f"--metrics {text}: must be all, none, {', '.join(NAMED)}, or your function as module:function"
            )
    return tuple(dict.fromkeys(names)), tuple(dict.fromkeys(functions))
