"""Mimic joints: which degree of freedom follows which, from PhysxMimicJointAPI and NewtonMimicAPI.

One that cannot be made is an error, except a rotation without two finite limits: PhysX simulates such a robot without
that mimic joint, and so does this, with a report.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from pxr import UsdPhysics

from ..scene import Axis, InvalidScene, Joint, JointType, Mimic
from .attributes import MIMIC, NEWTON_MIMIC
from .edges import Edge
from .joints import INSTANCES, ROTATIONS, free_translations
from .stage import Source, schemas

PHYSX, NEWTON = "PhysxMimicJointAPI", "NewtonMimicAPI"
OFFSET = next(row for row in MIMIC if row.field == "offset")


@dataclass(frozen=True)
class Claim:
    """One mimic schema on a joint."""

    edge: Edge
    schema: str  # PHYSX | NEWTON
    axis: str = ""  # instance of PHYSX: the axis that follows

    @property
    def prefix(self) -> str:
        """How the names of its attributes begin."""
        return f"physxMimicJoint:{self.axis}:" if self.schema == PHYSX else "newton:mimic"

    @property
    def relationship(self) -> str:
        """Name of the relationship to the reference joint."""
        return f"{self.prefix}referenceJoint" if self.schema == PHYSX else "newton:mimicJoint"

    def values(self, source: Source, rotational: bool = True) -> dict[str, Any]:
        """Fields of a `Mimic` and `reference_axis`; the gearing as in the file, the offset in SI units."""
        if self.schema == PHYSX:
            return source.values(self.edge.prim, MIMIC, self.axis, rotational)
        said = source.values(self.edge.prim, NEWTON_MIMIC, rotational=rotational)
        return {"gearing": -said["coef1"], "offset": 0.0 - said["coef0"], "reference_axis": ""}

    def report(self, source: Source, reason: str) -> None:
        """Report everything that the claim authors as not used."""
        names = sorted(name for name in self.edge.prim.GetAuthoredPropertyNames() if name.startswith(self.prefix))
        source.report(self.edge.prim, ", ".join(names or [self.schema]), reason, self.targets(source))

    def targets(self, source: Source) -> str:
        """The paths that its relationship names."""
        return ", ".join(map(str, source.targets(self.edge.prim, self.relationship)))

    def invalid(self, source: Source, reason: str) -> InvalidScene:
        """The error that it cannot be made: rule and mend are in the reason."""
        return InvalidScene(f"{self.edge.path}.{self.relationship} = {self.targets(source) or 'nothing'}: {reason}")


def bind_mimics(source: Source, edges: list[Edge], joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """The joints of an articulation with the mimic joints that their prims author.

    Raises:
        InvalidScene: a mimic joint that relates no two degrees of freedom of the articulation.
    """
    named = {joint.path: joint for joint in joints}
    bound: dict[str, Mimic] = {}
    for claim in (claim for edge in edges for claim in claims(source, edge)):
        bind(source, claim, named, bound)
    return tuple(replace(joint, axes=tuple(follow(joint, axis, bound) for axis in joint.axes)) for joint in joints)


def follow(joint: Joint, axis: Axis, bound: dict[str, Mimic]) -> Axis:
    """The axis with its mimic, if it has one."""
    return replace(axis, mimic=bound.get(dof_name(joint, axis)))


def dof_name(joint: Joint, axis: Axis) -> str:
    """The name of a degree of freedom."""
    return f"{joint.path}:{axis.token}"


def claims(source: Source, edge: Edge) -> Iterator[Claim]:
    """The mimic schemas of a joint that count: PhysX before Newton."""
    applied = schemas(edge.prim)
    instances = [schema.partition(":")[2] for schema in applied if schema.startswith(f"{PHYSX}:")]
    for axis in instances:
        if axis not in ROTATIONS and edge.type in INSTANCES:
            reason = "the schema has no such instance, only rotX, rotY and rotZ; taken as the joint's own axis"
            source.report(edge.prim, f"{PHYSX}:{axis}", reason)
        yield Claim(edge, PHYSX, axis)
    if NEWTON in applied:
        claim = Claim(edge, NEWTON)
        if instances:
            claim.report(source, f"{PHYSX} comes first")
        elif not source.values(edge.prim, NEWTON_MIMIC)["enabled"]:
            claim.report(source, "the mimic joint is switched off by newton:mimicEnabled")
        else:
            yield claim


def bind(source: Source, claim: Claim, named: dict[str, Joint], bound: dict[str, Mimic]) -> None:
    """Bind the degree of freedom that a claim means."""
    if claim.edge.type is JointType.D6 and free_translations(source, claim.edge):
        raise claim.invalid(source, "a joint with free translations cannot follow; lock them by PhysicsLimitAPI")
    joint, other = named[claim.edge.path], reference_joint(source, claim, named)
    axis = pick(source, claim, joint, claim.axis)
    values = claim.values(source, axis.rotational)
    reference = pick(source, claim, other, values.pop("reference_axis"))
    own, name = dof_name(joint, axis), dof_name(other, reference)
    if own in bound:
        raise claim.invalid(source, f"{own} follows {leader(bound, own)} already; take one of the two mimic joints out")
    check_chain(source, claim, (own, name), bound)
    for dof, end in ((own, axis), (name, reference)):
        if end.rotational and not (isfinite(end.lower) and isfinite(end.upper)):
            reason = f"mimic joint dropped: the rotation {dof} has no two finite limits; author both"
            claim.report(source, reason)
            return
    for field in ("natural_frequency", "damping_ratio"):
        values[field] = max(0.0, values.get(field, 0.0))
    gearing = values.pop("gearing")
    gearing *= source.scale(OFFSET, axis.rotational) / source.scale(OFFSET, reference.rotational)
    bound[own] = Mimic(((name, gearing),), **values)


def leader(bound: dict[str, Mimic], dof: str) -> str:
    """The degree of freedom that one follows."""
    ((name, _),) = bound[dof].references
    return name


def reference_joint(source: Source, claim: Claim, named: dict[str, Joint]) -> Joint:
    """The joint that a claim refers to."""
    targets = source.targets(claim.edge.prim, claim.relationship)
    if len(targets) != 1:
        raise claim.invalid(source, f"names {len(targets)} joints; name one")
    prim = source.stage.GetPrimAtPath(targets[0])
    if not prim:
        raise claim.invalid(source, "does not exist; name a joint of the articulation")
    if not prim.IsA(UsdPhysics.Joint):
        raise claim.invalid(
            source, f"is no joint but a {prim.GetTypeName() or 'prim'}; name a joint of the articulation"
        )
    if str(targets[0]) not in named:
        raise claim.invalid(source, "is not in its articulation, or is excluded from it; name a joint that is")
    return named[str(targets[0])]


def pick(source: Source, claim: Claim, joint: Joint, token: str) -> Axis:
    """The degree of freedom of a joint that a token means; a revolute or prismatic joint needs no token."""
    if joint.type in INSTANCES:
        return joint.axes[0]
    found = next((axis for axis in joint.axes if axis.token == token), None)
    if found is None:
        lacks = f"has no free axis {token}" if token else f"has not the one axis that {NEWTON} needs"
        free = ", ".join(axis.token for axis in joint.axes)
        mend = f"choose among its free axes {free}, by {PHYSX}" if free else "name a joint that moves"
        raise claim.invalid(source, f"{joint.path} {lacks}; {mend}")
    return found


def check_chain(source: Source, claim: Claim, ends: tuple[str, str], bound: dict[str, Mimic]) -> None:
    """Raise InvalidScene where a degree of freedom would follow itself, or another that follows it."""
    own, reference = ends
    if own == reference:
        raise claim.invalid(source, f"{own} follows itself; name another degree of freedom")
    while reference in bound:
        reference = leader(bound, reference)
        if reference == own:
            raise claim.invalid(source, f"{own} would follow itself through others; let one of the chain lead")
