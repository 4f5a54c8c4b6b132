"""Events of triggers: which shapes are within which trigger, from when to when."""

from collections.abc import Iterator

import numpy as np

from ..model.start_overlaps import shape_of
from ..scene import WORLD, Collider, ShapeKind
from .event_log import EventLog
from .simulation import Simulation
from .world_indices import Worlds

TRIGGER_EVENT = np.dtype(
    [("world", "i4"), ("trigger", "i4"), ("collider", "i4"), ("begin", "f8"), ("end", "f8"), ("lasts", "?")]
)
"""Columns of `TriggerEvents.table`."""
STANDING = np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0))


class TriggerEvents:
    """Shapes within triggers over time: colliders with `PhysxTriggerAPI`, which are not solid.

    Call `update` after every step of your loop, of one or several steps of the simulation. An event begins with the
    first update at which a shape of another body overlaps the trigger, and ends with the first one at which it does
    not. As in PhysX, collision groups and filtered pairs do not matter, and two shapes of the world are not compared.
    Shapes whose bounding boxes overlap a trigger's are compared on the host, world by world, in double precision.

    Args:
        simulation: simulation to read from.

    Attributes:
        trigger: paths of the triggers.
        collider: paths of the shapes that they notice.

    Raises:
        ValueError: the scene has no trigger.
    """

    def __init__(self, simulation: Simulation):
        scene = simulation._state.model.scene
        if not scene.triggers:
            raise ValueError("simulation: must have a trigger; apply PhysxTriggerAPI to a collider")
        self.simulation = simulation
        self.trigger, self.collider = ([c.path for c in shapes] for shapes in (scene.triggers, scene.colliders))
        self._shapes: tuple[Collider, ...] = (*scene.triggers, *scene.colliders)
        count, bodies = len(scene.triggers), np.array([c.body for c in self._shapes])
        apart = bodies[:count, None] != bodies[count:]  # two of the world are of one body
        self._pairs = np.argwhere(apart)
        self._still = [shape_of(c, {WORLD: STANDING}) if c.body == WORLD else None for c in self._shapes]
        self._log = EventLog(simulation.worlds)

    def update(self) -> None:
        """Compare the shapes where the last step left them."""
        inside = {(w, *pair) for w in range(self.simulation.worlds) for pair in self._inside(w)}
        self._log.update(self.simulation.time, inside)

    def _inside(self, world: int) -> Iterator[tuple[int, int]]:
        """Yield trigger and shape of the pairs that overlap in a world."""
        poses = np.asarray(self.simulation.link_pose)[world].astype(float)
        links = {path: (pose[:3], pose[3:]) for path, pose in zip(self.simulation.link, poses, strict=True)}
        placed = zip(self._still, self._shapes, strict=True)
        shapes = [shape_of(collider, links) if still is None else still for still, collider in placed]
        low, high = (np.array([shape.bounds[side] for shape in shapes]) for side in (0, 1))
        one, other = self._pairs[:, 0], self._pairs[:, 1] + len(self.trigger)
        near = (np.maximum(low[one], low[other]) <= np.minimum(high[one], high[other])).all(axis=1)
        for trigger, collider in self._pairs[near].tolist():
            zone, shape = shapes[trigger], shapes[len(self.trigger) + collider]
            flat = self._shapes[trigger].kind is ShapeKind.PLANE  # a plane or mesh measures the distance of the other
            if (zone.distance(shape, 0.0) if flat else shape.distance(zone, 0.0)) < 0.0:
                yield trigger, collider

    @property
    def table(self) -> np.ndarray:
        """Events by begin: world, trigger and collider (places in `trigger`, `collider`), begin and end [s], lasts.

        An event that `lasts` has not ended; its end is the present time.
        """
        found = np.array(self._log.rows(self.simulation.time), TRIGGER_EVENT)
        return np.sort(found, order=("begin", "world", "trigger", "collider"))

    def reset(self, worlds: Worlds = None) -> None:
        """Forget the events of these worlds (None: all); call it after `Simulation.reset` or `load`.

        Raises:
            IndexError: no such world.
        """
        self._log.forget(worlds)
