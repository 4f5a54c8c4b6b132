"""Damaged files and scenes give a scene or one line; the commands of `fuzz_door` and `fuzz_coverage` do it to more."""

import os
from pathlib import Path

import pytest
from damaged_files import KINDS
from fuzz_coverage import judge_json, judge_model, models, scenes, twist_archive, twist_json
from fuzz_door import FAILURES, Fuzzer, judge_door

from fajin import compile, scene
from fajin.scene.serialization import from_plain

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
FILES, MODELS, SCENES = 400, 60, 3_000
FOUND = sorted((Path(__file__).parent / "found").iterdir())
"""Files that once failed: messages of USD not in UTF-8 and of thousands of letters, a scale of 3e-319, an abort."""


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_a_file_that_failed_is_a_scene_or_one_line(path):
    """In a child of its own."""
    verdict = judge_door(path)
    assert verdict.kind not in FAILURES, verdict


@pytest.mark.slow
@pytest.mark.usefixtures("sandboxed")
def test_damaged_files_are_scenes_or_one_line_each(capsys, tmp_path):
    """Texts, binary layers and packages, many per child."""
    fuzzer = Fuzzer(KINDS, tmp_path)
    fuzzer.run_block(0, FILES)
    assert fuzzer.counts.total() == FILES
    assert fuzzer.counts["scene"] > FILES / 10
    assert not sum(fuzzer.counts[kind] for kind in FAILURES), capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize(("how", "kind"), [("crash", "died"), ("stumble", "traceback"), ("spin", "died")])
def test_the_fuzzer_sees_what_a_reader_does(monkeypatch, tmp_path, how, kind):
    """A child that dies is replaced, and its file is counted."""
    monkeypatch.setattr("fuzz_door.READER", "misbehaviour:read_misbehaving")
    monkeypatch.setenv("MISBEHAVIOUR", how)
    fuzzer = Fuzzer(KINDS, tmp_path)
    monkeypatch.setattr("fuzz_door.CPU", 0.3)
    fuzzer.run_block(0, 3)
    assert fuzzer.counts[kind] == 3, fuzzer.counts


def test_damaged_scenes_in_json_are_scenes_or_refused():
    """No part has another type than its field, and no number is NaN."""
    found = {judge_json(twist_json(scenes()[seed % len(scenes())], seed)) for seed in range(SCENES)}
    assert found == {"scene", "refused"}


WRONG_WORDS = (
    ("Axis", {"token": "rotW"}),
    ("Axis", {"token": ["rotX"]}),
    ("Joint", {"path": "/j", "type": "FIXED", "body0": "", "body1": "/a", "axis": "W"}),
)


@pytest.mark.parametrize(("name", "value"), WRONG_WORDS)
def test_texts_are_those_that_a_field_may_have(name, value):
    """Compilation looks them up in tables."""
    with pytest.raises(ValueError, match="must be one of"):
        from_plain(getattr(scene, name), value)


def test_parts_that_do_not_fit_together_are_one_line():
    """An articulation without links, which no file describes."""
    with pytest.raises(scene.InvalidScene, match="whose links, joints and names fit together"):
        compile(scene.Scene("x", (scene.Articulation("/r", (), ()),)))


def test_damaged_models_are_models_or_refused(tmp_path):
    """Their arrays are changed, left out and exchanged."""
    sound = models(tmp_path)
    kinds = [judge_model(twist_archive(sound[seed % len(sound)], seed), tmp_path / "m.npz") for seed in range(MODELS)]
    assert "refused" in kinds
