"""Mimic joints: which degree of freedom follows which, from PhysxMimicJointAPI, NewtonMimicAPI and FajinMimicAPI.

One that cannot be made is an error, except a rotation without two finite limits: PhysX simulates such a robot without
that mimic joint, and so does this, with a report.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isclose, isfinite
from typing import Any

from pxr import UsdPhysics

from ..scene import Axis, InvalidScene, Joint, JointType, Mimic
from .attributes import MIMIC, MIMIC_OF_MANY, NEWTON_MIMIC
from .edges import Edge
from .joints import INSTANCES, ROTATIONS, free_translations
from .stage import Source, instances, schemas

PHYSX, NEWTON, MANY = "PhysxMimicJointAPI", "NewtonMimicAPI", "FajinMimicAPI"
RELATIONSHIPS = {PHYSX: "referenceJoint", NEWTON: "newton:mimicJoint", MANY: "references"}
ALIKE = 1e-6  # relative, single precision's
OFFSET = next(row for row in MIMIC if row.field == "offset")


@dataclass(frozen=True)
class Claim:
    """One mimic schema on a joint."""

    edge: Edge
    schema: str  # PHYSX | NEWTON | MANY
    axis: str = ""  # instance of PHYSX or MANY: the axis that follows

    @property
    def prefix(self) -> str:
        """How the names of its attributes begin."""
        heads = {PHYSX: f"physxMimicJoint:{self.axis}:", NEWTON: "newton:mimic", MANY: f"fajinMimic:{self.axis}:"}
        return heads[self.schema]

    @property
    def relationship(self) -> str:
        """Name of the relationship to the reference joints."""
        name = RELATIONSHIPS[self.schema]
        return name if self.schema == NEWTON else f"{self.prefix}{name}"

    def values(self, source: Source, rotational: bool = True) -> dict[str, Any]:
        """Fields of a `Mimic`, `gearings` as in the file and `axes`, one a reference; the offset in SI units."""
        if self.schema == MANY:
            return source.values(self.edge.prim, MIMIC_OF_MANY, self.axis, rotational)
        if self.schema == PHYSX:
            said = source.values(self.edge.prim, MIMIC, self.axis, rotational)
            return {"gearings": (said.pop("gearing"),), "axes": (said.pop("reference_axis"),), **said}
        said = source.values(self.edge.prim, NEWTON_MIMIC, rotational=rotational)
        return {"gearings": (-said["coef1"],), "offset": 0.0 - said["coef0"], "axes": ("",)}

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
    """The mimic schemas of a joint that count: fajin's own before PhysX before Newton."""
    applied = schemas(edge.prim)
    own = [Claim(edge, MANY, axis) for axis in instances(edge.prim, MANY)]
    theirs = [Claim(edge, PHYSX, axis) for axis in instances(edge.prim, PHYSX)]
    for claim in theirs:
        if claim.axis not in ROTATIONS and edge.type in INSTANCES:
            reason = "the schema has no such instance, only rotX, rotY and rotZ; taken as the joint's own axis"
            source.report(edge.prim, f"{PHYSX}:{claim.axis}", reason)
        if own:
            claim.report(source, f"{MANY} comes first")
    yield from own or theirs
    if NEWTON in applied:
        claim = Claim(edge, NEWTON)
        if own or theirs:
            if own or not same(source, theirs[0], claim):
                claim.report(source, f"{MANY if own else PHYSX} comes first")
        elif not source.values(edge.prim, NEWTON_MIMIC)["enabled"]:
            claim.report(source, "the mimic joint is switched off by newton:mimicEnabled")
        else:
            yield claim


def same(source: Source, physx: Claim, newton: Claim) -> bool:
    """Whether both names say the same, as they do where both are authored for two kinds of readers."""
    one, other = physx.values(source), newton.values(source)
    soft = one["natural_frequency"] > 0.0 and one["damping_ratio"] > 0.0
    alike = isclose(one["gearings"][0], other["gearings"][0], rel_tol=ALIKE)
    alike = alike and isclose(one["offset"], other["offset"], rel_tol=ALIKE, abs_tol=ALIKE)
    return alike and not soft and physx.targets(source) == newton.targets(source)


def bind(source: Source, claim: Claim, named: dict[str, Joint], bound: dict[str, Mimic]) -> None:
    """Bind the degree of freedom that a claim means."""
    if claim.edge.type is JointType.D6 and free_translations(source, claim.edge):
        raise claim.invalid(source, "a joint with free translations cannot follow; lock them by PhysicsLimitAPI")
    joint, others = named[claim.edge.path], reference_joints(source, claim, named)
    axis = pick(source, claim, joint, claim.axis)
    values = claim.values(source, axis.rotational)
    gearings, tokens = values.pop("gearings"), values.pop("axes") or ("",) * len(others)
    if not len(gearings) == len(tokens) == len(others):
        said = f"has {len(others)} references, {len(gearings)} gearings and {len(tokens)} axes"
        raise claim.invalid(source, f"{said}; author a gearing for each reference, and an axis for each or none")
    references = [(other, pick(source, claim, other, token)) for other, token in zip(others, tokens, strict=True)]
    own, names = dof_name(joint, axis), [dof_name(*reference) for reference in references]
    if own in bound:
        follows = ", ".join(leaders(bound, own))
        raise claim.invalid(source, f"{own} follows {follows} already; take one of the two mimic joints out")
    check_chain(source, claim, (own, names), bound)
    for dof, end in ((own, axis), *zip(names, (reference for _, reference in references), strict=True)):
        if end.rotational and not (isfinite(end.lower) and isfinite(end.upper)):
            reason = f"mimic joint dropped: the rotation {dof} has no two finite limits; author both"
            claim.report(source, reason)
            return
    for field in ("natural_frequency", "damping_ratio"):
        values[field] = max(0.0, values.get(field, 0.0))
    units = [
        source.scale(OFFSET, axis.rotational) / source.scale(OFFSET, reference.rotational)
        for _, reference in references
    ]
    geared = tuple((name, g * unit) for name, g, unit in zip(names, gearings, units, strict=True))
    bound[own] = Mimic(geared, **values)


def leaders(bound: dict[str, Mimic], dof: str) -> list[str]:
    """The degrees of freedom that one follows."""
    return [name for name, _ in bound[dof].references] if dof in bound else []


def reference_joints(source: Source, claim: Claim, named: dict[str, Joint]) -> list[Joint]:
    """The joints that a claim refers to: one, unless the schema is for many."""
    targets = source.targets(claim.edge.prim, claim.relationship)
    if len(targets) != 1 and (claim.schema != MANY or not targets):
        raise claim.invalid(source, f"names {len(targets)} joints; name {'some' if claim.schema == MANY else 'one'}")
    for target in targets:
        prim = source.stage.GetPrimAtPath(target)
        if not prim:
            raise claim.invalid(source, "does not exist; name a joint of the articulation")
        if not prim.IsA(UsdPhysics.Joint):
            kind = prim.GetTypeName() or "prim"
            raise claim.invalid(source, f"is no joint but a {kind}; name a joint of the articulation")
        if str(target) not in named:
            raise claim.invalid(source, "is not in its articulation, or is excluded from it; name a joint that is")
    return [named[str(target)] for target in targets]


def pick(source: Source, claim: Claim, joint: Joint, token: str) -> Axis:
    """The degree of freedom of a joint that a token means; a revolute or prismatic joint needs no token."""
    if joint.type in INSTANCES:
        return joint.axes[0]
    found = next((axis for axis in joint.axes if axis.token == token), None)
    if found is None:
        lacks = f"has no free axis {token}" if token else f"has not the one axis that {claim.schema} needs"
        free = ", ".join(axis.token for axis in joint.axes)
        by = MANY if claim.schema == MANY else PHYSX
        mend = f"choose among its free axes {free}, by {by}" if free else "name a joint that moves"
        raise claim.invalid(source, f"{joint.path} {lacks}; {mend}")
    return found


def check_chain(source: Source, claim: Claim, ends: tuple[str, list[str]], bound: dict[str, Mimic]) -> None:
    """Raise InvalidScene where a degree of freedom would follow itself, or another that follows it."""
    own, references = ends
    if own in references:
        raise claim.invalid(source, f"{own} follows itself; name another degree of freedom")
    above = list(references)
    for dof in above:  # grows
        above += [other for other in leaders(bound, dof) if other not in above]
        if own in above:
            raise claim.invalid(source, f"{own} would follow itself through others; let one of the chain lead")
