"""Columns of the fields of a simulation: their names, and the rows of the model that they stand for."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..model import Model
from ..model.pair_names import PairNames
from ..tables.layout import INFINITE
from ..tables.topology import ARTICULATION, NODE, TABLES


class Columns:
    """Names of the columns by kind, in depth-first order, and their rows in the model.

    Args:
        model: the compiled scene.
    """

    def __init__(self, model: Model):
        self._model = model
        self.links = [i for i, path in enumerate(model.link) if path]
        """Link of the model by column of `link`; the links between stacked joints have no column."""
        self.dof, self.unit = model.dof, model.unit
        self.maximal_dof, self.maximal_unit = model.maximal_dof, model.maximal_unit
        self.actuator, self.bound_point = model.actuator, model.bound_point
        self.link = tuple(model.link[i] for i in self.links)
        self.maximal_joint, self.tendon = model.maximal_joint, model.branch
        self.articulation = tuple(articulation.path for articulation in model.scene.articulations)
        self.axis = ("x", "y", "z")
        self.pair: Sequence[str] = model.pair
        self.pair_kind = model.pair_kind
        tables = model.tables["ARTICULATIONS"]
        self.floats = tables[:, ARTICULATION["FLOATING"]].astype(bool)
        """Return whether the base of each articulation floats."""
        self.tree_roots = model.nodes[tables[:, ARTICULATION["ROOT"]], NODE["LINK"]]
        """Link of the model with which the tree of each articulation begins."""
        self.roots = [  # as tree_roots, except for robots on a hinge to the world: their tree begins with the world
            model.link.index(articulation.links[0].path, first)
            for articulation, first in zip(model.scene.articulations, self.tree_roots, strict=True)
        ]

    def names(self, of: str) -> Sequence[str]:
        """Return the names of the columns of a kind: dof | link | articulation | maximal_joint | …, see `Field`."""
        return getattr(self, of)

    def rows(self, of: str, width: int) -> np.ndarray:
        """Return the rows of columns of `width` numbers among the rows of the model.

        Args:
            of: link | articulation, whose rows are among those of all links, or maximal_dof | actuator |
                bound_point | axis | pair_kind.
            width: number of rows per column.
        """
        first = {
            "link": self.links,
            "articulation": self.roots,
            "maximal_dof": self._model.maximal_rows,
            "actuator": range(len(self.actuator)),
            "bound_point": range(len(self.bound_point)),
            "axis": range(3),
            "pair_kind": range(len(self.pair_kind)),
        }
        return (width * np.array(first[of], int)[:, None] + np.arange(width)).ravel()

    def without_effect(self, row: str) -> np.ndarray:
        """Return the columns of a parameter's field for which the kernel has no law: False where it has one.

        Surface velocities act on links whose scene has one, slops and largest impulses where the scene has one.
        """
        if row.startswith("SURFACE_"):
            links = [link for a in self._model.scene.articulations for link in a.links]
            moving = {link.path for link in links if link.surface_velocity}
            return np.array([path not in moving for path in self.link], bool)
        values = self._model.parameters[row]
        missing = {"CONTACT_SLOP": not (values > 0.0).any(), "CONTACT_MAX_IMPULSE": not (values < INFINITE).any()}
        return np.full(len(self.pair_kind), missing.get(row, False))

    def pair_links(self, pairs: np.ndarray) -> np.ndarray:
        """Return the column of the link at each side of pairs of colliders, (N, 2); -1 for what is static."""
        return self.collider_links[self._pair_names.ends(pairs)]

    @cached_property
    def _pair_names(self) -> PairNames:
        return PairNames(self._model.tables, self._model.collider)

    @cached_property
    def collider_links(self) -> np.ndarray:
        """Column of the link of each collider; -1 for what is static."""
        columns = np.full(len(self._model.link) + 1, -1)  # the last one for no link
        columns[self.links] = np.arange(len(self.links))
        return columns[self._model.tables["COLLIDERS"][:, TABLES["COLLIDERS"]["LINK"]]]

    @cached_property
    def owners(self) -> dict[str, np.ndarray]:
        """Articulation of every column, by kind of column: dof | actuator | bound_point | link | articulation."""
        dofs, links = self._model.owners("dof"), self._model.owners("link")[self.links]
        actuators = dofs[[self.dof.index(name) for name in self.actuator]]
        points = dofs[[self.dof.index(name.rpartition(".")[0]) for name in self.bound_point]]
        inside = {"dof": dofs, "actuator": actuators, "bound_point": points, "link": links}
        return {**inside, "articulation": np.arange(len(self.articulation))}
