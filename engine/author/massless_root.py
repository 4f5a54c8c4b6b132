"""Children of a URDF's root link without mass, which the converter omits: their joints hold them in the world.

A URDF is one tree. The children are connected to the heaviest of those that a fixed joint holds, so that the robot
stays whole if its base is freed.
"""

from typing import Any

from pxr import Gf, UsdGeom, UsdPhysics

from ..scene import WORLD, JointType
from ..usd.read.joint_prims import JointPrim, find_bodies, find_edges
from ..usd.read.reader import read_stage
from ..usd.stage.stage import START, StageReader, schemas
from ..usd.stage.transforms import rigid_frame
from .base import ROOT_SCHEMAS


def join_children(stage: Any) -> list[str]:
    """Connect all bodies that joints hold in the world to the heaviest robot there; return the paths of the joints."""
    source = StageReader(stage)
    edges = [edge for edge in find_edges(source, find_bodies(source)) if WORLD in edge.bodies]
    held = [edge.other(WORLD) for edge in edges if edge.type is JointType.FIXED]
    if len(edges) < 2 or not held:
        return []
    mass = {}
    for robot in read_stage(stage).articulations:
        mass |= dict.fromkeys((link.path for link in robot.links), sum(link.mass for link in robot.links))
    trunk = max(held, key=lambda body: mass.get(body, 0.0))
    moved = [edge for edge in edges if edge.other(WORLD) != trunk]
    for edge in moved:
        connect_to(edge, stage.GetPrimAtPath(trunk))
        for prim in (edge.prim, stage.GetPrimAtPath(edge.other(WORLD))):
            for schema in ROOT_SCHEMAS:
                if schema in schemas(prim):
                    prim.RemoveAppliedSchema(schema)
    return [edge.path for edge in moved]


def connect_to(edge: JointPrim, body: Any) -> None:
    """Move the end of a joint from the world to a body; the joint's frame stays where it is."""
    end = edge.bodies.index(WORLD)
    joint, places, target = UsdPhysics.Joint(edge.prim), UsdGeom.XformCache(START), edge.targets[end]
    rows = [
        (joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr(), joint.GetBody0Rel()),
        (joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr(), joint.GetBody1Rel()),
    ]
    position, rotation, named = rows[end]
    frame = Gf.Matrix4d(Gf.Rotation(Gf.Quatd(rotation.Get())), Gf.Vec3d(position.Get()))
    above = places.GetLocalToWorldTransform(target) if target else Gf.Matrix4d(1.0)
    here = places.GetLocalToWorldTransform(body)
    turned = rigid_frame(frame * above) * rigid_frame(here).GetInverse()
    position.Set(Gf.Vec3f((frame * above * here.GetInverse()).ExtractTranslation()))
    rotation.Set(Gf.Quatf(turned.ExtractRotationQuat()))
    named.SetTargets([body.GetPath()])
