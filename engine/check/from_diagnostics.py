"""Findings from the reader's diagnostics: a table from code to rule, with the edits that fix them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..scene import Diagnostic
from ..usd.read.joint_prims import JOINT_TYPES
from ..usd.read.joints import INSTANCES
from ..usd.stage.diagnostic_codes import CODES
from .context import CheckContext
from .finding import Edit, Finding, Severity
from .rules import found

Edits = Callable[[CheckContext, Diagnostic], tuple[Edit, ...]]
HARMLESS = "none required; it does not change the motion"
ELSEWHERE = ""  # a dedicated rule reports it in more detail
RULES_BY_CODE = {  # code of the diagnostic: rule; all others are unused attributes
    "mimic-without-limits": ELSEWHERE,
    "envelope-without-drive": ELSEWHERE,
    "joint-to-nowhere": ELSEWHERE,
    "moment-negative": ELSEWHERE,
    "moment-zero": ELSEWHERE,
    "moments-not-positive": ELSEWHERE,
    "collider-moment-negative": ELSEWHERE,
    "tensor-not-physical": ELSEWHERE,
    **dict.fromkeys((code for code in CODES if code.startswith("mimic-dropped-")), "mimic-relates-nothing"),
    **dict.fromkeys((code for code, row in CODES.items() if row.missing), "not-simulated"),
    **dict.fromkeys(("unknown-attribute", "unknown-schema", "unknown-type"), "unknown-name"),
    "schema-not-applied": "schema-missing",
    "hull-reduced": "hull-cut",
    "retired-name": "retired-attribute",
    "mass-missing": "mass-missing",
    "inertia-missing": "mass-missing",
    "volume-unknown": "mass-missing",
    "volume-zero": "mass-missing",
    "root-claims-nothing": "root-on-wrong-prim",
    "root-below-root": "root-on-wrong-prim",
    "unit-not-authored": "stage-units",
    "loop-not-excluded": "loop-not-excluded",
    "joint-doubled": "doubled-joint",
    "joint-beside-fixed": "doubled-joint",
    "limit-one-sided": "limit-locks-joint",
    "limit-reversed": "limit-locks-joint",
    "cone-one-sided": "limit-locks-joint",
    **dict.fromkeys(("shape-without-size", "hull-without-volume", "mesh-too-large"), "shape-not-used"),
}


def reported(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each diagnostic that no dedicated rule covers."""
    reports = case.scene.reports if case.scene else ()
    for report in reports:
        rule = RULES_BY_CODE.get(report.code)
        if rule is None:
            yield unused(case, report)
        elif rule and not (rule == "retired-attribute" and succeeded(case, report)):
            edits = EDITS_BY_RULE[rule](case, report) if rule in EDITS_BY_RULE else ()
            yield from_diagnostic(case, rule, report, edits=edits)


def unused(case: CheckContext, report: Diagnostic) -> Finding:
    """Return a finding for an unused attribute: a note if the motion is the same without it."""
    harmless = CODES[report.code].harmless
    severity = Severity.NOTE if harmless else Severity.WARNING
    return from_diagnostic(case, "unused-attribute", report, severity=severity, fix=report.fix or HARMLESS * harmless)


def from_diagnostic(case: CheckContext, rule: str, report: Diagnostic, **fields: Any) -> Finding:
    """Return a finding with the place, the value, the text and the code of a diagnostic."""
    fields = {"fix": report.fix, **fields}
    found_at = report.prim, report.attribute, report.reason
    made = found(rule, *found_at, value=value_of(case, report), code=report.code, **fields)
    return replace(made, copy_of=case.original_of(report.prim))


def value_of(case: CheckContext, report: Diagnostic) -> str:
    """Return the authored value in six digits, or the diagnostic's value for several prims."""
    names = [name for name in report.attribute.split(", ") if name]
    return (case.shown(report.prim, *names) if names and report.prim != "/" else "") or report.value


def succeeded(case: CheckContext, report: Diagnostic) -> bool:
    """Return whether the current name is authored beside a retired one."""
    edits = successor(case, report)
    return bool(edits) and case.authored(report.prim, edits[-1].name) is not None


def successor(case: CheckContext, report: Diagnostic) -> tuple[Edit, ...]:
    """Return edits that author the current name of a retired attribute, on a joint with one axis."""
    prim = case.source.prim(report.prim)
    kind = JOINT_TYPES.get(prim.GetTypeName())
    if kind is None or kind not in INSTANCES:
        return ()
    instance = INSTANCES[kind]
    name = report.related.replace("<axis>", instance)
    value = case.authored(report.prim, report.attribute)
    return Edit("apply", report.prim, f"PhysxJointAxisAPI:{instance}"), Edit("attribute", report.prim, name, value)


def lacking(case: CheckContext, report: Diagnostic) -> tuple[Edit, ...]:
    """Return the edit that applies the schema of an attribute."""
    return (Edit("apply", report.prim, report.related),)


def excluded(case: CheckContext, report: Diagnostic) -> tuple[Edit, ...]:
    """Return the edit that excludes the joint of a loop from the articulation."""
    return (Edit("attribute", report.prim, "physics:excludeFromArticulation", True),)


def exchanged(case: CheckContext, report: Diagnostic) -> tuple[Edit, ...]:
    """Return the edits that exchange a lower limit above its upper limit."""
    names = report.attribute.split(", ")
    if report.code != "limit-reversed" or len(names) != 2:
        return ()
    values = [case.authored(report.prim, name) for name in reversed(names)]
    return tuple(Edit("attribute", report.prim, name, value) for name, value in zip(names, values, strict=True))


EDITS_BY_RULE: dict[str, Edits] = {
    "schema-missing": lacking,
    "retired-attribute": successor,
    "limit-locks-joint": exchanged,
    "loop-not-excluded": excluded,
}
