"""Tendons as they are authored: where they run, where they ran before, and where they run no more."""

from pathlib import Path

import pytest
from paths import RECORDINGS
from usda import MASS, arm, stage

import fajin
from fajin import author

ROBOT = RECORDINGS / "authored" / "robot.usda"
LIMITED = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90"
ROUND = ("base", "arm", "rod")


def robot(path: Path):
    """The robot of a file."""
    return fajin.read(path).articulations[0]


def strung(stage, *links: str, name: str = "cord", **values) -> list:
    """A spatial tendon through these links."""
    points = [(stage.GetPrimAtPath(f"/robot/{link}"), (0.1 * i, 0.0, 0.0)) for i, link in enumerate(links)]
    return author.spatial_tendon(points, name, **values)


def test_points_of_a_spatial_tendon_are_those_of_the_link(tmp_path):
    """PhysX takes them from the centre of mass along the principal axes; who authors them need not know."""
    turned = MASS + "\nquatf physics:principalAxes = (0.9, 0.1, 0.2, 0.3)"
    scene = stage(tmp_path, arm(LIMITED, link=turned))
    with author.layer(scene, tmp_path / "edits.usda") as edited:
        base, link = (edited.GetPrimAtPath(f"/robot/{name}") for name in ("base", "link"))
        author.spatial_tendon([(base, (0.1, 0.2, 0.3)), (link, (0.4, -0.5, 0.6))], "cord", stiffness=1.0)
    (tendon,) = fajin.read(tmp_path / "edits.usda").articulations[0].spatial_tendons
    assert tendon.attachments[0].position == pytest.approx((0.1, 0.2, 0.3), abs=1e-6)
    assert tendon.attachments[1].position == pytest.approx((0.4, -0.5, 0.6), abs=1e-6)


@pytest.mark.parametrize(
    "after", [("base", "arm"), ("base", "rod"), ("base", "arm", "rod", "arm"), ("base", "rod", "arm")]
)
def test_a_spatial_tendon_that_is_led_anew_runs_there_alone(tmp_path, after):
    """Shorter, longer, or another way: as if it had always run there, whatever lies below the layer."""
    alone, below, over = (tmp_path / name for name in ("alone.usda", "below.usda", "over.usda"))
    for scene, layer, links in ((ROBOT, alone, after), (ROBOT, below, ROUND), (below, over, after)):
        with author.layer(scene, layer) as edited:
            strung(edited, *links, stiffness=30.0, rest_length=0.5)
    assert robot(over).spatial_tendons == robot(alone).spatial_tendons
    assert fajin.read(over).reports == fajin.read(alone).reports


def test_a_removed_tendon_is_gone_from_all_it_ran_over(tmp_path):
    """Through links or over joints; another one on the same links stays."""
    with author.layer(ROBOT, tmp_path / "a.usda") as edited:
        strung(edited, *ROUND, stiffness=30.0)
        strung(edited, "base", "rod", name="other", stiffness=20.0)
        joints = [edited.GetPrimAtPath(f"/robot/{name}") for name in ("turn", "slide")]
        author.tendon(joints, "belt", gearing=[0.005, -0.5], stiffness=2000.0)
    both = robot(tmp_path / "a.usda")
    with author.layer(tmp_path / "a.usda", tmp_path / "b.usda") as edited:
        changes = author.remove_tendon(edited, "cord") + author.remove_tendon(edited, "belt")
        prims = {change.prim for change in changes}
    assert prims == {f"/robot/{name}" for name in (*ROUND, "turn", "slide")}
    left = robot(tmp_path / "b.usda")
    assert (len(both.fixed_tendons), len(left.fixed_tendons)) == (1, 0)
    assert left.spatial_tendons == tuple(tendon for tendon in both.spatial_tendons if tendon.path.endswith(":other"))
    assert fajin.read(tmp_path / "b.usda").reports == fajin.read(ROBOT).reports


def test_a_tendon_is_removed_by_name_on_the_command_line(tmp_path, run, monkeypatch):
    """Or it is said which there are."""
    monkeypatch.chdir(tmp_path)
    with author.layer(ROBOT, tmp_path / "a.usda") as edited:
        strung(edited, *ROUND)
    assert run("author", "remove", "a.usda", "tendon", "--name", "cord", "-o", "b.usda")[0] == 0
    assert not robot(tmp_path / "b.usda").spatial_tendons
    for words, said in (
        (("--name", "rope"), "tendon = rope: must be the name of a tendon of the scene; name one of cord"),
        ((), "--joint, --name: must be exactly one of them"),
        (("--name", "cord", "--joint", "turn"), "--joint, --name: must be exactly one of them"),
        (("drive", "--name", "cord"), "--joint, --name: must be exactly one of them"),
    ):
        code, out, errors = run("author", "remove", "a.usda", "tendon", *words, "-o", "c.usda")
        assert (code, out, errors.count("\n")) == (2, "", 1)
        assert said in errors
    assert not (tmp_path / "c.usda").exists()
