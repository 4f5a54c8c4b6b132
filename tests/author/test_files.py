"""Files that were authored: valid, the same in every format, and the same again when authored from what they say."""

import os
import shutil
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from motions import problems
from paths import RECORDINGS
from pxr import Usd, UsdUtils

import fajin
from fajin import author

EPS = float(np.finfo(np.float32).eps)
ROBOT = RECORDINGS / "authored" / "robot.usda"
BOUNDS = {"lower": -1.0, "upper": 1.0}


def on(name: str, what: str, **values):
    """An edit of one joint of the robot."""
    return lambda stage: getattr(author, what)(stage.GetPrimAtPath(f"/robot/{name}"), **values)


def bound(stage: Usd.Stage) -> list:
    """Finite limits, as mimic joints need them."""
    return [line for name in ("turn", "follow") for line in on(name, "limit", **BOUNDS)(stage)]


EDITS = {
    "drive": on("turn", "drive", stiffness=10.0, damping=1.0, max_force=5.0, target_q=0.2, type="force"),
    "drive of a slide": on("slide", "drive", type="acceleration", stiffness=10.0, damping=1.0),
    "drive of one axis": on("wrist", "drive", stiffness=10.0, axis="rotY"),
    "envelope": on("turn", "envelope", max_force=5.0, max_actuator_velocity=3.0, speed_effort_gradient=0.1),
    "limit": on("slide", "limit", lower=-0.1, upper=0.2, max_velocity=2.0),
    "limit of one axis": on("wrist", "limit", lower=-0.1, upper=0.2, axis="rotX"),
    "friction": on("turn", "friction", static=2.0, dynamic=1.0, viscous=0.5),
    "armature": on("turn", "armature", armature=0.1),
    "state": on("turn", "state", q=0.1, qd=0.2),
    "mimic": lambda stage: bound(stage) + on("follow", "mimic", reference="/robot/turn", gearing=-2.0)(stage),
    "mimic of many": lambda stage: (
        bound(stage)
        + on("follow", "mimic", reference=["/robot/turn", "/robot/slide"], gearing=[0.5, 3.0], offset=0.1)(stage)
    ),
    "tendon": lambda stage: author.tendon(
        [stage.GetPrimAtPath(f"/robot/{name}") for name in ("turn", "slide")],
        "cord",
        gearing=[0.1, -0.5],
        stiffness=20.0,
        rest_length=0.1,
        lower=-0.5,
    ),
    "spatial tendon": lambda stage: author.spatial_tendon(
        [(stage.GetPrimAtPath(f"/robot/{name}"), (0.1, 0.0, 0.1)) for name in ("base", "arm", "rod")],
        "rope",
        stiffness=20.0,
        lower=0.1,
    ),
    "scene": lambda stage: author.scene(
        stage, dt=0.01, gravity=(0, 1, 2), solver="PGS", duration=2.0, precision="double"
    ),
    "attribute": lambda stage: author.attribute(stage.GetPrimAtPath("/robot/arm"), "physics:mass", 0.7),
}


def authored(folder: Path, *names: str) -> Path:
    """A layer of edits over the robot."""
    path = folder / "robot.edits.usda"
    with author.layer(ROBOT, path) as stage:
        for name in names:
            assert EDITS[name](stage)
    return path


@pytest.mark.parametrize("name", EDITS)
def test_what_is_authored_is_valid(tmp_path, name):
    """USD's validators find nothing that they did not find in the scene."""
    assert problems(authored(tmp_path, name)) <= problems(ROBOT)


@pytest.mark.parametrize("name", EDITS)
def test_what_was_authored_is_gone_with_its_layer(tmp_path, name):
    """The scene is untouched to the byte, and reads as before; the layer reads otherwise."""
    text, before = ROBOT.read_bytes(), fajin.read(ROBOT)
    after = fajin.read(authored(tmp_path, name))
    assert ROBOT.read_bytes() == text
    assert fajin.read(ROBOT) == before
    assert replace(after, source="", reports=()) != replace(before, source="", reports=())


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz"])
def test_every_format_says_the_same(tmp_path, suffix):
    """All that can be authored, flattened into a file of each format, reads as the layers do."""
    names = [name for name in EDITS if name != "mimic"]
    layers = authored(tmp_path, *names)
    flat = tmp_path / f"flat{'.usdc' if suffix == '.usdz' else suffix}"
    Usd.Stage.Open(str(layers)).Export(str(flat), addSourceFileComment=False)
    if suffix == ".usdz":
        UsdUtils.CreateNewUsdzPackage(str(flat), str(tmp_path / "flat.usdz"))
        flat = tmp_path / "flat.usdz"
    said, flattened = fajin.read(layers), fajin.read(flat)
    assert replace(flattened, source="") == replace(said, source="")


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
def test_a_layer_has_any_format(tmp_path, suffix):
    """The same edits read the same from each."""
    path = tmp_path / f"edits{suffix}"
    with author.layer(ROBOT, path) as stage:
        EDITS["drive"](stage)
    assert replace(fajin.read(path), source="") == replace(fajin.read(authored(tmp_path, "drive")), source="")


@pytest.mark.parametrize("suffix", [".usdc", ".usdz"])
def test_a_scene_has_any_format(tmp_path, suffix):
    """A layer over a binary scene, or one in a package, reads as over the text."""
    flat = tmp_path / "scene.usdc"
    Usd.Stage.Open(str(ROBOT)).Export(str(flat), addSourceFileComment=False)
    if suffix == ".usdz":
        UsdUtils.CreateNewUsdzPackage(str(flat), str(tmp_path / "scene.usdz"))
    with author.layer(flat.with_suffix(suffix), tmp_path / "edits.usda") as stage:
        EDITS["drive"](stage)
    assert replace(fajin.read(tmp_path / "edits.usda"), source="") == replace(
        fajin.read(authored(tmp_path, "drive")), source=""
    )


ROBOTS = sorted(path.name.removesuffix(".drive.usda") for path in (RECORDINGS / "robots").glob("*.drive.usda"))


@pytest.mark.parametrize("name", ROBOTS)
def test_files_of_others_say_the_same_when_authored_again(tmp_path, robots, name):
    """Robots of Isaac's importer, of the converters and of Newton: each value read in SI, authored, and read again."""
    source = robots / f"{name}.drive.usda"
    before = fajin.read(source)
    joints = [joint for a in before.articulations for joint in a.joints]
    with author.layer(source, tmp_path / "again.usda") as stage:
        for joint in joints:
            for axis in joint.axes:
                again(stage.GetPrimAtPath(joint.path), joint, axis)
    after = [joint for a in fajin.read(tmp_path / "again.usda").articulations for joint in a.joints]
    for old, new in zip(joints, after, strict=True):
        assert [axis.token for axis in old.axes] == [axis.token for axis in new.axes]
        for one, two in zip(old.axes, new.axes, strict=True):
            np.testing.assert_allclose(numbers(two), numbers(one), rtol=4 * EPS, atol=4 * EPS)


def again(prim: Usd.Prim, joint, axis) -> None:
    """Author all that an axis says."""
    token = axis.token
    if joint.type.name != "SPHERICAL":
        author.limit(prim, lower=axis.lower, upper=axis.upper, max_velocity=axis.max_velocity, axis=token)
        author.state(prim, q=axis.q, qd=axis.qd, axis=token)
    author.armature(prim, axis.armature, axis=token)
    author.friction(prim, **values(axis.friction), axis=token)
    if axis.drive:
        drive = values(axis.drive)
        envelope, _ = drive.pop("envelope"), drive.pop("actuator")
        author.drive(prim, **{**drive, "type": axis.drive.type.name.lower()}, axis=token)
        if envelope:
            author.envelope(prim, **values(envelope), axis=token)
    if axis.mimic:
        bond = values(axis.mimic)
        ends = [(*name.rpartition(":"), gearing) for name, gearing in bond.pop("references")]
        paths, tokens, gearings = [e[0] for e in ends], [e[2] for e in ends], [e[3] for e in ends]
        author.mimic(prim, paths, gearing=gearings, reference_axis=tokens, **bond, axis=token)


def values(thing) -> dict:
    """The fields of a dataclass."""
    return {field.name: getattr(thing, field.name) for field in fields(thing)}


def numbers(thing) -> list[float]:
    """All numbers in nested dataclasses; infinity as a large one."""
    if is_dataclass(thing):
        return [x for field in fields(thing) for x in numbers(getattr(thing, field.name))]
    if isinstance(thing, tuple):
        return [x for item in thing for x in numbers(item)]
    return [float(np.clip(thing, -1e30, 1e30))] if isinstance(thing, int | float) else []


@pytest.mark.slow
def test_what_is_authored_passes_the_validation_of_nvidia(tmp_path):
    """`usd-validation-nvidia`, where it is installed, finds nothing either."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = shutil.which("nvidia_usd_validate", path=places)
    if command is None:
        pytest.skip("pip install 'fajin[ci]'")
    path = authored(tmp_path, *(name for name in EDITS if name != "mimic"))
    done = subprocess.run([command, str(path)], capture_output=True, text=True, check=False)
    assert "No issues found" in done.stdout + done.stderr, done.stdout
