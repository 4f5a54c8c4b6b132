"""Motions written over their source: what USD shows is what was recorded."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from motions import EPS, HARD, apart, motion, poses, problems, roundoff
from paths import RECORDINGS
from pxr import Sdf, Usd, UsdGeom

import fajin
from fajin.usd.write.animated_attributes import STILL

ORIENT = ("xformOp:orient", "xformOp:orient:motion")
ROBOTS = sorted(path.name for path in (RECORDINGS / "robots").glob("*.drive.usda"))


@pytest.fixture
def hard(tmp_path) -> Path:
    """Centimetres, grams, Y up; scaled, instanced, nested, with transform ops of many kinds."""
    path = tmp_path / "hard.usda"
    path.write_text(HARD)
    return path


@pytest.mark.parametrize("robot", ROBOTS)
def test_usd_shows_what_was_recorded(tmp_path, robots, robot):
    recording = motion(fajin.read(robots / robot))
    fajin.write(recording, tmp_path / "out.usda")
    found = poses(tmp_path / "out.usda", recording, range(len(recording)))
    assert apart(found, recording.pose[:, 0]) <= roundoff(recording)


@pytest.mark.parametrize("robot", ROBOTS)
def test_validators_find_nothing_that_the_source_did_not_have(tmp_path, robots, robot):
    fajin.write(motion(fajin.read(robots / robot)), tmp_path / "out.usda")
    assert problems(tmp_path / "out.usda") <= problems(robots / robot)


def test_scale_units_nesting_instances_and_resets_are_kept(hard, tmp_path):
    recording = motion(fajin.read(hard))
    scales = {path: scale(hard, path) for path in recording.link}
    fajin.write(recording, tmp_path / "out.usda")
    found = poses(tmp_path / "out.usda", recording, range(len(recording)))
    half_precision = 2.0**-11 * np.abs(recording.pose[..., :3]).max() / 1.0  # of the base's translation, as authored
    assert apart(found, recording.pose[:, 0]) <= roundoff(recording) + 4 * half_precision
    assert {path: scale(tmp_path / "out.usda", path) for path in recording.link} == scales
    assert problems(tmp_path / "out.usda") <= problems(hard)
    stage = Usd.Stage.Open(str(tmp_path / "out.usda"))
    lower = UsdGeom.Xformable(stage.GetPrimAtPath("/World/robot/base/shell/upper/lower"))
    assert lower.GetResetXformStack()
    types = {op.GetOpName(): str(op.GetAttr().GetTypeName()) for op in lower.GetOrderedXformOps()}
    assert types == {"xformOp:translate": "double3", "xformOp:orient:motion": "quatd", "xformOp:scale": "float3"}
    base = UsdGeom.Xformable(stage.GetPrimAtPath("/World/robot/base")).GetOrderedXformOps()
    assert [str(op.GetAttr().GetTypeName()) for op in base] == ["half3", "quatd"]


def scale(path, prim: str) -> list[float]:
    """Lengths of the axes of a prim in the frame of the stage, at frame 7."""
    matrix = UsdGeom.XformCache(7.0).GetLocalToWorldTransform(Usd.Stage.Open(str(path)).GetPrimAtPath(prim))
    return [round(matrix.GetRow3(row).GetLength(), 3) for row in range(3)]


def test_joint_states_are_in_degrees_and_stage_units(hard, tmp_path):
    recording = motion(fajin.read(hard))
    fajin.write(recording, tmp_path / "out.usda")
    stage = Usd.Stage.Open(str(tmp_path / "out.usda"))
    for path, instance, unit in (("shoulder", "angular", np.degrees(1.0)), ("elbow", "linear", 100.0)):
        prim = stage.GetPrimAtPath(f"/World/robot/{path}")
        column = [name.rpartition(":")[0] for name in recording.dof].index(str(prim.GetPath()))
        assert f"PhysicsJointStateAPI:{instance}" in prim.GetPrimTypeInfo().GetAppliedAPISchemas()
        for name, values in (("position", recording.q[:, 0]), ("velocity", recording.qd[:, 0])):
            attribute = prim.GetAttribute(f"state:{instance}:physics:{name}")
            read = [attribute.Get(code) for code in range(len(recording))]
            assert np.allclose(read, values[:, column] * unit, rtol=EPS)


def test_a_motion_starts_the_next_simulation_where_it_started_itself(hard, tmp_path):
    recording = motion(fajin.read(hard))
    fajin.write(recording, tmp_path / "out.usda")
    axes = [axis for item in fajin.read(tmp_path / "out.usda").articulations for j in item.joints for axis in j.axes]
    assert np.allclose([axis.q for axis in axes], recording.q[0, 0], rtol=4 * EPS)
    assert np.allclose([axis.qd for axis in axes], recording.qd[0, 0], rtol=4 * EPS)


def test_what_does_not_move_gets_no_samples(tmp_path, robots):
    scene = fajin.read(robots / "isaac_ur10.drive.usda")
    recording = motion(scene, still=range(3))
    noise = 1.0 + EPS * np.random.default_rng(0).uniform(-1.0, 1.0, recording.pose.shape)
    recording = replace(recording, q=0.0 * recording.q, qd=0.0 * recording.qd, pose=recording.pose * noise)
    _, animation = fajin.write(recording, tmp_path / "out.usda")
    layer = Sdf.Layer.FindOrOpen(str(animation))
    sampled = [path for path in recording.link if any(layer.ListTimeSamplesForPath(f"{path}.{op}") for op in ORIENT)]
    assert sampled == list(recording.link[3:])
    assert not any(layer.GetAttributeAtPath(f"{path}.{op}") for path in recording.link[:3] for op in ORIENT)


def test_what_rests_elsewhere_gets_a_single_value(tmp_path, robots):
    scene = fajin.read(robots / "isaac_ur10.drive.usda")
    recording = motion(scene, still=range(8))
    recording.pose[:, 0, 0, 0] += 0.5
    _, animation = fajin.write(recording, tmp_path / "out.usda")
    layer = Sdf.Layer.FindOrOpen(str(animation))
    translate = layer.GetAttributeAtPath(f"{recording.link[0]}.xformOp:translate")
    assert translate.HasDefaultValue()
    assert not layer.ListTimeSamplesForPath(translate.path)
    assert apart(poses(tmp_path / "out.usda", recording, [0, 9]), recording.pose[[0, 9], 0]) <= 2 * STILL


def test_rotations_take_the_short_way_between_frames(tmp_path, scenes):
    recording = motion(fajin.read(scenes / "arm7.usda"), frames=200)
    _, animation = fajin.write(recording, tmp_path / "out.usda")
    layer = Sdf.Layer.FindOrOpen(str(animation))
    for path in recording.link:
        samples = [layer.QueryTimeSample(f"{path}.xformOp:orient", code) for code in range(200)]
        q = np.array([[*sample.GetImaginary(), sample.GetReal()] for sample in samples])
        assert (np.sum(q[1:] * q[:-1], axis=1) > 0.0).all(), path


def test_one_world_of_many_is_shown(scenes, tmp_path):
    one = motion(fajin.read(scenes / "arm7.usda"))
    both = replace(one, **{f: np.repeat(getattr(one, f), 2, 1) for f in ("q", "qd", "effort", "pose")})
    both.pose[:, 1, 1:, :3] += 1.0
    fajin.write(both, tmp_path / "out.usda", worlds=[1])
    assert apart(poses(tmp_path / "out.usda", one, [5]), both.pose[5:6, 1]) <= roundoff(one)
    fajin.write(both, tmp_path / "out.usda", worlds=-1)
    assert apart(poses(tmp_path / "out.usda", one, [5]), both.pose[5:6, 1]) <= roundoff(one)
    with pytest.raises(ValueError, match=r"worlds = \(0, 1\): must be one world; write a file per world"):
        fajin.write(both, tmp_path / "out.usda", worlds=[0, 1])
    with pytest.raises(IndexError, match="world = 9: must be from 0 to 1"):
        fajin.write(both, tmp_path / "out.usda", worlds=[9])


def test_what_cannot_be_shown_is_refused_before_anything_is_written(scenes, tmp_path):
    """A pose that is not finite, by frame, link and world; and a recording without poses."""
    whole = motion(fajin.read(scenes / "arm7.usda"), frames=12)
    broken = replace(whole, pose=whole.pose.copy())
    broken.pose[7, 0, 3, 2] = np.nan
    place = rf"recording, frame 7 at 0\.116667 s, pose of {whole.link[3]}"
    line = rf"{place} = \[.*nan.*\]: must be finite; write recording\[:7\]"
    with pytest.raises(ValueError, match=line):
        fajin.write(broken, tmp_path / "out.usda")
    with pytest.raises(ValueError, match=r"recording = q, qd, effort: must have pose to be .*; add 'pose' to record"):
        fajin.write(replace(whole, pose=None), tmp_path / "out.usda")
    assert not list(tmp_path.iterdir())
    fajin.write(broken[:7], tmp_path / "out.usda")
