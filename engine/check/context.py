"""Context of the rules: an open stage and, if it can be simulated, its scene."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import degrees
from typing import Any

from pxr import Sdf, Usd

from ..author.change import format_value
from ..scene import Articulation, Axis, Joint, Scene
from ..usd.read.joints import INSTANCES
from ..usd.stage.stage import StageReader, schemas


@dataclass(frozen=True)
class Dof:
    """One degree of freedom of an articulation, with its attribute names."""

    robot: Articulation
    joint: Joint
    axis: Axis

    @property
    def name(self) -> str:
        """Return joint path and axis token."""
        return f"{self.joint.path}:{self.axis.token}"

    @property
    def instance(self) -> str:
        """Return the schema instance of this axis."""
        return INSTANCES.get(self.joint.type, self.axis.token)

    @property
    def bounds(self) -> tuple[str, str]:
        """Return the attribute names of the lower and the upper limit."""
        if self.joint.type in INSTANCES:
            return "physics:lowerLimit", "physics:upperLimit"
        return f"limit:{self.axis.token}:physics:low", f"limit:{self.axis.token}:physics:high"

    def drive(self, name: str) -> str:
        """Return the name of an attribute of the drive."""
        return f"drive:{self.instance}:physics:{name}"

    def shown(self, value: float) -> str:
        """Return a position or speed as text: in degrees or metres."""
        return f"{degrees(value):.6g} degrees" if self.axis.rotational else f"{value:.6g} m"


@dataclass(frozen=True)
class CheckContext:
    """An open stage with its scene; the scene is empty if the stage cannot be simulated."""

    source: StageReader
    scene: Scene | None = None
    inertia: dict[str, float] = field(default_factory=dict)  # of each joint alone [kg·m² | kg], if positive and finite

    @property
    def stage(self) -> Usd.Stage:
        """Return the stage."""
        return self.source.stage

    @cached_property
    def robots(self) -> tuple[Articulation, ...]:
        """Return the articulations but free bodies and copies, whose findings are those of their originals."""
        found = (a for a in (self.scene.articulations if self.scene else ()) if not a.free)
        return tuple(robot for robot in found if not self.copied(robot.path))

    def copied(self, path: str) -> bool:
        """Return whether a prim lies in an instance copy: findings of its original are repeated for it."""
        return any(prefix in self.source.copies for prefix in Sdf.Path(path).GetPrefixes())

    def original_of(self, path: str) -> str:
        """Return the path of the prim whose copy a prim is; "" if it is not a copy."""
        own = Sdf.Path(path)
        copy = next((prefix for prefix in own.GetPrefixes() if prefix in self.source.copies), None)
        return str(own.ReplacePrefix(copy, self.source.copies[copy])) if copy else ""

    def dofs(self, robot: Articulation | None = None) -> Iterator[Dof]:
        """Yield the degrees of freedom of a robot, or of all robots."""
        for owner in self.robots if robot is None else (robot,):
            for joint in owner.joints:
                yield from (Dof(owner, joint, axis) for axis in joint.axes)

    @cached_property
    def motors(self) -> set[str]:
        """Return paths of the targets of MuJoCo's actuators."""
        actuators = (prim for prim in self.source.prims if prim.GetTypeName() == "MjcActuator")
        return {str(path) for prim in actuators for path in prim.GetRelationship("mjc:target").GetTargets()}

    def is_spring(self, dof: Dof) -> bool:
        """Return whether a converted joint's drive is a spring or damper: no motor, no maximum force, any gains."""
        return "MjcJointAPI" in schemas(self.source.prim(dof.joint.path)) and dof.joint.path not in self.motors

    def authored(self, prim: str, name: str) -> Any:
        """Return the value authored at time 0; None if there is none."""
        return self.source.authored(self.source.prim(prim), name)

    def shown(self, prim: str, *names: str) -> str:
        """Return authored values as text, "" if there is none."""
        values = [self.authored(prim, name) for name in names]
        return ", ".join(map(format_value, values)) if any(value is not None for value in values) else ""
