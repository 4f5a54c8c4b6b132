"""Robots that reference one file: each has its findings, whatever their order, and equal ones share a line."""

import pytest
from checked import LEAD, LIMITS, MIMIC
from usda import arm, stage

import fajin
from fajin.tools.check import text

MANY = 200


def copies(folder, robot: str, places: dict[str, str]):
    """A stage with references to one robot at places (x, y, z)."""
    (folder / "robot").mkdir(exist_ok=True)
    file = stage(folder / "robot", robot)
    said = [
        f'def "{name}" (\n    prepend references = @{file}@</robot>\n)\n{{\n    double3 xformOp:translate = {place}\n'
        '    uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
        for name, place in places.items()
    ]
    return stage(folder, *said)


@pytest.mark.parametrize("places", [{"a": "(0, 0, 0)", "b": "(0, 0, 0.8)"}, {"b": "(0, 0, 0.8)", "a": "(0, 0, 0)"}])
def test_the_copy_that_stands_elsewhere_is_found_in_either_order(tmp_path, places):
    """Its fixed joint to the world did not move with it."""
    findings = fajin.check.check(copies(tmp_path, arm(), places))
    assert [finding.prim for finding in findings if finding.code == "base-offset"] == ["/b/anchor"]


def test_a_dropped_mimic_joint_is_named_for_each_robot(tmp_path):
    robot = arm(LIMITS + MIMIC.replace("/robot/lead", "/robot/lost"), "PhysxMimicJointAPI:rotX", extra=LEAD)
    path = copies(tmp_path, robot, {"a": "(0, 0, 0)", "b": "(1, 0, 0)"})
    dropped = [finding for finding in fajin.check.check(path) if finding.rule == "mimic-relates-nothing"]
    assert [finding.prim for finding in dropped] == ["/a/elbow", "/b/elbow"]
    assert [finding.copy_of for finding in dropped] == ["", "/a/elbow"]


def test_findings_of_many_copies_share_their_lines(tmp_path):
    """As many lines as one robot has, also where the message names prims."""
    robot = arm(LIMITS.replace("90", "1.5") + MIMIC, "PhysxMimicJointAPI:rotX", extra=LEAD.replace(LIMITS, ""))
    path = copies(tmp_path, robot, {f"r{i}": f"({i}, 0, 0)" for i in range(MANY)})
    found = fajin.check.check(path)
    lines = text(path, list(found), every=False)
    assert len(found) > 3 * MANY
    assert len(lines) < 40
    assert any(f"and {MANY - 1} more" in line and "/r0/lead" in line for line in lines)
