"""Mass properties that a description leaves out, or states as 0.

PhysX would take 1 kg for a link without mass, which a description uses as a frame. It gets a mass so small that the
robot does not notice it; a link must have one, whose joint may move it. Moments of 0 of a link with colliders are
those of the colliders in PhysX, too, but along the file's axes, which belong to no moments.
"""

from typing import Any

from pxr import Gf, UsdPhysics

from ..usd.attributes import MASS_PROPERTIES
from ..usd.read.joint_prims import find_bodies
from ..usd.read.mass import MOMENTS, PHANTOM_RADIUS
from ..usd.read.reader import read_stage
from ..usd.stage.stage import StageReader

LIGHT = 1e-3  # [kg]
MISSING = ("mass-missing", "inertia-missing")
AXES = "physics:principalAxes"


def weigh_links(stage: Any) -> list[str]:
    """Author the mass of links without mass, and moments of those without moments or colliders; return the former."""
    source, light, scene = StageReader(stage), [], read_stage(stage)
    found = {report.prim for report in scene.reports if report.code in MISSING}
    if {link.path for robot in scene.articulations for link in robot.links} <= found:
        return []  # nothing has a mass that others could be small beside
    for path in sorted(found):
        prim = stage.GetPrimAtPath(path)
        if prim.IsInstanceProxy():
            continue
        mass = source.values(prim, MASS_PROPERTIES)["mass"]
        api = UsdPhysics.MassAPI.Apply(prim)
        if not mass:
            mass = LIGHT
            api.CreateMassAttr(mass / source.kilograms)
            light.append(path)
        moment = 0.4 * mass * PHANTOM_RADIUS**2 / (source.kilograms * source.metres**2)
        api.CreateDiagonalInertiaAttr(Gf.Vec3f(moment))
        api.CreatePrincipalAxesAttr(Gf.Quatf(1.0))
    return light


def forget_moments(stage: Any) -> list[str]:
    """Block moments of 0 and their axes, so that those of the colliders count; return the links."""
    found = []
    for path in find_bodies(StageReader(stage)):
        prim = stage.GetPrimAtPath(path)
        moments = prim.GetAttribute(MOMENTS)
        if moments and not prim.IsInstanceProxy() and moments.HasAuthoredValue() and not any(moments.Get()):
            for name in (MOMENTS, AXES):
                if attribute := prim.GetAttribute(name):
                    attribute.Block()
            found.append(path)
    return found
