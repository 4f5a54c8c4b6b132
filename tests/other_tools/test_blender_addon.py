"""The add-on for Blender: its archive, and its values as documents."""

import subprocess
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from paths import ROOT
from usda import arm, stage

import fajin
from fajin import author

FOLDER = ROOT / "tools" / "blender"


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
