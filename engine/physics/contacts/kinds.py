"""Kinds of shapes, as kernels compare them."""

from ...tables.contacts import SHAPES

SPHERE, PLANE, CAPSULE, BOX = (SHAPES[name] for name in ("SPHERE", "PLANE", "CAPSULE", "BOX"))
CONE, MESH = SHAPES["CONE"], SHAPES["TRIANGLE_MESH"]
