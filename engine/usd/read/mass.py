"""Mass, centre of mass and inertia of a body: authored values, and values from its colliders by PhysX's rules."""

from math import isfinite
from typing import Any

import numpy as np
from pxr import Usd

from ...scene import Link, Quaternion, Vector
from ..attributes import BODY_CONTACT, INERTIA_TENSOR, LINK, MASS_PROPERTIES
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader
from .collider_mass import Solid
from .colliders import colliders, counts, on_axes, report_own, solid_shapes, steiner, unit_axes, weigh
from .principal_moments import diagonalize, rotated_tensor

PHANTOM_MASS = 1.0  # stage units; mass of a body without an authored mass and without colliders
ROUNDING = 1e-9  # relative to the largest moment: smaller values are 0
INERTIA_TOLERANCE = 1e-3  # relative: tolerance for inertias that agree to three digits
EQUAL = 1e-3  # relative to the largest moment: closer moments have undetermined axes in single precision
MOMENTS, TENSOR = "physics:diagonalInertia", "newton:inertia"
NO_TURN = (0.0, 0.0, 0.0, 1.0)
PHANTOM_RADIUS = 0.1  # [m] radius of the sphere whose inertia PhysX uses for a body without colliders


def read_link(source: StageReader, prim: Usd.Prim) -> Link:
    """Read a link: its pose, its mass properties and its rigid-body attributes."""
    mass, com, inertia = mass_properties(source, prim)
    values = source.values(prim, LINK)
    return Link(
        str(prim.GetPath()),
        source.pose(prim),
        float(mass),
        floats(com),
        (floats(inertia[0]), floats(inertia[1]), floats(inertia[2])),
        **values,
        **source.values(prim, BODY_CONTACT),
    )


def floats(numbers: np.ndarray) -> Vector:
    """Return three numbers as floats."""
    x, y, z = map(float, numbers)
    return x, y, z


def mass_properties(source: StageReader, prim: Usd.Prim) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass [kg], centre of mass in the link frame [m] (3,) and inertia about it [kg·m²] (3, 3)."""
    authored = source.values(prim, MASS_PROPERTIES)
    report_inertia(source, prim, authored)
    inertia, com = authored_inertia(source, prim, authored), authored_com(source, prim, authored)
    solids = of_colliders(source, prim, authored)
    if solids is None:
        return without_colliders(source, prim, authored["mass"], com, inertia)
    for part in {part.collider.GetPath(): part for part in solid_shapes(source, prim)}.values():
        if part.collider != prim:
            report_own(source, part)
    if inertia is None and np.linalg.eigvalsh(solids.inertia).min() < ROUNDING * np.abs(solids.inertia).max():
        source.report(prim, MOMENTS, Reason("moment-zero"))
        inertia = unit_inertia(source)
    return solids.mass, solids.com, completed(source, prim, inertia, solids.inertia)


def mass_frame(source: StageReader, prim: Usd.Prim) -> Quaternion | None:
    """Return the authored or computed axes of the mass frame in the body (x, y, z, w); None if unknown."""
    authored = source.values(prim, MASS_PROPERTIES)
    axes = unit_axes(authored)
    if axes is not None:
        return axes
    solids = of_colliders(source, prim, authored)
    if solids is not None:
        return found_axes(solids.inertia)
    return NO_TURN if counts(authored["inertia"]) or newton_inertia(source, prim) is None else None


def found_axes(inertia: np.ndarray) -> Quaternion | None:
    """Return the principal axes that PhysX computes; None if two equal moments make them depend on round-off."""
    moments, axes = diagonalize(inertia)
    apart = np.diff(np.sort(moments)).min()
    return axes if apart > EQUAL * moments.max() else None


def authored_com(source: StageReader, prim: Usd.Prim, authored: dict[str, Any]) -> np.ndarray | None:
    """Return the authored centre of mass [m]; None if there is none."""
    if not all(map(isfinite, authored["com"])):
        return None
    return np.array(authored["com"]) * source.scale_of(prim)


def of_colliders(source: StageReader, prim: Usd.Prim, authored: dict[str, Any]) -> Solid | None:
    """Return the colliders of a body as one solid with its authored mass and centre of mass.

    Return None if there are no colliders, or if the body authors mass, centre of mass and moments.
    """
    com = authored_com(source, prim, authored)
    says_inertia = authored_inertia(source, prim, authored) is not None
    if authored["mass"] and com is not None and says_inertia:
        return None
    solids = [weigh(source, part, prim, authored["density"]) for part in solid_shapes(source, prim)]
    total = sum(s.mass for s in solids)
    if not total > 0.0:
        return None
    mass = authored["mass"] or total
    middle = sum((s.mass * s.com for s in solids), np.zeros(3)) / total
    com = middle if com is None else com
    inertia = sum((s.inertia + s.mass * steiner(s.com - middle) for s in solids), np.zeros((3, 3))) * (mass / total)
    return Solid(mass, com, without_signs(inertia + mass * steiner(com - middle)))


def without_signs(inertia: np.ndarray) -> np.ndarray:
    """Return the inertia with absolute values of its principal moments, as PhysX uses those of colliders."""
    if np.linalg.eigvalsh(inertia).min() >= 0.0:
        return inertia
    moments, axes = diagonalize(inertia)
    return rotated_tensor(np.diag(np.abs(moments)), axes)


def completed(source: StageReader, prim: Usd.Prim, inertia: np.ndarray | None, of_solids: np.ndarray) -> np.ndarray:
    """Return the inertia of a body with colliders: authored moments, or collider moments on authored axes."""
    authored = source.values(prim, MASS_PROPERTIES)
    axes = unit_axes(authored)
    if inertia is None:
        return of_solids if axes is None else rotated_tensor(np.diag(diagonalize(of_solids)[0]), axes)
    if axes is not None or not counts(authored["inertia"]) or not all(authored["inertia"]):
        return inertia
    found = found_axes(of_solids)
    whose = "the link's are used, where PhysX's depend on round-off" if found is None else "the colliders' are used"
    source.report(prim, "physics:principalAxes", Reason("axes-not-authored", whose=whose))
    return inertia if found is None else rotated_tensor(inertia, found)


def without_colliders(
    source: StageReader, prim: Usd.Prim, mass: float, com: np.ndarray | None, inertia: np.ndarray | None
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass properties of a body without colliders whose mass properties are not completely authored."""
    if not mass:
        mass = PHANTOM_MASS * source.kilograms
        source.report(prim, "physics:mass", Reason("mass-missing", mass=mass))
    if inertia is None and colliders(prim) and not solid_shapes(source, prim):
        inertia = unit_inertia(source)
        source.report(prim, MOMENTS, Reason("inertia-of-triggers"))
    elif inertia is None:
        inertia = 0.4 * mass * PHANTOM_RADIUS**2 * np.eye(3)
        source.report(prim, "physics:diagonalInertia", Reason("inertia-missing", radius=PHANTOM_RADIUS))
    return mass, np.zeros(3) if com is None else com, inertia


def authored_inertia(source: StageReader, prim: Usd.Prim, authored: dict[str, Any]) -> np.ndarray | None:
    """Return the inertia from principal moments and axes, else from Newton's tensor, else None.

    Moments are used if at least one is above 0. If one of them is 0, all become 1 stage unit; negative signs are
    dropped.
    """
    if not counts(authored["inertia"]):
        return newton_inertia(source, prim)
    if not all(authored["inertia"]):
        return unit_inertia(source)
    return on_axes(np.diag(np.abs(authored["inertia"])), unit_axes(authored))


def unit_inertia(source: StageReader) -> np.ndarray:
    """Return PhysX's inertia for a link with invalid moments: 1 stage unit each."""
    return np.eye(3) * source.kilograms * source.metres**2


def newton_inertia(source: StageReader, prim: Usd.Prim) -> np.ndarray | None:
    """Return the inertia of NewtonMassAPI; None if it is not authored or not physically possible."""
    if fault_of_tensor(source.authored(prim, TENSOR)):
        return None
    tensor = source.values(prim, INERTIA_TENSOR)["tensor"]
    return full(tensor) if any(tensor) else None


def fault_of_tensor(tensor: Any) -> str:
    """Return the code of a tensor that is not physically possible; "" if it is possible, not authored or zero."""
    if tensor is None or not np.any(tensor):
        return ""
    if np.size(tensor) != 6:
        return "tensor-wrong-size"
    if not np.isfinite(tensor).all():
        return "tensor-not-finite"
    moments = np.linalg.eigvalsh(full(tensor))
    return "" if moments.min() > ROUNDING * moments.max() else "tensor-not-physical"


def full(tensor: Any) -> np.ndarray:
    """Return Ixx, Iyy, Izz, Ixy, Ixz, Iyz as a matrix (3, 3)."""
    xx, yy, zz, xy, xz, yz = tensor
    return np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), float)


def report_inertia(source: StageReader, prim: Usd.Prim, authored: dict[str, Any]) -> None:
    """Report authored moments and tensors that are ignored, or used otherwise than authored."""
    moments, tensor = authored["inertia"], source.authored(prim, TENSOR)
    fault = fault_of_tensor(tensor)
    code = ""
    if any(moments) and not counts(moments):
        code = "moments-not-positive"
    elif counts(moments) and not all(moments):
        code = "moment-zero"
    elif min(moments) < 0.0:
        code = "moment-negative"
    if code:
        source.report(prim, MOMENTS, Reason(code), source.authored(prim, MOMENTS))
    if fault and not counts(moments):
        source.report(prim, TENSOR, Reason(fault), tensor)
    elif counts(moments) and not fault and tensor is not None and np.any(tensor):
        report_difference(source, prim, authored)


def report_difference(source: StageReader, prim: Usd.Prim, authored: dict[str, Any]) -> None:
    """Report a tensor that differs from the authored moments; without authored axes, compare moments only."""
    moments, axes = np.abs(authored["inertia"]), unit_axes(authored)
    one, other = on_axes(np.diag(moments), axes), source.scale(INERTIA_TENSOR[0]) * full(source.authored(prim, TENSOR))
    if axes is None:
        one, other = np.sort(moments), np.linalg.eigvalsh(other)
    if np.abs(one - other).max() > INERTIA_TOLERANCE * moments.max():
        source.report(prim, TENSOR, Reason("tensor-differs"), source.authored(prim, TENSOR))
