"""Mass, centre of mass and inertia of a body: what is authored, and by PhysX's rules from its colliders what is not."""

from math import hypot, isfinite
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdShade

from ..scene import InvalidScene, Link, Quaternion
from .attributes import INERTIA_TENSOR, LINK, MASS_PROPERTIES, MATERIAL
from .principal import diagonalize, turned
from .shapes import Solid, solid
from .stage import Source, schemas

DENSITY = 1000.0  # [kg/m³] of a collider where nobody says otherwise
PHANTOM_MASS = 1.0  # stage units, of a body with neither mass nor collider
EQUAL = 1e-3  # moments that differ by less, of the largest, have no axes of their own in single precision
NO_TURN = (0.0, 0.0, 0.0, 1.0)
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
    inertia, com = authored_inertia(source, prim, authored), authored_com(source, prim, authored)
    solids = of_colliders(source, prim, authored)
    if solids is None:
        return without_colliders(source, prim, authored["mass"], com, inertia)
    return solids.mass, solids.com, completed(source, prim, inertia, solids.inertia)


def mass_frame(source: Source, prim: Usd.Prim) -> Quaternion | None:
    """The axes of the mass frame in the body (x, y, z, w), authored or found; None if only PhysX knows them."""
    axes = principal_axes(source, prim)
    if axes is not None:
        return axes
    authored = source.values(prim, MASS_PROPERTIES)
    solids = of_colliders(source, prim, authored)
    if solids is not None:
        return found_axes(solids.inertia)
    return NO_TURN if any(authored["inertia"]) or newton_inertia(source, prim) is None else None


def found_axes(inertia: np.ndarray) -> Quaternion | None:
    """The principal axes that PhysX finds; None where round-off decides, since two moments are equal."""
    moments, axes = diagonalize(inertia)
    apart = np.diff(np.sort(moments)).min()
    return axes if apart > EQUAL * moments.max() else None


def authored_com(source: Source, prim: Usd.Prim, authored: dict[str, Any]) -> np.ndarray | None:
    """The authored centre of mass [m]; None if there is none."""
    if not all(map(isfinite, authored["com"])):
        return None
    return np.array(authored["com"]) * Gf.Transform(source.matrix(prim)).GetScale()


def of_colliders(source: Source, prim: Usd.Prim, authored: dict[str, Any]) -> Solid | None:
    """The colliders of a body as one solid of its authored mass and about its authored centre.

    None if there are none, or if the body says mass, centre of mass and moments itself.
    """
    com = authored_com(source, prim, authored)
    says_inertia = any(authored["inertia"]) or newton_inertia(source, prim) is not None
    if authored["mass"] and com is not None and says_inertia:
        return None
    solids = [weigh(source, part, authored["density"], solid(source, part, prim)) for part in colliders(prim)]
    total = sum(s.mass for s in solids)
    if not total > 0.0:
        return None
    mass = authored["mass"] or total
    middle = sum(s.mass * s.com for s in solids) / total
    com = middle if com is None else com
    inertia = sum(s.inertia + s.mass * steiner(s.com - middle) for s in solids) * (mass / total)
    return Solid(mass, com, inertia + mass * steiner(com - middle))


def completed(source: Source, prim: Usd.Prim, inertia: np.ndarray | None, of_solids: np.ndarray) -> np.ndarray:
    """The inertia of a body with colliders: authored moments on their axes, or their moments on authored axes."""
    axes = principal_axes(source, prim)
    if inertia is None:
        return of_solids if axes is None else turned(np.diag(diagonalize(of_solids)[0]), axes)
    if axes is not None or not any(source.values(prim, MASS_PROPERTIES)["inertia"]):
        return inertia
    found = found_axes(of_solids)
    whose = "the link's are used, where PhysX takes what round-off finds" if found is None else "the colliders' count"
    source.report(prim, "physics:principalAxes", f"not authored: {whose}; author them")
    return inertia if found is None else turned(inertia, found)


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
    axes = principal_axes(source, prim)
    return np.diag(moments) if axes is None else turned(np.diag(moments), axes)


def principal_axes(source: Source, prim: Usd.Prim) -> Quaternion | None:
    """The authored principal axes of inertia in the body (x, y, z, w); None if there are none."""
    axes = source.values(prim, [row for row in MASS_PROPERTIES if row.field == "principal_axes"])["principal_axes"]
    length = hypot(*axes)
    return tuple(x / length for x in axes) if length else None


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
    if not isfinite(mass) or not np.isfinite(shape.inertia).all():
        raise InvalidScene(f"{prim.GetPath()}: the collider's mass is not finite; author a smaller shape or density")
    return Solid(mass, shape.com, shape.inertia * (mass / shape.mass))


def material_density(source: Source, prim: Usd.Prim) -> float:
    """Density of the physics material bound to a collider [kg/m³]; 0 if there is none."""
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    return source.values(material.GetPrim(), MATERIAL)["density"] if material else 0.0


def steiner(arm: np.ndarray) -> np.ndarray:
    """Inertia of a unit mass at the end of an arm [m²]."""
    return arm @ arm * np.eye(3) - np.outer(arm, arm)
