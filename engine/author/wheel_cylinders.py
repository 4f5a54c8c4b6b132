"""Cylinders in the place of the hulls of wheels.

A hull has at most 64 faces and its rim is a polygon, which lands on one corner after the other: the more steps there
are between two corners, the less it slips. A cylinder touches the ground at one height in every step, v = ω r.
"""

from dataclasses import dataclass

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from ..quaternion import conjugate, multiply
from ..scene import ShapeKind
from ..stance.carry import Carriage
from ..stance.extents import Shape, shapes_of
from ..stance.supports import Support
from ..usd.read.reader import read_stage
from ..usd.stage.stage import StageReader
from .select import make_unique

WHEEL_COLLIDER = "wheelCollider"
TREAD = 0.9
"""Distance from the axis, relative to the radius, beyond which points belong to the tread."""
HULLS = (ShapeKind.CONVEX_HULL, ShapeKind.TRIANGLE_MESH)


@dataclass(frozen=True)
class WheelCylinder:
    """A cylinder about the axis of a wheel."""

    link: str
    hulls: tuple[str, ...]  # colliders that it replaces
    radius: float  # [m]
    width: float  # [m]
    pose: tuple[np.ndarray, np.ndarray]  # in the frame of the link; the cylinder's axis is z


def wheel_cylinders(stage: Usd.Stage, carried: Carriage) -> list[WheelCylinder]:
    """Return the cylinders of all wheels whose only colliders are hulls of meshes."""
    shapes = shapes_of(carried.tree, read_stage(stage).colliders)
    found = (_cylinder(stage, carried, shapes, support) for support in carried.supports if support.wheel)
    return [one for one in found if one]


def _cylinder(
    stage: Usd.Stage, carried: Carriage, shapes: dict[int, list[Shape]], support: Support
) -> WheelCylinder | None:
    """Return the cylinder of a wheel; None if it has other colliders than hulls."""
    tree, dof, placement = carried.tree, support.dofs[-1], carried.tree.place(carried.q)
    links = [link for link in shapes if (tree.moves[link] == tree.moves[support.link]).all()]
    mine = [(link, shape) for link in links for shape in shapes[link]]
    if any(shape.collider.kind not in HULLS for _, shape in mine):
        return None
    points = np.concatenate(
        [placement.points(link, _points(stage, shape, tree.robot.links[link].path)) for link, shape in mine]
    )
    axis, arms = placement.axes[dof], points - placement.pivots[dof]
    along = arms @ axis
    away = np.linalg.norm(arms - np.outer(along, axis), axis=1)
    radius = float(away.max())
    tread = along[away > TREAD * radius]
    centre = placement.pivots[dof] + axis * (tread.min() + tread.max()) / 2.0
    _, rotation = placement.frame(support.link)
    pose = placement.local(support.link, centre), multiply(conjugate(rotation), _turn_of_z(axis))
    paths = tuple(shape.collider.path for _, shape in mine)
    return WheelCylinder(tree.robot.links[support.link].path, paths, radius, float(np.ptp(tread)), pose)


def _points(stage: Usd.Stage, shape: Shape, link: str) -> np.ndarray:
    """Return the points of a collider in the frame of its link: of its mesh, about which a hull may bulge [m]."""
    prim = stage.GetPrimAtPath(shape.collider.path)
    if not prim.IsA("Mesh"):
        return shape.body_points
    cache = UsdGeom.XformCache()
    inside = (
        cache.GetLocalToWorldTransform(prim) * cache.GetLocalToWorldTransform(stage.GetPrimAtPath(link)).GetInverse()
    )
    points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(), float)
    return (points @ np.array(inside)[:3, :3] + np.array(inside)[3, :3]) * StageReader(stage).metres


def _turn_of_z(axis: np.ndarray) -> np.ndarray:
    """Return the shortest rotation that turns z to a unit vector."""
    z = np.array((0.0, 0.0, 1.0))
    if axis @ z < -1.0 + 1e-12:
        return np.array((1.0, 0.0, 0.0, 0.0))
    turn = np.append(np.cross(z, axis), 1.0 + axis @ z)
    return turn / np.linalg.norm(turn)


def author_cylinders(stage: Usd.Stage, cylinders: list[WheelCylinder]) -> list[str]:
    """Author cylinders with the physics material of the hulls, which collide no more; return the links."""
    metres = StageReader(stage).metres
    for one in cylinders:
        prims = [make_unique(stage, Sdf.Path(path)) for path in one.hulls]
        material, _ = UsdShade.MaterialBindingAPI(prims[0]).ComputeBoundMaterial("physics")
        for prim in prims:
            UsdPhysics.CollisionAPI(prim).CreateCollisionEnabledAttr(False)
        cylinder = UsdGeom.Cylinder.Define(stage, stage.GetPrimAtPath(one.link).GetPath().AppendChild(WHEEL_COLLIDER))
        cylinder.CreateAxisAttr("Z")
        cylinder.CreateRadiusAttr(one.radius / metres)
        cylinder.CreateHeightAttr(one.width / metres)
        half = one.radius / metres, one.radius / metres, one.width / metres / 2.0
        cylinder.CreateExtentAttr([Gf.Vec3f(*(-x for x in half)), Gf.Vec3f(*half)])
        cylinder.CreatePurposeAttr("guide")
        place, (x, y, z, w) = one.pose[0] / metres, (float(value) for value in one.pose[1])
        cylinder.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*(float(value) for value in place)))
        cylinder.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(w, x, y, z))
        UsdPhysics.CollisionAPI.Apply(cylinder.GetPrim())
        if material:
            binding = UsdShade.MaterialBindingAPI.Apply(cylinder.GetPrim())
            binding.Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
    return [one.link for one in cylinders]
