"""Static shapes that rays meet: triangles of meshes, hulls and boxes, in a tree and a grid; round shapes and planes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..geometry.ray_columns import RayColumns, ray_columns
from ..geometry.ray_tree import RayTree, ray_tree
from ..geometry.triangulation import fan_corners
from ..quaternion import rotate
from ..scene import Collider, ShapeKind
from ..tables.rays import RAY_SHAPES, SHAPE_WIDTH
from .shapes import hull_of


@dataclass(frozen=True)
class RayTargets:
    """Static shapes, in world axes [m]."""

    tree: RayTree
    columns: RayColumns  # of the triangles in the order of the tree
    shapes: np.ndarray  # position, quaternion, radius, half height and kind of each, (N, SHAPE_WIDTH)


def ray_targets(colliders: Sequence[Collider]) -> RayTargets:
    """Return the shapes of static colliders."""
    triangles, shapes = [np.zeros((0, 3, 3))], []
    for collider in colliders:
        position, orientation = (np.array(part) for part in collider.pose)
        if collider.kind in (ShapeKind.BOX, ShapeKind.CONVEX_HULL, ShapeKind.TRIANGLE_MESH):
            mesh = collider.kind == ShapeKind.TRIANGLE_MESH
            points, faces = (np.array(collider.points), collider.faces) if mesh else hull_of(collider)
            corners, _ = fan_corners(np.array([len(face) for face in faces]))
            triangles.append((position + rotate(orientation, points))[np.concatenate(faces)[corners]])
        else:
            sizes = collider.radius, collider.half_height, RAY_SHAPES[collider.kind.name]
            shapes.append((*position, *orientation, *sizes))
    tree = ray_tree(np.concatenate(triangles))
    return RayTargets(tree, ray_columns(tree.triangles), np.array(shapes, float).reshape(-1, SHAPE_WIDTH))
