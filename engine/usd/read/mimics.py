"""Mimic joints: relations of degrees of freedom, from PhysxMimicJointAPI, NewtonMimicAPI and FajinMimicAPI.

A mimic joint that does not relate two degrees of freedom of its articulation is dropped with a diagnostic: PhysX also
simulates the robot without it. A ring of mimic joints, which PhysX solves, is an error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isclose, isfinite
from typing import Any

from ...scene import Axis, InvalidScene, Joint, JointType, Mimic
from ..attributes import LIMIT, MIMIC, MIMIC_OF_MANY, NEWTON_MIMIC
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, instances, schemas
from .joint_prims import JointPrim
from .joints import INSTANCES, ROTATIONS, free_translations

PHYSX, NEWTON, MANY = "PhysxMimicJointAPI", "NewtonMimicAPI", "FajinMimicAPI"
RELATIONSHIPS = {PHYSX: "referenceJoint", NEWTON: "newton:mimicJoint", MANY: "references"}
MIMIC_TOLERANCE = 1e-6  # relative, for single precision
OFFSET_ROW = next(row for row in MIMIC if row.field == "offset")


class RelatesNothing(Exception):
    """A mimic joint that does not relate two degrees of freedom, with the reason of its diagnostic."""

    def __init__(self, code: str, **words: Any):
        super().__init__(code)
        self.reason = Reason(code, **words)


@dataclass(frozen=True)
class MimicSchema:
    """A mimic schema on a joint."""

    edge: JointPrim
    schema: str  # PHYSX | NEWTON | MANY
    axis: str = ""  # instance of PHYSX or MANY: the follower axis

    @property
    def prefix(self) -> str:
        """Return the prefix of its attribute names."""
        heads = {PHYSX: f"physxMimicJoint:{self.axis}:", NEWTON: "newton:mimic", MANY: f"fajinMimic:{self.axis}:"}
        return heads[self.schema]

    @property
    def relationship(self) -> str:
        """Return the name of the relationship to the reference joints."""
        name = RELATIONSHIPS[self.schema]
        return name if self.schema == NEWTON else f"{self.prefix}{name}"

    def values(self, source: StageReader, rotational: bool = True) -> dict[str, Any]:
        """Return fields of a `Mimic`: `gearings` in file units and `axes`, one per reference; offset in SI units."""
        if self.schema == MANY:
            return source.values(self.edge.prim, MIMIC_OF_MANY, self.axis, rotational)
        if self.schema == PHYSX:
            said = source.values(self.edge.prim, MIMIC, self.axis, rotational)
            return {"gearings": (said.pop("gearing"),), "axes": (said.pop("reference_axis"),), **said}
        said = source.values(self.edge.prim, NEWTON_MIMIC, rotational=rotational)
        return {"gearings": (-said["coef1"],), "offset": 0.0 - said["coef0"], "axes": ("",)}

    def unknown(self, source: StageReader) -> Reason | None:
        """Return why PhysX ignores the schema: no such instance, or no such reference axis; None if PhysX uses it."""
        token = source.token(self.edge.prim, f"{self.prefix}referenceJointAxis")
        if self.axis in ROTATIONS and token in ("", *ROTATIONS):
            return None
        what = f"reference axis {token}" if self.axis in ROTATIONS else f"instance {self.axis}"
        return Reason("mimic-dropped-unknown-axis", what=what)

    def report(self, source: StageReader, reason: Reason) -> None:
        """Report all attributes of the schema as unused."""
        names = sorted(name for name in self.edge.prim.GetAuthoredPropertyNames() if name.startswith(self.prefix))
        source.report(self.edge.prim, ", ".join(names or [self.schema]), reason, self.targets(source))

    def targets(self, source: StageReader) -> str:
        """Return the targets of its relationship as text."""
        return ", ".join(map(str, source.targets(self.edge.prim, self.relationship)))


def bind_mimics(source: StageReader, edges: list[JointPrim], joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """Return the joints of an articulation with the mimic relations of their prims.

    Raises:
        InvalidScene: mimic joints form a ring.
    """
    named = {joint.path: joint for joint in joints}
    bound: dict[str, Mimic] = {}
    for claim in (claim for edge in edges for claim in claims(source, edge)):
        if named[claim.edge.path].type is JointType.FIXED:
            claim.report(source, Reason("mimic-of-fixed-joint"))
            continue
        try:
            add_mimic(source, claim, named, bound)
        except RelatesNothing as error:
            claim.report(source, error.reason)
    return tuple(replace(joint, axes=tuple(with_mimic(joint, axis, bound) for axis in joint.axes)) for joint in joints)


def with_mimic(joint: Joint, axis: Axis, bound: dict[str, Mimic]) -> Axis:
    """Return the axis with its mimic relation, if it has one."""
    return replace(axis, mimic=bound.get(dof_name(joint, axis)))


def dof_name(joint: Joint, axis: Axis) -> str:
    """Return the name of a degree of freedom."""
    return f"{joint.path}:{axis.token}"


def claims(source: StageReader, edge: JointPrim) -> Iterator[MimicSchema]:
    """Yield the effective mimic schemas of a joint: fajin's own before PhysX before Newton."""
    applied = schemas(edge.prim)
    own = [MimicSchema(edge, MANY, axis) for axis in instances(edge.prim, MANY)]
    theirs = [
        MimicSchema(edge, PHYSX, axis) for axis in sorted(instances(edge.prim, PHYSX))
    ]  # rotX comes first on one axis
    for claim in theirs:
        reason = Reason("mimic-overridden", related=MANY) if own else claim.unknown(source)
        if reason:
            claim.report(source, reason)
    theirs = [claim for claim in theirs if not claim.unknown(source)]
    yield from own or theirs
    if NEWTON in applied:
        claim = MimicSchema(edge, NEWTON)
        if own or theirs:
            if own or not same(source, theirs[0], claim):
                claim.report(source, Reason("mimic-overridden", related=MANY if own else PHYSX))
        elif not source.values(edge.prim, NEWTON_MIMIC)["enabled"]:
            claim.report(source, Reason("mimic-disabled"))
        else:
            yield claim


def same(source: StageReader, physx: MimicSchema, newton: MimicSchema) -> bool:
    """Return whether both schemas define the same relation, as in files for two kinds of readers."""
    one, other = physx.values(source), newton.values(source)
    soft = one["natural_frequency"] > 0.0 and one["damping_ratio"] > 0.0
    alike = isclose(one["gearings"][0], other["gearings"][0], rel_tol=MIMIC_TOLERANCE)
    alike = alike and isclose(one["offset"], other["offset"], rel_tol=MIMIC_TOLERANCE, abs_tol=MIMIC_TOLERANCE)
    return alike and not soft and physx.targets(source) == newton.targets(source)


def add_mimic(source: StageReader, claim: MimicSchema, named: dict[str, Joint], bound: dict[str, Mimic]) -> None:
    """Bind the degree of freedom of a mimic schema.

    Raises:
        RelatesNothing: the follower or a reference is not a suitable degree of freedom.
        InvalidScene: the axis would follow itself through other axes.
    """
    joint, others = named[claim.edge.path], reference_joints(source, claim, named)
    axis = pick(source, claim, joint, claim.axis)
    values = claim.values(source, axis.rotational)
    gearings, tokens = values.pop("gearings"), values.pop("axes") or ("",) * len(others)
    if not len(gearings) == len(tokens) == len(others):
        numbers = {"references": len(others), "gearings": len(gearings), "axes": len(tokens)}
        raise RelatesNothing("mimic-dropped-counts", **numbers)
    if not all(gearings):
        raise RelatesNothing("mimic-dropped-gearing-zero")
    references = [(other, pick(source, claim, other, token)) for other, token in zip(others, tokens, strict=True)]
    own, names = dof_name(joint, axis), [dof_name(*reference) for reference in references]
    if own in bound:
        follows = ", ".join(references_of(bound, own))
        raise RelatesNothing("mimic-dropped-bound-twice", dof=own, related=follows)
    check_mimic_ring(claim, own, names, bound)
    for end in ((joint, axis), *references):
        check_limits(source, *end)
    for field in ("natural_frequency", "damping_ratio"):
        values[field] = max(0.0, values.get(field, 0.0))
    units = [
        source.scale(OFFSET_ROW, axis.rotational) / source.scale(OFFSET_ROW, reference.rotational)
        for _, reference in references
    ]
    geared = tuple((name, g * unit) for name, g, unit in zip(names, gearings, units, strict=True))
    bound[own] = Mimic(geared, **values)


def references_of(bound: dict[str, Mimic], dof: str) -> list[str]:
    """Return the degrees of freedom that a degree of freedom follows."""
    return [name for name, _ in bound[dof].references] if dof in bound else []


def reference_joints(source: StageReader, claim: MimicSchema, named: dict[str, Joint]) -> list[Joint]:
    """Return the reference joints of a schema: one, except for FajinMimicAPI."""
    targets = source.targets(claim.edge.prim, claim.relationship)
    if len(targets) != 1 and (claim.schema != MANY or not targets):
        wanted = "some" if claim.schema == MANY else "one"
        raise RelatesNothing("mimic-dropped-reference-count", count=len(targets), wanted=wanted)
    for target in targets:
        prim = source.stage.GetPrimAtPath(target)
        if not prim:
            raise RelatesNothing("mimic-dropped-reference-missing", related=target)
        if not prim.IsA("PhysicsJoint"):
            raise RelatesNothing("mimic-dropped-reference-kind", related=target, kind=prim.GetTypeName() or "prim")
        if str(target) not in named:
            raise RelatesNothing("mimic-dropped-reference-outside", related=target)
    return [named[str(target)] for target in targets]


def pick(source: StageReader, claim: MimicSchema, joint: Joint, token: str) -> Axis:
    """Return the degree of freedom of a joint for a token; a revolute or prismatic joint needs no token."""
    if joint.type in INSTANCES:
        return joint.axes[0]
    prim = source.prim(joint.path)
    if joint.type is JointType.D6 and free_translations(source, prim):
        raise RelatesNothing("mimic-dropped-free-translations", related=joint.path)
    found = next((axis for axis in joint.axes if axis.token == token), None)
    if found is None:
        lacks = f"does not have the free axis {token}" if token else f"must have one axis for {claim.schema}"
        free = ", ".join(axis.token for axis in joint.axes)
        by = MANY if claim.schema == MANY else PHYSX
        mend = f"choose among its free axes {free}, by {by}" if free else "name a joint that moves"
        raise RelatesNothing("mimic-dropped-axis", related=joint.path, lacks=lacks, mend=mend)
    return found


def check_limits(source: StageReader, joint: Joint, axis: Axis) -> None:
    """Raise RelatesNothing for a rotation without two finite limits in the file, except on a D6 joint."""
    if not axis.rotational or joint.type is JointType.D6:
        return
    bounds = {"lower": axis.lower, "upper": axis.upper}
    if joint.type is JointType.REVOLUTE:  # the authored limits count, even if they lock the joint
        bounds = source.values(source.prim(joint.path), LIMIT)
    if not all(map(isfinite, bounds.values())):
        raise RelatesNothing("mimic-without-limits", related=dof_name(joint, axis))


def check_mimic_ring(claim: MimicSchema, own: str, references: list[str], bound: dict[str, Mimic]) -> None:
    """Raise RelatesNothing if a degree of freedom would follow itself directly.

    Raises:
        InvalidScene: it would follow itself through other degrees of freedom.
    """
    if own in references:
        raise RelatesNothing("mimic-dropped-of-itself", related=own)
    above = list(references)
    for dof in above:  # grows during the loop
        above += [other for other in references_of(bound, dof) if other not in above]
        if own in above:
            raise InvalidScene(
                claim.edge.path,
                claim.relationship,
                ", ".join(references),
                f"degrees of freedom that do not follow {own} through others",
                "remove one of the mimic joints",
            )
