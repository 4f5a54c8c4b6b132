"""Kinds of shapes, as kernels compare them."""

from ...tables.contacts import SHAPES

SPHERE, PLANE, CAPSULE, BOX = (SHAPES[name] for name in ("SPHERE", "PLANE", "CAPSULE", "BOX"))
CYLINDER, CONE, HULL, MESH = (SHAPES[name] for name in ("CYLINDER", "CONE", "CONVEX_HULL", "TRIANGLE_MESH"))
