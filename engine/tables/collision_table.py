"""Contacts of two kinds of shapes: the laws of a kernel that compute them, and the room that their points take.

A row has shape A and shape B; normals point from B to A. A pair in the other order is turned around, and kinds without
a row in either order do not touch. Cylinders and cones are one kind, as in PhysX: the order of the file stays.
"""

from dataclasses import dataclass

from .contacts import MANIFOLD_POINTS, MANIFOLDS_ON_MESH, POINTS_ON_MESH


@dataclass(frozen=True)
class PairLaw:
    """Law of the contacts of shapes of two kinds, as PhysX has them (PCM)."""

    features: tuple[str, ...] = ()  # fields of `Features` that compile it; what is always compiled needs none
    points: int = 1  # most contact points
    manifolds: int = 0  # persistent manifolds; 0: points are new in every step
    is_core: bool = False  # True if the shapes meet as cores
    hulls_of_boxes: bool = False  # True if it reads boxes as convex hulls


def cores(points: int = MANIFOLD_POINTS) -> PairLaw:
    """Return the law of cylinders and cones: nearest points of cores."""
    return PairLaw(("cores",), points, is_core=True)


def kept(*features: str, points: int = MANIFOLD_POINTS, hulls_of_boxes: bool = False) -> PairLaw:
    """Return a law with one persistent manifold."""
    return PairLaw(features, points, manifolds=1, hulls_of_boxes=hulls_of_boxes)


def kept_on_mesh(points: int) -> PairLaw:
    """Return the law of a triangle mesh with persistent manifolds, in several directions."""
    return PairLaw(("meshes", "kept_on_meshes"), points, MANIFOLDS_ON_MESH, hulls_of_boxes=True)


ON_PLANE = PairLaw(("planes",))
NEAREST = kept("convexes", points=1)
CAPSULE_ON_CONVEX = kept("capsules", "convexes", points=2, hulls_of_boxes=True)
CLIPPED_FACES = kept("polyhedra", "convexes", hulls_of_boxes=True)
ROUND_ON_PLANE = PairLaw(("rounds",), MANIFOLD_POINTS)
CORE_ON_MESH = PairLaw(("meshes", "cores_on_meshes"), POINTS_ON_MESH, is_core=True)

COLLISIONS = {
    ("SPHERE", "SPHERE"): PairLaw(),
    ("SPHERE", "PLANE"): ON_PLANE,
    ("SPHERE", "CAPSULE"): PairLaw(),
    ("SPHERE", "BOX"): PairLaw(),
    ("SPHERE", "CYLINDER"): cores(1),
    ("SPHERE", "CONE"): cores(1),
    ("SPHERE", "CONVEX_HULL"): NEAREST,
    ("SPHERE", "TRIANGLE_MESH"): kept_on_mesh(MANIFOLD_POINTS),
    ("CAPSULE", "CAPSULE"): PairLaw(points=MANIFOLD_POINTS),
    ("CAPSULE", "PLANE"): kept("planes", points=2),
    ("CAPSULE", "BOX"): CAPSULE_ON_CONVEX,
    ("CAPSULE", "CYLINDER"): cores(),
    ("CAPSULE", "CONE"): cores(),
    ("CAPSULE", "CONVEX_HULL"): CAPSULE_ON_CONVEX,
    ("CAPSULE", "TRIANGLE_MESH"): kept_on_mesh(POINTS_ON_MESH // 2),
    ("BOX", "PLANE"): kept("planes"),
    ("BOX", "BOX"): kept("boxes", "convexes"),
    ("BOX", "CYLINDER"): cores(),
    ("BOX", "CONE"): cores(),
    ("BOX", "CONVEX_HULL"): CLIPPED_FACES,
    ("BOX", "TRIANGLE_MESH"): kept_on_mesh(POINTS_ON_MESH),
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
    ("CONVEX_HULL", "PLANE"): kept("hulls"),
    ("CONVEX_HULL", "CONVEX_HULL"): CLIPPED_FACES,
    ("CONVEX_HULL", "TRIANGLE_MESH"): kept_on_mesh(POINTS_ON_MESH),
}
"""Laws of kinds A and B."""

PAIR_FEATURES = tuple(sorted({feature for law in COLLISIONS.values() for feature in law.features}))
"""Features that follow from the kinds of pairs."""
