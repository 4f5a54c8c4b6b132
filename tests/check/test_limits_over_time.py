"""Targets of drives over time, and filters: findings that depend on several samples or prims."""

import pytest
from checked import ANGULAR, DRIVE, LIMITS
from usda import BODY, arm, body, prim, stage

import fajin

KEYED = "float drive:angular:physics:targetPosition.timeSamples = {{ 0: 0, 24: {}, 48: 10 }}"


def found(folder, rule: str, *prims: str) -> list:
    """Findings of a rule on a scene."""
    return [finding for finding in fajin.check.check(stage(folder, *prims)) if finding.rule == rule]


@pytest.mark.parametrize(("target", "number"), [(90, 0), (91, 1)])
def test_keyed_targets_lie_within_the_limits(tmp_path, target, number):
    findings = found(tmp_path, "target-outside-limits", arm(LIMITS + DRIVE + KEYED.format(target), ANGULAR))
    assert len(findings) == number
    assert not any(finding.edits for finding in findings)


@pytest.mark.parametrize("schema", ["", "PhysicsFilteredPairsAPI"])
def test_filters_of_missing_prims_are_found_with_and_without_the_schema(tmp_path, schema):
    box = body("box", "rel physics:filteredPairs = </flor>", schema) + prim("Xform", "floor", apis=BODY)
    findings = found(tmp_path, "unused-attribute", box)
    assert [finding.prim for finding in findings if finding.code == "target-missing"] == ["/box"]
    assert len(found(tmp_path, "schema-missing", box)) == (not schema)
