"""The ground: a plane of the world with a physics material, level to the stage's up axis."""

from typing import Any

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from ..scene import InvalidScene
from ..stance.ground import FRICTION
from ..usd.attributes import CONTACT_MATERIAL
from ..usd.stage.stage import StageReader, schemas
from .attribute_writer import AttributeWriter
from .change import Change

SIZE = 100.0  # [m] of the plane as it is drawn; the collider is unbounded


def ground(
    stage: Usd.Stage,
    *,
    height: float | None = None,
    static_friction: float | None = None,
    dynamic_friction: float | None = None,
    restitution: float | None = None,
) -> list[Change]:
    """Author a ground plane with a physics material, or change the plane that `ground` authored.

    The plane does not belong to a robot: its place does not depend on the transforms of prims above it.

    Args:
        stage: an open stage.
        height: along the up axis, above the world's origin [m]; default of a new plane: 0.
        static_friction: default of a new plane: 1.
        dynamic_friction: default of a new plane: 1.
        restitution: default of a new plane: 0.

    Raises:
        InvalidScene: a value breaks its rule, or another prim has the place of the plane.
    """
    above = home(stage)
    path = above.AppendChild("ground")
    prim = stage.GetPrimAtPath(path)
    changes: list[Change] = []
    material: dict[str, float | None] = {
        "static_friction": static_friction,
        "dynamic_friction": dynamic_friction,
        "restitution": restitution,
    }
    if not prim:
        new = {"static_friction": FRICTION, "dynamic_friction": FRICTION, "restitution": 0.0}
        material = {name: new[name] if value is None else value for name, value in material.items()}
        height = 0.0 if height is None else height
    elif prim.GetTypeName() != "Plane" or "PhysicsCollisionAPI" not in schemas(prim):
        raise InvalidScene(
            str(path), "", prim.GetTypeName(), "a plane with PhysicsCollisionAPI", "rename this prim, or edit it"
        )
    for name, value in (("height", height), *material.items()):
        if value is not None and not abs(value) < float("inf"):
            raise InvalidScene(str(path), name, value, "finite", "give such a number")
    if not prim:
        prim = _plane(stage, path)
        changes.append(Change(str(path), "", None, "Plane"))
    changes += _place(prim, height) if height is not None else []
    if any(value is not None for value in material.values()):
        changes += finish_material(stage, prim, material)
    return changes


def home(stage: Usd.Stage) -> Sdf.Path:
    """Return the prim below which the ground and materials lie: the default prim, unless it moves or is an instance."""
    prim = stage.GetDefaultPrim()
    if not prim or prim.IsInstance() or "PhysicsRigidBodyAPI" in schemas(prim):
        return Sdf.Path.absoluteRootPath
    return prim.GetPath()


def _plane(stage: Usd.Stage, path: Sdf.Path) -> Usd.Prim:
    """Return a new plane with a collider; it is a guide, because viewers draw a floor of their own."""
    metres, up = UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage)
    plane = UsdGeom.Plane.Define(stage, path)
    plane.CreateAxisAttr(up)
    plane.CreateWidthAttr(SIZE / metres)
    plane.CreateLengthAttr(SIZE / metres)
    plane.CreatePurposeAttr("guide")
    half = SIZE / metres / 2.0
    flat = [Gf.Vec3f(*(0.0 if "XYZ"[i] == up else side * half for i in range(3))) for side in (-1.0, 1.0)]
    plane.CreateExtentAttr(flat)
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())
    return plane.GetPrim()


def _place(prim: Usd.Prim, height: float) -> list[Change]:
    """Author the height of the plane in the world."""
    stage, form = prim.GetStage(), UsdGeom.Xformable(prim)
    metres = StageReader(stage).metres
    place: Any = Gf.Vec3d(*(height / metres if axis == UsdGeom.GetStageUpAxis(stage) else 0.0 for axis in "XYZ"))
    known: Any = prim.GetAttribute("xformOp:translate").Get()
    before = None if known is None else [x * metres for x in known]
    (form.GetTranslateOp() or form.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)).Set(place)
    form.SetResetXformStack(True)
    after = [float(x) * metres for x in place]
    unit = "m" if metres == 1.0 else "units"
    return [Change(str(prim.GetPath()), "xformOp:translate", known and [*known], [*place], unit, before, after, "m")]


def finish_material(stage: Usd.Stage, prim: Usd.Prim, values: dict[str, float | None]) -> list[Change]:
    """Author friction and restitution of the plane's material; a plane without a material gets one."""
    bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    changes = []
    if not bound:
        path = prim.GetPath().GetParentPath().AppendChild("groundMaterial")
        bound = UsdShade.Material.Define(stage, path)
        UsdPhysics.MaterialAPI.Apply(bound.GetPrim())
        binding = UsdShade.MaterialBindingAPI.Apply(prim)
        binding.Bind(bound, UsdShade.Tokens.weakerThanDescendants, "physics")
        changes = [Change(str(prim.GetPath()), "material:binding:physics", None, str(path))]
    return changes + AttributeWriter(bound.GetPrim()).write(CONTACT_MATERIAL, values)
