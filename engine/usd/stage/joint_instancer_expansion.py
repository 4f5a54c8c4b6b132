"""Expansion of joint instancers: each joint of a `PhysxPhysicsJointInstancer` becomes a prim of the session layer.

/joints/hinge_3 is joint 3 of the prototype "hinge". It references its prototype and has the bodies and frames of its
number. A body is the target of `physics:body0s`, or that target's instance `physics:body0Indices`; one target holds for
all joints. The point instancers must be expanded before.
"""

from typing import Any

from pxr import Gf, Sdf, Usd, Vt

from .instancer_expansion import MARK, expand_instancers, instance_number, is_instance, outermost
from .targets import targets_of

KIND = "PhysxPhysicsJointInstancer"
VECTORS = Vt.Vec3fArray, Vt.Vec3hArray, Vt.Vec3dArray
ROTATIONS = Vt.QuatfArray, Vt.QuathArray, Vt.QuatdArray


def expand_all_instancers(stage: Usd.Stage) -> None:
    """Define the instances of point instancers and joint instancers on the session layer.

    Raises:
        InvalidScene: the instances have more than a million prims.
    """
    expand_instancers(stage)
    expand_joint_instancers(stage)


def expand_joint_instancers(stage: Usd.Stage) -> None:
    """Define a prim on the session layer for each joint of the joint instancers whose arrays fit together."""
    for prim in outermost(stage, KIND):
        prototypes = [stage.GetPrimAtPath(path) for path in targets_of(prim, "physics:prototypes") or ()]
        which = values(prim, "protoIndices") or []
        ends = [joints for end in (0, 1) if (joints := end_of_joints(prim, end, len(which))) is not None]
        known = all(isinstance(number, int) and 0 <= number < len(prototypes) for number in which)
        if not known or not all(prototypes) or len(ends) < 2 or any(map(is_instance, prim.GetChildren())):
            continue
        with Sdf.ChangeBlock():
            for i, number in enumerate(which):
                one = prototypes[number]
                spec = Sdf.CreatePrimInLayer(
                    stage.GetSessionLayer(), prim.GetPath().AppendChild(f"{one.GetName()}_{i}")
                )
                spec.specifier, spec.typeName = Sdf.SpecifierDef, one.GetTypeName()
                spec.referenceList.explicitItems.append(Sdf.Reference("", one.GetPath()))
                spec.SetInfo("customData", {MARK: True})
                for end, joints in enumerate(ends):
                    define_end(spec, end, *joints[i])


def values(prim: Usd.Prim, name: str, kinds: tuple[type, ...] = (Vt.IntArray,)) -> list[Any] | None:
    """Return an array of a joint instancer; an empty list if it is not authored, None if it has another type."""
    found = prim.GetAttribute(f"physics:{name}").Get(0.0) if prim.HasAttribute(f"physics:{name}") else None
    return [] if found is None else list(found) if isinstance(found, kinds) else None


def end_of_joints(prim: Usd.Prim, end: int, count: int) -> list[tuple] | None:
    """Return body, position and rotation of each joint at one end; None if the arrays do not fit together."""
    targets, numbers = targets_of(prim, f"physics:body{end}s") or [], values(prim, f"body{end}Indices")
    positions = values(prim, f"localPos{end}s", VECTORS)
    rotations = values(prim, f"localRot{end}s", ROTATIONS)
    bodies: list[Any] = list(targets) * count if len(targets) == 1 else list(targets) or [None] * count
    if numbers is None or positions is None or rotations is None or len(bodies) != count:
        return None
    if any(len(array) not in (0, count) for array in (numbers, positions, rotations)):
        return None
    if numbers:
        bodies = [instance_at(prim.GetStage(), path, number) for path, number in zip(bodies, numbers, strict=True)]
        if None in bodies:
            return None
    positions, rotations = positions or [Gf.Vec3f(0.0)] * count, rotations or [Gf.Quatf(1.0)] * count
    return list(zip(bodies, positions, rotations, strict=True))


def instance_at(stage: Usd.Stage, path: Sdf.Path | None, number: int) -> Sdf.Path | None:
    """Return the path of an instance of an expanded point instancer, or of a prim that is not one; None without it."""
    prim = stage.GetPrimAtPath(path) if path else None
    if not prim or prim.GetTypeName() != "PointInstancer":
        return path
    found = (one for one in prim.GetChildren() if is_instance(one) and instance_number(one) == number)
    return next((one.GetPath() for one in found), None)


def define_end(
    spec: Sdf.PrimSpec, end: int, body: Sdf.Path | None, position: Gf.Vec3f, rotation: Gf.Quatf | Gf.Quatd
) -> None:
    """Write the body and frame of one end of a joint."""
    target = Sdf.RelationshipSpec(spec, f"physics:body{end}", custom=False)
    target.targetPathList.explicitItems[:] = [body] if body else []
    Sdf.AttributeSpec(spec, f"physics:localPos{end}", Sdf.ValueTypeNames.Point3f).default = Gf.Vec3f(*position)
    turn = Gf.Quatf(rotation.GetReal(), Gf.Vec3f(*rotation.GetImaginary()))
    Sdf.AttributeSpec(spec, f"physics:localRot{end}", Sdf.ValueTypeNames.Quatf).default = turn
