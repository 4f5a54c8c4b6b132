"""Physics scenes of a stage, and which one simulates a prim: `physics:simulationOwner`.

As in PhysX, the scene whose path comes first simulates what names none, and what two scenes simulate neither touches
nor shares joints. One simulation has all of them if they differ in the strength of gravity only.
"""

from dataclasses import replace
from math import hypot
from typing import Any

import numpy as np
from pxr import Usd

from ...scene import Articulation, Collider, Joint
from ..attributes import CONTACT_SCENE, SCENE
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader
from ..stage.targets import targets_of

OWNER = "physics:simulationOwner"
UNIT = 1e-4
"""Difference of a length from 1 that round-off of single precision does not explain."""
EARTH = 9.81  # [m/s²] default gravity
OWN = ("direction", "magnitude", "gravity_enabled", "duration", "fps", "precision")
"""Fields in which scenes of one simulation may differ."""
PARALLEL = 1e-6
"""Sine of the angle between two gravities that counts as none."""


class PhysicsScenes:
    """Physics scenes of a stage, the one that simulates what names none first.

    Args:
        source: the reader.
    """

    def __init__(self, source: StageReader):
        self._source = source
        self.prims = source.physics_scenes
        self.gravities = {str(prim.GetPath()): gravity_of(source, prim) for prim in self.prims}
        strengths = {path: float(np.linalg.norm(gravity)) for path, gravity in self.gravities.items()}
        strongest = max(strengths, key=lambda path: strengths[path], default="")
        self.gravity = self.gravities[strongest] if self.prims else default_gravity(source)
        """Gravity of the simulation: the strongest one [m/s²]."""
        most = strengths.get(strongest, 0.0)
        self.scales = {path: strength / most if most else 1.0 for path, strength in strengths.items()}
        """Strength of gravity by scene, relative to the strongest."""
        self.are_one = len(self.prims) > 1 and self._agree()
        """True if one simulation has several of them."""
        if not self.are_one and self.prims:
            self.gravity = self.gravities[str(self.prims[0].GetPath())]

    def _agree(self) -> bool:
        """Return whether the scenes differ in the strength of gravity only."""
        most = float(np.linalg.norm(self.gravity))
        for path, gravity in self.gravities.items():
            along = float(np.dot(gravity, self.gravity))
            if float(np.linalg.norm(np.cross(gravity, self.gravity))) > PARALLEL * most**2 or along < 0.0:
                return False
            if settings_of(self._source, self._source.prim(path)) != settings_of(self._source, self.prims[0]):
                return False
        return True

    def owners(self, prim: Usd.Prim) -> tuple[str, ...]:
        """Return the paths of the scenes that simulate a body or a collider of the world."""
        named = tuple(str(path) for path in targets_of(prim, OWNER) or () if str(path) in self.gravities)
        return named or (str(self.prims[0].GetPath()),)

    def owner(self, prim: Usd.Prim) -> str:
        """Return the path of the scene that moves a body: of several, the first."""
        return self.owners(prim)[0]

    def articulation(self, mine: Articulation) -> Articulation:
        """Return an articulation with its scene and the gravity there; report links whose scene is another one."""
        prims = [self._source.prim(link.path) for link in mine.links]
        owner = self.owner(prims[0])
        for prim in prims:
            if self.owners(prim) != (owner,):
                self._source.report(prim, OWNER, Reason("physics-scene-owner"), self.owner(prim))
        links = tuple(replace(link, gravity_scale=self.scales[owner]) for link in mine.links)
        return replace(mine, links=links, simulation_owner=owner)

    def collider(self, mine: Collider, moves: bool) -> Collider:
        """Return a collider with its scenes: that of its body if contacts move it, else all that it names.

        PhysX makes copies in the other scenes, which a body that moves takes along (reported: `articulation`).
        """
        owners = self.owners(self._source.prim(mine.body or mine.named))
        return replace(mine, simulations=owners[:1] if moves else owners)

    def holds(self, joint: Joint) -> bool:
        """Return whether a joint acts: the same scene simulates its bodies; report it if it does not."""
        owners = {self.owner(self._source.prim(path)) for path in (joint.body0, joint.body1) if path}
        if len(owners) > 1:
            self._source.report(joint.path, "", Reason("joint-between-scenes"))
        return len(owners) < 2


def gravity_of(source: StageReader, prim: Usd.Prim) -> tuple[float, ...]:
    """Return the gravity of a physics scene [m/s²]."""
    values = source.values(prim, SCENE)
    direction = values["direction"]
    if not any(direction):
        direction = default_gravity(source)
    elif abs(hypot(*direction) - 1.0) > UNIT:
        reason = Reason("gravity-direction", length=hypot(*direction))
        source.report(prim, "physics:gravityDirection", reason, source.authored(prim, "physics:gravityDirection"))
    magnitude = values["magnitude"] if values["magnitude"] >= 0.0 else EARTH
    magnitude *= values["gravity_enabled"]
    return tuple(magnitude * x / hypot(*direction) for x in direction)


def default_gravity(source: StageReader) -> tuple[float, float, float]:
    """Return the gravity of a stage without a physics scene [m/s²]."""
    return (0.0, -EARTH, 0.0) if source.up_axis == "Y" else (0.0, 0.0, -EARTH)


def settings_of(source: StageReader, prim: Usd.Prim) -> dict[str, Any]:
    """Return the settings of a physics scene that all scenes of a simulation share."""
    values = {**source.values(prim, SCENE), **source.values(prim, CONTACT_SCENE)}
    return {name: value for name, value in values.items() if name not in OWN}
