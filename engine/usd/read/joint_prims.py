"""Joint prims and the bodies that they join."""

from dataclasses import dataclass

from pxr import Gf, Usd, UsdGeom

from ...scene import WORLD, InvalidScene, JointType
from ..attributes import BODY, JOINT
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .animation import ancestors, moving_ops
from .collision_shapes import first_shape, is_collider, is_container, owner_of
from .surface_velocities import read_surface

JOINT_TYPES = {
    "PhysicsFixedJoint": JointType.FIXED,
    "PhysicsRevoluteJoint": JointType.REVOLUTE,
    "PhysicsPrismaticJoint": JointType.PRISMATIC,
    "PhysicsSphericalJoint": JointType.SPHERICAL,
    "PhysicsJoint": JointType.D6,
    "PhysicsDistanceJoint": JointType.DISTANCE,
}
GEAR_TYPES = {
    "PhysxPhysicsGearJoint": JointType.GEAR,
    "PhysxPhysicsRackAndPinionJoint": JointType.RACK_AND_PINION,
}
"""Joints that relate two other joints."""
ENDS = ("physics:body0", "physics:body1")


@dataclass(frozen=True)
class JointPrim:
    """A joint prim with its ends: paths of two rigid bodies, or `WORLD`, and the prims that it names."""

    prim: Usd.Prim
    type: JointType
    bodies: tuple[str, str]
    targets: tuple[Usd.Prim | None, Usd.Prim | None]
    excluded: bool = False  # True if it is excluded from trees

    @property
    def may_be_in_tree(self) -> bool:
        """Return whether the joint can belong to an articulation's tree."""
        return not self.excluded and self.type < JointType.DISTANCE

    @property
    def path(self) -> str:
        """Return the path of the joint prim."""
        return str(self.prim.GetPath())

    @property
    def standing(self) -> str:
        """Return the path of what stands still at the end in the world; "" if the joint names nothing there.

        As in PhysX, it is the rigid body at or above the prim that the joint names, else the outermost collider.
        """
        ends = zip(self.targets, self.bodies, strict=True)
        named = next((target for target, body in ends if target and body == WORLD), None)
        above = [named, *ancestors(named)] if named else []
        standing = (owner_of(named) if named else None) or next(filter(is_collider, reversed(above)), None)
        return str(standing.GetPath()) if standing else ""

    def other(self, body: str) -> str:
        """Return the body at the other end."""
        return self.bodies[1] if self.bodies[0] == body else self.bodies[0]


def find_bodies(source: StageReader) -> dict[str, Usd.Prim]:
    """Return rigid bodies that can move, by path; a disabled or kinematic body counts as the world."""
    bodies = {}
    for prim in source.prims:
        if "PhysicsRigidBodyAPI" not in schemas(prim):
            continue
        flags = source.values(prim, BODY)
        if flags["enabled"] and not flags["kinematic"]:
            bodies[str(prim.GetPath())] = prim
        elif not flags["enabled"] or not (moving_ops(source, prim) or read_surface(source, prim)):
            source.report(prim, "", Reason("body-does-not-move"))
    return bodies


def find_edges(source: StageReader, bodies: dict[str, Usd.Prim]) -> list[JointPrim]:
    """Return joints with an effect, in stage order; report all other joints."""
    edges = []
    for prim in source.prims:
        kind = str(prim.GetTypeName())
        if kind not in JOINT_TYPES and kind not in GEAR_TYPES:
            continue
        flags = source.values(prim, [row for row in JOINT if row.field in ("enabled", "excluded")])
        if not flags["enabled"]:
            source.report(prim, "", Reason("joint-disabled"))
            continue
        edge = connect(source, prim, bodies, flags["excluded"])
        if edge.bodies == (WORLD, WORLD):
            source.report(prim, "", Reason("joint-to-nowhere"))
        else:
            report_container(source, edge)
            edges.append(edge)
    return edges


def connect(source: StageReader, prim: Usd.Prim, bodies: dict[str, Usd.Prim], excluded: bool) -> JointPrim:
    """Resolve both ends of a joint to rigid bodies at or above the prims that it names.

    Raises:
        InvalidScene: an end names a prim that does not exist, both ends are empty, or both are the same body.
    """
    kind = (JOINT_TYPES | GEAR_TYPES)[prim.GetTypeName()]
    targets, ends = [], []
    for name in ENDS:
        path = source.target(prim, name)
        found = source.stage.GetPrimAtPath(path) if path else None
        if path and not (found and found.IsActive()):
            raise InvalidScene(prim.GetPath(), name, path, "a prim", "name a rigid body, or nothing for the world")
        targets.append(found)
        ends.append(body_above(found, bodies))
    if targets == [None, None]:
        raise InvalidScene(
            prim.GetPath(),
            "physics:body0, physics:body1",
            rule="one body or two, not both empty",
            fix="name at least one body",
        )
    if ends[0] == ends[1] != WORLD:
        raise InvalidScene(
            prim.GetPath(), "physics:body1", ends[1], "another body than physics:body0", "name another body"
        )
    return JointPrim(prim, kind, tuple(ends), tuple(targets), excluded)


def report_container(source: StageReader, joint: JointPrim) -> None:
    """Report an end in the world at a container of colliders whose first shape PhysX adds to the joint's frame."""
    for name, target, body in zip(ENDS, joint.targets, joint.bodies, strict=True):
        if not target or body != WORLD:
            continue
        above = [] if owner_of(target) else [target, *ancestors(target)]
        container = next(filter(is_container, above), None)
        shape = first_shape(container) if container else None
        if shape and displaces(UsdGeom.Xformable(shape).GetLocalTransformation()):
            source.report(joint.prim, name, Reason("joint-to-container", related=shape.GetPath()), target.GetPath())


def displaces(transform: Gf.Matrix4d) -> bool:
    """Return whether a transform rotates or translates, beyond round-off of single precision."""
    rigid = transform.RemoveScaleShear()
    return not Gf.IsClose(rigid, Gf.Matrix4d(1.0), 1e-6)


def body_above(prim: Usd.Prim | None, bodies: dict[str, Usd.Prim]) -> str:
    """Return the path of the nearest rigid body at or above a prim; `WORLD` if there is none."""
    while prim:
        if str(prim.GetPath()) in bodies:
            return str(prim.GetPath())
        prim = prim.GetParent()
    return WORLD
