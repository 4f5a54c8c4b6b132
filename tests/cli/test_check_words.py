"""Words of `fajin check`: rules as rules, grammar of counts, no doubled reasons, mends from the file's own numbers."""

import re

import pytest
from usda import arm, stage

import fajin
from fajin.check import RULES
from fajin.usd.stage.diagnostic_codes import CODES

DRIVE = "float drive:angular:physics:stiffness = 10\nfloat drive:angular:physics:damping = 1\n"


@pytest.mark.parametrize("rule", RULES.values(), ids=str)
def test_a_rule_is_stated_as_a_rule(rule):
    """Not as what is true."""
    assert re.search(r"\b(must|should|needs)\b", rule.sentence)


@pytest.mark.parametrize("code", CODES)
def test_a_diagnostic_has_a_reason(code):
    assert CODES[code].message.strip()
    assert not CODES[code].message.startswith(":")


@pytest.mark.parametrize("name", ["newton_humanoid", "allegro_right", "franka_panda"])
def test_reasons_of_notes_are_stated_once(run, robots, name):
    _, said, _ = run("check", robots / f"{name}.drive.usda", "--all")
    notes = said.partition("note unused-attribute: ")[2]
    assert notes.startswith("These attributes have no effect here, and the motion is the same without them.")
    assert "nothing, it" not in said
    assert ": ;" not in said
    assert "user forces on links: not simulated" not in said


def test_counts_agree_with_their_nouns(run, tmp_path):
    one = stage(tmp_path, arm(DRIVE, "PhysicsDriveAPI:angular"))
    line = run("check", one)[1].splitlines()[0]
    assert "1 warnings" not in line
    assert re.search(r"\b1 (warning|note)\b", line)
    assert run("author", "drive", one, "--joint", "elbow", "--target", "0.1", "-o", tmp_path / "e.usda")[1].endswith(
        ": 1 change\n"
    )


@pytest.mark.parametrize(
    ("metadata", "value"), [("", 12.0), ('metersPerUnit = 0.01\n    kilogramsPerUnit = 1\n    upAxis = "Z"', 120000.0)]
)
@pytest.mark.parametrize("name", ["urdf:limit:effort", "mjc:actuatorfrcrange:max"])
def test_a_drive_takes_the_maximum_force_that_the_file_holds(tmp_path, name, metadata, value):
    """In the file's unit; the fix gives the drive 12 N·m."""
    options = {"metadata": metadata} if metadata else {}
    path = stage(tmp_path, arm(f"{DRIVE}custom float {name} = 12", "PhysicsDriveAPI:angular"), **options)
    (finding,) = [f for f in fajin.check.check(path) if f.rule == "drive-without-max-force"]
    assert finding.edits[0].value == pytest.approx(value)
    assert f"the file's {name}" in finding.fix
    fajin.check.fix(path, tmp_path / "mended.usda", lambda finding: finding.rule == "drive-without-max-force")
    drive = fajin.read(tmp_path / "mended.usda").articulations[0].joints[0].axes[0].drive
    assert drive.max_force == pytest.approx(12.0)


def test_real_robots_lose_their_findings_without_maximum_force(robots, tmp_path):
    """anymal_c has 12, and its file has 12 effort limits."""
    source = robots / "anymal_c.drive.usda"
    assert sum(f.rule == "drive-without-max-force" for f in fajin.check.check(source)) == 12
    _, left = fajin.check.fix(source, tmp_path / "mended.usda", lambda finding: True)
    assert not [finding for finding in left if finding.rule == "drive-without-max-force"]
