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
from .colliders import shape_axes
from .collision_shapes import CollisionShape
from .mesh_shapes import read_mesh_shapes

HALF_TURNED = float(np.float32(0.7071068))
"""Sine and cosine of 45° in the quaternions by which PhysX turns shapes onto their axes."""
Sizes = Callable[[dict, np.ndarray], dict[str, Any]]


def read_shapes(
    source: StageReader, shape: CollisionShape, body: Usd.Prim | None, static: bool
) -> Iterator[dict[str, Any]]:
    """Yield the fields `kind`, `pose` and sizes of a shape's `Collider`; none, and a diagnostic, if it is invalid.

    `static`: whether contacts do not move the body, so that a mesh may stay a mesh.
    """
    prim = shape.prim
    kind = str(prim.GetTypeName())
    scale = np.abs(np.array(Gf.Transform(source.matrix(prim)).GetScale())) * source.metres
    if kind == "Mesh":
        for offset, fields in read_mesh_shapes(source, shape, static, scale):
            yield {"pose": shape_pose(source, prim, body, offset), **fields}
    elif kind in KINDS:
        found, sizes = KINDS[kind]
        fields = sizes(source.values(prim, SHAPES[kind]), scale)
        numbers = [1.0, *np.ravel(list(fields.values()))]
        if min(numbers) > 0.0 and max(numbers) < inf:
            yield {"kind": found, "pose": primitive_pose(source, prim, body, found), **fields}
        else:
            source.report(prim, "PhysicsCollisionAPI", Reason("shape-without-size", kind=kind))
    else:
        source.report(prim, "PhysicsCollisionAPI", Reason("shape-unknown", kind=kind))


def shape_pose(source: StageReader, prim: Usd.Prim, body: Usd.Prim | None, offset: Gf.Matrix4d) -> Pose:
    """Return the frame of a shape, `offset` from its prim's, in the frame of its body or in the world."""
    local = source.frame(prim) * source.frame(body).GetInverse() if body else source.frame(prim)
    return source.rigid(offset * local)


def primitive_pose(source: StageReader, prim: Usd.Prim, body: Usd.Prim | None, kind: ShapeKind) -> Pose:
    """Return the frame of a primitive shape, whose x is the axis of the prim.

    That of a cylinder or cone is turned by PhysX's quaternion: its round-off decides which points of parallel faces
    contacts have.
    """
    axes = shape_axes(prim)
    position, rotation = shape_pose(source, prim, body, turn_onto(axes))
    if kind in (ShapeKind.CYLINDER, ShapeKind.CONE) and axes[0, 0] == 0.0:
        turn = (0.0, 0.0, HALF_TURNED, HALF_TURNED) if axes[1, 0] != 0.0 else (0.0, -HALF_TURNED, 0.0, HALF_TURNED)
        own = shape_pose(source, prim, body, Gf.Matrix4d(1.0))[1]
        rotation = tuple(multiply(np.array(own), np.array(turn)).tolist())
    return position, rotation


def turn_onto(axes: np.ndarray) -> Gf.Matrix4d:
    """Return the rotation onto axes (3, 3), given as columns."""
    return Gf.Matrix4d(Gf.Rotation(Gf.Matrix3d(*axes.T.ravel().tolist()).ExtractRotation()), Gf.Vec3d(0.0))


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
