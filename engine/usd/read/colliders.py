"""Mass, centre of mass and inertia of colliders, from their shapes and from their own MassAPI."""

from collections.abc import Iterable
from math import hypot, isfinite
from typing import Any

import numpy as np
from pxr import Usd, UsdShade

from ...quaternion import rotate
from ...scene import InvalidScene, Quaternion
from ..attributes import COLLIDER, MASS_PROPERTIES, MATERIAL
from ..stage.diagnostic_codes import Reason
from ..stage.instance_detection import is_instancer
from ..stage.stage import StageReader, schemas
from .collider_mass import Solid, placement, solid
from .collision_shapes import CollisionShape, is_collider, is_trigger, shapes_of
from .principal_moments import rotated_tensor

DEFAULT_DENSITY = 1000.0  # [kg/m³] default density of a collider
SINE_OF_45 = float(np.float32(0.7071068))
"""Sine and cosine of 45° in single precision."""
SHAPE_TURNS: dict[tuple[str, str], Quaternion] = {
    ("Plane", "Y"): (SINE_OF_45, SINE_OF_45, 0.0, 0.0),
    ("Plane", "Z"): (SINE_OF_45, 0.0, SINE_OF_45, 0.0),
    ("Capsule", "Y"): (SINE_OF_45, -SINE_OF_45, 0.0, 0.0),
    ("Capsule", "Z"): (SINE_OF_45, 0.0, -SINE_OF_45, 0.0),
    **{(kind, "Y"): (0.0, 0.0, SINE_OF_45, SINE_OF_45) for kind in ("Cylinder", "Cone")},
    **{(kind, "Z"): (0.0, -SINE_OF_45, 0.0, SINE_OF_45) for kind in ("Cylinder", "Cone")},
}
"""Quaternions (x, y, z, w) by which PhysX turns a shape, which extends along its x, onto the axis of its prim."""


def colliders(body: Usd.Prim) -> list[CollisionShape]:
    """Return the collision shapes at or below a body, down to the next rigid body; disabled ones also have mass."""
    found = []
    prims = iter(Usd.PrimRange(body, Usd.TraverseInstanceProxies()))
    for prim in prims:
        if prim != body and ("PhysicsRigidBodyAPI" in schemas(prim) or is_instancer(prim)):
            prims.PruneChildren()
        elif is_collider(prim):
            found += shapes_of(prim)
    return found


def solid_shapes(source: StageReader, body: Usd.Prim) -> list[CollisionShape]:
    """Return the collision shapes that have mass: all of a body but its enabled triggers."""
    return [
        shape
        for shape in colliders(body)
        if not is_trigger(shape.collider) or not source.values(shape.collider, COLLIDER)["enabled"]
    ]


def weigh(source: StageReader, shape: CollisionShape, body: Usd.Prim, body_density: float) -> Solid:
    """Return a collider's mass, and its own authored centre and moments as PhysX uses them.

    The mass is authored, or follows from the first density of collider, body, material, else 1000 kg/m³. The shape's
    inertia is moved to an authored centre. Authored moments are about that centre, along the axes of PhysX's shape.
    Scale applies to the centre only.
    """
    prim, collider, unit = shape.prim, shape.collider, solid(source, shape, body)
    if unit is None:
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    own = source.values(collider, MASS_PROPERTIES)
    density = own["density"] or body_density or material_density(source, collider) or DEFAULT_DENSITY
    mass = own["mass"] or density * unit.mass
    if not isfinite(mass) or not np.isfinite(unit.inertia).all():
        raise InvalidScene(
            prim.GetPath(), rule="a collider whose mass is finite", fix="author a smaller shape or density"
        )
    origin, axes = placement(source, prim, body)
    axes = axes @ shape_axes(prim)
    com, inertia = unit.com, unit.inertia * (mass / unit.mass)
    if all(map(isfinite, own["com"])):
        com = origin + axes @ (np.array(own["com"]) * source.scale_of(collider))
        inertia = inertia + mass * steiner(com - unit.com)
    if counts(own["inertia"]):
        inertia = axes @ on_axes(np.diag(own["inertia"]), unit_axes(own)) @ axes.T
    return Solid(mass, com, inertia)


def report_own(source: StageReader, shape: CollisionShape) -> None:
    """Report mass properties of a collider that PhysX uses otherwise than authored."""
    prim, own = shape.collider, source.values(shape.collider, MASS_PROPERTIES)
    com, moments = all(map(isfinite, own["com"])), counts(own["inertia"])
    along = " and ".join(["physics:centerOfMass"] * com + ["physics:diagonalInertia"] * moments)
    if along and shape_kind(shape.prim) in SHAPE_TURNS:
        for name in along.split(" and "):
            source.report(prim, name, Reason("shape-along-x"), source.authored(prim, name))
    if any(own["inertia"]) and min(own["inertia"]) < 0.0:
        value = source.authored(prim, "physics:diagonalInertia")
        reason = Reason("collider-moment-negative" if moments else "moments-not-positive")
        source.report(prim, "physics:diagonalInertia", reason, value)
    if unit_axes(own) is not None:
        reason = Reason("axes-one-sided" if moments else "axes-without-moments")
        source.report(prim, "physics:principalAxes", reason, source.authored(prim, "physics:principalAxes"))


def counts(moments: Iterable[float]) -> bool:
    """Return whether PhysX uses moments of inertia as authored: at least one is above 0."""
    return max(moments) > 0.0


def unit_axes(said: dict[str, Any]) -> Quaternion | None:
    """Return the authored principal axes of inertia (x, y, z, w); None if there are none."""
    x, y, z, w = said["principal_axes"]
    length = hypot(x, y, z, w)
    return (x / length, y / length, z / length, w / length) if length else None


def on_axes(tensor: np.ndarray, axes: Quaternion | None) -> np.ndarray:
    """Return a tensor (3, 3) rotated onto axes, if there are any."""
    return tensor if axes is None else rotated_tensor(tensor, axes)


def shape_turn(prim: Usd.Prim) -> Quaternion:
    """Return the rotation of PhysX's shape in the prim frame."""
    return SHAPE_TURNS.get(shape_kind(prim), (0.0, 0.0, 0.0, 1.0))


def shape_axes(prim: Usd.Prim) -> np.ndarray:
    """Return the axes (3, 3) of PhysX's shape in the prim frame, as columns."""
    return np.round(rotate(np.array(shape_turn(prim)), np.eye(3))).T


def shape_kind(prim: Usd.Prim) -> tuple[str, str]:
    """Return the type of a shape and its axis."""
    axis = prim.GetAttribute("axis")
    return str(prim.GetTypeName()), str(axis.Get()) if axis else ""


def material_density(source: StageReader, prim: Usd.Prim) -> float:
    """Return the density of the physics material bound to a collider [kg/m³]; 0 if there is none."""
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    return source.values(material.GetPrim(), MATERIAL)["density"] if material else 0.0


def steiner(arm: np.ndarray) -> np.ndarray:
    """Return the inertia of a unit mass at the end of an arm [m²]."""
    return arm @ arm * np.eye(3) - np.outer(arm, arm)
