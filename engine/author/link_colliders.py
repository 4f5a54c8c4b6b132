"""Colliders for links of a robot that has none: its drawn shapes, meshes as their convex hulls.

Some descriptions have no collision shapes, or switch them off and list pairs instead. Shapes of the purpose `guide`,
such as those of collision classes in MJCF, come before what is drawn.
"""

from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from ..usd.read.joint_prims import find_bodies
from ..usd.read.reader import read_stage
from ..usd.stage.stage import StageReader
from .select import make_unique

SOLID = ("Mesh", "Cube", "Sphere", "Capsule", "Cylinder", "Cone")


def colliders_from_visuals(stage: Usd.Stage) -> list[str]:
    """Author colliders on the shapes of links that have none; return these links."""
    with_colliders = {one.body for one in read_stage(stage).colliders}
    done = []
    for link, shapes in _shapes_of_links(stage).items():
        if link in with_colliders:
            continue
        done.append(link)
        guides = [path for path, purpose in shapes if purpose == UsdGeom.Tokens.guide]
        for path in guides or [path for path, _ in shapes]:
            prim = make_unique(stage, Sdf.Path(path))
            UsdPhysics.CollisionAPI.Apply(prim)
            if prim.IsA("Mesh"):
                UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(UsdPhysics.Tokens.convexHull)
    return done


def _shapes_of_links(stage: Usd.Stage) -> dict[str, list[tuple[str, str]]]:
    """Return paths and purposes of the solid shapes of each body."""
    bodies, found = find_bodies(StageReader(stage)), {}
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        if prim.GetTypeName() in SOLID:
            above = prim
            while above and str(above.GetPath()) not in bodies:
                above = above.GetParent()
            if above:
                shape = str(prim.GetPath()), UsdGeom.Imageable(prim).ComputePurpose()
                found.setdefault(str(above.GetPath()), []).append(shape)
    return found
