"""Forces authored on bodies, `PhysxForceAPI`.

As in PhysX, the force acts at the centre of mass if its prim is the body, else at the origin of its prim, which may lie
below the body. In the local frame, force and torque have the axes of the prim.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Gf, Usd

from ...scene import Articulation, ExternalForce, Link, Vector
from ..attributes.force import FORCES
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .collision_shapes import owner_of

SCHEMA, RETAINS = "PhysxForceAPI", "physxRigidBody:retainAccelerations"


def add_forces(source: StageReader, articulations: list[Articulation]) -> list[Articulation]:
    """Return the articulations with the forces that prims of their links author; report a force without a body."""
    found: dict[str, list[Usd.Prim]] = {}
    for prim in source.prims:
        if SCHEMA in schemas(prim) and source.values(prim, FORCES)["enabled"]:
            body = owner_of(prim)
            found.setdefault(str(body.GetPath()) if body else "", []).append(prim)
    if not found:
        return articulations
    moving = {link.path for a in articulations if not a.kinematic for link in a.links}
    for path in found.keys() - moving:
        for prim in found[path]:
            source.report(prim, SCHEMA, Reason("force-without-body"))
    return [
        a if a.kinematic else replace(a, links=tuple(with_force(source, link, found) for link in a.links))
        for a in articulations
    ]


def with_force(source: StageReader, link: Link, prims: dict[str, list[Usd.Prim]]) -> Link:
    """Return a link with the sum of its forces; report those that cannot be added to the first."""
    total = None
    for prim in prims.get(link.path, ()):
        force = read_force(source, prim, link)
        if total is None:
            total = force
        elif (total.local, total.acceleration, total.position) == (force.local, force.acceleration, force.position):
            total = replace(total, force=plus(total.force, force.force), torque=plus(total.torque, force.torque))
        else:
            source.report(prim, SCHEMA, Reason("user-forces"))
    if total is not None and source.authored(source.prim(link.path), RETAINS):
        source.report(link.path, RETAINS, Reason("retained-forces"), True)
    return link if total is None else replace(link, external_force=total)


def read_force(source: StageReader, prim: Usd.Prim, link: Link) -> ExternalForce:
    """Read the force of one prim on a link."""
    values = source.values(prim, FORCES)
    local, position = not values["world"], (0.0, 0.0, 0.0)
    force: Any = Gf.Vec3d(*values["force"])
    torque: Any = Gf.Vec3d(*values["torque"])
    if str(prim.GetPath()) != link.path:
        frame = source.frame_in(prim, source.prim(link.path))
        x, y, z = np.array(frame.ExtractTranslation()) * source.metres - link.com
        position = (float(x), float(y), float(z))
        if local:
            force, torque = frame.TransformDir(force), frame.TransformDir(torque)
    if values["acceleration"]:
        force, torque = force / source.kilograms, torque / (source.kilograms * source.metres**2)
    return ExternalForce(tuple(force), tuple(torque), position, local, values["acceleration"])


def plus(a: Vector, b: Vector) -> Vector:
    """Return the sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]
