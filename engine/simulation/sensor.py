"""A force and torque sensor in a link, with its own pose."""

import numpy as np
from numpy.typing import ArrayLike

from ..quaternion import conjugate, rotate
from ..selection import resolve_key
from ..tables.topology import NODE
from .simulation import Simulation
from .step_results import result_buffer
from .world_indices import Worlds, world_indices

Vector = tuple[float, float, float]


class Sensor:
    """A force and torque sensor fixed in a link: reads the wrench of the parent on the link through its joint.

    Force and torque (about the sensor's origin) are in the sensor's axes: `link_incoming_force` in another frame. They
    have two parts. The part of forward dynamics is what forces alone cause: gravity, velocity products, user efforts,
    external forces, damping. The part of the constraint solver is what rows add: drives, limits, friction, mimic
    joints, tendons, maximal joints. Either part can be left out.

    Args:
        simulation: simulation to read from.
        link: name, path or index of the link in `Simulation.link`. A root link has no parent; its sensor reads 0.
        position: position of the sensor in the link's prim [m].
        orientation: orientation of the sensor in the link's prim, a quaternion (x, y, z, w).
        forward_dynamics: include the part of forward dynamics.
        constraint_solver: include the part of the constraint solver.
        world_axes: read in world axes instead of the sensor's axes.

    Raises:
        KeyError: no such link.
        ValueError: invalid pose, or both parts left out.
    """

    def __init__(
        self,
        simulation: Simulation,
        link: str | int,
        position: Vector = (0.0, 0.0, 0.0),
        orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0),
        *,
        forward_dynamics: bool = True,
        constraint_solver: bool = True,
        world_axes: bool = False,
    ):
        if not (forward_dynamics or constraint_solver):
            raise ValueError(
                "forward_dynamics, constraint_solver = False, False: must not both be False; keep one of them"
            )
        self.simulation, self.world_axes = simulation, world_axes
        self.column = range(len(simulation.link))[resolve_key(link, simulation.link, "link")]
        self.link = simulation.link[self.column]
        self.position, self.orientation = _pose(position, orientation)
        self.forward_dynamics, self.constraint_solver = forward_dynamics, constraint_solver
        state = simulation._synced_state()
        self._row = [i for i, path in enumerate(state.model.link) if path][self.column]
        parts = forward_dynamics != constraint_solver
        self._unknown = (
            simulation.steps if parts and not state.splits_forces else 0
        )  # the last step that this sensor cannot read
        state.splits_forces |= parts

    def read(self, worlds: Worlds = None) -> np.ndarray:
        """Return force [N] and torque [N·m] in the last step, (W, 6).

        Args:
            worlds: indices of worlds; None for all.

        Raises:
            IndexError: no such world.
            ValueError: a sensor of one part was created after the last step.
        """
        if 0 < self.simulation.steps == self._unknown:
            raise ValueError(
                f"sensor in {self.link}: must be created before the step it reads; take a step, or create it earlier"
            )
        turned = self.simulation.read("link_pose", worlds=worlds)[:, self.column, 3:].astype(np.float64)
        values = self._free(turned, worlds) if not self.constraint_solver else self._whole(worlds)
        if not self.forward_dynamics:
            values = values - self._free(turned, worlds)
        axes = np.broadcast_to(conjugate(self.orientation), turned.shape) if not self.world_axes else turned
        return np.concatenate([rotate(axes, values[:, :3]), rotate(axes, values[:, 3:])], 1)

    def _whole(self, worlds: Worlds) -> np.ndarray:
        """Return both parts about the sensor's origin, in the link's axes."""
        model = self.simulation._synced_state().model
        carriers = np.flatnonzero(model.nodes[:, NODE["LAST"]] == np.arange(len(model.nodes)))
        node = carriers[model.nodes[carriers, NODE["LINK"]] == self._row][0]
        frame = model.parameters["FRAME1"].reshape(-1, 4)[node]
        origin = model.parameters["CHILD_ARM"].reshape(-1, 3)[node] + model.coms[self._row]
        seen = self.simulation.read("link_incoming_force", worlds=worlds)[:, self.column].astype(np.float64)
        frames = np.broadcast_to(frame, (len(seen), 4))
        return self._about(origin, rotate(frames, seen[:, :3]), rotate(frames, seen[:, 3:]))

    def _free(self, turned: np.ndarray, worlds: Worlds) -> np.ndarray:
        """Return the part of forward dynamics about the sensor's origin, in the link's axes."""
        state = self.simulation._synced_state()
        first = state.layout.places["FREE_FORCE"][1].start + 6 * self._row
        seen = (
            result_buffer(state, "FREE_FORCE", "a sensor of one part")
            .read(slice(first, first + 6), world_indices(worlds, self.simulation.worlds))
            .astype(np.float64)
        )
        back = conjugate(turned)
        return self._about(state.model.coms[self._row], rotate(back, seen[:, :3]), rotate(back, seen[:, 3:]))

    def _about(self, origin: np.ndarray, force: np.ndarray, torque: np.ndarray) -> np.ndarray:
        """Return a force and a torque about a point of the link as force and torque about the sensor's origin."""
        return np.concatenate([force, torque + np.cross(origin - self.position, force)], 1)


def _pose(position: ArrayLike, orientation: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose as arrays.

    Raises:
        ValueError: not a position, or not a quaternion of length 1.
    """
    place, turn = (np.asarray(values, np.float64) for values in (position, orientation))
    if place.shape != (3,) or not np.isfinite(place).all():
        raise ValueError(f"position = {position}: must be three numbers [m], in the link's prim")
    if turn.shape != (4,) or not abs(np.linalg.norm(turn) - 1.0) < 1e-3:
        raise ValueError(f"orientation = {orientation}: must be a quaternion (x, y, z, w) of length 1")
    return place, turn / np.linalg.norm(turn)
