"""Slots of pairs of colliders: how many each island has, and the numbers of items that follow.

An island has a slot for each of its pairs, or 64 per articulation and 8 per collider of a free body, whichever is less;
a user may choose the latter number. With fewer slots than pairs, or if pairs are not listed, pairs share slots: one has
a slot while it is near. On a CPU the latter number doubles when more pairs are near (`slot_growth`).
"""

import numpy as np

from ..compiler.device import Device
from ..model import Model
from ..tables.contacts import (
    MANIFOLD_POINTS,
    MANIFOLDS_ON_MESH,
    PATCHES_ON_MESH,
    SHAPES,
    SLOTS_OF_ARTICULATION,
    SLOTS_OF_COLLIDER,
    SPARE_NUMBERS,
)
from ..tables.topology import ARTICULATION, TABLES

PAIRS_PER_BUNDLE = 4
"""Slots per bundle of pairs: most bundles are full, and most slots are free."""

ISLAND, PAIR = TABLES["ISLANDS"], TABLES["PAIRS"]


class ContactSlots:
    """Numbers of slots, on the device and per world.

    Args:
        model: the compiled scene.
        worlds: number of worlds.
        device: the device.
        most: slots of an island, or None for the rule above.
        doublings: how often the number of the rule was doubled.
    """

    def __init__(self, model: Model, worlds: int, device: Device, most: int | None = None, doublings: int = 0):
        islands, pairs = model.tables["ISLANDS"], model.tables["PAIRS"]
        counts = islands[:, ISLAND["PAIR_END"]] - islands[:, ISLAND["PAIR"]]
        own = np.minimum(counts, _usual(model) << doublings if most is None else most)
        unlisted = (islands[:, ISLAND["LISTS_PAIRS"]] == 0).any()
        self.shared = bool((own < counts).any() or unlisted or doublings)
        """Return whether pairs share slots."""
        self.doublings, self.grow = doublings, bool(most is None and device.packed and self.shared)
        """Return whether a launch in which pairs find no slot is repeated with more of them."""
        self.most = int(own.max(initial=0))
        """Slots of the island that has most of them."""
        first = self.first = np.concatenate([[0], np.cumsum(own)])
        """First slot of every island, and the number of all."""
        self.islands = islands.copy()
        self.islands[:, ISLAND["SLOT"]], self.islands[:, ISLAND["SLOT_END"]] = first[:-1], first[1:]
        slots, points = int(own.sum()), int(pairs[:, PAIR["POINTS"]].sum())
        lanes = min(device.lanes, worlds)
        active = int(np.minimum(counts, 2 * lanes * own).max(initial=0)) if self.shared else self.most
        placed = active if self.shared else slots
        shapes = model.tables["COLLIDERS"][:, TABLES["COLLIDERS"]["SHAPE"]]
        on_mesh = shapes[pairs[:, PAIR["COLLIDER_B"]]] == SHAPES["TRIANGLE_MESH"]
        meshes = bool((shapes == SHAPES["TRIANGLE_MESH"]).any())
        self.patches = PATCHES_ON_MESH if meshes else 1
        """Friction patches of a slot."""
        self.manifolds = MANIFOLDS_ON_MESH if meshes else 1
        """Manifolds whose room a slot has, where pairs share slots."""
        kept = self.manifolds * slots
        if not self.shared:
            kept = int(np.where(on_mesh, MANIFOLDS_ON_MESH, 1)[pairs[:, PAIR["MANIFOLD"]] >= 0].sum())
        anchors = 2 * self.patches
        joints = int((islands[:, ISLAND["PAIR_JOINT_END"]] - islands[:, ISLAND["JOINT"]]).max(initial=0))
        self.turns = 2 * (lanes * self.most + (joints if slots else 0))
        """Scratch rows of the turns."""
        self.owned = {
            "W": slots, "w": slots if self.shared else 0, "f": self.patches * slots, "F": anchors * slots,
            "H": kept, "Y": MANIFOLD_POINTS * kept,
            "Z": MANIFOLD_POINTS * kept if self.shared else points,
            "B": SPARE_NUMBERS * slots if self.shared else slots,
            "G": len(model.tables["ARTICULATIONS"]) if slots else 0,
        }  # fmt: skip
        """Items per world by the letter of their owner."""
        self.scratch = {
            "ACTIVE": active, "SLOTS": placed, "HELD": placed if self.shared else 0,
            "PATCHES": self.patches * placed, "ANCHORS": anchors * placed,
            **dict.fromkeys(
                ("CONTACTS", "NORMAL_ROWS"), MANIFOLD_POINTS * self.manifolds * active if self.shared else points
            ),
        }  # fmt: skip
        """Items with scratch rows by table."""
        crowded = device.bundles and not meshes and (model.tables["CROWD"] >= 0).any()
        self.bundles = -(-self.most // PAIRS_PER_BUNDLE) + 1 if crowded else 0
        """Bundles of pairs that scratch has room for; further pairs are solved one by one."""
        self.working: dict[str, int] = {}
        """Items in scratch during a launch by the letter of their owner."""
        if self.shared:
            self.working = {
                "W": active, "f": self.patches * active, "F": anchors * active,
                "H": self.manifolds * active, "Y": MANIFOLD_POINTS * self.manifolds * active,
            }  # fmt: skip


def _usual(model: Model) -> np.ndarray:
    """Return the number of slots of every island by the rule."""
    free = model.tables["ARTICULATIONS"][:, ARTICULATION["FREE_BODY"]] > 0
    owners = model.tables["COLLIDERS"][:, TABLES["COLLIDERS"]["ARTICULATION"]]
    shapes = np.maximum(np.bincount(owners[owners >= 0], minlength=len(free)), 1)
    each = np.where(free, SLOTS_OF_COLLIDER * shapes, SLOTS_OF_ARTICULATION)[model.tables["MEMBERS"][:, 0]]
    islands = model.tables["ISLANDS"]
    ends = np.concatenate([[0], np.cumsum(each)])
    most = ends[islands[:, ISLAND["MEMBER_END"]]] - ends[islands[:, ISLAND["MEMBER"]]]
    return np.maximum(most, SLOTS_OF_ARTICULATION)
