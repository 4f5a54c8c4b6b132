"""States of a running simulation, as its page receives them: float32 numbers, always as many."""

from typing import Any

import numpy as np

from ...simulation import Simulation
from ..look.contact_marks import signs_of
from ..motion.motion import Motion

HEAD_NUMBERS = 8  # time, real-time factor, paused, speed, late, number of contact points, two spare
MOST_POINTS = 128  # contact points of a state, of all worlds
POINT_NUMBERS = 7  # point, normal, force


def link_order(sim: Simulation, paths: list[str]) -> list[int]:
    """Return the columns of the links in the order of a look scene."""
    place = {str(path): i for i, path in enumerate(sim.link)}
    return [place[path] for path in paths]


class StateParts:
    """The parts of a state: head, q, targets, efforts, poses of links, contact points."""

    def __init__(self, sim: Simulation, motion: Motion):
        self.sim, self.origins, self._look = sim, motion.track.origins, motion.look
        self._order = link_order(sim, [link.path for link in motion.look.links])
        self.most = MOST_POINTS if len(sim.pair) else 0

    def state(self, numbers: tuple[float, ...]) -> bytes:
        """Return the present state after the first numbers of its head."""
        sim = self.sim
        contacts = self._contacts()
        head = np.zeros(HEAD_NUMBERS, np.float32)
        head[: len(numbers)] = numbers
        head[5] = len(contacts)
        joints = [np.asarray(getattr(sim, name))[0] for name in ("q", "target_q", "applied_effort")]
        pose = np.asarray(sim.link_pose)[:, self._order]
        rest = np.zeros((self.most - len(contacts), POINT_NUMBERS))
        return b"".join(np.ascontiguousarray(part, "<f4").tobytes() for part in (head, *joints, pose, contacts, rest))

    def description(self, controls: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what another program needs to read states: names, and the parts of a state with their shapes.

        Args:
            controls: drives with the ends of their sliders, as `live_page.controls` returns them.
        """
        sim, dofs = self.sim, len(self.sim.dof)
        worlds, links = sim.worlds, [link.path for link in self._look.links]
        parts = {"head": [HEAD_NUMBERS], "q": [dofs], "target_q": [dofs], "applied_effort": [dofs]}
        parts |= {"link_pose": [worlds, len(links), 7], "contact_points": [self.most, POINT_NUMBERS]}
        return {
            "format": "fajin-live",
            "version": 1,
            "up_axis": self._look.up,
            "dof": list(sim.dof),
            "link": links,
            "parts": parts,
            "controls": controls,
        }

    def _contacts(self) -> np.ndarray:
        """Return point, normal and force of the first contact points, (N, 7); normals point to colliders that move."""
        if not self.most:
            return np.zeros((0, POINT_NUMBERS))
        found = self.sim.contacts
        rows = slice(0, self.most)
        normal = found.normal[rows] * signs_of(self.sim.scene, self.sim.pair, found.index[rows])[:, None]
        place = found.point[rows] + self.origins[found.world[rows]]
        return np.column_stack([place, normal, found.impulse[rows] / self.sim.dt])
