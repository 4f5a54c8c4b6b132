"""Properties of colliders that pairs read, as arrays over all colliders of a scene."""

from functools import cached_property

import numpy as np

from ..scene import WORLD, Collider, Link
from ..tables.topology import ARTICULATION, KINDS, NODE
from ..tables.word_values import SPECULATIVE, SWEPT
from .builder import Builder
from .creation_order import CreationOrder
from .static_order import static_places

VALUES_OF_PAIRS = (
    *("friction_combine", "restitution_combine", "damping_combine", "static_friction", "dynamic_friction"),
    *("restitution", "stiffness", "damping", "acceleration_spring", "rest_offset"),
    *("torsional_patch_radius", "min_torsional_patch_radius"),
)
"""Numbers of colliders and their materials that decide the parameters of pairs, beside those of bodies.

The contact distance of a pair is the sum of two contact offsets, which follow from the sizes of shapes.
"""


class ColliderFacts:
    """Arrays with one number per collider.

    Args:
        b: the builder, after all articulations were added.
    """

    def __init__(self, b: Builder):
        self._b, self.colliders = b, b.scene.colliders
        self._values: dict[str, np.ndarray] = {}
        self.values_of_pairs: dict[tuple[bytes, bytes], dict[str, np.ndarray]] = {}  # by `pair_numbers` of both sides
        self.paths = [collider.path for collider in self.colliders]
        paths = [collider.body for collider in self.colliders]
        self.kind = np.array([collider.kind for collider in self.colliders], int)
        self.node = np.array([b.carriers.get(path, -1) if path != WORLD else -1 for path in paths], int)
        """Node that carries its link; -1 for the world."""
        self.owner = np.where(self.node >= 0, np.searchsorted(b.first_nodes, self.node, "right") - 1, -1)
        """Articulation or free body; -1 for the world."""
        kinematic = np.array([articulation.kinematic for articulation in b.scene.articulations] or [False])
        self.kinematic = (self.owner >= 0) & kinematic[self.owner]
        """True if contacts do not change its velocity."""
        moving = movable_nodes(b)
        self.movable = (self.node >= 0) & moving[self.node] & ~self.kinematic
        """True if contacts can move it: not the world's, a kinematic body's, or that of a link fixed to a base."""
        free = np.array([words[ARTICULATION["FREE_BODY"]] for words in b.tables["ARTICULATIONS"]] or [0], bool)
        self.free = (self.owner >= 0) & free[self.owner]
        """True if it belongs to a free body."""
        first: dict[str | int, int] = {}
        self.body = np.array(
            [first.setdefault(path if path != WORLD else k, len(first)) for k, path in enumerate(paths)], int
        )
        """Number of its body; each collider of the world is a body."""

    @cached_property
    def breadth(self) -> np.ndarray:
        """Number of each link's node, breadth first within its articulation; 0 for nodes that carry no link."""
        numbers = breadth_first_numbers(self._b)
        breadth = np.zeros(len(self._b.nodes), int)
        breadth[list(numbers)] = list(numbers.values())
        return breadth

    @cached_property
    def rank(self) -> np.ndarray:
        """Place of each collider in the order of sides."""
        keys = [self._side_key(number, collider) for number, collider in enumerate(self.colliders)]
        rank = np.zeros(len(keys), int)
        rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return rank

    @cached_property
    def _static_places(self) -> dict[str, int]:
        still = [collider for collider in self.colliders if collider.body == WORLD]
        return static_places(still, lambda collider: self._created.body(collider.still_body or collider.named))

    @cached_property
    def _created(self) -> CreationOrder:
        return CreationOrder(self._b.scene)

    def _side_key(self, number: int, collider: Collider) -> tuple:
        """Return the key by which sides are ordered: links, free bodies, roots of fixed bases, kinematics, statics.

        Of one sort what PhysX created last comes first (NPhaseCore.cpp, shouldSwapBodies).
        """
        if collider.body == WORLD:
            return 4, self._static_places[collider.path]
        if self.kinematic[number]:
            return (3,)
        free = bool(self.free[number])
        articulation = self._b.scene.articulations[self.owner[number]]
        place = self._created.body(collider.body) if free else self._created.articulation(articulation.path)
        is_base = articulation.fixed_base and collider.body == articulation.links[0].path
        sort = 2 if is_base else 1 if free else 0
        return sort, -place, -int(self.breadth[self.node[number]]), collider.path.split("/")

    def values(self, name: str) -> np.ndarray:
        """Return a number of every collider, or of its material."""
        if name not in self._values:
            owners = self.colliders if hasattr(Collider, name) else [collider.material for collider in self.colliders]
            self._values[name] = np.array([getattr(owner, name) for owner in owners], float)
        return self._values[name]

    @cached_property
    def pair_numbers(self) -> np.ndarray:
        """All numbers of each collider that decide the parameters of its pairs, (C, N)."""
        of_bodies = self.slop, self.max_impulse, self.max_depenetration
        return np.column_stack([*map(self.values, VALUES_OF_PAIRS), *of_bodies])

    @cached_property
    def links(self) -> list[Link | None]:
        """Link of each collider; None for what is static."""
        return [self._b.links[self._b.nodes[node][NODE["LINK"]]] if node >= 0 else None for node in self.node.tolist()]

    @cached_property
    def slop(self) -> np.ndarray:
        """Contact slop of the body of each collider [m]."""
        return np.array([link.contact_slop if link else 0.0 for link in self.links], float)

    @cached_property
    def max_impulse(self) -> np.ndarray:
        """Largest impulse of a contact point of the body of each collider [N·s]."""
        return np.array([link.max_contact_impulse if link else np.inf for link in self.links], float)

    @cached_property
    def speculates(self) -> np.ndarray:
        """Word SPECULATES of each collider."""
        swept = SWEPT * self._b.scene.ccd
        given = [SPECULATIVE * link.speculative_ccd + swept * link.ccd if link else 0 for link in self.links]
        return np.array(given, int) * self.free

    @cached_property
    def moves_surface(self) -> np.ndarray:
        """True if the body of the collider has a surface velocity."""
        return np.array([bool(link and link.surface_velocity) for link in self.links], bool)

    @cached_property
    def max_depenetration(self) -> np.ndarray:
        """Depenetration velocity of the body of each collider; infinite for what contacts do not move [m/s]."""
        given = [np.inf if link is None else link.max_depenetration_velocity for link in self.links]
        return np.where(self.kinematic, np.inf, given)


def movable_nodes(b: Builder) -> np.ndarray:
    """Return whether the link of each node can move: not of a fixed base, or fixed to one."""
    moves: list[bool] = []
    for node in b.nodes:  # parents come before children
        kind, parent = node[NODE["KIND"]], node[NODE["PARENT"]]
        moves.append(moves[parent] if kind == KINDS["FIXED"] else kind != KINDS["FIXED_ROOT"])
    return np.array(moves or [False])


def breadth_first_numbers(b: Builder) -> dict[int, int]:
    """Return a number of each link's node, breadth first within its articulation."""
    numbers: dict[int, int] = {}
    for words in b.tables["ARTICULATIONS"]:
        root, end = words[ARTICULATION["ROOT"]], words[ARTICULATION["END"]]
        children: dict[int, list[int]] = {}
        for k in range(root + 1, end):
            if b.nodes[k][NODE["LAST"]] == k:
                children.setdefault(b.nodes[k][NODE["PARENT_LAST"]], []).append(k)
        queue = [root]
        for k in queue:
            numbers[k] = len(numbers)
            queue += children.get(k, [])
    return numbers
