"""The files of a motion: whole or not at all, and never over the source."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from motions import HARD, apart, motion, poses, problems, roundoff
from paths import TESTS
from pxr import Sdf, Tf, Usd, UsdUtils

import fajin
from fajin.atomic_write import OutputError
from fajin.usd.write import layers
from fajin.usd.write.output_files import unwritten


@pytest.fixture
def hard(tmp_path) -> Path:
    """Centimetres, grams, Y up; scaled, instanced, nested, with transform ops of many kinds."""
    path = tmp_path / "hard.usda"
    path.write_text(HARD)
    return path


def test_the_source_stays_as_it_is_and_everything_else_is_a_few_overs(tmp_path, scenes):
    shutil.copy(scenes / "arm7.usda", tmp_path / "arm.usda")
    before = (tmp_path / "arm.usda").read_bytes()
    out = tmp_path / "deep" / "arm.anim.usda"
    out.parent.mkdir()
    written = fajin.write(motion(fajin.read(tmp_path / "arm.usda")), out)
    assert written == (out, out.with_name("arm.anim.usdc"))
    assert sorted(out.parent.iterdir()) == sorted(written)
    assert (tmp_path / "arm.usda").read_bytes() == before
    assert list(Sdf.Layer.FindOrOpen(str(out)).subLayerPaths) == ["./arm.anim.usdc", "../arm.usda"]
    specifiers = []
    for layer in map(Sdf.Layer.FindOrOpen, map(str, written)):
        layer.Traverse("/", lambda path, layer=layer: specifiers.append(layer.GetPrimAtPath(path)))
    assert {prim.specifier for prim in specifiers if prim} == {Sdf.SpecifierOver}
    assert not [prim.path for prim in specifiers if prim and prim.typeName]
    moved = tmp_path / "elsewhere"
    shutil.copytree(tmp_path, moved)
    assert Usd.Stage.Open(str(moved / "deep" / "arm.anim.usda")).GetDefaultPrim()


def test_both_layers_have_the_units_and_the_timing_of_the_stage(hard, tmp_path):
    recording = motion(fajin.read(hard), frames=31, fps=30.0)
    for file in fajin.write(recording, tmp_path / "out.usda"):
        layer = Sdf.Layer.FindOrOpen(str(file))
        assert (layer.startTimeCode, layer.endTimeCode) == (0.0, 30.0)
        assert (layer.timeCodesPerSecond, layer.framesPerSecond) == (30.0, 30.0)
        said = {name: layer.pseudoRoot.GetInfo(name) for name in ("upAxis", "metersPerUnit", "kilogramsPerUnit")}
        assert said == {"upAxis": "Y", "metersPerUnit": 0.01, "kilogramsPerUnit": 0.001}
        assert layer.defaultPrim == "World"


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usdz"])
def test_a_flattened_motion_needs_no_other_file(hard, tmp_path, suffix):
    recording = motion(fajin.read(hard))
    alone = tmp_path / "alone"
    alone.mkdir()
    fajin.write(recording, alone / f"out{suffix}", flatten=True)
    assert [file.name for file in alone.iterdir()] == [f"out{suffix}"]
    hard.unlink()
    used, _, missing = UsdUtils.ComputeAllDependencies(str(alone / f"out{suffix}"))
    assert (len(used), missing) == (1, [])
    found = poses(alone / f"out{suffix}", recording, range(len(recording)))
    assert apart(found, recording.pose[:, 0]) <= roundoff(recording) + 2.0**-9 * np.abs(recording.pose[..., :3]).max()
    assert Usd.Stage.Open(str(alone / f"out{suffix}")).GetTimeCodesPerSecond() == 60.0


@pytest.mark.parametrize("source", ["hard.usda", "gym_ant.drive.usda"])
def test_a_long_motion_goes_into_clips_and_looks_the_same(hard, robots, tmp_path, monkeypatch, source):
    source = hard if source == hard.name else robots / source
    recording = motion(fajin.read(source), frames=100)
    fajin.write(recording, tmp_path / "short.usda")
    tracks = 1 + len(recording.link) + len(recording.dof)
    monkeypatch.setattr(layers, "SAMPLES", 2 * 16 * tracks)
    written = fajin.write(recording, tmp_path / "long.usda")
    assert [file.name for file in written] == ["long.usda", "long.clips", "long.anim.usdc"]
    assert 5 <= len(list(written[1].iterdir())) <= 8
    clips = [Sdf.Layer.FindOrOpen(str(file)) for file in sorted(written[1].glob("0*.usdc"))]
    assert [clip.endTimeCode for clip in clips[:-1]] == [clip.startTimeCode for clip in clips[1:]]
    assert all(sorted(clip.ListAllTimeSamples())[-1] == clip.endTimeCode for clip in clips)
    codes = np.arange(0.0, 99.01, 0.25)  # between frames, and across the seams
    short, long = (poses(tmp_path / name, recording, codes) for name in ("short.usda", "long.usda"))
    assert apart(long, short) <= roundoff(recording)
    assert problems(tmp_path / "long.usda") <= problems(source)
    fajin.write(recording, tmp_path / "long.usda")  # over the former clips
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_an_open_stage_shows_the_motion_written_last(scenes, tmp_path):
    recording = motion(fajin.read(scenes / "arm7.usda"))
    fajin.write(recording, tmp_path / "out.usda")
    stage = Usd.Stage.Open(str(tmp_path / "out.usda"))
    fajin.write(recording[::2], tmp_path / "out.usda")
    assert stage.GetEndTimeCode() == len(recording) // 2 - 1
    assert stage


@pytest.mark.parametrize("complete", [True, False])
def test_an_interrupted_motion_says_so(scenes, tmp_path, complete):
    recording = replace(motion(fajin.read(scenes / "pendulum.usda")), complete=complete)
    fajin.write(recording, tmp_path / "out.usda")
    assert Sdf.Layer.FindOrOpen(str(tmp_path / "out.usda")).customLayerData["fajin"]["complete"] == complete


@pytest.mark.parametrize("name", ["base.usda", "scene.usda", "link.usda", "clash.usda"])
def test_no_layer_of_the_source_is_overwritten(hard, tmp_path, name):
    (tmp_path / "base.usda").write_text(HARD)
    (tmp_path / "clash.anim.usdc").symlink_to("base.usda")
    (tmp_path / "scene.usda").write_text("#usda 1.0\n(\n    subLayers = [@./base.usda@]\n    metersPerUnit = 0.01\n)\n")
    (tmp_path / "link.usda").symlink_to("base.usda")
    recording = motion(fajin.read(tmp_path / "scene.usda"))
    with pytest.raises(OutputError, match="layer of the source"):
        fajin.write(recording, tmp_path / name)
    assert (tmp_path / "base.usda").read_text() == HARD


def test_an_output_that_is_no_layer_is_refused(scenes, tmp_path):
    recording = motion(fajin.read(scenes / "pendulum.usda"))
    with pytest.raises(OutputError, match=r"\.usda, \.usdc, \.usd"):
        fajin.write(recording, tmp_path / "out.mp4")
    with pytest.raises(OutputError, match="flatten"):
        fajin.write(recording, tmp_path / "out.usdz")
    with pytest.raises(OutputError, match="cannot be written"):
        fajin.write(recording, tmp_path / "nowhere" / "out.usda")
    assert not list(tmp_path.iterdir())


def test_a_folder_of_other_things_is_not_taken_for_clips(scenes, tmp_path, monkeypatch):
    (tmp_path / "out.clips").mkdir()
    (tmp_path / "out.clips" / "holiday.mp4").write_text("dear")
    monkeypatch.setattr(layers, "SAMPLES", 8)
    with pytest.raises(OutputError, match="files that are not clips"):
        fajin.write(motion(fajin.read(scenes / "pendulum.usda")), tmp_path / "out.usda")
    assert (tmp_path / "out.clips" / "holiday.mp4").read_text() == "dear"


def test_the_cause_that_usd_reports_is_stated(tmp_path):
    """Not a guess at it."""
    (tmp_path / "file").touch()
    with pytest.raises(Tf.ErrorException) as info:
        Sdf.Layer.CreateAnonymous(".usdc").Export(str(tmp_path / "file" / "out.usdc"))
    line = str(unwritten(tmp_path / "out.usdc", info.value))
    assert line.startswith(f"{tmp_path}/out.usdc: cannot be written (")
    assert "Could not create directory" in line
    assert "\n" not in line
    assert "reports no cause" in str(unwritten(tmp_path / "out.usdc", None))


@pytest.mark.slow
@pytest.mark.parametrize("flatten", [False, True])
def test_a_disk_that_fills_up_leaves_the_former_motion(scenes, tmp_path, flatten):
    scene = scenes / "double_pendulum.usda"
    fajin.write(motion(fajin.read(scene)), tmp_path / "out.usda", flatten=flatten)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    script = f"""
import resource, signal, sys
sys.path[:0] = {[str(TESTS / "support"), str(TESTS)]!r}
from usd.test_files import *
recording = motion(fajin.read({str(scene)!r}), frames=2000)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    fajin.write(recording, {str(tmp_path / "out.usda")!r}, flatten={flatten})
except OSError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False)
    line = f"{tmp_path}/out.usda: cannot be written (File too large); free disk space or choose another folder\n"
    assert done.stdout == line
    assert done.stderr == ""
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
