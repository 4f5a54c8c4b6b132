"""The document of a scene: what `fajin inspect --json` prints obeys its schema, and has every digit and its layer."""

import json
from functools import cache
from math import radians
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from paths import ROOT
from usda import arm, stage

import fajin

SCHEMA = json.loads((ROOT / "engine/usd/document/scene.schema.json").read_text(encoding="utf-8"))
QUICK = ("arm7", "motor_envelope", "gripper_mimic", "tendon_finger", "spherical", "hanging_chain", "bouncing_ball")
SLOW = ("go2_standing", "four_bar", "ur10", "whippletree", "box_on_slope")
ROBOTS = ("tiago_pro", "SpatialTendonTest", "robotiq_2f140")


@cache
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def elbow(document: dict) -> dict:
    """The axis of the first joint."""
    return document["articulations"][0]["joints"][0]["axes"][0]


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_documents_of_scenes_obey_their_schema(scenes, name):
    """JSON itself has no infinite numbers, which `allow_nan=False` refuses."""
    document = fajin.read_document(scenes / f"{name}.usda")
    json.dumps(document, allow_nan=False)
    validator().validate(document)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_documents_of_robots_obey_their_schema(robots, name):
    validator().validate(fajin.read_document(robots / f"{name}.drive.usda"))


def test_the_schema_refuses_what_a_document_has_not():
    """A schema that lets everything pass would prove nothing."""
    sound = {"format": "fajin-scene", "version": 1}
    validator().validate(sound)
    for unsound in ({**sound, "version": 2}, {**sound, "joints": []}, {**sound, "scene": {"solver": {"value": 3}}}):
        assert not validator().is_valid(unsound)


def test_the_axis_upwards_is_that_of_the_stage(tmp_path):
    """USD's own default is Y."""
    assert fajin.read_document(stage(tmp_path, arm()))["up_axis"] == "Z"
    assert fajin.read_document(stage(tmp_path, arm(), metadata='upAxis = "Y"'))["up_axis"] == "Y"


def test_a_value_has_all_digits_both_units_its_attribute_and_its_layer(tmp_path):
    """float32(0.1) per degree, as the file holds it, and 180/π times that in SI."""
    lines = (
        "float drive:angular:physics:stiffness = 0.1\nfloat physics:lowerLimit = -120\nfloat physics:upperLimit = 1e39"
    )
    path = stage(tmp_path, arm(lines.replace("1e39", "90"), "PhysicsDriveAPI:angular"))
    axis = elbow(fajin.read_document(path))
    held = float(np.float32(0.1))
    assert axis["drive"]["stiffness"] == {
        "value": held / radians(1.0),
        "unit": "N·m/rad",
        "file_value": held,
        "file_unit": "N·m/deg",
        "attribute": "drive:angular:physics:stiffness",
        "layer": path.name,
    }
    assert axis["lower"]["value"] == -120.0 * radians(1.0)
    assert axis["drive"]["damping"]["layer"] is None
    assert axis["drive"]["max_force"]["value"] is None
    assert axis["mimic"] is None


def test_a_layer_is_the_strongest_that_has_an_opinion(tmp_path):
    """An edit layer's values name it, all others the scene; an override has no file."""
    path = stage(tmp_path, arm("float drive:angular:physics:stiffness = 1", "PhysicsDriveAPI:angular"))
    folder = tmp_path / "edits"
    with fajin.author.layer(path, folder / "edits.usda") as edited:
        fajin.author.drive(edited.GetPrimAtPath("/robot/elbow"), damping=2.0)
    text = "/robot/elbow.drive:angular:physics:maxForce=7"
    document = fajin.read_document(folder / "edits.usda", [text])
    drive = elbow(document)["drive"]
    layers = [drive[name]["layer"] for name in ("stiffness", "damping", "max_force")]
    assert layers == [f"../{path.name}", "edits.usda", ""]
    assert document["layers"] == ["edits.usda", f"../{path.name}"]


def test_newtons_attribute_is_named_where_it_has_the_value(tmp_path):
    """PhysX's 0 gives way to a later name, as in PhysX."""
    lines = "float newton:armature = 0.25\nfloat physxJointAxis:angular:armature = 0"
    axis = elbow(fajin.read_document(stage(tmp_path, arm(lines, "PhysxJointAxisAPI:angular"))))
    assert (axis["armature"]["value"], axis["armature"]["attribute"]) == (0.25, "newton:armature")


def test_columns_are_those_of_a_simulation(scenes):
    document = fajin.read_document(scenes / "four_bar.usda")
    model = fajin.compile(fajin.read(scenes / "four_bar.usda"))
    assert document["dof"] == list(model.dof)
    assert document["link"] == [path for path in model.link if path]
    assert list(document["effective_inertia"]) == list(model.dof)


def test_a_child_reads_the_document(scenes, sandboxed):
    """It is that of this process."""
    path = scenes / "gripper_mimic.usda"
    assert fajin.read_document(path) == fajin.read_document(path, trusted=True)


def test_a_compiled_model_has_a_document_without_layers(scenes, tmp_path):
    """The values are those of the file from which it was compiled."""
    fajin.compile(fajin.read(scenes / "gripper_mimic.usda")).write(tmp_path / "model.npz")
    document, read = fajin.read_document(tmp_path / "model.npz"), fajin.read_document(scenes / "gripper_mimic.usda")
    validator().validate(document)
    assert elbow(document)["drive"] != elbow(read)["drive"]
    assert elbow(document)["drive"]["stiffness"]["value"] == elbow(read)["drive"]["stiffness"]["value"]
    assert elbow(document)["drive"]["stiffness"]["layer"] is None


def test_the_command_prints_the_document(run, scenes):
    code, out, _ = run("inspect", scenes / "pendulum.usda", "--json")
    assert (code, json.loads(out)) == (0, fajin.read_document(scenes / "pendulum.usda"))


def test_the_command_prints_one_joint(run, robots):
    code, out, _ = run("inspect", robots / "isaac_cartpole.drive.usda", "--joint", "slider.*", "--json")
    document = json.loads(out)
    validator().validate(document)
    (robot,) = document["articulations"]
    assert (code, [joint["prim"].rpartition("/")[2] for joint in robot["joints"]]) == (0, ["slider_to_cart"])


@pytest.mark.parametrize("option", ["--pose", "--degrees"])
def test_tables_and_json_are_not_combined(run, scenes, option):
    code, _, said = run("inspect", scenes / "pendulum.usda", "--json", option)
    assert code == 2
    assert "must not be combined" in said


def test_the_schema_lies_in_the_package():
    """So tools find it beside the code that wrote the document."""
    assert (Path(fajin.__file__).parent / "usd/document/scene.schema.json").is_file()
