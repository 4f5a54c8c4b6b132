"""A sensor of the contacts of links, in Isaac Lab's words: net forces, and times in contact and in the air."""

import reprlib

import numpy as np

from ..html import count
from ..selection import resolve_key
from .simulation import Simulation
from .world_indices import Worlds, world_indices

TOLERANCE = 1e-8
"""Tolerance [s] for times that are compared to a period."""


class ContactSensor:
    """Net contact forces of links, and how long the links have been in contact or in the air; B links.

    Call `update` after every step of your loop, of one or several steps of the simulation: contacts that begin and end
    between two updates are not seen. A link is in contact while its net contact force exceeds `force_threshold`.

    Args:
        simulation: simulation to read from.
        links: link, or links: name, path, index, regular expression, or a list of these.
        force_threshold: force above which a link is in contact [N].

    Raises:
        KeyError: no such link.
        ValueError: force_threshold is negative or not finite, or none of the links has a collider that may touch.
    """

    def __init__(self, simulation: Simulation, links: str | int | list = ".*", force_threshold: float = 1.0):
        if not 0.0 <= force_threshold < np.inf:
            raise ValueError(f"force_threshold = {force_threshold}: must be finite and not negative [N]")
        self.simulation, self.force_threshold = simulation, force_threshold
        chosen = resolve_key(links, simulation.link, "link")
        self.columns: np.ndarray = np.atleast_1d(np.arange(len(simulation.link))[chosen])
        """Columns of the links in `Simulation.link`."""
        self.links = tuple(simulation.link[i] for i in self.columns)
        """Prim paths of the links."""
        touching = {collider.body for collider in simulation._state.model.scene.colliders}
        if not simulation.pair or not touching & {*self.links}:
            rule = "must have a collider that may touch another one; apply PhysicsCollisionAPI to their shapes"
            raise ValueError(f"links = {reprlib.repr(links)}: {rule}")
        shape = simulation.worlds, len(self.links)
        self.net_forces_w: np.ndarray = np.zeros((*shape, 3))
        """Net contact forces at the last update, world axes [N], (W, B, 3)."""
        self.current_air_time: np.ndarray = np.zeros(shape)
        """Time since the links lost contact [s], 0 in contact, (W, B)."""
        self.last_air_time: np.ndarray = np.zeros(shape)
        """Time that the links were in the air before they last came in contact [s], (W, B)."""
        self.current_contact_time: np.ndarray = np.zeros(shape)
        """Time since the links came in contact [s], 0 in the air, (W, B)."""
        self.last_contact_time: np.ndarray = np.zeros(shape)
        """Time that the links were in contact before they last lost it [s], (W, B)."""
        self._time = np.full(shape[0], simulation.time)

    def __repr__(self) -> str:
        """Return one line: sizes and threshold."""
        sizes = f"{count(len(self.links), 'link')} in {count(self.simulation.worlds, 'world')}"
        return f"<ContactSensor of {sizes}, force_threshold {self.force_threshold:g} N>"

    @property
    def in_contact(self) -> np.ndarray:
        """Contact of the links at the last update, bool (W, B)."""
        return np.linalg.norm(self.net_forces_w, axis=-1) > self.force_threshold

    def update(self) -> None:
        """Read the forces of the last step, and advance the times by the time since the last update."""
        elapsed = np.maximum(self.simulation.time - self._time, 0.0)[:, None]
        self._time[:] = self.simulation.time
        self.net_forces_w = self.simulation.read("contact_force")[:, self.columns].astype(np.float64)
        touches = self.in_contact
        lands, leaves = touches & (self.current_air_time > 0.0), ~touches & (self.current_contact_time > 0.0)
        self.last_air_time = np.where(lands, self.current_air_time + elapsed, self.last_air_time)
        self.current_air_time = np.where(touches, 0.0, self.current_air_time + elapsed)
        self.last_contact_time = np.where(leaves, self.current_contact_time + elapsed, self.last_contact_time)
        self.current_contact_time = np.where(touches, self.current_contact_time + elapsed, 0.0)

    def compute_first_contact(self, dt: float) -> np.ndarray:
        """Return whether the links came in contact within the last `dt` seconds, (W, B)."""
        return (self.current_contact_time > 0.0) & (self.current_contact_time < dt + TOLERANCE)

    def compute_first_air(self, dt: float) -> np.ndarray:
        """Return whether the links lost contact within the last `dt` seconds, (W, B)."""
        return (self.current_air_time > 0.0) & (self.current_air_time < dt + TOLERANCE)

    def reset(self, worlds: Worlds = None) -> None:
        """Set forces and times of these worlds (None: all) to 0; call it after `Simulation.reset` or `load`.

        Raises:
            IndexError: no such world.
        """
        chosen = world_indices(worlds, self.simulation.worlds)
        rows = slice(None) if chosen is None else chosen
        for values in (
            *(self.net_forces_w, self.current_air_time, self.last_air_time),
            *(self.current_contact_time, self.last_contact_time),
        ):
            values[rows] = 0.0
        self._time[rows] = self.simulation.time
