"""Bases of articulations: fixed to the world, or floating."""

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from ..scene import WORLD, Articulation, InvalidScene, JointType
from ..usd.read.joint_prims import find_bodies, find_edges
from ..usd.read.reader import read_stage
from ..usd.stage.stage import START, StageReader, schemas
from ..usd.stage.transforms import rigid_frame
from .change import Change

ROOT = "PhysicsArticulationRootAPI"
ROOT_SCHEMAS = (ROOT, "PhysxArticulationAPI", "NewtonArticulationRootAPI")  # they are applied together
ROOT_ATTRIBUTES = ("physxArticulation:", "newton:selfCollisionEnabled", "newton:jointsAddMobility")
ENABLED = "physics:jointEnabled"


def base(stage: Usd.Stage, fixed: bool) -> list[Change]:
    """Fix the root links of all articulations to the world where they are, or free them.

    Freeing disables the fixed joints between root links and the world. Fixing enables such a joint, or adds one. The
    articulation root moves to the joint of a fixed base, or to the root link of a floating one, as PhysX wants it.

    Raises:
        InvalidScene: the scene has no articulation whose base can be changed, or cannot be simulated.
    """
    robots = [robot for robot in read_stage(stage).articulations if not robot.free]
    changes = [change for robot in robots if robot.fixed_base != fixed for change in _change(stage, robot, fixed)]
    if not changes and not any(robot.fixed_base == fixed for robot in robots):
        raise InvalidScene(
            file=stage.GetRootLayer().identifier, rule="a scene with an articulation", fix="leave it out"
        )
    return changes


def _change(stage: Usd.Stage, robot: Articulation, fixed: bool) -> list[Change]:
    """Fix or free the base of one robot."""
    if any(WORLD in (joint.body0, joint.body1) for joint in robot.joints):
        word, rule = "fixed" if fixed else "floating", "that of a robot without joints to the world"
        raise InvalidScene(robot.path, "base", word, rule, "edit those joints")
    links = {link.path for link in robot.links}
    held = anchors(stage, links)
    changes = []
    if fixed and not held:
        held = [_add_anchor(stage, robot.links[0].path)]
        changes.append(Change(str(held[0].GetPath()), "physics:body1", None, robot.links[0].path))
    for prim in held:
        if bool(prim.GetAttribute(ENABLED).Get()) is not fixed:
            prim.CreateAttribute(ENABLED, Sdf.ValueTypeNames.Bool, custom=False).Set(fixed)
            changes.append(Change(str(prim.GetPath()), ENABLED, not fixed, fixed))
    places = {*links, *(str(prim.GetPath()) for prim in held)}
    goal = held[0] if fixed else stage.GetPrimAtPath(robot.links[0].path)
    for path in sorted(places - {str(goal.GetPath())}):
        prim = stage.GetPrimAtPath(path)
        if ROOT in schemas(prim):
            changes += _move_root(prim, goal)
    return changes


def anchors(stage: Usd.Stage, links: set[str]) -> list[Usd.Prim]:
    """Return the fixed joints between the world and a link, enabled or not."""
    source = StageReader(stage)
    bodies = find_bodies(source)
    edges = [edge for edge in find_edges(source, bodies) if edge.type is JointType.FIXED and WORLD in edge.bodies]
    found = [edge.path for edge in edges if edge.other(WORLD) in links]
    joints = [prim for prim in stage.Traverse() if prim.IsA("PhysicsFixedJoint")]
    off = [prim for prim in joints if prim.GetAttribute(ENABLED).Get() is False]
    for prim in off:
        ends = [prim.GetRelationship(name).GetTargets() for name in ("physics:body0", "physics:body1")]
        bodies_of = {str(target) for targets in ends for target in targets}
        if bodies_of and bodies_of <= links:
            found += [str(prim.GetPath())] if len(bodies_of) == 1 else []
    return [stage.GetPrimAtPath(path) for path in dict.fromkeys(found)]


def _add_anchor(stage: Usd.Stage, link: str) -> Usd.Prim:
    """Return a new fixed joint that holds a link where it is."""
    body = stage.GetPrimAtPath(link)
    pose = rigid_frame(UsdGeom.XformCache(START).GetLocalToWorldTransform(body))
    joint = UsdPhysics.FixedJoint.Define(stage, body.GetPath().AppendChild("fixed_base"))
    joint.CreateBody1Rel().SetTargets([body.GetPath()])
    joint.CreateLocalPos0Attr(Gf.Vec3f(pose.ExtractTranslation()))
    joint.CreateLocalRot0Attr(Gf.Quatf(pose.ExtractRotationQuat()))
    joint.CreateLocalPos1Attr(Gf.Vec3f(0.0))
    joint.CreateLocalRot1Attr(Gf.Quatf(1.0))
    joint.CreateJointEnabledAttr(True)
    return joint.GetPrim()


def _move_root(prim: Usd.Prim, goal: Usd.Prim) -> list[Change]:
    """Move the articulation root with its attributes."""
    changes = []
    for schema in (name for name in ROOT_SCHEMAS if name in schemas(prim)):
        prim.RemoveAppliedSchema(schema)
        goal.AddAppliedSchema(schema)
        changes += [Change(str(prim.GetPath()), "apiSchemas", schema, None)]
        changes += [Change(str(goal.GetPath()), "apiSchemas", None, schema)]
    for name in prim.GetAuthoredPropertyNames():
        if name.startswith(ROOT_ATTRIBUTES):
            old = prim.GetAttribute(name)
            goal.CreateAttribute(name, old.GetTypeName(), old.IsCustom()).Set(old.Get())
            changes.append(Change(str(goal.GetPath()), name, None, old.Get()))
    return changes
