"""Mimic joints: which degree of freedom follows which, from PhysxMimicJointAPI and NewtonMimicAPI.

A mimic joint that PhysX does not make either is dropped, with a report.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from ..scene import Axis, Joint, JointType, Mimic
from .attributes import MIMIC, NEWTON_MIMIC
from .edges import Edge
from .joints import INSTANCES, ROTATIONS, free_translations
from .stage import Source, schemas

PHYSX, NEWTON = "PhysxMimicJointAPI", "NewtonMimicAPI"
OFFSET = next(row for row in MIMIC if row.field == "offset")


class Dropped(Exception):
    """Why a mimic joint is not made."""


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
        targets = source.targets(self.edge.prim, self.relationship)
        source.report(self.edge.prim, ", ".join(names or [self.schema]), reason, ", ".join(map(str, targets)))


def bind_mimics(source: Source, edges: list[Edge], joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """The joints of an articulation with the mimic joints that their prims author."""
    named = {joint.path: joint for joint in joints}
    bound: dict[str, Mimic] = {}
    for claim in (claim for edge in edges for claim in claims(source, edge)):
        try:
            bind(source, claim, named, bound)
        except Dropped as dropped:
            claim.report(source, f"mimic joint dropped: {dropped}")
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
    """Bind the degree of freedom that a claim means, unless PhysX would not.

    Raises:
        Dropped: PhysX makes no mimic joint of it.
    """
    if claim.edge.type is JointType.D6 and free_translations(source, claim.edge):
        raise Dropped(f"{claim.edge.path} has free translations; lock them")
    joint = named[claim.edge.path]
    axis = pick(joint, claim.axis)
    other = reference_joint(source, claim, named)
    values = claim.values(source, axis.rotational)
    reference = pick(other, values.pop("reference_axis"))
    own, name = dof_name(joint, axis), dof_name(other, reference)
    if own in bound:
        raise Dropped(f"{own} follows {bound[own].reference} already; a degree of freedom follows one other")
    check_chain(own, name, bound)
    for dof, end in ((own, axis), (name, reference)):
        if end.rotational and not (isfinite(end.lower) and isfinite(end.upper)):
            raise Dropped(f"the rotation {dof} has no two finite limits; author both")
    for field in ("natural_frequency", "damping_ratio"):
        values[field] = max(0.0, values.get(field, 0.0))
    values["gearing"] *= source.scale(OFFSET, axis.rotational) / source.scale(OFFSET, reference.rotational)
    bound[own] = Mimic(name, **values)


def reference_joint(source: Source, claim: Claim, named: dict[str, Joint]) -> Joint:
    """The joint that a claim refers to.

    Raises:
        Dropped: there is not exactly one, or it is no joint of the same articulation.
    """
    targets = source.targets(claim.edge.prim, claim.relationship)
    if len(targets) != 1:
        raise Dropped(f"{claim.relationship} names {len(targets)} joints; name one")
    path = str(targets[0])
    if path not in named:
        prim = source.stage.GetPrimAtPath(path)
        missing = "is not in its articulation, or is excluded from it" if prim else "does not exist"
        raise Dropped(f"the reference {path} {missing}; name another joint of the articulation")
    return named[path]


def pick(joint: Joint, token: str) -> Axis:
    """The degree of freedom of a joint that a token means; a revolute or prismatic joint needs no token.

    Raises:
        Dropped: the joint has none that the token could mean.
    """
    if joint.type in INSTANCES:
        return joint.axes[0]
    found = next((axis for axis in joint.axes if axis.token == token), None)
    if found is None:
        free = ", ".join(axis.token for axis in joint.axes) or "none"
        lacks = (
            f"has no free axis {token}" if token else f"is neither revolute nor prismatic, and {NEWTON} names no axis"
        )
        raise Dropped(f"{joint.path} {lacks}; its free axes: {free}")
    return found


def check_chain(own: str, reference: str, bound: dict[str, Mimic]) -> None:
    """Raise Dropped where a degree of freedom would follow itself, or another that follows it."""
    if own == reference:
        raise Dropped(f"{own} follows itself; name another degree of freedom")
    while reference in bound:
        reference = bound[reference].reference
        if reference == own:
            raise Dropped(f"{own} would follow itself through others; let one of the chain lead")
