"""A robot on a ground: its supports, the pose in which it stands, and the drives that carry it there."""

from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from ..scene import Articulation, Scene
from .equilibrium import Holding, carrying_contacts, holdings
from .extents import shapes_of
from .ground import up_of
from .reach import raised
from .stability import Stability
from .stand import clipped, find_stance
from .supports import Support, find_supports
from .tree import Tree


@dataclass(frozen=True, eq=False)
class Carriage:
    """Supports of a robot, and the drives of the joints that carry it."""

    tree: Tree
    supports: tuple[Support, ...]
    q: np.ndarray  # (D,) pose to stand in, else the initial one
    holdings: dict[str, Holding]  # by degree of freedom
    reason: str = ""  # why the robot does not stand in the pose
    stability: Stability | None = None  # of a robot on legs
    stands: bool = False  # True if q is a pose that was searched for and found


def carriage(scene: Scene, robot: Articulation, stand: bool) -> Carriage:
    """Return what carries a robot: in a pose that is searched for, or in the initial pose within its limits."""
    tree, up = Tree(robot), up_of(scene)
    shapes = shapes_of(tree, scene.colliders)
    q = clipped(tree, tree.q)
    supports = find_supports(tree, shapes, tree.place(q), up) if shapes else []
    if scene.joints and supports:
        ends = {path for joint in scene.joints for path in (joint.body0, joint.body1)} & set(tree.links)
        if ends:
            return Carriage(tree, (), q, {}, "joints close loops in it")
    stance = find_stance(tree, supports, shapes, up, q)
    if stand and supports and all(one.slides for one in supports) and (legs := raised(tree, shapes, q, up)):
        on_feet = find_stance(tree, legs[1], shapes, up, legs[0])
        stance, supports = (stance, supports) if on_feet.reason else (on_feet, legs[1])
    stands = stand and not stance.reason
    q = stance.q if stands else q
    if not supports:
        return Carriage(tree, (), q, {}, stance.reason)
    weight = float(tree.mass.sum()) * hypot(*scene.gravity)
    contacts = carrying_contacts(tree, supports, tree.place(q), weight, up)
    found = holdings(tree, tree.place(q), contacts, up, supports)
    if not any(holding.role == "leg" for holding in found.values()):
        return Carriage(tree, tuple(supports), q, found, stance.reason, None, stands)
    stability = Stability(tree, q, contacts, up)
    least = stability.least_frequency(
        np.array([found[name].inertia * (found[name].role == "leg") for name in tree.names])
    )
    found = {name: replace(one, least=least) if one.role == "leg" else one for name, one in found.items()}
    return Carriage(tree, tuple(supports), q, found, stance.reason, stability, stands)
