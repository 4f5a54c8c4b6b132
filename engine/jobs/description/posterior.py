"""Random parameters from a fit: normal with the fit's values and covariance, so that what trades off stays together."""

from dataclasses import dataclass

import numpy as np

from ...scene import FitRecord, FittedParameter, Scene
from ...selection import short_names
from .. import InvalidJob
from .distributions import Distribution
from .parameter_ref import NamedColumns

WORD = "fit"
"""The text of --random that asks for a posterior."""

FIELDS = {
    "viscous": "viscous_friction",
    "coulomb": "dynamic_friction",
    **{name: name for name in ("stiffness", "damping", "armature", "max_force", "max_actuator_velocity")},
    **{name: name for name in ("velocity_dependent_resistance", "speed_effort_gradient")},
}
STANDARD = Distribution("normal", (0.0, 1.0))


@dataclass(frozen=True)
class Posterior:
    """Distribution of the parameters of a fit that a simulation has; delays and biases are not among them.

    Raises:
        InvalidJob: the scene has no fit, or the fit has no such parameter.
    """

    record: FitRecord
    names: NamedColumns

    def __post_init__(self):
        if not self.settings:
            raise InvalidJob("--random fit: must have fitted values that a simulation has; fit some others")

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the settings that get values."""
        return tuple(text for p in self.record.parameters for text in self._settings(p))

    def columns(self, seed: int, worlds: np.ndarray) -> dict[str, np.ndarray]:
        """Return {setting: one value per world}; a value never leaves its physical bounds."""
        parameters = self.record.parameters
        normal = np.stack([STANDARD.draw(seed, f"{WORD} {p.name}", worlds) for p in parameters], axis=1)
        values, vectors = np.linalg.eigh(np.array(self.record.covariance).reshape(len(parameters), -1))
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        drawn = np.array([p.value for p in parameters]) + normal @ root
        found: dict[str, np.ndarray] = {}
        for p, column in zip(parameters, drawn.T, strict=True):
            found |= self._columns(p, column, drawn)
        return found

    def _settings(self, p: FittedParameter) -> list[str]:
        """Return the settings of one parameter."""
        if p.quantity in ("mass", "payload"):
            name = short_names(self.names.link)[self.names.link.index(p.owner)]
            return [f"{name}:mass"] if p.quantity == "mass" else [f"{name}:mass+", f"{name}:inertia*"]
        if p.owner not in self.names.dof:
            return []
        name = short_names(self.names.dof)[self.names.dof.index(p.owner)]
        if p.quantity == "coulomb":
            return [f"{name}:dynamic_friction", f"{name}:static_friction"]
        return [f"{name}:{FIELDS[p.quantity]}"] if p.quantity in FIELDS else []

    def _columns(self, p: FittedParameter, column: np.ndarray, drawn: np.ndarray) -> dict[str, np.ndarray]:
        """Return the values of the settings of one parameter."""
        texts = self._settings(p)
        if p.quantity == "payload":
            more = np.maximum(column, 0.0) - p.value  # the scene's mass has the fitted payload
            total = p.base + p.value
            return {texts[0]: more, texts[1]: total / (total + more)}
        if p.quantity == "mass":
            return {texts[0]: np.maximum(column, 1e-3 * p.value)}
        values = np.maximum(column, 0.0)
        if p.quantity == "coulomb":
            other = self.record.of(p.owner, "static_ratio")
            ratio = 1.0 if other is None else np.maximum(drawn[:, self.record.parameters.index(other)], 1.0)
            return dict(zip(texts, (values, values * ratio), strict=True))
        return dict.fromkeys(texts, values)


def posterior_of(scene: Scene, names: NamedColumns) -> Posterior:
    """Return the posterior of a scene's fit.

    Raises:
        InvalidJob: the scene has no fit.
    """
    if scene.fit is None:
        raise InvalidJob(f"--random {WORD}: must have a scene that fajin fit wrote; {scene.source} has no fit")
    return Posterior(scene.fit, names)
