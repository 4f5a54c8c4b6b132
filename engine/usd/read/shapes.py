"""Shapes of colliders: kind, frame and sizes, without scale."""

from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import numpy as np
from pxr import Gf, Usd

from ...quaternion import multiply
from ...scene import Pose, ShapeKind
from ..attributes.shape import SHAPES
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader
from .collider_mass import radius_and_height
from .colliders import shape_turn
from .collision_shapes import CollisionShape
from .mesh_shapes import read_mesh_shapes

Sizes = Callable[[dict, np.ndarray], dict[str, Any]]


def read_shapes(
    source: StageReader, shape: CollisionShape, body: Usd.Prim | None, static: bool
) -> Iterator[dict[str, Any]]:
    """Yield the fields `kind`, `pose` and sizes of a shape's `Collider`; none, and a diagnostic, if it is invalid.

    `static`: whether contacts do not move the body, so that a mesh may stay a mesh.
    """
    prim = shape.prim
    kind = str(prim.GetTypeName())
    scale = np.abs(source.scale_of(prim)) * source.metres
    if kind == "Mesh":
        for offset, fields in read_mesh_shapes(source, shape, static):
            yield {"pose": shape_pose(source, prim, body, offset), **fields}
    elif kind in KINDS:
        found, sizes = KINDS[kind]
        fields = sizes(source.values(prim, SHAPES[kind]), scale)
        numbers = [1.0, *np.ravel(list(fields.values()))]
        if min(numbers) > 0.0 and max(numbers) < inf:
            yield {"kind": found, "pose": primitive_pose(source, prim, body), **fields}
        else:
            source.report(prim, "PhysicsCollisionAPI", Reason("shape-without-size", kind=kind))
    else:
        source.report(prim, "PhysicsCollisionAPI", Reason("shape-unknown", kind=kind))


def shape_pose(source: StageReader, prim: Usd.Prim, body: Usd.Prim | None, offset: Gf.Matrix4d) -> Pose:
    """Return the frame of a shape, `offset` from its prim's, in the frame of its body or in the world."""
    local = source.frame_in(prim, body) if body else source.frame(prim)
    return source.rigid(offset * local)


def primitive_pose(source: StageReader, prim: Usd.Prim, body: Usd.Prim | None) -> Pose:
    """Return the frame of a primitive shape, whose x is the axis of the prim.

    It is turned by PhysX's quaternion: its round-off decides which of equally deep points contacts have.
    """
    position, rotation = shape_pose(source, prim, body, Gf.Matrix4d(1.0))
    return position, tuple(multiply(np.array(rotation), np.array(shape_turn(prim))).tolist())


def round_sizes(values: dict, scale: np.ndarray) -> dict[str, float]:
    """Return radius and half height of a capsule, cylinder or cone."""
    radius, height = radius_and_height(values, scale)
    return {"radius": float(radius), "half_height": float(height) / 2.0}


def sphere_sizes(values: dict, scale: np.ndarray) -> dict[str, float]:
    """Return the radius of a sphere; the largest scale applies."""
    return {"radius": float(values["radius"] * max(scale))}


def box_sizes(values: dict, scale: np.ndarray) -> dict[str, tuple]:
    """Return the half extents of a box."""
    return {"half_extents": tuple((values["size"] * scale / 2.0).tolist())}


KINDS: dict[str, tuple[ShapeKind, Sizes]] = {
    "Plane": (ShapeKind.PLANE, lambda values, scale: {}),
    "Sphere": (ShapeKind.SPHERE, sphere_sizes),
    "Capsule": (ShapeKind.CAPSULE, round_sizes),
    "Cube": (ShapeKind.BOX, box_sizes),
    "Cylinder": (ShapeKind.CYLINDER, round_sizes),
    "Cone": (ShapeKind.CONE, round_sizes),
}
