"""Application of all rules to a stage."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from pxr import Usd

from ..model.mass_matrix import effective_inertia
from ..model.model import compiled
from ..scene import InvalidScene, Scene
from ..usd.read.instance_expansion import copies_of
from ..usd.read.reader import read_stage
from ..usd.stage.open_stage import Diagnostics, open_stage
from ..usd.stage.session_overrides import apply_override
from ..usd.stage.stage import StageReader
from .contacts import (
    colliders_without_body,
    contact_offsets_too_small,
    materials_without_friction,
    robots_without_colliders,
    unevenly_scaled_shapes,
)
from .context import CheckContext
from .drives import drives_without_max_force, envelopes_without_drive, fits_at_another_step, steps_too_long
from .finding import Finding, Severity
from .from_diagnostics import reported
from .limits import (
    driven_without_limits,
    keyed_targets_outside_limits,
    mimics_without_limits,
    speed_limits_of_zero,
    states_outside_limits,
    targets_outside_limits,
)
from .mass import unphysical_inertia
from .openusd_validators import validated
from .profiles import conformance
from .rules import ORDER
from .start import bodies_without_colliders, frames_apart, overlaps
from .tree import missing_roots, reversed_joints, wrong_roots
from .units import gain_unit, limit_unit, velocity_unit
from .values import finding_from_error, gravity_unit, invalid_values, joints_to_nowhere, overrides_in_instances

Check = Callable[[CheckContext], Iterator[Finding]]
OF_STAGE: tuple[Check, ...] = (
    invalid_values,
    joints_to_nowhere,
    overrides_in_instances,
    gravity_unit,
    unphysical_inertia,
)
OF_SCENE: tuple[Check, ...] = (
    *(limit_unit, gain_unit, velocity_unit, wrong_roots, missing_roots, reversed_joints),
    *(
        mimics_without_limits,
        speed_limits_of_zero,
        states_outside_limits,
        targets_outside_limits,
        keyed_targets_outside_limits,
        envelopes_without_drive,
        drives_without_max_force,
    ),
    *(driven_without_limits, steps_too_long, fits_at_another_step),
    *(robots_without_colliders, colliders_without_body, contact_offsets_too_small),
    *(materials_without_friction, unevenly_scaled_shapes),
)


def check_here(
    path: str | Path, overrides: Sequence[str] = (), scene: Scene | None = None, root: str = "", profile: str = ""
) -> tuple[Finding, ...]:
    """Return the findings of `check` in this process, with layers below `root` only if it is a folder."""
    stage, said = open_stage(path, root)
    for text in overrides:
        apply_override(stage, text)
    return check_stage(stage, said, scene, profile)


def check_stage(
    stage: Usd.Stage, said: Diagnostics | None = None, scene: Scene | None = None, profile: str = ""
) -> tuple[Finding, ...]:
    """Check an open stage; `said` holds USD's diagnostics from opening it, `scene` and `profile` are as in `check`."""
    try:
        source = StageReader(stage)
    except InvalidScene as error:
        return (finding_from_error("invalid-scene", error),)
    bare = CheckContext(source)
    findings: list[Finding] = []
    try:
        for rule in OF_STAGE:
            findings += everywhere(source, rule(bare))
        scene = scene or read_stage(stage, said)
        model = compiled(scene)
        inertia = {name: moved for name, moved in effective_inertia(model).items() if 0.0 < moved < inf}
        case = CheckContext(source, scene, inertia)
        findings += everywhere(source, (finding for rule in OF_SCENE for finding in rule(case)))
        findings += [*frames_apart(scene), *overlaps(model), *bodies_without_colliders(scene)]  # each copy by itself
        findings += reported(case)
    except InvalidScene as error:
        known = {finding.prim for finding in findings if finding.severity is Severity.ERROR}
        findings += [finding for finding in (finding_from_error("invalid-scene", error),) if finding.prim not in known]
    findings += (found := list(validated(bare, findings)))
    uncomposed = {finding.prim for finding in found if finding.rule == "usd-composition-error"}
    findings = [finding for finding in findings if finding.code != "usd-message" or finding.prim not in uncomposed]
    findings += conformance(CheckContext(source, scene), profile) if profile else []
    return tuple(sorted((fixable(stage, finding) for finding in findings), key=rule_order))


def everywhere(source: StageReader, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings, each followed by those of the copies of its prim: the rules look at originals only."""
    for finding in findings:
        yield finding
        for copy in copies_of(source, finding.prim):
            edits = tuple(
                replace(edit, value=copy.renamed(edit.value)) if edit.kind == "target" else edit
                for edit in copy.renamed(finding.edits)
            )
            yield replace(copy.renamed(finding), edits=edits, copy_of=finding.prim)


def rule_order(finding: Finding) -> int:
    """Return the sort key of a finding: the order of the rules, USD's own findings last."""
    return ORDER.get(finding.rule, len(ORDER))


def fixable(stage: Usd.Stage, finding: Finding) -> Finding:
    """Return the finding, without its edits if USD would ignore one: within an instance, or below time samples."""
    lost = any(ignored(stage.GetPrimAtPath(edit.prim), edit.name) for edit in finding.edits)
    return replace(finding, edits=()) if lost else finding


def ignored(prim: Usd.Prim, name: str) -> bool:
    """Return whether USD would ignore a value authored for an attribute of a prim."""
    attribute = prim.GetAttribute(name)
    return prim.IsInstanceProxy() or bool(attribute and attribute.GetNumTimeSamples())
