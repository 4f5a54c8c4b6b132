"""Links without mass, which a description uses as frames: PhysX would take 1 kg for each.

They get a mass so small that the robot does not notice it; a link must have one, whose joint may move it.
"""

from typing import Any

from pxr import Gf, UsdPhysics

from ..usd.attributes import MASS_PROPERTIES
from ..usd.read.mass import PHANTOM_RADIUS
from ..usd.read.reader import read_stage
from ..usd.stage.stage import StageReader

LIGHT = 1e-3  # [kg]
MISSING = ("mass-missing", "inertia-missing")


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
