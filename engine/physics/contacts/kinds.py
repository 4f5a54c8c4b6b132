"""Kinds of shapes and laws of pairs, as kernels compare them. Their order means nothing."""

from ...tables.collision_table import FEATURES_OF_LAWS, LAWS
from ...tables.contacts import SHAPES
from ..lanes import traced

SPHERE, PLANE, CAPSULE, BOX = (SHAPES[name] for name in ("SPHERE", "PLANE", "CAPSULE", "BOX"))
CYLINDER, CONE, HULL, MESH = (SHAPES[name] for name in ("CYLINDER", "CONE", "CONVEX_HULL", "TRIANGLE_MESH"))


@traced
def compiles(w, *laws):
    """Return whether a kernel has the code of any of these laws, as a Python value."""
    return any(all(getattr(w.features, name) for name in FEATURES_OF_LAWS[law]) for law in laws)


@traced
def has_law(w, g, *laws):
    """Return whether pair g has one of these laws."""
    law = w.slot[g].law
    found = law == LAWS[laws[0]]
    for name in laws[1:]:
        found = found | (law == LAWS[name])
    return found


@traced
def has_radius(shape):
    """Return whether a shape is all points within a radius of its core: a sphere or capsule."""
    return (shape == SPHERE) | (shape == CAPSULE)
