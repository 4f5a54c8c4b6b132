"""Animated attributes of prims that follow a recording, in stage units and degrees, relative to the parent prim."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import degrees

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

from ...quaternion import conjugate, multiply, rotate
from ...recording.recorder import Recording
from ...scene import JointType, Scene
from ..attributes.kinds import NUMBER
from ..read.joints import INSTANCES
from ..stage.instancer_expansion import instance_of
from ..stage.stage import START, schemas
from ..stage.transforms import rigid_frame, shears

STILL = 2e-6  # relative range of values that is float32 round-off of a pose, not motion
ORIENT = "xformOp:orient"
PRECISE_ORIENT = "xformOp:orient:motion"  # beside an authored op of lower precision
RESET = UsdGeom.XformOpTypes.resetXformStack
PLAIN = {  # C++ type of a pose or scale, without its role; point3f has the role "point"
    "GfVec3d": "double3",
    "GfVec3f": "float3",
    "GfVec3h": "half3",
}


@dataclass(frozen=True)
class AnimatedAttributes:
    """Attributes of one prim and their values over a recording."""

    path: Sdf.Path
    names: tuple[str, ...]
    types: tuple[str, ...]  # USD types of the attributes: double3, quatf, …
    values: Callable[[Recording], tuple[np.ndarray, ...]]  # (T, 3), (T, 4) or (T,) per attribute; arrays (T, N, …)
    authored: tuple[np.ndarray, ...]  # authored value of each attribute, as a single frame
    static: dict[str, tuple] = field(default_factory=dict)  # other attributes: name to (type, value)
    schema: str = ""  # API schema to apply
    animated: bool = False  # True if the source file contains time samples

    @property
    def count(self) -> int:
        """Return the number of values per frame: one per attribute, or one per item of its array."""
        return sum(value.shape[1] if value.ndim > 2 else 1 for value in self.authored)


@dataclass(frozen=True)
class Bounds:
    """Minimum and maximum of each animated attribute, by component."""

    low: tuple[np.ndarray, ...]
    high: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, values: tuple[np.ndarray, ...]) -> "Bounds":
        """Return the bounds of the values (T, …) of each attribute."""
        return cls(tuple(value.min(axis=0) for value in values), tuple(value.max(axis=0) for value in values))

    def including(self, *values: np.ndarray) -> "Bounds":
        """Return bounds that also contain the values (T, …) of each attribute."""
        other = Bounds.of(values)
        return Bounds(
            tuple(np.minimum(a, b) for a, b in zip(self.low, other.low, strict=True)),
            tuple(np.maximum(a, b) for a, b in zip(self.high, other.high, strict=True)),
        )

    @property
    def still(self) -> bool:
        """Return whether the values within these bounds differ only by round-off."""
        pairs = zip(self.low, self.high, strict=True)
        return all(np.all(high - low <= STILL * max(1.0, np.abs(high).max())) for low, high in pairs)


def tracks(stage: Usd.Stage, recording: Recording) -> list[AnimatedAttributes]:
    """Return the animated attributes of a recording of one world: for its links, then its degrees of freedom.

    Instances of point instancers are not prims of the file: `instanced_bodies`.
    """
    cache = UsdGeom.XformCache(START)
    own = [column for column, path in enumerate(recording.link) if instance_of(stage, path) is None]
    links = [_link(stage, recording, column, cache) for column in own]
    return links + [_dof(stage, recording, column) for column in range(len(recording.dof))]


def _link(stage: Usd.Stage, recording: Recording, column: int, cache: UsdGeom.XformCache) -> AnimatedAttributes:
    prim = stage.GetPrimAtPath(recording.link[column])
    xform = UsdGeom.Xformable(prim)
    local = xform.GetLocalTransformation(START)
    rigid = rigid_frame(local)
    parent, above = (None, Gf.Matrix4d(1)) if xform.GetResetXformStack() else _above(prim, recording, cache)
    order, static = _ops(prim, xform, local * rigid.GetInverse())
    metres = recording.scene.meters_per_unit
    authored = quaternion_of(rigid)

    def values(piece: Recording) -> tuple[np.ndarray, np.ndarray]:
        position, rotation = _local(piece, column, parent, above, metres)
        return position, np.where(rotation @ authored < 0.0, -1.0, 1.0)[:, None] * rotation

    return AnimatedAttributes(
        path=prim.GetPath(),
        names=("xformOp:translate", _orient(prim)),
        types=(_type(prim, "xformOp:translate", "double3"), "quatd"),
        values=values,
        authored=(np.array(rigid.ExtractTranslation())[None], authored[None]),
        static=static | ({"xformOpOrder": ("token[]", order)} if order != _names(xform) else {}),
        animated=xform.TransformMightBeTimeVarying(),
    )


def _above(prim: Usd.Prim, recording: Recording, cache: UsdGeom.XformCache) -> tuple[int | None, Gf.Matrix4d]:
    """Return the link that carries a prim, and the transform of the prim's parent in that link's rigid frame.

    The transform includes scale. The world carries prims that are not below a link.
    """
    above = cache.GetLocalToWorldTransform(prim.GetParent())
    for path in reversed(prim.GetPath().GetPrefixes()[:-1]):
        ancestor = prim.GetStage().GetPrimAtPath(path)
        if str(path) in recording.link:
            rigid = rigid_frame(cache.GetLocalToWorldTransform(ancestor))
            return recording.link.index(str(path)), above * rigid.GetInverse()
        if UsdGeom.Xformable(ancestor) and UsdGeom.Xformable(ancestor).GetResetXformStack():
            break
    return None, above


def _local(
    piece: Recording, column: int, parent: int | None, above: Gf.Matrix4d, metres: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose of a link in its parent prim: position in stage units (T, 3) and quaternion (T, 4).

    X_parent,link = (X_world,carrier X_carrier,parent)⁻¹ X_world,link; `above` is X_carrier,parent as a row matrix.
    """
    pose = np.array(piece.pose[:, 0, column], dtype=float)
    position, rotation = pose[:, :3], pose[:, 3:] / np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    if parent is not None:
        carrier = np.array(piece.pose[:, 0, parent], dtype=float)
        inverse = conjugate(carrier[:, 3:]) / np.linalg.norm(carrier[:, 3:], axis=1, keepdims=True)
        position, rotation = rotate(inverse, position - carrier[:, :3]), multiply(inverse, rotation)
    below = np.array(above.GetInverse())
    place = position / metres @ below[:3, :3] + below[3, :3]
    if shears(above):
        return place, np.array([turned_below(each, below[:3, :3]) for each in rotation])
    return place, multiply(conjugate(quaternion_of(rigid_frame(above)))[None], rotation)


def turned_below(rotation: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return the rotation (4,) of a link in a parent prim whose scale is not the same along all axes.

    `rotation` (4,) is that in the world; `below` (3, 3) takes rows of the world to rows of the parent.
    """
    axes = np.stack([rotate(rotation, axis) for axis in np.eye(3)]) @ below
    return quaternion_of(rigid_frame(Gf.Matrix4d(1.0).SetRotateOnly(Gf.Matrix3d(*axes.ravel().tolist()))))


def _ops(prim: Usd.Prim, xform: UsdGeom.Xformable, scale: Gf.Matrix4d) -> tuple[list[str], dict[str, tuple]]:
    """Return the order of transform ops that can represent a pose, and those ops among them that are static.

    Ops in the order translate, orient, scale are kept. Any other ops are replaced by these three.
    """
    names = _names(xform)
    reset = [RESET] if xform.GetResetXformStack() else []
    translate, pose = "xformOp:translate", ["xformOp:translate", _orient(prim)]
    tail = ["xformOp:scale"]
    heads = [*([translate, orient] for orient in (ORIENT, PRECISE_ORIENT)), [translate], [ORIENT], [PRECISE_ORIENT], []]
    if names in ([*reset, *head, *last] for head in heads for last in (tail, [])):
        return [*reset, *pose, *(tail if tail[0] in names else [])], {}
    size = Gf.Vec3d(*(scale[i, i] for i in range(3)))
    if Gf.IsClose(size, Gf.Vec3d(1), STILL):
        return [*reset, *pose], {}
    return [*reset, *pose, *tail], {tail[0]: (_type(prim, tail[0], "double3"), size)}


def _names(xform: UsdGeom.Xformable) -> list[str]:
    return list(xform.GetXformOpOrderAttr().Get() or [])


def _orient(prim: Usd.Prim) -> str:
    """Return the name of the op for a rotation in double precision.

    USD computes a rotation's angle from the real part alone, so quatf is only precise to 5e-4 rad near the identity. An
    op that is authored with less precision is replaced in the order of ops, as its type must be kept.
    """
    attribute = prim.GetAttribute(ORIENT)
    return PRECISE_ORIENT if attribute and attribute.GetTypeName().cppTypeName != "GfQuatd" else ORIENT


def _type(prim: Usd.Prim, name: str, default: str) -> str:
    """Return the type of an attribute for a stronger layer: the authored type, else a double type."""
    attribute = prim.GetAttribute(name)
    return PLAIN.get(attribute.GetTypeName().cppTypeName, default) if attribute else default


def _dof(stage: Usd.Stage, recording: Recording, column: int) -> AnimatedAttributes:
    path, _, token = recording.dof[column].rpartition(":")
    instance = INSTANCES.get(_joint_type(recording.scene, path), token)
    prim = stage.GetPrimAtPath(path)
    names = tuple(f"state:{instance}:physics:{name}" for name in ("position", "velocity"))
    unit = degrees(1.0) if recording.unit[column] == "rad" else 1.0 / recording.scene.meters_per_unit
    attributes = [prim.GetAttribute(name) for name in names]
    schema = f"PhysicsJointStateAPI:{instance}"

    def values(piece: Recording) -> tuple[np.ndarray, np.ndarray]:
        return np.array(piece.q[:, 0, column], dtype=float) * unit, np.array(piece.qd[:, 0, column], dtype=float) * unit

    return AnimatedAttributes(
        path=prim.GetPath(),
        names=names,
        types=("float", "float"),
        values=values,
        authored=tuple(np.array([NUMBER.read(a.Get(START) if a else None) or 0.0]) for a in attributes),
        schema="" if schema in schemas(prim) else schema,
        animated=any(attribute and attribute.GetNumTimeSamples() > 1 for attribute in attributes),
    )


def _joint_type(scene: Scene, path: str) -> JointType:
    return next(joint.type for item in scene.articulations for joint in item.joints if joint.path == path)


def quaternion_of(matrix: Gf.Matrix4d) -> np.ndarray:
    """Return the rotation of a rigid transform as a quaternion (x, y, z, w)."""
    rotation = matrix.ExtractRotationQuat().GetNormalized()
    return np.array([*rotation.GetImaginary(), rotation.GetReal()])
