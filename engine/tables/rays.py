"""Words of rays: how they turn with their body, and the shapes that they meet."""

ALIGNMENTS = {"base": 0, "yaw": 1, "world": 2}
"""Alignments of rays: starts and directions turn with the body; starts turn with its yaw; neither turns."""

RAY_SHAPES = {"PLANE": 0, "SPHERE": 1, "CAPSULE": 2, "CYLINDER": 3, "CONE": 4}
"""Kinds of shapes that are no triangles."""

SHAPE_WIDTH = 10
"""Numbers of a shape: position, quaternion, radius, half height and kind."""
