"""Contacts of two kinds of shapes: the laws of a kernel that compute them, and the room that their points take.

A row has shape A and shape B; normals point from B to A. A pair in the other order is turned around, and kinds without
a row in either order do not touch. Cylinders and cones are one kind, as in PhysX: the order of the file stays.
"""

from dataclasses import dataclass

from .contacts import MANIFOLD_POINTS, MANIFOLDS_ON_MESH, POINTS_ON_MESH


@dataclass(frozen=True)
class PairLaw:
    """Law of the contacts of shapes of two kinds, as PhysX has them (PCM)."""

    name: str  # one of LAWS: kinds of one law share the code
    features: tuple[str, ...] = ()  # fields of `Features` that compile it; what is always compiled needs none
    points: int = 1  # most contact points
    manifolds: int = 0  # persistent manifolds; 0: points are new in every step
    is_core: bool = False  # True if the shapes meet as cores
    hulls_of_boxes: bool = False  # True if it reads boxes as convex hulls


def cores(points: int = MANIFOLD_POINTS) -> PairLaw:
    """Return the law of cylinders and cones: nearest points of cores."""
    return PairLaw("CORE_ON_CORE", ("cores",), points, is_core=True)


def kept(name: str, *features: str, points: int = MANIFOLD_POINTS, hulls_of_boxes: bool = False) -> PairLaw:
    """Return a law with one persistent manifold."""
    return PairLaw(name, features, points, manifolds=1, hulls_of_boxes=hulls_of_boxes)


def kept_on_mesh(name: str, points: int) -> PairLaw:
    """Return the law of a triangle mesh with persistent manifolds, in several directions."""
    return PairLaw(name, ("meshes", "kept_on_meshes"), points, MANIFOLDS_ON_MESH, hulls_of_boxes=True)


CAPSULE_ON_CONVEX = kept("CAPSULE_ON_CONVEX", "capsules", "convexes", points=2, hulls_of_boxes=True)
POLYHEDRA = kept("POLYHEDRA", "polyhedra", "convexes", hulls_of_boxes=True)
ROUND_ON_PLANE = PairLaw("ROUND_ON_PLANE", ("rounds",), MANIFOLD_POINTS)
CORE_ON_MESH = PairLaw("CORE_ON_MESH", ("meshes", "cores_on_meshes"), POINTS_ON_MESH, is_core=True)

COLLISIONS = {
    ("SPHERE", "SPHERE"): PairLaw("SPHERE_ON_SPHERE"),
    ("SPHERE", "PLANE"): PairLaw("SPHERE_ON_PLANE", ("planes",)),
    ("SPHERE", "CAPSULE"): PairLaw("SPHERE_ON_CAPSULE"),
    ("SPHERE", "BOX"): PairLaw("SPHERE_ON_BOX"),
    ("SPHERE", "CYLINDER"): cores(1),
    ("SPHERE", "CONE"): cores(1),
    ("SPHERE", "CONVEX_HULL"): kept("SPHERE_ON_HULL", "convexes", points=1),
    ("SPHERE", "TRIANGLE_MESH"): kept_on_mesh("SPHERE_ON_MESH", MANIFOLD_POINTS),
    ("CAPSULE", "CAPSULE"): PairLaw("CAPSULE_ON_CAPSULE", points=MANIFOLD_POINTS),
    ("CAPSULE", "PLANE"): kept("CAPSULE_ON_PLANE", "planes", points=2),
    ("CAPSULE", "BOX"): CAPSULE_ON_CONVEX,
    ("CAPSULE", "CYLINDER"): cores(),
    ("CAPSULE", "CONE"): cores(),
    ("CAPSULE", "CONVEX_HULL"): CAPSULE_ON_CONVEX,
    ("CAPSULE", "TRIANGLE_MESH"): kept_on_mesh("SHAPE_ON_MESH", POINTS_ON_MESH // 2),
    ("BOX", "PLANE"): kept("BOX_ON_PLANE", "planes"),
    ("BOX", "BOX"): kept("BOX_ON_BOX", "boxes", "convexes"),
    ("BOX", "CYLINDER"): cores(),
    ("BOX", "CONE"): cores(),
    ("BOX", "CONVEX_HULL"): POLYHEDRA,
    ("BOX", "TRIANGLE_MESH"): kept_on_mesh("SHAPE_ON_MESH", POINTS_ON_MESH),
    ("CYLINDER", "PLANE"): ROUND_ON_PLANE,
    ("CYLINDER", "CYLINDER"): cores(),
    ("CYLINDER", "CONE"): cores(),
    ("CYLINDER", "CONVEX_HULL"): cores(),
    ("CYLINDER", "TRIANGLE_MESH"): CORE_ON_MESH,
    ("CONE", "PLANE"): ROUND_ON_PLANE,
    ("CONE", "CYLINDER"): cores(),
    ("CONE", "CONE"): cores(),
    ("CONE", "CONVEX_HULL"): cores(),
    ("CONE", "TRIANGLE_MESH"): CORE_ON_MESH,
    ("CONVEX_HULL", "PLANE"): kept("HULL_ON_PLANE", "hulls"),
    ("CONVEX_HULL", "CONVEX_HULL"): POLYHEDRA,
    ("CONVEX_HULL", "TRIANGLE_MESH"): kept_on_mesh("SHAPE_ON_MESH", POINTS_ON_MESH),
}
"""Laws of kinds A and B."""

FEATURES_OF_LAWS = {law.name: law.features for law in COLLISIONS.values()}
"""Features of kernels by the name of a law."""

LAWS = {name: i for i, name in enumerate(FEATURES_OF_LAWS)}
"""Numbers of laws, the word LAW of a pair."""

PAIR_FEATURES = tuple(sorted({feature for law in COLLISIONS.values() for feature in law.features}))
"""Features that follow from the kinds of pairs."""
