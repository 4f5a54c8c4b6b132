"""Fixes: edits of findings, written to a layer over the scene."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd

from ..author import Change, layer
from ..usd.stage.session_overrides import attribute_type
from .finding import Edit, Finding
from .runner import check_stage


def fix(
    scene: str | Path,
    output: str | Path,
    chosen: Callable[[Finding], bool] = lambda finding: True,
    profile: str = "",
) -> tuple[list[Change], tuple[Finding, ...]]:
    """Write a layer over a scene that fixes all findings with edits; return the changes and the remaining findings.

    Rules are fixed one after the other in table order, and the stage is checked again after each rule: limits in the
    wrong unit also put initial states outside the limits. The layer is empty if no finding has edits.

    Args:
        scene: the file; it does not change.
        output: the layer to write.
        chosen: returns True for the findings to fix.
        profile: SimReady profile whose requirements are fixed, too, as of `check`.

    Raises:
        InvalidScene: the file does not exist, is not a USD file, or does not contain a prim.
        OutputError: the layer cannot be written.
    """
    changes: list[Change] = []
    fixed: set[tuple[str, str, str]] = set()  # rule, prim, attribute: each place is fixed once

    def next_rule(stage: Usd.Stage) -> tuple[list[Finding], tuple[Finding, ...]]:
        findings = check_stage(stage, profile=profile)
        open_ = [f for f in findings if f.edits and chosen(f) and (f.rule, f.prim, f.attribute) not in fixed]
        return [f for f in open_ if f.rule == open_[0].rule], findings

    with layer(scene, output) as stage:
        todo, findings = next_rule(stage)
        while todo:
            edits = [edit for finding in todo for edit in finding.edits]
            changes += [change for edit in edits for change in author(stage, edit)]
            fixed |= {(finding.rule, finding.prim, finding.attribute) for finding in todo}
            todo, findings = next_rule(stage)
    return changes, findings


def author(stage: Usd.Stage, edit: Edit) -> list[Change]:
    """Author one edit at the stage's edit target; return no change if the stage already has the value."""
    return WRITERS[edit.kind](stage.GetPrimAtPath(edit.prim), edit)


def write_attribute(prim: Usd.Prim, edit: Edit) -> list[Change]:
    """Author an attribute value in its authored or declared type; integers stay integers."""
    attribute = prim.GetAttribute(edit.name)
    before = attribute.Get() if attribute and attribute.HasAuthoredValue() else None
    if not attribute:
        attribute = prim.CreateAttribute(edit.name, attribute_type(prim, edit.name, edit.name), custom=False)
    attribute.Set(edit.value)
    return [Change(edit.prim, edit.name, before, attribute.Get())]


def write_target(prim: Usd.Prim, edit: Edit) -> list[Change]:
    """Author a single target of a relationship."""
    relationship = prim.GetRelationship(edit.name)
    before = ", ".join(map(str, relationship.GetTargets()))
    relationship.SetTargets([Sdf.Path(edit.value)])
    return [Change(edit.prim, edit.name, before, edit.value)]


def write_filter(prim: Usd.Prim, edit: Edit) -> list[Change]:
    """Filter the pair of a prim with another one."""
    changes = write_schema(prim, Edit("apply", edit.prim, "PhysicsFilteredPairsAPI"))
    prim.CreateRelationship(edit.name, custom=False).AddTarget(Sdf.Path(edit.value))
    return [*changes, Change(edit.prim, edit.name, None, edit.value)]


def write_schema(prim: Usd.Prim, edit: Edit) -> list[Change]:
    """Apply or remove an API schema, registered or not."""
    applied = edit.name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()
    if edit.kind == "apply" and not applied:
        prim.AddAppliedSchema(edit.name)
        return [Change(edit.prim, "apiSchemas", None, edit.name)]
    if edit.kind == "remove" and applied:
        prim.RemoveAppliedSchema(edit.name)
        return [Change(edit.prim, "apiSchemas", edit.name, None)]
    return []


def write_instanceable(prim: Usd.Prim, edit: Edit) -> list[Change]:
    """Make an instance unique."""
    prim.SetInstanceable(edit.value)
    return [Change(edit.prim, "instanceable", True, edit.value)]


WRITERS: dict[str, Any] = {
    "attribute": write_attribute,
    "target": write_target,
    "filter": write_filter,
    "apply": write_schema,
    "remove": write_schema,
    "instanceable": write_instanceable,
}
