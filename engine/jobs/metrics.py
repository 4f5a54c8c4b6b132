"""What is said of each world at its end: numbers of every degree of freedom, from what was counted (`statistics`).

A metric that a joint cannot have is NaN: a response without a drive or without a change of target, a settling time
where the error is still too large at the end, the edge of an envelope without one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..simulation.statistics import Statistics
from ..tables.layout import INFINITE
from . import InvalidJob


@dataclass(frozen=True)
class MetricInputs:
    """What was counted, with what its numbers are to be held against."""

    statistics: Statistics
    h: float  # step [s]
    driven: np.ndarray  # (W, D) whether a drive pulls towards a target
    enveloped: np.ndarray  # (W, D) whether it has a performance envelope

    @classmethod
    def of(cls, sim, statistics: Statistics) -> "MetricInputs":
        """What a simulation's statistics counted."""
        edges = [sim.read("max_actuator_velocity") < INFINITE]
        edges += [sim.read(name) > 0.0 for name in ("velocity_dependent_resistance", "speed_effort_gradient")]
        driven = (sim.read("stiffness") > 0.0) & (sim.read("max_force") > 0.0)
        return cls(statistics, sim.dt, driven, np.any(edges, 0))

    def __getitem__(self, name: str) -> np.ndarray:
        """A number of the statistics, in float64."""
        return self.statistics[name].astype(np.float64)

    @property
    def steps(self) -> np.ndarray:
        """Steps of each world, (W, 1)."""
        return self.statistics.ended[:, None].astype(np.float64)

    def mean(self, name: str) -> np.ndarray:
        """Mean over the steps of a number that was summed."""
        return self[name] / np.maximum(self.steps, 1.0)

    def response(self, values: np.ndarray) -> np.ndarray:
        """The values where a drive was given a target elsewhere, NaN otherwise."""
        return np.where(self.driven & (self["RISE"] != 0.0), values, np.nan)

    def settling_time(self) -> np.ndarray:
        """From the response's beginning to the first step after which its error stays small."""
        last = self["LAST_UNSETTLED_STEP"]
        return self.response(np.where(last < self.steps, (last + 1.0 - self["RESPONSE_START"]) * self.h, np.nan))

    def overshoot(self) -> np.ndarray:
        """Share of the rise."""
        rise = np.abs(self["RISE"])
        return self.response(self["OVERSHOOT"] / np.where(rise > 0.0, rise, 1.0))


@dataclass(frozen=True)
class Metric:
    """A number of every degree of freedom: its unit of a rotation | a translation, and what it is."""

    unit: str
    meaning: str
    of: Callable[[MetricInputs], np.ndarray]


METRICS = {
    "settling_time": Metric(
        "s", "from a change of target until the error stays within 2 %", MetricInputs.settling_time
    ),
    "overshoot": Metric("1", "farthest beyond the target, as a share of the change", MetricInputs.overshoot),
    "rms_error": Metric(
        "rad | m",
        "root of the mean square of target_q - q",
        lambda c: np.where(c.driven, np.sqrt(c.mean("SQUARED_ERROR")), np.nan),
    ),
    "peak_effort": Metric("N·m | N", "largest |effort| of drive and user", lambda c: c["PEAK_EFFORT"]),
    "mean_effort": Metric("N·m | N", "mean |effort|", lambda c: c.mean("ABSOLUTE_EFFORT")),
    "rms_effort": Metric("N·m | N", "root of its mean square", lambda c: np.sqrt(c.mean("SQUARED_EFFORT"))),
    "peak_speed": Metric("rad/s | m/s", "largest |joint speed|", lambda c: c["PEAK_SPEED"]),
    "work": Metric("J", "work of drive and user", lambda c: c["WORK"]),
    "energy": Metric("J", "the same without what comes back: sum of |work of a step|", lambda c: c["ABSOLUTE_WORK"]),
    "time_at_lower": Metric("s", "time held by the lower limit", lambda c: c["AT_LOWER"] * c.h),
    "time_at_upper": Metric("s", "time held by the upper limit", lambda c: c["AT_UPPER"] * c.h),
    "time_saturated": Metric("s", "time with |effort| within 0.1 % of max_force", lambda c: c["SATURATED"] * c.h),
    "time_on_envelope": Metric(
        "s",
        "time within 0.1 % of the envelope's edge",
        lambda c: np.where(c.enveloped, c["ON_ENVELOPE"] * c.h, np.nan),
    ),
}


def chosen(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The metrics and the functions "module:function" among texts; "all" is all metrics, "none" is none.

    Raises:
        InvalidJob: there is no such metric.
    """
    names, functions = [], []
    for text in texts:
        if ":" in text:
            functions.append(text)
        elif text == "all":
            names += METRICS
        elif text in METRICS:
            names.append(text)
        elif text != "none":
            raise InvalidJob(
                f"--metrics {text}: must be all, none, {', '.join(METRICS)}, or a function of yours as module:function"
            )
    return tuple(dict.fromkeys(names)), tuple(dict.fromkeys(functions))
