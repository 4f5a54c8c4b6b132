"""Mass, centre of mass and inertia of a body: what is authored, and by PhysX's rules from its colliders what is not."""

from math import isfinite
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdShade

from ..scene import InvalidScene, Link
from .attributes import LINK, MASS_PROPERTIES, MATERIAL
from .shapes import Solid, solid
from .stage import Source, schemas

DENSITY = 1000.0  # [kg/m³] of a collider where nobody says otherwise
PHANTOM_MASS = 1.0  # stage units, of a body with neither mass nor collider
PHANTOM_RADIUS = 0.1  # [m] of the ball whose inertia PhysX gives to a body without collider


def read_link(source: Source, prim: Usd.Prim) -> Link:
    """A link: its pose, its mass properties and its rigid-body attributes."""
    mass, com, inertia = mass_properties(source, prim)
    values = source.values(prim, LINK)
    return Link(
        str(prim.GetPath()),
        source.pose(prim),
        float(mass),
        tuple(map(float, com)),
        tuple(tuple(map(float, row)) for row in inertia),
        **values,
    )


def mass_properties(source: Source, prim: Usd.Prim) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre of mass in the link frame [m] (3,) and inertia about it [kg·m²] (3, 3)."""
    authored = source.values(prim, MASS_PROPERTIES)
    scale = np.array(Gf.Transform(source.matrix(prim)).GetScale())
    has_com = all(map(isfinite, authored["com"]))
    has_inertia = any(authored["inertia"])
    mass, com = authored["mass"], np.array(authored["com"]) * scale if has_com else np.zeros(3)
    inertia = np.eye(3)
    if not (mass and has_com and has_inertia):
        mass, com, inertia = complete(source, prim, authored, com if has_com else None)
    if has_inertia:
        inertia = authored_inertia(source, prim, authored)
    return mass, com, inertia


def complete(
    source: Source, prim: Usd.Prim, authored: dict[str, Any], com: np.ndarray | None
) -> tuple[float, np.ndarray, np.ndarray]:
    """What the colliders add to the authored mass and centre of mass; a small ball stands in for missing colliders."""
    solids = [
        weigh(source, collider, authored["density"], solid(source, collider, prim)) for collider in colliders(prim)
    ]
    total = sum(s.mass for s in solids)
    if not total > 0.0:
        mass = authored["mass"] or PHANTOM_MASS * source.kilograms
        if not (authored["mass"] and any(authored["inertia"])):
            reason = (
                f"neither authored nor given by colliders: mass {mass:g} kg, inertia of a ball of {PHANTOM_RADIUS} m"
            )
            source.report(prim, "physics:mass, physics:diagonalInertia", reason)
        inertia = 0.4 * mass * PHANTOM_RADIUS**2 * np.eye(3)
        return mass, np.zeros(3) if com is None else com, inertia
    middle = sum(s.mass * s.com for s in solids) / total
    inertia = sum(s.inertia + s.mass * steiner(s.com - middle) for s in solids)
    mass = authored["mass"] or total
    inertia = inertia * (mass / total)
    if com is None:
        return mass, middle, inertia
    return mass, com, inertia + mass * steiner(com - middle)


def authored_inertia(source: Source, prim: Usd.Prim, authored: dict[str, Any]) -> np.ndarray:
    """Inertia from its principal moments and axes; one with a zero moment is replaced by 1, as PhysX does."""
    moments = np.abs(authored["inertia"])
    if not moments.all():
        reason = "a principal moment is 0: an inertia of 1 stage unit is used; author three positive moments"
        source.report(prim, "physics:diagonalInertia", reason, source.authored(prim, "physics:diagonalInertia"))
        return np.eye(3) * source.kilograms * source.metres**2
    if min(authored["inertia"]) < 0.0:
        source.report(prim, "physics:diagonalInertia", "negative moments count as positive", authored["inertia"])
    x, y, z, w = authored["principal_axes"]
    if not any((x, y, z, w)):
        return np.diag(moments)
    axes = np.array(Gf.Matrix3d(Gf.Rotation(Gf.Quatd(w, x, y, z).GetNormalized()))).T
    return axes @ np.diag(moments) @ axes.T


def colliders(body: Usd.Prim) -> list[Usd.Prim]:
    """Collision shapes at or below a body, down to the next rigid body; disabled ones weigh as well."""
    found = []
    prims = iter(Usd.PrimRange(body, Usd.TraverseInstanceProxies()))
    for prim in prims:
        applied = schemas(prim)
        if prim != body and "PhysicsRigidBodyAPI" in applied:
            prims.PruneChildren()
        elif "PhysicsCollisionAPI" in applied:
            found.append(prim)
    return found


def weigh(source: Source, prim: Usd.Prim, body_density: float, shape: Solid | None) -> Solid:
    """A collider with its mass: its own mass, or the first density of collider, body, material, else 1000 kg/m³."""
    if shape is None:
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    authored = source.values(prim, [row for row in MASS_PROPERTIES if row.field in ("mass", "density")])
    density = authored["density"] or body_density or material_density(source, prim) or DENSITY
    mass = authored["mass"] or density * shape.mass
    if not isfinite(mass):
        raise InvalidScene(f"{prim.GetPath()}: the collider's mass is not finite; author a smaller shape or density")
    return Solid(mass, shape.com, shape.inertia * (mass / shape.mass))


def material_density(source: Source, prim: Usd.Prim) -> float:
    """Density of the physics material bound to a collider [kg/m³]; 0 if there is none."""
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    return source.values(material.GetPrim(), MATERIAL)["density"] if material else 0.0


def steiner(arm: np.ndarray) -> np.ndarray:
    """Inertia of a unit mass at the end of an arm [m²]."""
    return arm @ arm * np.eye(3) - np.outer(arm, arm)
