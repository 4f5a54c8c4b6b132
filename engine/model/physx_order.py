"""PhysX's order of links and degrees of freedom, and its two forms of joint data.

`Simulation.link` and `Simulation.dof` are in depth-first order. PhysX's low-level order, used by its articulation cache
and its GPU buffers, is breadth first: link 0 is the root, then its children, then their children; siblings keep the
order used here. Degrees of freedom follow the links that they move, and within a joint the axes: TWIST, SWING1, SWING2,
X, Y, Z.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..tables.topology import ARTICULATION, NODE
from .model import Model

PHYSX_AXES = ("rotX", "rotY", "rotZ", "transX", "transY", "transZ")
"""PhysX's TWIST, SWING1, SWING2, X, Y, Z, by the free axis of the joint frame."""


@dataclass(frozen=True, eq=False)
class Indexing:
    """The low-level order of one articulation of L links and D degrees of freedom.

    A robot with a joint to the world has the world as link 0: the path is "" and the column is -1.
    """

    link: tuple[str, ...]  # (L,) prim paths
    dof: tuple[str, ...]  # (D,) names
    links: np.ndarray  # (L,) columns in `Simulation.link`: sim.link_pose[:, links] is in PhysX's order
    dofs: np.ndarray  # (D,) columns in `Simulation.dof`: sim.q[:, dofs] is in PhysX's order
    dof_starts: np.ndarray  # (L,) first degree of freedom of each link's inbound joint
    inbound: np.ndarray  # (D,) link that each degree of freedom moves
    axis: np.ndarray  # (D,) index of the axis in `AXES`

    def unpack(self, reduced: np.ndarray) -> np.ndarray:
        """Convert reduced to maximal coordinates: (..., D) → (..., L - 1, 6), zero on fixed axes.

        Row i - 1 belongs to the link with low-level index i; the six columns are `AXES`.

        Raises:
            ValueError: the last axis is not D long, or two joints between the same links move along one axis.
        """
        reduced = np.asarray(reduced)
        if reduced.shape[-1:] != (len(self.dof),):
            raise ValueError(f"unpack shape = {reduced.shape}: must be (..., {len(self.dof)}), one per dof")
        maximal = np.zeros((*reduced.shape[:-1], len(self.link) - 1, 6), reduced.dtype)
        maximal[(..., *self._places())] = reduced
        return maximal

    def pack(self, maximal: np.ndarray) -> np.ndarray:
        """Convert maximal to reduced coordinates: (..., L - 1, 6) → (..., D). Fixed axes are dropped.

        Raises:
            ValueError: the shape is different, or two joints between the same links move along one axis.
        """
        maximal = np.asarray(maximal)
        if maximal.shape[-2:] != (len(self.link) - 1, 6):
            raise ValueError(f"pack shape = {maximal.shape}: must be (..., {len(self.link) - 1}, 6), six per link")
        return maximal[(..., *self._places())]

    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        taken: dict[tuple[int, int], str] = {}
        for name, place in zip(self.dof, zip(self.inbound, self.axis, strict=True), strict=True):
            if taken.setdefault(place, name) != name:
                raise ValueError(f"{name} and {taken[place]} share axis and link: maximal coordinates are undefined")
        return self.inbound - 1, self.axis


def indexing(model: Model, columns: Sequence[int], articulation: int) -> Indexing:
    """Return the low-level order of an articulation.

    Args:
        model: the compiled scene.
        columns: model link of each column of `Simulation.link`.
        articulation: index in `Scene.articulations`.
    """
    words = model.tables["ARTICULATIONS"][articulation]
    first, end = words[ARTICULATION["ROOT"]], words[ARTICULATION["END"]]
    at = {link: column for column, link in enumerate(columns)}
    links, depths, owners = [], [], {}  # per link found: index in the model, depth; node → link found
    pending: list[int] = []  # degrees of freedom between the previous link and the next
    moved: dict[int, list[int]] = {}
    for k in range(first, end):
        node = model.nodes[k]
        if node[NODE["DOF"]] >= 0:
            pending.append(int(node[NODE["DOF"]]))
        link = int(node[NODE["LINK"]])
        if node[NODE["LAST"]] != k:
            continue
        if k > first and link not in at:  # between stacked joints: the axes belong to the link below
            owners[k] = owners[int(node[NODE["PARENT_LAST"]])]
            continue
        depths.append(0 if k == first else depths[owners[int(node[NODE["PARENT_LAST"]])]] + 1)
        owners[k] = len(links)
        moved[len(links)], pending = pending, []
        links.append(link)
    order = sorted(range(len(links)), key=depths.__getitem__)  # stable: depth-first order within a depth
    axes = [PHYSX_AXES.index(name.rpartition(":")[2]) for name in model.dof]
    inbound = [(i, d) for i, found in enumerate(order) for d in sorted(moved[found], key=axes.__getitem__)]
    counts = np.bincount([i for i, _ in inbound], minlength=len(links))
    return Indexing(
        link=tuple(model.link[links[found]] for found in order),
        dof=tuple(model.dof[d] for _, d in inbound),
        links=np.array([at.get(links[found], -1) for found in order]),
        dofs=np.array([d for _, d in inbound], int),
        dof_starts=np.cumsum(counts) - counts,
        inbound=np.array([i for i, _ in inbound], int),
        axis=np.array([axes[d] for _, d in inbound], int),
    )
