"""Expansion of point instancers: each instance of a body or collider becomes a prim of the session layer.

/many/crate_3 is instance 3 of the prototype "crate" of the instancer /many. It references its prototype, and its first
transform op is that of the instance, with the time samples that the instancer has. As in PhysX, its velocities are
those of the instancer, and an instance that is inactive at time 0 does not exist. The file does not change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

from ...scene import InvalidScene
from .targets import targets_of

INSTANCE_OP = "xformOp:transform:instance"
MARK = "fajinInstance"  # custom data of an instance
BODY, COLLISION = "PhysicsRigidBodyAPI", "PhysicsCollisionAPI"
MOST = 1_000_000
"""Most prims of all instances of a stage."""

RESET = UsdGeom.XformOpTypes.resetXformStack
FRAMES = 100_000
"""Most time samples of an instancer that are read."""


@dataclass(frozen=True)
class Prototype:
    """A prim that instances copy."""

    prim: Usd.Prim
    size: int  # number of its prims
    bodies: tuple[Sdf.Path, ...]  # its rigid bodies, relative to it; "." for itself
    order: tuple[str, ...]  # its transform ops

    @classmethod
    def of(cls, prim: Usd.Prim) -> "Prototype":
        """Return a prim as a prototype."""
        below = list(Usd.PrimRange(prim, Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))
        order = UsdGeom.Xformable(prim).GetXformOpOrderAttr().Get() if prim.IsA("Xformable") else None
        bodies = tuple(one.GetPath().MakeRelativePath(prim.GetPath()) for one in below if has(one, BODY))
        return cls(prim, len(below), bodies, tuple(name for name in order or () if name != RESET))


def has(prim: Usd.Prim, schema: str) -> bool:
    """Return whether an API schema is applied to a prim."""
    return schema in prim.GetPrimTypeInfo().GetAppliedAPISchemas()


def expand_instancers(stage: Usd.Stage) -> None:
    """Define a prim on the session layer for each instance of the point instancers of bodies and colliders.

    Not expanded are instancers below instancers or within instances, those of colliders below a rigid body, and those
    whose arrays do not fit together.

    Raises:
        InvalidScene: the instances have more than a million prims.
    """
    count = 0
    for prim in outermost(stage, "PointInstancer"):
        prototypes = solid_prototypes(prim)
        if not prototypes or any(map(is_instance, prim.GetChildren())):
            continue
        which = np.array(array_at_start(UsdGeom.PointInstancer(prim).GetProtoIndicesAttr(), Vt.IntArray), int)
        known = which[(which >= 0) & (which < len(prototypes))]
        count += int(np.array([one.size if one else 0 for one in prototypes])[known].sum())
        if count > MOST:
            rule = f"instances of at most {MOST} prims in all"
            raise InvalidScene(prim.GetPath(), "protoIndices", f"{len(which)} instances", rule, "author fewer of them")
        expand(prim, prototypes, which.tolist())


def outermost(stage: Usd.Stage, kind: str) -> list[Usd.Prim]:
    """Return the outermost prims of a type outside instances."""
    found, prims = [], iter(Usd.PrimRange.Stage(stage))
    for prim in prims:
        if prim.GetTypeName() == kind:
            prims.PruneChildren()
            found.append(prim)
    return found


def array_at_start(attribute: Usd.Attribute, *kinds: type) -> Sequence[Any]:
    """Return the array of an attribute at time 0; an empty one if it has none of these types."""
    found: Any = attribute.Get(0.0) if attribute else None
    return found if isinstance(found, kinds) else ()


def solid_prototypes(instancer: Usd.Prim) -> list[Prototype | None]:
    """Return the prototypes of an instancer, None for one that does not exist; an empty list if it is only drawn."""
    stage = instancer.GetStage()
    prims = [stage.GetPrimAtPath(path) for path in targets_of(instancer, "prototypes") or ()]
    if any(prim and instancer.GetPath().HasPrefix(prim.GetPath()) for prim in prims):
        return []
    found = [Prototype.of(prim) if prim else None for prim in prims]
    if any(prototype and prototype.bodies for prototype in found):
        return found
    above = instancer
    while above and not has(above, BODY):
        above = above.GetParent()
    below = (prim for one in filter(None, prims) for prim in Usd.PrimRange(one, Usd.TraverseInstanceProxies()))
    collide = any(has(prim, COLLISION) for prim in below)
    return found if collide and not above else []


def expand(prim: Usd.Prim, prototypes: list[Prototype | None], which: list[int]) -> None:
    """Define the instances of one instancer."""
    instancer, layer = UsdGeom.PointInstancer(prim), prim.GetStage().GetSessionLayer()
    places = Places.of(instancer, len(which))
    if places is None:
        return
    mask = instancer.ComputeMaskAtTime(0.0)
    speeds = [velocities(attribute, len(which)) for attribute in speed_attributes(instancer)]
    with Sdf.ChangeBlock():
        for i, number in enumerate(which):
            one = prototypes[number] if 0 <= number < len(prototypes) else None
            if one is None or (mask and not mask[i]):
                continue
            spec = Sdf.CreatePrimInLayer(layer, prim.GetPath().AppendChild(f"{one.prim.GetName()}_{i}"))
            define(spec, one)
            places.write(layer, spec, i)
            for below in one.bodies:
                body = Sdf.CreatePrimInLayer(layer, below.MakeAbsolutePath(spec.path))
                for name, speed in zip(("physics:velocity", "physics:angularVelocity"), speeds, strict=True):
                    author(body, name, Sdf.ValueTypeNames.Vector3f, Gf.Vec3f(*speed[i]))


def define(spec: Sdf.PrimSpec, prototype: Prototype) -> None:
    """Write an instance's reference and transform ops."""
    spec.specifier, spec.typeName = Sdf.SpecifierDef, prototype.prim.GetTypeName()
    spec.referenceList.explicitItems.append(Sdf.Reference("", prototype.prim.GetPath()))
    spec.SetInfo("customData", {MARK: True})
    order = Sdf.AttributeSpec(spec, UsdGeom.Tokens.xformOpOrder, Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform)
    order.default = Vt.TokenArray([INSTANCE_OP, *prototype.order])


def author(spec: Sdf.PrimSpec, name: str, kind: Sdf.ValueTypeName, value: object) -> None:
    """Write an attribute of an instance."""
    Sdf.AttributeSpec(spec, name, kind).default = value


def speed_attributes(instancer: UsdGeom.PointInstancer) -> tuple[Usd.Attribute, Usd.Attribute]:
    """Return the attributes of linear and angular velocities; as in PhysX, they are those in the world."""
    return instancer.GetVelocitiesAttr(), instancer.GetAngularVelocitiesAttr()


def velocities(attribute: Usd.Attribute, count: int) -> list[list[float]]:
    """Return the velocities of all instances; zeros if there are none, or another number."""
    found = np.array(array_at_start(attribute, Vt.Vec3fArray, Vt.Vec3hArray, Vt.Vec3dArray), float)
    return (found if found.shape == (count, 3) else np.zeros((count, 3))).tolist()


def unsheared(place: Gf.Matrix4d) -> Gf.Matrix4d:
    """Return an instance's transform with axes at right angles, which a quaternion shears that is not a unit vector.

    Those of half precision are not.
    """
    scale = Gf.Matrix4d(1.0).SetScale(Gf.Transform(place).GetScale())
    return scale * place.RemoveScaleShear()


@dataclass(frozen=True)
class Places:
    """Transforms of instances, without those of their prototypes."""

    start: list[Gf.Matrix4d]
    samples: dict[float, list[Gf.Matrix4d]]  # by time code, if they move

    @classmethod
    def of(cls, instancer: UsdGeom.PointInstancer, count: int) -> "Places | None":
        """Return the transforms at time 0 and at the time samples; None if the arrays do not fit together."""

        def at(code: float) -> list[Gf.Matrix4d]:
            without = UsdGeom.PointInstancer.ExcludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
            return [unsheared(place) for place in instancer.ComputeInstanceTransformsAtTime(code, code, *without) or []]

        start = at(0.0)
        if len(start) != count or not count:
            return None
        attributes = (instancer.GetPositionsAttr(), instancer.GetOrientationsAttr(), instancer.GetOrientationsfAttr())
        codes = sorted({code for attribute in attributes for code in attribute.GetTimeSamples()})
        if not 1 < len(codes) <= FRAMES or not np.isfinite(codes).all():
            return cls(start, {})
        moving = {code: at(code) for code in codes}
        return cls(start, moving if all(len(places) == count for places in moving.values()) else {})

    def write(self, layer: Sdf.Layer, spec: Sdf.PrimSpec, i: int) -> None:
        """Write the transform op of instance i."""
        author(spec, INSTANCE_OP, Sdf.ValueTypeNames.Matrix4d, self.start[i])
        path = spec.path.AppendProperty(INSTANCE_OP)
        for code, places in self.samples.items():
            layer.SetTimeSample(path, code, places[i])


def is_instance(prim: Usd.Prim) -> bool:
    """Return whether a prim is an instance that `expand_instancers` defined."""
    return prim.HasCustomDataKey(MARK)


def instance_number(prim: Usd.Prim) -> int:
    """Return the number of an instance in its instancer."""
    return int(prim.GetName().rpartition("_")[2])


def instance_of(stage: Usd.Stage, path: str) -> Usd.Prim | None:
    """Return the expanded instance that is or contains a prim; None if there is none."""
    prim = stage.GetPrimAtPath(path)
    while prim and not is_instance(prim):
        prim = prim.GetParent()
    return prim or None
