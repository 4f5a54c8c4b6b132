"""Kinds of shapes, by name."""

from ...tables.contacts import SHAPES

SPHERE, PLANE, CAPSULE, BOX = (SHAPES[name] for name in ("SPHERE", "PLANE", "CAPSULE", "BOX"))
CYLINDER, CONE, CONVEX_HULL, TRIANGLE_MESH = (
    SHAPES[name] for name in ("CYLINDER", "CONE", "CONVEX_HULL", "TRIANGLE_MESH")
)
