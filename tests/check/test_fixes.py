"""What the mends of `fajin check` reach: a place once, copies all, instances not."""

import sys

import pytest
from checked import LIMITS, TURN, inertia
from usda import arm, body, prim, stage

import fajin
from fajin.check.runner import check_stage


def near(value: float):
    """A value that went through the file's float32."""
    return pytest.approx(value, rel=1e-6)


def test_a_place_is_mended_once(robots, tmp_path):
    """400 becomes 400 / 57.3 for good: the rule is not offered again."""
    layer = tmp_path / "mended.usda"
    changes, left = fajin.check.fix(robots / "openarm_bimanual.drive.usda", layer)
    stiff = [c for c in changes if c.attribute.endswith("angular:physics:stiffness")]
    assert {c.prim for c in stiff} == {c.prim for c in changes if c.attribute.startswith("drive:angular")}
    assert [c.after for c in stiff] == [near(c.before / TURN) for c in stiff]
    assert "gain-unit" not in {finding.rule for finding in left}


def test_what_lies_in_an_instance_is_found_and_left_alone(tmp_path):
    """USD would ignore the mend; the prototype is another prim, and is mended."""
    crooked = inertia("(0.1, 0.1, 0.3)")
    copy = 'def "copy" (\n    instanceable = true\n    references = </cart>\n)\n{\n}\n'
    path = stage(tmp_path, prim("Xform", "cart", body("wheel", crooked)), copy)
    edits = {f.prim: bool(f.edits) for f in fajin.check.check(path) if f.rule == "inertia-not-physical"}
    assert edits == {"/cart/wheel": True, "/copy/wheel": False}


@pytest.mark.parametrize("count", [1, 3])
def test_copies_are_all_told_and_mended(tmp_path, monkeypatch, count):
    """Robots that reference one file: inertia, which the stage says, and limits, which the joint says."""
    (tmp_path / "robot").mkdir()
    file = stage(tmp_path / "robot", arm(LIMITS.replace("90", "1.5"), link=inertia("(0.1, 0.1, 0.3)")))
    copies = [
        f'def "r{i}" (\n    prepend references = @{file}@</robot>\n)\n{{\n    double3 xformOp:translate = ({i}, 0, 0)\n'
        '    uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
        for i in range(count)
    ]
    path, layer = stage(tmp_path, *copies), tmp_path / "mended.usda"
    found = [f for f in fajin.check.check(path) if f.edits and "usd" not in f.rule]
    assert [f.rule for f in found] == count * ["limit-unit"] + count * ["inertia-not-physical"]
    assert [f.prim for f in found[:count]] == [f"/r{i}/elbow" for i in range(count)]
    assert [f.copy_of for f in found[:count]] == [""] + (count - 1) * ["/r0/elbow"]
    assert len({f.kind for f in found}) == 2
    looks, module = [], sys.modules["fajin.check.fixes"]
    monkeypatch.setattr(module, "check_stage", lambda stage, **kw: looks.append(stage) or check_stage(stage, **kw))
    fajin.check.fix(path, layer)
    assert len(looks) == 4  # one before, one after each of three rules, however many copies there are
    arms = fajin.read(layer).articulations
    assert len(arms) == count
    for one in arms:
        assert one.joints[0].axes[0].upper == near(1.5)
        assert next(link for link in one.links if link.path.endswith("link")).inertia[0][0] == near(0.15)
