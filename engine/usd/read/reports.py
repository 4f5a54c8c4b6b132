"""Diagnostics of authored opinions that the simulation ignores: every physics attribute is used or reported."""

from fnmatch import fnmatchcase
from functools import cache

from pxr import Usd

from ...scene import Diagnostic
from ..attributes import TABLES, rows_named
from ..attributes.attribute import UNBOUNDED, UNUSED_HERE, Attribute
from ..attributes.kinds import NUMBERS, VECTOR, quoted
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, instances, schemas
from ..stage.targets import is_relationship, targets_of
from ..stage.unsupported import FOREIGN, MUJOCO, NAMESPACES, NEUTRAL, OUTSIDE, RELATED, SUMMARISED, UNUSED
from .joint_prims import JOINT_TYPES, JointPrim


def report_outside(source: StageReader, edges: list[JointPrim]) -> None:
    """Report attributes of maximal joints that act only on joints of trees."""
    for edge in edges:
        for name in edge.prim.GetAuthoredPropertyNames():
            code = next((code for pattern, code in OUTSIDE.items() if fnmatchcase(name, pattern)), "")
            if code and (edge.path, name) not in source.used and not neutral(source, edge.prim, name):
                source.report(edge.prim, name, Reason(code), shown(source, edge.prim, name))


def report_attributes(source: StageReader) -> None:
    """Report every authored physics property that is not used; a diagnostic of a whole prim covers its properties."""
    whole = {report.prim for report in source.reports if not report.attribute}
    told = {(report.prim, name) for report in source.reports for name in report.attribute.split(", ")}
    kinds: dict[str, list[str]] = {}
    for prim in source.prims:
        path = str(prim.GetPath())
        for name in () if path in whole else prim.GetAuthoredPropertyNames():
            if (path, name) in source.used or (path, name) in told:
                report_samples(source, prim, name)
                continue
            pattern = pattern_of(name)
            known = pattern or name.startswith(NAMESPACES)
            if not known or silent(prim, name) or neutral(source, prim, name) or repeated(source, prim, name):
                continue
            reason = misplaced(prim, name) or lacks(prim, name) or foreign(prim, pattern)
            reason = reason or (because(UNUSED[pattern], name) if pattern else explain(source, prim, name))
            if reason.code in SUMMARISED:
                kinds.setdefault(reason.code, []).append(name)
            else:
                source.report(prim, name, reason, shown(source, prim, name))
    for code, names in kinds.items():
        source.report("/", ", ".join(sorted(set(names))), Reason(code), f"{len(names)} authored")


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


@cache
def pattern_of(name: str) -> str:
    """Return the first pattern of unused names that matches; "" if none does."""
    return next((pattern for pattern in UNUSED if fnmatchcase(name, pattern)), "")


def foreign(prim: Usd.Prim, pattern: str) -> Reason | None:
    """Return the reason for MuJoCo's spring and damper attributes of a joint whose drive replaces them."""
    replaced = UNUSED.get(pattern) == MUJOCO and instances(prim, "PhysicsDriveAPI")
    return Reason(FOREIGN) if replaced else None


def lacks(prim: Usd.Prim, name: str) -> Reason | None:
    """Return the reason if the schema of an attribute in the table is not applied; None if it is applied."""
    needed = [row.applied(name.split(":")[1]) for row in rows_named(name)]
    if not needed or {"", *schemas(prim)} & set(needed):
        return None
    return Reason("schema-not-applied", related=needed[-(prim.GetTypeName() == "Material")])


def explain(source: StageReader, prim: Usd.Prim, name: str) -> Reason:
    """Return why an attribute of the table is not used here; other attributes are reported as unknown."""
    row = next(iter(rows_named(name)), None)
    if row is None:
        return Reason("unknown-attribute")
    if row.unused != UNUSED_HERE:
        return because(row.unused, name)
    table = next(table for table in TABLES if row in table)
    if any(other.field == row.field and matches_used(source, prim, other) for other in table if other is not row):
        return Reason("overridden")
    if row.schema and "{axis}" in row.name and prim.GetTypeName() in JOINT_TYPES:
        return Reason("no-such-axis", related=row.schema)
    return Reason(row.unused)


def silent(prim: Usd.Prim, name: str) -> bool:
    """Return whether a property has neither a value nor a target, as if a stronger layer has blocked it."""
    if prim.HasRelationship(name):
        return targets_of(prim, name) == []
    return not prim.GetAttribute(name).HasAuthoredValue() and not is_relationship(prim, name)


def neutral(source: StageReader, prim: Usd.Prim, name: str) -> bool:
    """Return whether the value requests no effect, so that ignoring it does not change the motion."""
    if name == "physics:simulationOwner":
        first = next((other for other in source.prims if other.GetTypeName() == "PhysicsScene"), None)
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
        source.report(prim, name, Reason("time-samples-ignored"))


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
    """Return USD's diagnostics from opening the stage."""
    return [Diagnostic("usd-message", "/", "", "", line) for line in lines]
