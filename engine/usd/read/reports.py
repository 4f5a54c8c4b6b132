"""Diagnostics of authored opinions that the simulation ignores: every physics attribute is used or reported."""

import re
from dataclasses import replace
from fnmatch import fnmatchcase

from pxr import Usd

from ...scene import Diagnostic
from ..attributes import TABLES, rows_named
from ..attributes.attribute import UNBOUNDED, UNUSED_HERE, Attribute
from ..attributes.kinds import NUMBERS, VECTOR, quoted
from ..dispositions import (
    FOREIGN,
    INSTANCE,
    MUJOCO,
    PART,
    SCHEMAS,
    Row,
    is_known,
    row_of,
    schemas_with,
    suggested,
)
from ..stage.diagnostic_codes import CODES, Reason
from ..stage.stage import AT_DEFAULT, StageReader, instances, schemas
from ..stage.targets import is_relationship, targets_of
from ..stage.unsupported import NAMESPACES, NEUTRAL, OUTSIDE, RELATED, SUMMARISED
from .joint_prims import JOINT_TYPES, JointPrim
from .joints import INSTANCES
from .not_simulated import report_schemas
from .situation import STABILIZATION, Situation

OPENED = re.compile(r"In <(?P<prim>/[^>]*)>: (?P<text>.*?)(?: \((?:instantiating|recomposing) .*)?")
"""A line of USD about what it could not compose: the prim, the text, and which stage in memory was being opened."""
OWNERS = {"physics:filteredPairs": ["PhysicsFilteredPairsAPI"]}  # relationships: the schemas that they need
UNGATED = (  # PhysX reads their attributes whether they are applied or not
    *("PhysxConvexDecompositionCollisionAPI", "PhysxSphereFillCollisionAPI"),
    *("PhysxTriangleMeshCollisionAPI", "PhysxTriangleMeshSimplificationCollisionAPI"),
)
TOLD_BY = {  # code: the only attribute with a diagnostic of its own; the approximation, or the scene, covers the others
    "mesh-cooking": "physxTriangleMeshCollision:weldTolerance",
    "stabilization": STABILIZATION,
}


def report_outside(source: StageReader, edges: list[JointPrim]) -> None:
    """Report attributes of maximal joints that act only on joints of trees."""
    for edge in edges:
        for name in edge.prim.GetAuthoredPropertyNames():
            code = next((code for pattern, code in OUTSIDE.items() if fnmatchcase(name, pattern)), "")
            reported = code and is_known(name) and (edge.path, name) not in source.used
            if reported and not neutral(source, edge.prim, name):
                source.report(edge.prim, name, Reason(code), shown(source, edge.prim, name))


def report_attributes(here: Situation) -> None:
    """Report every authored physics property that is not used; a diagnostic of a whole prim covers its properties."""
    source = here.source
    report_schemas(here)
    whole = {report.prim for report in source.reports if not report.attribute}
    told = {(report.prim, name) for report in source.reports for name in report.attribute.split(", ")}
    told -= {(report.prim, report.attribute) for report in source.reports if report.code == "target-missing"}
    kinds: dict[tuple, tuple[Reason, list[str]]] = {}
    for prim in source.prims:
        path = str(prim.GetPath())
        for name in prim.GetAuthoredPropertyNames():
            if (path, name) in source.used or (path, name) in told:
                report_samples(source, prim, name)
                continue
            reason = reason_of(here, prim, name)
            if reason is None or (path in whole and not (CODES[reason.code].missing and here.is_kinematic(prim))):
                continue
            if reason.code in SUMMARISED:
                kinds.setdefault((reason.code, reason.words), (reason, []))[1].append(name)
            else:
                source.report(prim, name, reason, shown(source, prim, name))
    for reason, names in kinds.values():
        source.report("/", ", ".join(sorted(set(names))), reason, f"{len(names)} authored")


def reason_of(here: Situation, prim: Usd.Prim, name: str) -> Reason | None:
    """Return why an authored property has no effect; None if there is nothing to report."""
    source = here.source
    if not (is_known(name) or name.startswith(NAMESPACES)) or silent(prim, name):
        return None
    if not is_known(name):
        near = suggested(name)
        return Reason("unknown-attribute", hint=f"did you mean {near}?" if near else "correct the name")
    if neutral(source, prim, name) or repeated(source, prim, name):
        return None
    row = row_of(name)
    if row is None or (rows_named(name) and row.code == PART):
        return misplaced(prim, name) or lacks(prim, name) or explain(source, prim, name)
    return misplaced(prim, name) or disposition_of(here, prim, replace(row, name=name))


def disposition_of(here: Situation, prim: Usd.Prim, row: Row) -> Reason | None:
    """Return the reason of an attribute in the table of dispositions; None if its value requests nothing."""
    owners = [schema.name for schema in schemas_with(row.name) if schema.name]
    applied = {str(prim.GetTypeName()), *(name.partition(":")[0] for name in schemas(prim))}
    if row.code == PART:
        return None if applied & set(owners) else because_missing(prim, row.name, owners)
    if not here.requests(prim, row):
        return None
    if row.code == MUJOCO and instances(prim, "PhysicsDriveAPI"):
        return Reason(FOREIGN)  # its drive replaces MuJoCo's springs and dampers
    gated = owners and owners[0].startswith("Physx") and owners[0] not in UNGATED
    if gated and CODES[row.code].missing and not applied & set(owners):
        return because_missing(prim, row.name, owners)
    if why := here.why_not(prim, row.code, row.name):
        return Reason("no-effect-here", why=why)
    if row.code == "physics-scene-owner":
        return reason_of_owner(here, prim, row.name)
    if row.code in TOLD_BY and row.name != TOLD_BY[row.code]:
        return None
    return because(row.code, row.name)


def reason_of_owner(here: Situation, prim: Usd.Prim, name: str) -> Reason | None:
    """Return the reason of a prim's physics scene; None if it is the one that is used."""
    owners = [here.source.prim(path) for path in targets_of(prim, name) or ()]
    if not any(owner and owner.GetTypeName() == "PhysicsScene" for owner in owners):
        return Reason("owner-missing")
    return None if owners[0] == here.scene or here.scenes_are_one else Reason("physics-scene-owner")


def because_missing(prim: Usd.Prim, name: str, owners: list[str]) -> Reason:
    """Return the reason of an attribute whose schema is not applied, or which belongs to another type of prim."""
    if not owners[0].endswith("API"):
        return Reason("wrong-prim")
    instance = f":{name.split(':')[1]}" if any(INSTANCE in own.name for own in SCHEMAS[owners[0]].rows) else ""
    return Reason("schema-not-applied", related=owners[0] + instance)


def because(code: str, name: str) -> Reason:
    """Return the reason of an unused attribute, with the schema or attribute that RELATED has for it."""
    return Reason(code, related=next((said for pattern, said in RELATED.items() if fnmatchcase(name, pattern)), ""))


def misplaced(prim: Usd.Prim, name: str) -> Reason | None:
    """Return the reason if a relationship is authored as an attribute, or an attribute as a relationship."""
    if prim.HasRelationship(name):
        if targets_of(prim, name) is None:
            return Reason("not-a-relationship", related=name)
        return Reason("not-an-attribute") if rows_named(name) else None
    return None if prim.GetAttribute(name).HasAuthoredValue() else Reason("not-an-attribute")


def lacks(prim: Usd.Prim, name: str) -> Reason | None:
    """Return the reason if the schema of an attribute in the table is not applied; None if it is applied."""
    needed = [row.applied(name.split(":")[1]) for row in rows_named(name)] or OWNERS.get(name, [])
    if not needed or {"", *schemas(prim)} & set(needed):
        return None
    return Reason("schema-not-applied", related=needed[-(prim.GetTypeName() == "Material")])


def explain(source: StageReader, prim: Usd.Prim, name: str) -> Reason:
    """Return why an attribute of the attribute table, or a relationship that the reader follows, is not used here."""
    row = next(iter(rows_named(name)), None)
    if row is None:
        return Reason("wrong-prim")
    if row.unused != UNUSED_HERE:
        return because(row.unused, name)
    table = next(table for table in TABLES if row in table)
    if any(other.field == row.field and matches_used(source, prim, other) for other in table if other is not row):
        return Reason("overridden")
    if row.schema and "{axis}" in row.name and prim.GetTypeName() in JOINT_TYPES:
        instance = INSTANCES.get(JOINT_TYPES[prim.GetTypeName()], "")
        hint = f"did you mean the axis {instance}?" if instance else "name an axis that the joint has"
        return Reason("no-such-axis", related=row.schema, hint=hint)
    return Reason(row.unused)


def silent(prim: Usd.Prim, name: str) -> bool:
    """Return whether a property has neither a value nor a target, as if a stronger layer has blocked it."""
    if prim.HasRelationship(name):
        return targets_of(prim, name) == []
    return not prim.GetAttribute(name).HasAuthoredValue() and not is_relationship(prim, name)


def neutral(source: StageReader, prim: Usd.Prim, name: str) -> bool:
    """Return whether the value requests no effect, so that ignoring it does not change the motion."""
    if name == "physics:simulationOwner":
        first = source.physics_scene
        return first is not None and targets_of(prim, name) == [first.GetPath()]
    nothing = next((value for pattern, value in NEUTRAL.items() if fnmatchcase(name, pattern)), None)
    value = source.authored(prim, name)
    if nothing is None or value is None:
        return False
    numbers = VECTOR.read(value) or NUMBERS.read(value) or ((float(value),) if isinstance(value, bool) else ())
    return bool(numbers) and (not any(numbers) if nothing == 0.0 else min(map(abs, numbers)) >= UNBOUNDED)


def repeated(source: StageReader, prim: Usd.Prim, name: str) -> bool:
    """Return whether another attribute of the same meaning and unit is used and has the same value."""
    used = [said for said in prim.GetAuthoredPropertyNames() if (str(prim.GetPath()), said) in source.used]
    pairs = [(row, other) for table in TABLES for row in table if row in rows_named(name) for other in table]
    return any(
        other in rows_named(said) and source.authored(prim, said) == source.authored(prim, name)
        for row, other in pairs
        if other.name != row.name and (other.field, other.unit, other.linear) == (row.field, row.unit, row.linear)
        for said in used
    )


def matches_used(source: StageReader, prim: Usd.Prim, row: Attribute) -> bool:
    """Return whether the row has been used on this prim."""
    return any(
        row in rows_named(name)
        for name in prim.GetAuthoredPropertyNames()
        if (str(prim.GetPath()), name) in source.used
    )


def report_samples(source: StageReader, prim: Usd.Prim, name: str) -> None:
    """Report time samples that the simulation does not follow."""
    path = str(prim.GetPath())
    attribute = prim.GetAttribute(name)
    still = not attribute or not source.varies(attribute) or name.startswith("state:")
    if not still and (path, name) not in source.followed:
        code = "time-samples-default" if name.startswith(AT_DEFAULT) else "time-samples-ignored"
        source.report(prim, name, Reason(code))


def shown(source: StageReader, prim: Usd.Prim, name: str) -> str:
    """Return the value of an attribute, or the targets of a relationship, as text."""
    value = source.authored(prim, name)
    return ", ".join(map(str, targets_of(prim, name) or ())) if value is None else quoted(value)


def report_units(source: StageReader) -> None:
    """Report stage units that are not authored, because USD's fallbacks are unexpected."""
    for name, value in (("metersPerUnit", source.metres), ("upAxis", source.up_axis)):
        if not source.stage.HasAuthoredMetadata(name):
            source.report("/", name, Reason("unit-not-authored"), value)


def as_reports(lines: list[str]) -> list[Diagnostic]:
    """Return USD's diagnostics from opening the stage, at the prim that a line names."""
    places = [OPENED.fullmatch(line) for line in lines]
    return [
        Diagnostic("usd-message", place["prim"] if place else "/", "", "", place["text"] if place else line)
        for line, place in zip(lines, places, strict=True)
    ]
