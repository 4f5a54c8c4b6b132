"""Diagnostics are identified by their code: each is listed, used and documented, and no rule reads the wording."""

import ast
import re
from dataclasses import replace

import pytest
from meta.house import tree
from paths import ROOT

import fajin
from fajin.check.from_diagnostics import RULES_BY_CODE
from fajin.check.rules import RULES
from fajin.usd.stage import diagnostic_codes
from fajin.usd.stage.diagnostic_codes import CODES, Reason

USD = ROOT / "engine" / "usd"
TABLE = USD / "diagnostic_codes.py"
NAMED = ("allegro_right", "newton_ant", "newton_humanoid", "openarm_bimanual", "tiago_pro")


def literals() -> set[str]:
    """All strings in the code of the reader, without the table of codes."""
    trees = [tree(path) for path in USD.rglob("*.py") if path != TABLE]
    return {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def test_every_code_is_used():
    assert set(CODES) - literals() == set()


def test_every_reason_has_a_code():
    calls = [
        node.args[0].value
        for path in USD.rglob("*.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Reason", "RelatesNothing")
        if node.args and isinstance(node.args[0], ast.Constant)
    ]
    assert len(calls) > 60
    assert set(calls) <= set(CODES)


def test_a_code_is_words_with_hyphens():
    assert [code for code in CODES if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code)] == []


def test_a_reason_is_a_row_with_its_words():
    reason = Reason("schema-not-applied", related="PhysxJointAxisAPI:angular")
    assert reason.message == "has no effect before PhysxJointAxisAPI:angular is applied to the prim"
    assert (reason.code, reason.related, reason.fix) == ("schema-not-applied", "PhysxJointAxisAPI:angular", "")


@pytest.mark.parametrize("name", NAMED)
def test_every_diagnostic_of_a_robot_has_a_code(robots, name):
    reports = fajin.read(robots / f"{name}.usda").reports
    assert reports
    assert {report.code for report in reports} <= set(CODES)


@pytest.mark.parametrize("name", NAMED)
def test_no_rule_reads_the_wording(robots, name, monkeypatch):
    """With all messages replaced, the same findings with the same edits; only their words differ."""

    def found() -> list:
        findings = fajin.check.check(robots / f"{name}.usda")
        return sorted((replace(f, message="", fix="") if f.code else f for f in findings), key=str)

    before = found()
    assert any(finding.code for finding in before)
    for code, row in CODES.items():
        monkeypatch.setitem(diagnostic_codes.CODES, code, replace(row, message="; words", fix="more; words"))
    assert found() == before


def test_every_rule_of_a_code_is_a_rule():
    assert set(RULES_BY_CODE) <= set(CODES)
    assert set(RULES_BY_CODE.values()) - {""} <= set(RULES)


def test_the_page_has_the_codes_in_order():
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE) == list(CODES)


def test_a_long_value_is_cut_in_messages():
    """The points of a mesh are thousands of letters; short values stand in full."""
    from fajin.scene.invalid_scene import place

    assert place("/a", "x", "1" * 120) == "/a.x = " + "1" * 120
    assert place("/a", "points", "1" * 9000) == "/a.points = " + "1" * 60 + "…" + "1" * 59
