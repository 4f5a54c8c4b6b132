"""The add-on for Blender: its archive, its values as documents, and sessions in Blender as a Python module.

Sessions run where this Python has `bpy`, or with the Pythons of FAJIN_BPY, separated as PATH is.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from paths import ROOT
from usda import arm, stage

import fajin
from fajin import author

FOLDER = ROOT / "tools" / "blender"
SESSION = Path(__file__).with_name("blender_session.py")
HERE = [sys.executable] if find_spec("bpy") else []
PYTHONS = os.environ["FAJIN_BPY"].split(os.pathsep) if "FAJIN_BPY" in os.environ else HERE
SCENES = ("arm7", "gripper_mimic", "ur10")
CLOSE = 2e-6  # [m] single precision of matrices in scenes of some metres


def load(path: Path):
    """A module by its file."""
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


addon = load(FOLDER / "fajin_blender" / "axis_document.py")
process = load(FOLDER / "fajin_blender" / "process.py")


@pytest.fixture(scope="session")
def archive(tmp_path_factory) -> Path:
    """The archive that the command builds."""
    path = tmp_path_factory.mktemp("archive") / "fajin_blender.zip"
    subprocess.run([sys.executable, str(FOLDER / "build.py"), str(path)], check=True, capture_output=True)
    return path


def test_the_archive_has_what_blender_and_its_site_ask_for(archive):
    """Manifest and licence at the top, and every file states its licence."""
    with zipfile.ZipFile(archive) as file:
        names = file.namelist()
        manifest = file.read("blender_manifest.toml").decode()
        assert {"blender_manifest.toml", "LICENSE", "__init__.py"} < set(names)
        assert all(b"SPDX-License-Identifier: GPL-3.0-or-later" in file.read(n) for n in names if n.endswith(".py"))
        assert b"GNU GENERAL PUBLIC LICENSE" in file.read("LICENSE")
    assert 'license = ["SPDX:GPL-3.0-or-later"]' in manifest
    assert 'schema_version = "1.0.0"' in manifest


def test_the_addon_imports_nothing_of_fajin():
    """It runs commands: other licence, other Python."""
    lines = [line.split() for path in FOLDER.rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines()]
    assert [words for words in lines if words[:1] in (["import"], ["from"]) and words[1].startswith("fajin")] == []


DRIVEN = """float physics:lowerLimit = -30
    float physics:upperLimit = 60
    float drive:angular:physics:stiffness = 0.1"""


def axis_of(scene: Path) -> tuple[dict, dict, dict]:
    """The first axis of a scene."""
    return next(addon.axes_of(fajin.read_document(scene)))


@pytest.fixture
def edited(tmp_path):
    """Edit values of the elbow of an arm as the panel does; return the axis of the written layer."""
    scene = stage(tmp_path, arm(DRIVEN, "PhysicsDriveAPI:angular"))

    def run(**values) -> dict:
        robot, joint, axis = axis_of(scene)
        before = addon.values_of(axis)
        part = addon.edited_axis(axis, before, {**before, **values})
        document = addon.document_of([(robot, joint, {"name": axis["name"], **part})])
        with author.layer(scene, tmp_path / "edits.usda") as target:
            author.values(target, document)
        return axis_of(tmp_path / "edits.usda")[2]

    return run


@pytest.mark.parametrize("field", addon.FIELDS, ids=lambda field: field.name)
def test_units_of_the_panel_are_those_of_the_document(scenes, field):
    """For every number that a scene has, of rotations and of translations."""
    seen = 0
    for name in ("motor_envelope", "gripper_mimic", "arm7"):
        for _, _, axis in addon.axes_of(fajin.read_document(scenes / f"{name}.usda")):
            if quantity := addon.entry_at(axis, field.place):
                assert addon.unit_of(field, axis["axis"].startswith("rot"), "force") == quantity["unit"]
                seen += 1
    assert seen


def test_what_is_not_edited_is_not_written(scenes):
    """Blender's single precision rounds what it shows."""
    for _, _, axis in addon.axes_of(fajin.read_document(scenes / "arm7.usda")):
        values = addon.values_of(axis)
        assert addon.edited_axis(axis, values, dict(values)) == {}


def test_edited_numbers_arrive(edited):
    axis = edited(drive_stiffness=40.0, drive_max_force=3.0, has_drive_max_force=True, armature=0.25)
    found = axis["drive"]["stiffness"]["value"], axis["drive"]["max_force"]["value"], axis["armature"]["value"]
    assert found == pytest.approx((40.0, 3.0, 0.25), rel=2.0**-23)
    assert axis["lower"]["layer"] != axis["armature"]["layer"] == "edits.usda"


def test_limits_are_switched_off(edited):
    axis = edited(has_lower=False, has_upper=False)
    assert axis["lower"]["value"] is axis["upper"]["value"] is None


def test_a_drive_is_removed_and_changes_its_type(edited):
    assert edited(drive_type="none")["drive"] is None


def test_a_drive_of_another_type_keeps_the_shown_gains(edited):
    drive = edited(drive_type="acceleration", drive_stiffness=400.0)["drive"]
    assert drive["type"]["value"] == "acceleration"
    assert drive["stiffness"]["value"] == pytest.approx(400.0, rel=2.0**-23)


def test_an_envelope_is_added(edited):
    axis = edited(has_envelope=True, drive_envelope_speed_effort_gradient=0.5)
    assert axis["drive"]["envelope"]["speed_effort_gradient"]["value"] == pytest.approx(0.5, rel=2.0**-23)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/nowhere/fajin", "fajin does not start"),
        (f"{sys.executable} -c 'raise SystemExit(\"fajin: a.usda: must be USD\")'", "a.usda: must be USD"),
        (f"{sys.executable} -c 'print(1, end=str())' --", ""),
        (f"{sys.executable} -c 'print(str())'", "answered without JSON"),
        ("'", "fajin does not start"),
    ],
)
def test_what_fails_is_one_line(command, said):
    """A missing interpreter, a refusal, an old fajin, a command that is not one."""
    if not said:
        assert process.run_json(command, "inspect") == 1
        return
    with pytest.raises(process.FajinError) as error:
        process.run_json(command, "inspect")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def turning(report: dict) -> list[list[str]]:
    """What the panel draws of each rotation."""
    return [labels for dof, labels in zip(report["dofs"], report["labels"], strict=True) if ":rot" in dof]


@pytest.fixture
def session(archive, scenes, tmp_path):
    """Run a session in a Blender; return its report. A Blender that hangs at its end runs out of time."""

    def run(python: str, scene: str | Path, *options: str) -> dict:
        if isinstance(scene, str):
            scene = Path(shutil.copytree(scenes, tmp_path / "scenes")) / f"{scene}.usda"
        command = [python, str(SESSION), str(archive), f"{sys.executable} -m fajin.tools", str(scene)]
        done = subprocess.run([*command, *options], check=True, capture_output=True, text=True, timeout=600)
        return json.loads(done.stdout.splitlines()[-1])

    return run


needs_blender = pytest.mark.skipif(not PYTHONS, reason="needs bpy: set FAJIN_BPY to Pythons that have it")


def check_motion(report: dict) -> None:
    """The archive installs; an edit becomes a layer and moves the robot; the scene stays; poses are the file's."""
    assert report["open"] == ["FINISHED"]
    assert report["clean"]
    assert (report["fps"], report["frames"]) == (60.0, [0, 300])
    assert report["worst"] <= CLOSE
    assert report["missing_links"] == []
    assert report["compared"] >= 6
    assert report["markers"] == 3 * len(report["dofs"])
    assert report["write"][0] == "FINISHED"
    assert report["written"] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert (len(report["dirty"]), report["still_dirty"]) == (1, False)
    assert report["reload"][2] == report["dirty"]
    assert report["moved"] > 1e-3
    assert "write to keep them" in report["tune"]
    assert report["tuned_dirty"] == report["dirty"]
    assert len(report["labels"]) == len(report["dofs"])
    assert all({"Limits", "Friction", "Armature [kg·m²]"} < set(labels) for labels in turning(report))
    assert (report["untouched"], report["gone"]) == (True, True)


@pytest.mark.slow
@needs_blender
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("python", PYTHONS)
def test_a_session_in_blender(python, name, session):
    check_motion(session(python, name))


@pytest.mark.slow
@needs_blender
@pytest.mark.parametrize("python", PYTHONS)
def test_a_session_in_centimetres_with_y_up(python, session, tmp_path):
    """The importer turns and scales; links of a motion, and of one that runs, lie where they are in metres and z up."""
    metadata = 'metersPerUnit = 0.01\n    upAxis = "Y"\n    defaultPrim = "robot"'
    place = "point3f physics:localPos0 = (30, 20, 10)\npoint3f physics:localPos1 = (0, 40, 0)"
    gains = "float drive:angular:physics:stiffness = 20000\nfloat drive:angular:physics:damping = 4000"
    lines = f"float physics:lowerLimit = -60\nfloat physics:upperLimit = 60\n{gains}\n{place}"
    folder = tmp_path / "own"
    folder.mkdir()
    report = session(python, stage(folder, arm(lines, "PhysicsDriveAPI:angular"), metadata=metadata), "--whole")
    check_motion(report)
    assert report["live"] <= CLOSE


@pytest.mark.slow
@needs_blender
@pytest.mark.parametrize("python", PYTHONS)
def test_a_whole_session_in_blender(python, session):
    """Objects follow a running simulation, a film is rendered, and each fault is a line that loses nothing."""
    report = session(python, "arm7", "--whole")
    check_motion(report)
    assert any(label.startswith("simulating … ") for label in report["working"][0])
    assert report["working"][1]
    assert all("simulating is in progress; wait for it, or cancel it" in line for line in report["working"][2:])
    assert report["cancelled"][0].startswith(("cancelled", "8 objects move; cancelled"))
    assert report["cancelled"][1]
    assert report["again"] == report["simulate"]
    assert report["live"] <= CLOSE
    assert report["slider"] <= CLOSE
    assert report["live_links"] == [8, 8, "8 of 8 links have an object"]
    assert "joint1: 1.05 rad" in report["live_labels"]
    assert (report["restored"], report["live_ended"] is not None) == (0.0, True)
    assert report["film"][0] == "wrote arm7.blender.mp4"
    assert report["film"][1] > 1000
    assert "must be finite and 0 or more" in report["unsound"]
    assert report["second"] == report["simulate"]
    assert "must be an existing file" in report["lost"]
    assert report["kept"]
    assert "fajin does not start" in report["missing"]
    assert "is not a regular file" in report["blocked"][0]
    assert report["blocked"][1:] == [True, 0.5]
    assert "must be one of the scene's" in report["vanished"][0]
    assert report["vanished"][1]
    assert f"no longer in the scene, with their edits: {report['vanished'][2]}" in report["reread"][1]
    assert report["twice"][0].startswith("a second copy of this add-on, bl_ext.second.fajin")
    assert report["taken_over"] == ["bl_ext.second.fajin.panel", True]
