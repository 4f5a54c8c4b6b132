"""Stages of links with colliders, of which masses are read."""

from usda import ROOT, prim, stage

import fajin

CUBE = "double size = 1"
RIGID = "PhysicsRigidBodyAPI"
COLLIDER = "PhysicsCollisionAPI PhysicsMassAPI"
MOVED = 'double3 xformOp:translate = {}\n    uniform token[] xformOpOrder = ["xformOp:translate"]'


def link(folder, lines: str, metadata: str = 'metersPerUnit = 1\n    upAxis = "Z"', more: str = ""):
    """The only link of a scene, and its reports."""
    body = prim("Xform", "body", lines, f"{RIGID} PhysicsMassAPI {ROOT}")
    scene = fajin.read(stage(folder, body, more, metadata=metadata))
    return scene.articulations[0].links[0], scene.reports


def collider(name: str, kind: str = "Cube", lines: str = CUBE) -> str:
    """A collision shape."""
    return prim(kind, name, lines, COLLIDER)
