"""Diagnostics of schemas and prim types that are unknown, or whose features fajin does not simulate."""

from functools import cache

from pxr import Usd

from ..dispositions import PART, SCHEMAS, Schema, suggested_schema
from ..stage.diagnostic_codes import Reason
from ..stage.near_path import near_path
from ..stage.stage import StageReader, schemas
from ..stage.targets import targets_of
from .actuators import TARGETS, why_no_motor
from .collision_filters import GROUPS, PAIRS
from .situation import Situation

OURS = ("Phys", "Newton", "OmniPhysics", "Fajin")  # beginnings of the schemas that the table lists
NO_NAME = "correct the name"


def report_schemas(here: Situation) -> None:
    """Report unknown schemas and prim types, and features that are not simulated, once per prim and feature."""
    for prim in here.source.prims:
        kind, reported = str(prim.GetTypeName()), set[str]()
        if is_unknown(kind):
            here.source.report(prim, "", Reason("unknown-type", hint=hint_of(kind)), kind)
        for name in schemas(prim):
            if is_unknown(name):
                here.source.report(prim, name, Reason("unknown-schema", hint=hint_of(name)))
        for schema in (SCHEMAS.get(name.partition(":")[0]) for name in (kind, *schemas(prim))):
            if schema and schema.code not in ("", PART, *reported):
                reported.add(schema.code)
                report_feature(here, prim, schema)
        report_missing_targets(here.source, prim)


def report_feature(here: Situation, prim: Usd.Prim, schema: Schema) -> None:
    """Report a feature of a prim, if it is switched on and acts in PhysX."""
    off = schema.switch and here.authored(prim, schema.switch) is False
    if off or here.why_not(prim, schema.code, schema.name):
        return
    if schema.code != "actuator":
        here.source.report(prim, schema.name, Reason(schema.code))
    elif (str(prim.GetPath()), TARGETS) not in here.source.used:
        value = ", ".join(map(str, targets_of(prim, TARGETS) or ()))
        here.source.report(prim, TARGETS, Reason("actuator", what=why_no_motor(here.source, prim)), value)
        here.source.used |= {(str(prim.GetPath()), name) for name in prim.GetAuthoredPropertyNames()}


def report_missing_targets(source: StageReader, prim: Usd.Prim) -> None:
    """Report filters of prims that do not exist."""
    for name in (PAIRS, GROUPS):
        for target in targets_of(prim, name) or ():
            if not source.prim(target):
                near = near_path(source.stage, target)
                hint = f"did you mean {near}?" if near else "name a prim of the stage"
                source.report(prim, name, Reason("target-missing", related=target, hint=hint), target)


@cache
def is_unknown(name: str) -> bool:
    """Return whether a name is neither that of a registered nor of a listed schema, but resembles one."""
    base = name.partition(":")[0]
    registry = Usd.SchemaRegistry()
    if not base or base in SCHEMAS or registry.FindAppliedAPIPrimDefinition(base):
        return False
    if registry.FindConcretePrimDefinition(base) or registry.IsAppliedAPISchema(base):
        return False
    return base.startswith(OURS)


def hint_of(name: str) -> str:
    """Return what to do about an unknown schema."""
    near = suggested_schema(name)
    return f"did you mean {near}?" if near else NO_NAME
