"""Mass, centre of mass and inertia of a body: what is authored, and by PhysX's rules from its colliders what is not."""

from math import hypot, isfinite
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdShade

from ..scene import InvalidScene, Link, Quaternion
from .attributes import INERTIA_TENSOR, LINK, MASS_PROPERTIES, MATERIAL
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
    inertia = authored_inertia(source, prim, authored)
    mass, com = authored["mass"], None
    if all(map(isfinite, authored["com"])):
        com = np.array(authored["com"]) * Gf.Transform(source.matrix(prim)).GetScale()
    if mass and com is not None and inertia is not None:
        return mass, com, inertia
    solids = [
        weigh(source, collider, authored["density"], solid(source, collider, prim)) for collider in colliders(prim)
    ]
    total = sum(s.mass for s in solids)
    if not total > 0.0:
        return without_colliders(source, prim, mass, com, inertia)
    mass = mass or total
    middle = sum(s.mass * s.com for s in solids) / total
    com = middle if com is None else com
    if inertia is None:
        inertia = sum(s.inertia + s.mass * steiner(s.com - middle) for s in solids) * (mass / total)
        inertia = inertia + mass * steiner(com - middle)
    return mass, com, inertia


def without_colliders(
    source: Source, prim: Usd.Prim, mass: float, com: np.ndarray | None, inertia: np.ndarray | None
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass properties of a body of which neither all are authored nor colliders tell the rest."""
    if not mass:
        mass = PHANTOM_MASS * source.kilograms
        reason = f"neither authored nor given by colliders: {mass:g} kg is used, as in PhysX; author physics:mass"
        source.report(prim, "physics:mass", reason)
    if inertia is None:
        inertia = 0.4 * mass * PHANTOM_RADIUS**2 * np.eye(3)
        reason = f"neither authored nor given by colliders: that of a ball of {PHANTOM_RADIUS} m is used, as in PhysX"
        source.report(prim, "physics:diagonalInertia", reason)
    return mass, np.zeros(3) if com is None else com, inertia


def authored_inertia(source: Source, prim: Usd.Prim, authored: dict[str, Any]) -> np.ndarray | None:
    """Inertia from its principal moments and axes, else Newton's tensor, else None.

    One with a zero moment is replaced by 1 stage unit and a negative moment counts as positive, as in PhysX.
    """
    if not any(authored["inertia"]):
        return newton_inertia(source, prim)
    moments = np.abs(authored["inertia"])
    value = source.authored(prim, "physics:diagonalInertia")
    if not moments.all():
        reason = "a principal moment is 0: 1 stage unit is used for all, as in PhysX; author three positive moments"
        source.report(prim, "physics:diagonalInertia", reason, value)
        return np.eye(3) * source.kilograms * source.metres**2
    if min(authored["inertia"]) < 0.0:
        source.report(prim, "physics:diagonalInertia", "negative moments count as positive, as in PhysX", value)
    x, y, z, w = principal_axes(source, prim)
    axes = np.array(Gf.Matrix3d(Gf.Rotation(Gf.Quatd(w, x, y, z)))).T
    return axes @ np.diag(moments) @ axes.T


def principal_axes(source: Source, prim: Usd.Prim) -> Quaternion:
    """The authored principal axes of inertia in the body (x, y, z, w); the identity if there are none."""
    axes = source.values(prim, [row for row in MASS_PROPERTIES if row.field == "principal_axes"])["principal_axes"]
    length = hypot(*axes)
    return tuple(x / length for x in axes) if length else (0.0, 0.0, 0.0, 1.0)


def newton_inertia(source: Source, prim: Usd.Prim) -> np.ndarray | None:
    """The inertia of NewtonMassAPI; None if it is not authored."""
    tensor = source.values(prim, INERTIA_TENSOR)["tensor"]
    if not tensor:
        return None
    if len(tensor) != 6:
        raise InvalidScene(
            f"{prim.GetPath()}.newton:inertia = {tensor}: must hold Ixx, Iyy, Izz, Ixy, Ixz, Iyz; author six numbers"
        )
    xx, yy, zz, xy, xz, yz = tensor
    return np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


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
