"""Random parameters from a fit: normal with the fit's values and covariance, so that what trades off stays together.

Inertias are drawn in log-Cholesky coordinates, so that every draw is the inertia of a body. Centres of mass stay where
the fit found them, and the others are drawn for these centres.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...log_cholesky import SHAPE, inertia_of, shape_of
from ...scene import FitRecord, FittedParameter, Link, Scene
from ...selection import short_names
from .. import InvalidJob
from .distributions import Distribution
from .parameter_ref import COMPONENTS, NamedColumns

WORD = "fit"
"""The text of --random that asks for a posterior."""

FIELDS = {
    "viscous": "viscous_friction",
    "coulomb": "dynamic_friction",
    **{name: name for name in ("stiffness", "damping", "armature", "max_force", "max_actuator_velocity")},
    **{name: name for name in ("velocity_dependent_resistance", "speed_effort_gradient")},
}
STANDARD = Distribution("normal", (0.0, 1.0))
CENTRE = "com_"  # quantities of centres of mass, which a simulation does not set


@dataclass(frozen=True)
class Posterior:
    """Distribution of the parameters of a fit that a simulation has; delays and biases are not among them.

    Raises:
        InvalidJob: the scene has no fit, or the fit has no such parameter.
    """

    record: FitRecord
    names: NamedColumns
    links: Mapping[str, Link]  # of the scene, by path

    def __post_init__(self):
        if not self.settings:
            raise InvalidJob("--random fit: must have fitted values that a simulation has; fit some others")

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the settings that get values."""
        return tuple(text for p in self.record.parameters for text in self._settings(p))

    def columns(self, seed: int, worlds: np.ndarray) -> dict[str, np.ndarray]:
        """Return {setting: one value per world}; a value never leaves its physical bounds."""
        drawn = self._draws(seed, worlds)
        found: dict[str, np.ndarray] = {}
        for p, column in zip(self.record.parameters, drawn.T, strict=True):
            found |= self._columns(p, column, drawn)
        return found

    def _draws(self, seed: int, worlds: np.ndarray) -> np.ndarray:
        """Return values of all parameters, (W, P), for the centres of mass of the fit."""
        parameters = self.record.parameters
        normal = np.stack([STANDARD.draw(seed, f"{WORD} {p.name}", worlds) for p in parameters], axis=1)
        covariance = np.array(self.record.covariance).reshape(len(parameters), -1)
        values, vectors = np.linalg.eigh(covariance)
        apart = normal @ (vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)
        held = np.flatnonzero([p.quantity.startswith(CENTRE) for p in parameters])
        if len(held):
            known = np.linalg.pinv(covariance[np.ix_(held, held)], hermitian=True)
            apart = apart - apart[:, held] @ known @ covariance[held]
        return np.array([p.value for p in parameters]) + apart

    def _settings(self, p: FittedParameter) -> list[str]:
        """Return the settings of one parameter."""
        if p.owner in self.names.link:
            return self._of_link(p, short_names(self.names.link)[self.names.link.index(p.owner)])
        if p.owner not in self.names.dof:
            return []
        name = short_names(self.names.dof)[self.names.dof.index(p.owner)]
        if p.quantity == "coulomb":
            return [f"{name}:dynamic_friction", f"{name}:static_friction"]
        return [f"{name}:{FIELDS[p.quantity]}"] if p.quantity in FIELDS else []

    def _of_link(self, p: FittedParameter, name: str) -> list[str]:
        """Return the settings of a parameter of a link; the first of its log-Cholesky coordinates sets its inertia."""
        shapes = self._shapes(p.owner)
        if p.quantity == "payload":
            return [f"{name}:mass+"] if shapes else [f"{name}:mass+", f"{name}:inertia*"]
        if p.quantity == "mass":
            return [f"{name}:mass"]
        return [f"{name}:inertia.{part}" for part in COMPONENTS[6]] if shapes[:1] == [p] else []

    def _shapes(self, link: str) -> list[FittedParameter]:
        """Return the fitted log-Cholesky coordinates of a link."""
        return [p for p in self.record.parameters if p.owner == link and p.quantity in SHAPE]

    def _inertia(self, link: str, drawn: np.ndarray) -> np.ndarray:
        """Return the inertias of a link about its centre of mass, (W, 6); a payload at the centre adds none."""
        payload, fitted = self.record.of(link, "payload"), self.record.of(link, "mass")
        now, place = self.links[link], self.record.parameters.index
        mass = now.mass - (payload.value if payload else 0.0)
        shape = np.tile(shape_of(np.array(now.inertia), mass), (len(drawn), 1))
        for p in self._shapes(link):
            shape[:, SHAPE.index(p.quantity)] = drawn[:, place(p)]
        masses = np.full(len(drawn), mass) if fitted is None else _mass(fitted, drawn[:, place(fitted)])
        return inertia_of(shape, masses)

    def _columns(self, p: FittedParameter, column: np.ndarray, drawn: np.ndarray) -> dict[str, np.ndarray]:
        """Return the values of the settings of one parameter."""
        texts = self._settings(p)
        if p.quantity == "payload":
            more = np.maximum(column, 0.0) - p.value  # the scene's mass has the fitted payload
            total = p.base + p.value
            return dict(zip(texts, (more, total / (total + more)), strict=False))
        if p.quantity == "mass":
            return {texts[0]: _mass(p, column)}
        if p.quantity in SHAPE:
            return dict(zip(texts, self._inertia(p.owner, drawn).T if texts else (), strict=True))
        values = np.maximum(column, 0.0)
        if p.quantity == "coulomb":
            other = self.record.of(p.owner, "static_ratio")
            ratio = 1.0 if other is None else np.maximum(drawn[:, self.record.parameters.index(other)], 1.0)
            return dict(zip(texts, (values, values * ratio), strict=True))
        return dict.fromkeys(texts, values)


def _mass(p: FittedParameter, column: np.ndarray) -> np.ndarray:
    """Return masses above 0, (W,)."""
    return np.maximum(column, 1e-3 * p.value)


def posterior_of(scene: Scene, names: NamedColumns) -> Posterior:
    """Return the posterior of a scene's fit.

    Raises:
        InvalidJob: the scene has no fit.
    """
    if scene.fit is None:
        raise InvalidJob(f"--random {WORD}: must have a scene that fajin fit wrote; {scene.source} has no fit")
    return Posterior(scene.fit, names, {link.path: link for robot in scene.articulations for link in robot.links})
