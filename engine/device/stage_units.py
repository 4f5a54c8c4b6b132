"""Units of length of the device: stage units, in which PhysX computes and rounds, where users have metres.

    number on the device = SI number / u^p,        u = metersPerUnit, p the power of length in the unit of the row

Stages in metres have no such factors. Mass, time and angle are SI on the device, too.
"""

from collections.abc import Iterable

import numpy as np

from ..model import Model
from ..tables.layout import FRAME, PARAMETERS, STATISTICS
from ..tables.length_units import length_powers
from ..tables.topology import CONSTRAINT_KINDS, DRIVES, KINDS, NODE, SPRINGS, TABLES
from .row_layout import BUFFERS, STATISTIC_WIDTHS, RowLayout

TURNS, SLIDES, PER_MASS = range(3)
"""Alternatives of a row's unit: of a rotation, of a translation, of a drive or spring whose effort is per mass."""

RAW = ("sleep", "contacts")
"""Buffers that only snapshots read, as they are on the device."""


class StageUnits:
    """SI numbers of the units of a model's rows on the device.

    Args:
        model: a model whose stage unit is not a metre.
        layout: rows of its buffers.
    """

    def __init__(self, model: Model, layout: RowLayout):
        self._model, self._layout, self._unit = model, layout, model.scene.meters_per_unit
        self._kinds = _kinds(model)
        self._parameters: dict[str, np.ndarray] = {}
        self.buffers = {name: self._of_rows(table) for name, table in BUFFERS.items() if name not in RAW}
        """Units of the rows of each buffer but for those of `RAW`."""

    def parameter(self, name: str) -> np.ndarray:
        """Return the units of the rows of a parameter."""
        if name not in self._parameters:
            row = PARAMETERS[name]
            count = len(self._model.parameters[name]) // row.width
            if name == "MIMIC_GEARING":
                powers = _mimic_powers(self._model, self._kinds)
            else:
                powers = self._powers(row.meaning, row.width, row.owner, count)
            self._parameters[name] = self._unit ** powers.ravel()
        return self._parameters[name]

    def statistics(self, contacts: bool) -> np.ndarray:
        """Return the units of the rows of `statistic_rows`."""
        powers = []
        for owner in STATISTIC_WIDTHS:
            count = self._layout.counts[owner] if contacts or owner != "L" else 0
            each = [self._powers(meaning, width, owner, count) for _, of, width, meaning in STATISTICS if of == owner]
            powers.append(np.concatenate(each, 1).ravel())
        return self._unit ** np.concatenate(powers)

    def frames(self, quantities: Iterable[str], count: int) -> np.ndarray:
        """Return the units of the rows of `count` recorded frames of quantities, keys of `layout.FRAME`."""
        rows = [self.buffers["state"][self._layout.rows[FRAME[quantity]]] for quantity in quantities]
        return np.tile(np.concatenate(rows), count)

    def _of_rows(self, table: Iterable[tuple[str, str, int, str]]) -> np.ndarray:
        counts = self._layout.counts
        powers = [self._powers(meaning, width, owner, counts[owner]).ravel() for _, owner, width, meaning in table]
        return self._unit ** np.concatenate(powers)

    def _powers(self, meaning: str, width: int, owner: str, count: int) -> np.ndarray:
        """Return the powers of length of the numbers of a row, (items, width)."""
        alternatives = np.array(length_powers(meaning, width), float)
        if (alternatives == alternatives[0]).all():
            return np.tile(alternatives[0], (count, 1))
        kinds = self._kinds[owner]
        if len(alternatives) > PER_MASS:
            kinds = np.where(self._kinds[f"{owner} per mass"], PER_MASS, kinds)
        return alternatives[kinds]


def _kinds(model: Model) -> dict[str, np.ndarray]:
    """Return `TURNS` or `SLIDES` of the items of each owner whose units have these alternatives, by its letter."""
    tables, words = model.tables, TABLES
    kinds = {"D": np.array([unit == "m" for unit in model.unit], int)}
    dofs = model.nodes[:, NODE["DOF"]]
    of_node = np.where(model.nodes[:, NODE["KIND"]] == KINDS["PRISMATIC"], SLIDES, TURNS)
    moving = dofs >= 0
    per_mass = np.zeros(len(model.dof), bool)
    per_mass[dofs[moving]] = model.nodes[moving, NODE["DRIVE"]] == DRIVES["ACCELERATION"]
    actuators, word = tables["ACTUATORS"], words["ACTUATORS"]
    own = of_node[actuators[:, word["NODE"]]]
    kinds |= {"D per mass": per_mass, "a": own}
    for letter, name in (("c", "COMMAND"), ("p", "POINT")):
        kinds[letter] = np.repeat(own, actuators[:, word[f"{name}_END"]] - actuators[:, word[name]])
    terms = tables["TERMS"][:, words["TERMS"]["NODE"]]
    kinds["M"] = of_node[terms[tables["MIMICS"][:, words["MIMICS"]["TERM"]]]]
    joints, word = tables["JOINTS"], words["JOINTS"]
    kinds["J"] = np.where(joints[:, word["RACK"]] > 0, SLIDES, TURNS)
    kinds["X"] = np.tile([SLIDES] * 3 + [TURNS] * 3, len(joints))
    kinds["X per mass"] = np.zeros(6 * len(joints), bool)
    rows, at = tables["CONSTRAINTS"], words["CONSTRAINTS"]
    drives = np.isin(rows[:, at["KIND"]], [CONSTRAINT_KINDS[kind] for kind in ("LINEAR_DRIVE", "ANGULAR_DRIVE")])
    drives &= rows[:, at["SPRING"]] == SPRINGS["ACCELERATION"]
    owners = np.repeat(np.arange(len(joints)), joints[:, word["CONSTRAINT_END"]] - joints[:, word["CONSTRAINT"]])
    kinds["X per mass"][6 * owners[drives] + rows[drives, at["AXIS"]]] = True
    strands = tables["STRANDS"][:, words["STRANDS"]["NODE"]]
    kinds["R"] = np.where(strands >= 0, of_node[strands], SLIDES)
    return kinds


def _mimic_powers(model: Model, kinds: dict[str, np.ndarray]) -> np.ndarray:
    """Return the powers of length of gearings: the follower's units per unit of a reference."""
    mimics, word = model.tables["MIMICS"], TABLES["MIMICS"]
    nodes = model.tables["TERMS"][:, TABLES["TERMS"]["NODE"]]
    own = np.array([kinds["D"][dof] for dof in model.nodes[nodes, NODE["DOF"]]], float)
    return np.repeat(kinds["M"], mimics[:, word["TERM_END"]] - mimics[:, word["TERM"]]) - own
