"""`fajin render` as a user runs it: motions in, pictures and films out, one line about it."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from commands import fajin_here
from paths import SCENES
from PIL import Image
from usda import arm, prim, stage

import fajin

COMMAND = [sys.executable, "-m", "fajin", "render"]
SMALL = ("--size", "96x72", "--samples", 1)


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    """Half a second of a double pendulum: layer, log and recording."""
    folder = tmp_path_factory.mktemp("motion")
    done = fajin_here(
        *("simulate", SCENES / "double_pendulum.usda", "--seconds", 0.5, "--device", "cpu"),
        *("-o", folder / "out.usda", "--joints", folder / "out.npz"),
    )
    assert done.returncode == 0, done.stderr
    return folder


def render(*options):
    """Run the command to its end in this process."""
    return fajin_here("render", *options)


def pixels(path) -> np.ndarray:
    with Image.open(path) as image:
        return np.array(image)


def test_a_picture_of_a_motion_at_a_time(motion, tmp_path):
    found = []
    for at in (0.0, 0.3):
        done = render(motion / "out.usda", "-o", tmp_path / "a.png", "--time", at, *SMALL)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"wrote {tmp_path}/a.png: 96x72, 0.0")
        found.append(pixels(tmp_path / "a.png").astype(int))
    assert found[0].shape == (72, 96, 3)
    assert np.abs(found[0] - found[1]).max() > 50


def test_a_log_gives_the_picture_of_the_layer(motion, tmp_path):
    log = render(motion / "out.npz", "--scene", SCENES / "double_pendulum.usda", "-o", tmp_path / "a.png", *SMALL)
    assert (log.returncode, log.stderr) == (0, "")
    render(motion / "out.usda", "-o", tmp_path / "b.png", *SMALL)
    differs = np.abs(pixels(tmp_path / "a.png").astype(int) - pixels(tmp_path / "b.png")).max(axis=2) > 40
    assert differs.mean() < 0.01


def test_a_film_has_the_frames_of_its_span(motion, tmp_path):
    out = tmp_path / "a.apng"
    done = render(motion / "out.usda", "-o", out, "--from", 0.1, "--to", 0.4, "--fps", 20, "--speed", 0.5, *SMALL)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"wrote {out}: 13 frames of 96x72")
    with Image.open(out) as image:
        assert image.n_frames == 13


def test_numbered_frames(motion, tmp_path):
    done = render(motion / "out.usda", "-o", tmp_path / "frames" / "%02d.png", "--fps", 10, *SMALL)
    assert done.returncode == 0
    assert len(list((tmp_path / "frames").iterdir())) == 6


def test_an_orbit_films_what_stands_still(tmp_path):
    done = render(SCENES / "arm7.usda", "-o", tmp_path / "a.apng", "--orbit", 120, "--fps", 2, *SMALL)
    assert done.returncode == 0, done.stderr
    assert "6 frames" in done.stdout


def test_a_transparent_picture_has_an_alpha(motion, tmp_path):
    done = render(motion / "out.usda", "-o", tmp_path / "a.png", "--transparent", *SMALL)
    assert done.returncode == 0
    alpha = pixels(tmp_path / "a.png")[..., 3]
    assert {0, 255} <= set(np.unique(alpha))


def test_a_strip_of_plots_stands_below(motion, tmp_path):
    options = ("--scene", SCENES / "double_pendulum.usda", "--plots", ".", "--size", "320x240")
    done = render(motion / "out.npz", "-o", tmp_path / "a.png", *options)
    assert (done.returncode, done.stderr) == (0, "")
    picture = pixels(tmp_path / "a.png")
    assert picture.shape == (240, 320, 3)
    assert (picture[120:] == 255).all(axis=2).mean() > 0.5 > (picture[:120] == 255).all(axis=2).mean()
    assert ((picture == (200, 30, 30)).all(axis=2)).sum() > 50  # the line at the time


@pytest.mark.slow
def test_overlays_change_the_picture(tmp_path):
    """Each shows something that no other one does."""
    pictures = set()
    for name in ("", "colliders", "frames", "joints", "com", "bones"):
        show = ("--show", name) if name else ()
        done = render(SCENES / "anymal_c.usda", "-o", tmp_path / "a.png", *show, *SMALL)
        assert done.returncode == 0, done.stderr
        pictures.add(pixels(tmp_path / "a.png").tobytes())
    assert len(pictures) == 6


def test_links_without_geometry_are_drawn_as_bones_and_it_is_said(tmp_path):
    done = render(stage(tmp_path, arm("point3f physics:localPos0 = (0, 0, 1)")), "-o", tmp_path / "a.png", *SMALL)
    assert done.returncode == 0
    assert done.stderr == "fajin: note: no link has geometry: bones between the joints are drawn\n"


def test_a_recording_gives_an_array():
    sim = fajin.Simulation(fajin.read(SCENES / "double_pendulum.usda"), worlds=2, device="cpu")
    recording = sim.run(seconds=0.2, fps=60)
    end = fajin.render(recording, size=(80, 60), world=1)
    start = fajin.render(recording, time=0.0, size=(80, 60), camera="azimuth=20")
    assert end.shape == start.shape == (60, 80, 3)
    assert end.dtype == np.uint8
    assert (end != start).any()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "a.gif", "--time", "0"), "--time 0: must be of a picture, .png"),
        (("-o", "a.png", "--time", "9"), "--time 9: must be from 0 to 0.5, the times of the motion"),
        (("-o", "a.apng", "--to", "9"), "--from 0 --to 9: must lie in the motion, from 0 to 0.5, in this order"),
        (("-o", "a.apng", "--speed", "0"), "--speed 0, --fps 30: must be positive"),
        (("-o", "a.bmp"), "a.bmp: must have a suffix of .png"),
        (("-o", "a.gif", "--transparent"), "a.gif: must be .png, .apng, .webp to be transparent"),
        (("-o", "none/a.png"), "none/a.png: cannot be written"),
        (("-o", "a.png", "--size", "big"), "--size big: must be WIDTHxHEIGHT"),
        (("-o", "a.png", "--show", "skin"), "--show skin: must be colliders, frames, joints, com, inertia,"),
        (("-o", "a.png", "--camera", "zoom=2"), "--camera zoom=2: must be azimuth=DEG"),
        (("-o", "a.png", "--follow", "tail"), "--follow tail: must be the name of one link"),
        (("-o", "a.png", "--plots", "x"), "--plots x: must match a joint; the first is "),
        (("-o", "a.png", "--plots", "x", "--size", "99x99"), "--size 99x99: must be at least 152 high with --plots"),
        (("-o", "a.png", "--worlds", "4:2"), "--worlds 4:2: must be FIRST:LAST"),
    ],
)
def test_bad_options_are_one_line(motion, tmp_path, options, said):
    done = fajin_here("render", motion / "out.usda", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"fajin: {said}")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_bad_motions_are_one_line(motion, tmp_path):
    for options, said in (
        ((tmp_path / "none.usda",), "none.usda: must be an existing file"),
        ((motion / "out.npz",), "out.npz: must have its scene to be drawn; add --scene SCENE"),
        ((motion / "out.npz", "--scene", SCENES / "arm7.usda"), "out.npz: must be of this scene, but it lacks"),
        ((tmp_path,), "manifest.json: must be the manifest of a batch"),
    ):
        done = render(*options, "-o", tmp_path / "a.png")
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_scene_that_stands_still_is_not_a_film(tmp_path):
    done = render(SCENES / "arm7.usda", "-o", tmp_path / "a.apng")
    assert done.returncode == 2
    assert done.stderr.startswith("fajin: MOTION: must move in a film; simulate the scene first")


def test_without_a_render_option_no_plot_package_is_needed(motion, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert render(motion / "out.usda", "-o", tmp_path / "a.png", *SMALL).returncode == 0
    scene = ("--scene", SCENES / "double_pendulum.usda")
    done = render(motion / "out.npz", *scene, "-o", tmp_path / "a.png", "--plots", ".")
    assert done.returncode == 2
    assert done.stderr == "fajin: --plots: matplotlib must be installed; pip install matplotlib\n"


def test_ctrl_c_during_a_film_leaves_no_file(motion, tmp_path):
    out = tmp_path / "a.apng"
    options = ["-o", str(out), "--fps", "240", "--speed", "0.001", "--size", "320x240"]
    process = subprocess.Popen([*COMMAND, str(motion / "out.usda"), *options], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60.0
    try:
        while not list(tmp_path.glob(".a.apng.*/**/a.apng")) and time.monotonic() < end:
            time.sleep(0.05)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert list(tmp_path.iterdir()) == []


def test_a_picture_of_a_batch_shows_its_worlds(tmp_path):
    pytest.importorskip("zarr", reason="zarr 3 needs Python 3.11")
    done = fajin_here(
        *("batch", SCENES / "double_pendulum.usda", "-o", tmp_path / "out", "--worlds", 4, "--seconds", 0.1),
        *("--record", "worlds=0:4 every=8", "--device", "cpu"),
    )
    assert done.returncode == 0, done.stderr
    one, four = (
        render(tmp_path / "out", "-o", tmp_path / f"{name}.png", "--worlds", name, "--background", "white", *SMALL)
        for name in ("0", "all")
    )
    assert (one.returncode, four.returncode) == (0, 0)
    assert (pixels(tmp_path / "0.png") != pixels(tmp_path / "all.png")).any()


def test_a_motion_that_ends_infinite_is_drawn_until_then(tmp_path):
    scene = stage(tmp_path, arm(link=prim("Cube", "box")))
    sim = fajin.Simulation(fajin.read(scene), device="cpu")
    recording = sim.run(seconds=0.1, fps=60).world(0)
    pose = np.array(recording.pose)
    pose[4:] = np.nan
    from dataclasses import replace

    assert fajin.render(replace(recording, pose=pose), size=(40, 30)).shape == (30, 40, 3)
