"""`fajin check`: findings as text and as JSON, exit status, and the layer of mends."""

import json
import sys

import pytest
import typer
from typer.testing import CliRunner
from usda import ANCHOR, METRES, ROOT, arm, body, joint, prim, stage

import fajin
from fajin.tools.check import check
from fajin.tools.cli import main

LIMITS = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90\n"
ANGULAR = "PhysicsJointStateAPI:angular"
STATE = "float state:angular:physics:position = 95\n"
LOST = joint("lost", "PhysicsRevoluteJoint", "/robot/base", "/robot/nowhere")


@pytest.fixture
def run():
    """The exit status of the command and what it prints."""

    def go(*words) -> tuple[int, str]:
        app = typer.Typer()
        app.command()(check)
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.exit_code, result.output

    return go


@pytest.fixture
def warned(tmp_path):
    """A scene with warnings alone, one of them mendable by clamping a state."""
    return stage(tmp_path, arm(LIMITS + STATE, "PhysicsJointStateAPI:angular"))


def test_warnings_pass_and_strict_fails(run, warned):
    assert run(warned)[0] == 0
    code, text = run(warned, "--strict")
    assert code == 2
    assert "error state-outside-limits" in text


def test_an_error_fails(run, tmp_path):
    code, text = run(stage(tmp_path, arm(extra=LOST)))
    assert code == 2
    assert "/robot/lost.physics:body1 = /robot/nowhere: the prim does not exist; name a rigid body" in text


def test_all_errors_are_found_and_not_only_the_first(run, tmp_path):
    heavy = "float physics:mass = -1\nfloat physics:density = -2"
    document = json.loads(run(stage(tmp_path, arm(link=heavy, extra=LOST)), "--json")[1])
    places = {(f["prim"], f["attribute"]) for f in document["findings"] if f["severity"] == "error"}
    link = "/robot/link"
    assert places >= {(link, "physics:mass"), (link, "physics:density"), ("/robot/lost", "physics:body1")}


def test_json_has_the_shape_that_the_page_tells(run, warned):
    document = json.loads(run(warned, "--json")[1])
    assert set(document) == {"scene", "errors", "warnings", "notes", "findings"}
    assert document["warnings"] == sum(f["severity"] == "warning" for f in document["findings"])
    (found,) = (f for f in document["findings"] if f["rule"] == "state-outside-limits")
    assert set(found) == {
        "rule",
        "severity",
        "prim",
        "attribute",
        "value",
        "message",
        "fix",
        "code",
        "edits",
        "copy_of",
    }
    assert (found["prim"], found["attribute"]) == ("/robot/elbow", "state:angular:physics:position")
    kinds = [(edit["kind"], edit["name"], edit["value"]) for edit in found["edits"]]
    assert kinds[1] == ("attribute", "state:angular:physics:position", pytest.approx(90.0))


def test_fix_writes_a_layer_and_tells_its_changes(run, warned, tmp_path):
    layer = tmp_path / "mended.usda"
    code, text = run(warned, "--fix", "-o", layer)
    assert code == 0
    assert "/robot/elbow.state:angular:physics:position: 95 → 90" in text
    (articulation,) = fajin.read(layer).articulations
    assert articulation.joints[0].axes[0].q == pytest.approx(articulation.joints[0].axes[0].upper, rel=1e-6)
    document = json.loads(run(warned, "--fix", "-o", tmp_path / "again.usda", "--json")[1])
    assert document["layer"].endswith("again.usda")
    assert {"before": 95.0, "after": 90.0}.items() <= document["changes"][0].items()


def test_a_sound_scene_has_nothing_to_mend(run, tmp_path):
    mass = (
        "float physics:mass = 1\npoint3f physics:centerOfMass = (0, 0, 0)\nquatf physics:principalAxes = (1, 0, 0, 0)\n"
    )
    mass += "float3 physics:diagonalInertia = (1, 1, 1)"
    parts = body("base", mass), body("link", mass), ANCHOR
    elbow = joint("elbow", "PhysicsRevoluteJoint", "/robot/base", "/robot/link", LIMITS)
    robot = prim("Xform", "robot", "\n".join((*parts, elbow)), ROOT)
    path = stage(tmp_path, robot, metadata=f'defaultPrim = "robot"\n    {METRES}')
    assert run(path, "--strict") == (0, f"{path}: no findings\n")
    layer = tmp_path / "mended.usda"
    assert "the layer is empty" in run(path, "--fix", "-o", layer)[1]
    assert run(layer, "--strict") == (0, f"{layer}: no findings\n")


def test_rules_are_chosen_by_name(run, warned):
    assert "usd-inertia" in run(warned)[1]
    assert "usd-inertia" not in run(warned, "--only", "state-outside-limits")[1]
    assert run(warned, "--strict", "--skip", "state-outside-limits", "--only", "state-outside-limits")[0] == 0


def test_places_of_one_rule_are_counted_beyond_five(run, tmp_path):
    """Lines that differ in more than their prim are not merged; --all shows them."""
    count, at = 8, "float state:angular:physics:position = {}\n"
    hinges = "\n".join(
        body(f"b{i}")
        + joint(f"h{i}", "PhysicsRevoluteJoint", "/robot/base", f"/robot/b{i}", LIMITS + at.format(95 + i), ANGULAR)
        for i in range(count)
    )
    path = stage(tmp_path, arm(extra=hinges))
    assert f"and {count - 5} more; --all shows them" in run(path)[1]
    assert "more; --all" not in run(path, "--all")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.usda"], "must be an existing file"),
        (["SCENE", "--fix"], "must be used together"),
        (["SCENE", "-o", "mended.usda"], "must be used together"),
        (["SCENE", "--skip", "nonsense"], "must be a rule"),
        (["SCENE", "--fix", "-o", "mended.txt"], "suffixes"),
        (["SCENE", "--fix", "-o", "SCENE"], "choose another name"),
        (["SCENE", "--fix", "-o", "SCENE/folder.usda"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(warned, tmp_path, monkeypatch, capsys, words, said):
    """Exit status 2, nothing on stdout, nothing written."""
    before = sorted(tmp_path.iterdir())
    words = [word.replace("SCENE", str(warned)) for word in words]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["fajin", "check", *words])
    with pytest.raises(SystemExit) as status:
        main()
    out, line = capsys.readouterr()
    assert (status.value.code, out, line.count("\n")) == (2, "", 1)
    assert said in line
    assert sorted(tmp_path.iterdir()) == before
