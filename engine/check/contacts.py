"""Rules on colliders and their materials."""

from collections.abc import Iterator

import numpy as np
from pxr import Usd, UsdShade

from ..scene import ShapeKind
from ..usd.read.collision_shapes import shapes_of
from ..usd.stage.stage import schemas
from .context import CheckContext
from .finding import Finding
from .rules import found

COLLISION, BODY = "PhysicsCollisionAPI", "PhysicsRigidBodyAPI"
OFFSETS = "physxCollision:contactOffset", "physxCollision:restOffset"
FRICTION = "physics:staticFriction", "physics:dynamicFriction"
ROUND = ("Sphere", "Capsule", "Cylinder", "Cone")
EQUAL_SCALE = 1e-3  # relative: tolerance for scales that agree


def robots_without_colliders(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each articulation without a collider in a scene with a plane."""
    colliders = case.scene.colliders if case.scene else ()
    plane = next((c.path for c in colliders if c.kind is ShapeKind.PLANE), "")
    owners = {collider.body for collider in colliders}
    for robot in case.robots if plane else ():
        if not owners & {link.path for link in robot.links}:
            message = f"no link has a collider, but {plane} is a ground to stand on"
            yield found("robot-without-colliders", robot.path, COLLISION, message)


def contact_offsets_too_small(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each collider whose authored contact offset does not exceed its rest offset."""
    for prim in colliders_of(case):
        path = str(prim.GetPath())
        contact, rest = (case.authored(path, name) for name in OFFSETS)
        if isinstance(contact, float) and 0.0 <= contact <= (rest if isinstance(rest, float) else 0.0):
            message = "not above the rest offset: PhysX uses the sum of both and 1e-4"
            yield found("contact-offset-too-small", path, OFFSETS[0], message, value=contact)


def materials_without_friction(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each physics material of a collider that does not author friction."""
    bound = {}
    for prim in shapes(case):
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if material and "PhysicsMaterialAPI" in schemas(material.GetPrim()):
            bound.setdefault(str(material.GetPath()), str(prim.GetPath()))
    for path, prim in bound.items():
        if all(case.authored(path, name) is None for name in FRICTION):
            message = f"not authored: {prim} slides without friction"
            yield found("material-without-friction", path, ", ".join(FRICTION), message)


def unevenly_scaled_shapes(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each round collider whose scales differ where it must stay round."""
    for prim in shapes(case):
        kind = str(prim.GetTypeName())
        if kind not in ROUND:
            continue
        scale = np.abs(case.source.scale_of(prim))
        across = scale if kind == "Sphere" else np.delete(scale, "XYZ".index(axis_of(prim)))
        if np.ptp(across) > EQUAL_SCALE * across.max():
            message = f"the largest of the scales {', '.join(f'{x:.6g}' for x in across)} is used: a {kind} stays round"
            yield found("uneven-scale", str(prim.GetPath()), "", message)


def colliders_without_body(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each collider below the root prim of an articulation that is not part of a body."""
    roots = {robot.path: robot for robot in case.robots}
    for prim in colliders_of(case):
        root = next((roots[str(above.GetPath())] for above in lineage(prim) if str(above.GetPath()) in roots), None)
        if root and not any(BODY in schemas(above) for above in lineage(prim)):
            message = f"stands still in the world while {root.path} moves"
            yield found("collider-without-body", str(prim.GetPath()), COLLISION, message)


def colliders_of(case: CheckContext) -> Iterator[Usd.Prim]:
    """Yield the colliders of the stage."""
    return (prim for prim in case.source.prims if COLLISION in schemas(prim))


def shapes(case: CheckContext) -> Iterator[Usd.Prim]:
    """Yield the collision shapes of the stage: the colliders, or their children."""
    return (shape.prim for collider in colliders_of(case) for shape in shapes_of(collider))


def lineage(prim: Usd.Prim) -> Iterator[Usd.Prim]:
    """Yield a prim and the prims above it, the nearest first."""
    while prim and not prim.IsPseudoRoot():
        yield prim
        prim = prim.GetParent()


def axis_of(prim: Usd.Prim) -> str:
    """Return the axis of a round shape; Z if it is not authored."""
    axis = prim.GetAttribute("axis").Get()
    return axis if axis in ("X", "Y", "Z") else "Z"
