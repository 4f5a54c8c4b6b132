"""`fajin inspect` of stages of copies: tables of the first robot of a kind, the number of copies, and differences."""

import pytest
from paths import SCENES

import fajin
from fajin.scene.robot_kinds import find_kinds

MANY = 30


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """Copies of an arm on which a layer overrides a mass and a gain, and of a robot on the ground."""
    monkeypatch.chdir(tmp_path)
    fajin.author.copies(SCENES / "arm7.usda", "arms.usda", MANY)
    fajin.author.copies(SCENES / "quadruped_standing.usda", "dogs.usda", 4)
    link = fajin.read("arms.usda").articulations[7].links[2].path
    joint = fajin.read("arms.usda").articulations[9].joints[1].path
    return [f"{link}.physics:mass=2.5", f"{joint}.drive:angular:physics:stiffness=9"], link, joint


def test_copies_share_their_tables(stage, run):
    """As many lines as one robot has; the number of copies, and no differences."""
    one, many = (run("inspect", str(path))[1] for path in (SCENES / "quadruped_standing.usda", "dogs.usda"))
    assert len(many.splitlines()) <= len(one.splitlines()) + 8
    line = next(line for line in many.splitlines() if "/World/envs/env_0/World/quadruped " in line)
    assert line.split() == ["/World/envs/env_0/World/quadruped", "4"]
    assert "env_1" not in many
    assert "Differences" not in many


def test_differences_are_listed(stage, run):
    """Each with its prim, the value and that of the first robot; a robot of other structure is a kind of its own."""
    overrides, link, joint = stage
    code, out, _ = run("inspect", "arms.usda", *(word for each in overrides for word in ("--set", each)))
    assert code == 0
    rows = out[out.index("Differences of copies") : out.index("Articulations")]
    found = [line.split() for line in rows.splitlines() if "/env_" in line]
    assert [cells[:2] for cells in found] == [[link, "mass"], [f"{joint}:rotY", "drive.stiffness"]]
    assert found[0][2] == "2.5"
    scene = fajin.read("arms.usda", overrides)
    (kind,) = find_kinds(scene.articulations)
    assert (kind.count, len(kind.differences)) == (MANY, 2)
    locked = fajin.read("arms.usda", [f"{joint}.physics:jointEnabled=false", f"{link}.physics:mass=3"])
    assert [kind.count for kind in find_kinds(locked.articulations)] != [MANY]


def test_joints_of_copies_can_be_selected(stage, run):
    """A regular expression reaches all of them."""
    code, out, _ = run("inspect", "arms.usda", "--joint", ".*env_3/.*")
    assert code == 0
    assert "/World/envs/env_3/" in out
    assert "Copies" not in out
