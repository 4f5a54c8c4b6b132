"""Values of a document written back: equal to the bit, and nothing else changes."""

import copy
import json
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest
from usda import arm, prim, stage

import fajin
from fajin import author

QUICK = ("motor_envelope", "gripper_mimic", "tendon_finger", "spherical", "hanging_chain", "conveyor")
SLOW = ("arm7", "four_bar", "go2_standing")
ROBOTS = ("FixedTendonTest", "SpatialTendonTest", "franka_panda", "isaac_test_mimic", "newton_ant", "robotiq_2f140")
KEPT = ("steps_per_second", "position_iterations", "velocity_iterations", "gearing", "dynamic", "q", "restitution")
"""Values that have no neighbour which is sound wherever they are: whole numbers, and values with bounds."""
NO_MASS = ("mass", 0.0)
"""An authored mass of 0 leaves the mass to the colliders."""
SINGLE = 2.0**-23  # relative spacing of single precision


def quantities(entry: Any, place: tuple = ()) -> Iterator[tuple[tuple, dict]]:
    """Yield place and quantity of every quantity in a document."""
    if isinstance(entry, dict) and "attribute" in entry and "file_value" in entry:
        yield place, entry
    elif isinstance(entry, dict | list):
        items = entry.items() if isinstance(entry, dict) else enumerate(entry)
        for key, value in items:
            yield from quantities(value, (*place, key))


def values_of(document: dict) -> dict[tuple, Any]:
    return {place: quantity["value"] for place, quantity in quantities(document)}


def nudged(document: dict) -> dict:
    """A copy in which every number is a little larger, and every limit a little tighter."""
    edited = copy.deepcopy(document)
    for place, quantity in quantities(edited):
        value, name = quantity["value"], place[-1]
        if isinstance(value, float) and name not in KEPT:
            tighter = name in ("lower", "upper")
            quantity["value"] = value * (0.97 if tighter else 1.0625) if value or tighter else 0.0625
        if isinstance(value, list):
            quantity["value"] = [x + 0.5 for x in value]
    return edited


def written(scene: Path, layer: Path, document: dict) -> dict:
    """The document of a layer that authors the values of a document over a scene."""
    with author.layer(scene, layer, trusted=True) as edited:
        assert author.values(edited, document)
    return fajin.read_document(layer)


def round_trip(scene: Path, folder: Path) -> None:
    """Edited values arrive to single precision, and a document of a file arrives to the bit."""
    first = fajin.read_document(scene)
    edited = nudged(first)
    second = written(scene, folder / "one.usda", edited)
    arrived = values_of(second)
    for place, value in values_of(edited).items():
        wanted = pytest.approx(value, rel=SINGLE, abs=0.0) if isinstance(value, float | list) else value
        assert arrived[place] == wanted, place
    third = written(scene, folder / "two.usda", second)
    assert values_of(third) == values_of(second)
    authored = {p for p, one in quantities(first) if one["layer"] is not None and (p[-1], one["file_value"]) != NO_MASS}
    back = written(folder / "one.usda", folder / "three.usda", first)
    assert {p: v for p, v in values_of(back).items() if p in authored} == {
        p: v for p, v in values_of(first).items() if p in authored
    }


@pytest.mark.parametrize("name", QUICK)
def test_values_of_scenes_come_back_to_the_bit(scenes, name, tmp_path):
    round_trip(scenes / f"{name}.usda", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_values_of_large_scenes_come_back_to_the_bit(scenes, name, tmp_path):
    round_trip(scenes / f"{name}.usda", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_values_of_robots_come_back_to_the_bit(robots, name, tmp_path):
    round_trip(robots / f"{name}.drive.usda", tmp_path)


def test_the_scenes_own_document_writes_nothing(run, scenes, tmp_path):
    document = tmp_path / "arm.json"
    document.write_text(json.dumps(fajin.read_document(scenes / "arm7.usda")), encoding="utf-8")
    code, out, _ = run("author", "values", scenes / "arm7.usda", document, "-o", tmp_path / "edits.usda")
    assert (code, out) == (0, "no value differs from the scene's; nothing is written\n")
    assert not (tmp_path / "edits.usda").exists()


@pytest.fixture
def edit(tmp_path) -> Callable[..., dict]:
    """Write a part of the elbow's axis over an arm; return the elbow of the result."""

    def run(part: dict, lines: str = "", apis: str = "PhysicsDriveAPI:angular") -> dict:
        scene = stage(tmp_path, arm(lines, apis))
        axes = [{"name": "/robot/elbow:rotX", **part}]
        joints = [{"prim": "/robot/elbow", "axes": axes}]
        document = {"format": "fajin-scene", "version": 1}
        document |= {"articulations": [{"prim": "/robot", "joints": joints}]}
        robot = fajin.read_document(scene)["articulations"][0]["prim"]
        document["articulations"][0]["prim"] = robot
        return written(scene, tmp_path / "edits.usda", document)["articulations"][0]["joints"][0]["axes"][0]

    return run


def test_a_drive_and_its_envelope_are_added_and_removed(edit):
    """null removes what an object adds."""
    added = edit(
        {"drive": {"stiffness": {"value": 10.0}, "envelope": {"speed_effort_gradient": {"value": 0.5}}}}, "", ""
    )
    assert added["drive"]["stiffness"]["value"] == pytest.approx(10.0, rel=SINGLE)
    assert added["drive"]["envelope"]["speed_effort_gradient"]["value"] == pytest.approx(0.5, rel=SINGLE)


def test_a_drive_that_is_null_is_removed(edit):
    assert edit({"drive": None}, "float drive:angular:physics:stiffness = 1")["drive"] is None


def test_null_is_no_limit(edit):
    """As the document has it."""
    axis = edit({"lower": {"value": None}, "upper": {"value": None}}, LIMITED)
    assert axis["lower"]["value"] is axis["upper"]["value"] is None
    assert axis["lower"]["layer"] == "edits.usda"


LIMITED = "float physics:lowerLimit = -10\nfloat physics:upperLimit = 10"


def test_a_drive_of_another_type_keeps_the_numbers_of_its_gains(edit):
    """They are in the unit of the new type, as the document says."""
    drive = {"type": {"value": "acceleration"}, "stiffness": {"value": 400.0}, "damping": {"value": 40.0}}
    found = edit({"drive": drive}, "float drive:angular:physics:stiffness = 1")["drive"]
    assert (found["type"]["value"], found["stiffness"]["unit"]) == ("acceleration", "1/(s²·rad)")
    assert found["stiffness"]["value"] == pytest.approx(400.0, rel=SINGLE)
    assert found["damping"]["value"] == pytest.approx(40.0, rel=SINGLE)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"stiffness": {"value": 1.0}}, "stiffness = {'value': 1.0}: must be one of name, axis, lower"),
        ({"axis": "rotY"}, "axis = rotY: must be as in the document that `fajin inspect --json` prints"),
        ({"armature": 3.0}, "armature = 3.0: must be an object of value, unit"),
        ({"armature": {"value": "3"}}, "armature = 3: must be a finite number, or null for none"),
        ({"armature": {"value": inf}}, "armature = inf: must be a finite number"),
        ({"armature": {"value": -1.0}}, "armature = -1.0 kg·m²: must be finite and 0 or more"),
        ({"armature": {"value": 1.0, "unit": "kg"}}, "armature.unit = kg: must be kg·m²"),
        ({"q": {"value": 0.0, "file_value": 3.0, "layer": None}}, "q.file_value = 3.0: must be as in the document"),
        ({"drive": {"gain": {"value": 1.0}}}, "drive.gain = {'value': 1.0}: must be one of type, stiffness"),
        ({"upper": {"value": 1.0}}, "lower, upper = -inf, 1: must be both finite or both infinite"),
    ],
)
def test_what_cannot_be_written_is_refused(edit, part, said, tmp_path):
    """One line with place, value and rule; the layer is not written."""
    with pytest.raises(fajin.InvalidScene) as error:
        edit(part)
    assert said in str(error.value)
    assert not (tmp_path / "edits.usda").exists()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "document.format = None: must be fajin-scene"),
        ({"format": "fajin-scene", "version": 9}, "document.version = 9: must be 1"),
        ({"articulations": [{"prim": "/nobody"}]}, "/nobody: must be one of the scene's"),
        ({"robots": []}, "document.robots = []: must be one of format"),
        ([], "must be a document as of `fajin inspect --json`"),
    ],
)
def test_what_is_not_a_document_of_the_scene_is_refused(run, scenes, tmp_path, document, said):
    if document and isinstance(document, dict):
        document = {"format": "fajin-scene", "version": 1, **document}
    (tmp_path / "d.json").write_text(json.dumps(document), encoding="utf-8")
    code, _, err = run("author", "values", scenes / "pendulum.usda", tmp_path / "d.json", "-o", tmp_path / "e.usda")
    assert (code, err.count("\n")) == (2, 1)
    assert said in err


def test_a_joint_in_an_instance_is_made_unique_by_an_edit_and_by_nothing_else(tmp_path):
    """An equal document leaves the instance, which shares its prims, as it is."""
    robot = arm("float newton:armature = 0.25").replace("</robot", "</prototype/robot")
    first = 'def "first" (\n    instanceable = true\n    references = </prototype>\n)\n{\n}\n'
    scene = stage(tmp_path, f'class "prototype"\n{{\n{robot}}}\n', first)
    document = fajin.read_document(scene)
    with author.layer(scene, tmp_path / "equal.usda", trusted=True) as edited:
        assert author.values(edited, document) == []
        assert edited.GetPrimAtPath("/first").IsInstance()
    axis = document["articulations"][0]["joints"][0]["axes"][0]
    axis["armature"]["value"] = 0.5
    after = written(scene, tmp_path / "unequal.usda", document)
    assert after["articulations"][0]["joints"][0]["axes"][0]["armature"]["value"] == 0.5


@pytest.mark.parametrize(("name", "velocity"), [("conveyor", None), ("pendulum", {"local": {"value": True}})])
def test_a_surface_that_moves_is_neither_added_nor_removed(scenes, tmp_path, name, velocity):
    document = fajin.read_document(scenes / f"{name}.usda")
    for robot in document["articulations"]:
        for link in robot["links"]:
            link["surface_velocity"] = velocity
    with pytest.raises(fajin.InvalidScene, match="fajin author surface"):
        written(scenes / f"{name}.usda", tmp_path / "edits.usda", document)


MOTOR = "rel newton:targets = </robot/elbow>\nfloat newton:kp = 100\nfloat newton:kd = 5\nfloat newton:maxEffort = 7"
APIS = "NewtonPDControlAPI NewtonMaxEffortClampingAPI"


@pytest.fixture
def driven(tmp_path) -> Callable[..., dict | None]:
    """Write a drive over an arm whose elbow has an actuator; return the drive of the result."""

    def run(drive: dict | None) -> dict | None:
        scene = stage(tmp_path, arm(), prim("NewtonActuator", "motor", MOTOR, APIS))
        document = fajin.read_document(scene)
        document["articulations"][0]["joints"][0]["axes"][0]["drive"] = drive
        return written(scene, tmp_path / "edits.usda", document)["articulations"][0]["joints"][0]["axes"][0]["drive"]

    return run


def test_gains_of_an_actuator_are_edited_where_they_are(driven):
    """One gain is written to the actuator; the other stays in force, which a drive of one gain would end."""
    drive = driven({"stiffness": {"value": 200.0}, "target_q": {"value": 0.5}})
    found = {name: (drive[name]["value"], drive[name]["attribute"]) for name in ("stiffness", "damping", "max_force")}
    assert found == {
        "stiffness": (200.0, "newton:kp"),
        "damping": (5.0, "newton:kd"),
        "max_force": (7.0, "newton:maxEffort"),
    }
    assert drive["target_q"]["value"] == pytest.approx(0.5, rel=SINGLE)


def test_the_law_of_an_actuator_is_edited_where_it_is(tmp_path):
    """PID control, a bound by position and a delay: each value is written to its attribute, and the others stay."""
    apis = "NewtonPIDControlAPI NewtonPositionBasedClampingAPI NewtonActuatorDelayAPI"
    bounds = "float[] newton:lookupPositions = [0, 1]\nfloat[] newton:lookupEfforts = [2, 3]"
    lines = f"rel newton:targets = </robot/elbow>\nfloat newton:kp = 100\nfloat newton:ki = 2\n{bounds}"
    scene = stage(tmp_path, arm(), prim("NewtonActuator", "motor", lines, apis))
    document = fajin.read_document(scene)
    law = document["articulations"][0]["joints"][0]["axes"][0]["drive"]["actuator"]
    assert (law["integral_gain"]["value"], law["delay"]["value"], law["delay"]["layer"]) == (2.0, 1, None)
    for name, value in {"integral_gain": 4.0, "bound_efforts": [5.0, 6.0], "delay": 3}.items():
        law[name]["value"] = value
    written(scene, tmp_path / "edits.usda", document)
    drive = fajin.read(tmp_path / "edits.usda").articulations[0].joints[0].axes[0].drive
    assert (drive.stiffness, drive.actuator.integral_gain, drive.actuator.delay) == (100.0, 4.0, 3)
    assert (drive.actuator.bound_positions, drive.actuator.bound_efforts) == ((0.0, 1.0), (5.0, 6.0))


def test_a_drive_of_an_actuator_is_removed_with_it(driven):
    assert driven(None) is None


def test_a_drive_of_an_actuator_keeps_its_type(driven):
    with pytest.raises(fajin.InvalidScene, match="must be force, as the joint has an actuator"):
        driven({"type": {"value": "acceleration"}})
