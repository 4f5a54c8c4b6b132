"""Scenes, simulations and recordings introduce themselves in a line, and in a notebook in a table; frames of pandas."""

import builtins
import re

import numpy as np
import pytest

import fajin

LIMIT = 150  # characters of a line


@pytest.fixture(scope="module")
def arm(scenes):
    """A scene, a simulation of it in two worlds, and its recording."""
    scene = fajin.read(scenes / "arm7.usda")
    sim = fajin.Simulation(scene, worlds=2)
    return scene, sim, sim.run(steps=4)


def test_each_says_in_a_line_what_it_is(arm):
    scene, sim, recording = map(repr, arm)
    assert scene.startswith("<Scene ")
    assert scene.endswith("arm7.usda: 1 articulation, 8 links, 7 degrees of freedom, 240 steps/s>")
    assert sim.startswith("<Simulation of ")
    assert "arm7.usda: 2 worlds, 7 degrees of freedom, 8 links, cpu, f32, step 4, 0.0166667 s>" in sim
    assert recording == "<Recording of 5 frames, 0 to 0.0166667 s, 2 worlds, 7 degrees of freedom, 8 links>"
    assert max(map(len, (scene, sim))) < LIMIT + len(arm[0].source)


def test_each_shows_a_table_in_a_notebook(arm):
    """A row per degree of freedom, with numbers and units; text is escaped."""
    for one in arm:
        html = one._repr_html_()
        assert html.count("<tr>") == 8
        assert "joint7" in html
        assert "rad" in html
        assert "&lt;" in html or "<p>" in html
        assert len(html) < 4000


def test_a_recording_says_that_it_is_incomplete_and_can_be_empty(arm):
    from dataclasses import replace

    recording = replace(arm[2], complete=False)
    assert "incomplete" in repr(recording)
    assert "0 frames" in repr(recording[:0])
    assert recording[:0]._repr_html_()


def test_a_recording_becomes_a_frame(arm):
    """Time is the index; columns are quantity and joint; worlds are a level of the index."""
    frame = arm[2].to_frame()
    assert frame.index.names == ["time", "world"]
    assert frame.columns.names == ["quantity", "joint"]
    assert frame.shape == (10, 21)
    assert np.array_equal(frame["q"].to_numpy().reshape(5, 2, 7), arm[2].q)
    one = arm[2].world(1).to_frame()
    assert one.index.names == ["time", "world"]
    assert np.array_equal(one[("effort", "joint3")], arm[2].effort[:, 1, 2])
    assert one.attrs["units"][("qd", "joint3")] == "rad/s"
    assert one["qd", "joint3"].dtype == arm[2].qd.dtype


def test_a_frame_names_joints_by_their_paths_where_names_are_not_unique():
    from dataclasses import replace

    from planar_arm import arm as planar
    from planar_arm import simulation

    recording = simulation(planar()).run(steps=1)
    doubled = replace(recording, dof=("/a/x:rotX", "/b/x:rotX", "/b/y:rotX"))
    assert list(doubled.to_frame()["q"].columns) == ["/a/x", "/b/x", "y"]


def test_a_frame_needs_pandas(arm, monkeypatch):
    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda name, *rest, **more: _missing(name) or real(name, *rest, **more))
    with pytest.raises(ImportError, match=re.escape("to_frame needs pandas; run pip install pandas")):
        arm[2].to_frame()


def _missing(name: str) -> None:
    if name == "pandas":
        raise ImportError(name)


def test_a_path_in_place_of_a_scene_is_refused(scenes):
    with pytest.raises(TypeError, match=r"scene = '.*arm7.usda': must be a Scene or a Model; pass fajin.read\(path\)"):
        fajin.Simulation(str(scenes / "arm7.usda"))


def test_dir_of_a_simulation_is_its_public_interface(arm):
    """Documented names only."""
    names = [name for name in dir(arm[1]) if not name.startswith("_")]
    assert {"q", "target_q", "step", "run", "worlds", "dof"} <= set(names)
    for name in set(names) & set(dir(type(arm[1]))):
        assert getattr(type(arm[1]), name).__doc__, name
    assert not {"chosen", "disturb", "first_values", "floats", "lasting", "passing", "settled"} & set(names)
