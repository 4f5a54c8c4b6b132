"""Contacts, tendons and inertia as they are drawn; contact logs; what options of view and render choose."""

import json
import re

import numpy as np
import pytest
from commands import fajin_here
from look.browser import Browser
from look.page_parts import header

import fajin
from fajin.errors import InputError
from fajin.recording.contact_log import ContactLog, read_contact_log, write_contact_log
from fajin.scene import Link
from fajin.visual.look.contact_marks import MarkSizes, mark_matrices, pair_signs
from fajin.visual.look.links import inertia_box
from fajin.visual.look.moving_marks import MovingMarks
from fajin.visual.look.track import matrices_of
from fajin.visual.motion.motion import motion_of, read_motion, with_contacts
from fajin.visual.picture import draw_frames
from fajin.visual.viewer.live import LiveViewer
from fajin.visual.viewer.live_state import HEAD_NUMBERS, MOST_POINTS

SMALL = ("--size", "96x72", "--samples", 1)


@pytest.fixture(scope="module")
def folder(scenes, tmp_path_factory):
    """A quadruped that comes to stand: animated USD and contact log of one second."""
    place = tmp_path_factory.mktemp("contacts")
    done = fajin_here(
        *("simulate", scenes / "quadruped_standing.usda", "--seconds", 1, "--device", "cpu"),
        *("-o", place / "dog.anim.usda", "--contact-log", place / "dog.npz"),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"fajin view {place / 'dog.anim.usda'} --contact-log {place / 'dog.npz'}\n")
    return place


def log_of(*frames: list[tuple]) -> ContactLog:
    """A log whose frames are 0.1 s apart and have points (point, normal, force)."""
    rows = [row for frame in frames for row in frame]
    start = np.cumsum([0, *map(len, frames)])
    point, normal, force = (np.array([row[i] for row in rows], float) for i in range(3))
    return ContactLog(0.1 * np.arange(len(frames)), start, point.reshape(-1, 3), normal.reshape(-1, 3), force,
                      np.zeros(len(rows), int), ("/a|/b",))  # fmt: skip


def test_a_contact_log_has_the_points_of_the_simulation(folder, scenes):
    """Those of the last step of every frame, and the motion is that of a run without a log, to the bit."""
    log = read_contact_log(folder / "dog.npz")
    sim = fajin.Simulation(fajin.read(scenes / "quadruped_standing.usda"), device="cpu")
    every = round(1.0 / (60.0 * sim.dt))
    assert len(log.time) == 61
    assert log.at(0.0) == slice(0, 0)
    sim.step(30 * every)
    found, rows = sim.contacts, log.at(sim.time)
    assert rows.stop - rows.start == len(found) > 3
    assert [log.pairs[i] for i in log.pair[rows]] == [found.pairs[i] for i in found.index]
    np.testing.assert_array_equal(log.point[rows], found.point.astype(np.float32))
    np.testing.assert_allclose(log.force[rows], found.impulse / sim.dt, rtol=1e-6)
    motion = read_motion(folder / "dog.anim.usda")
    np.testing.assert_allclose(motion.track.pose[30, 0, 0, :3], np.asarray(sim.link_pose)[0, 0, :3], atol=1e-6)


def test_forces_of_what_stands_carry_its_weight(folder):
    """The mean of the last frames: their sum along the up axis is m g."""
    motion = with_contacts(read_motion(folder / "dog.anim.usda"), folder / "dog.npz")
    log, scene = motion.contacts, motion.scene
    mass = sum(link.mass for part in scene.articulations for link in part.links)
    first = log.start[40]
    total = (log.normal[first:, 2] * log.force[first:]).sum() / 21
    assert total == pytest.approx(9.81 * mass, rel=0.02)


def test_a_log_between_frames_is_that_of_the_nearest():
    log = log_of([], [((0, 0, 0), (0, 0, 1), 1.0)], [((1, 0, 0), (0, 0, 1), 2.0), ((2, 0, 0), (0, 0, 1), 3.0)])
    assert [log.at(time) for time in (-1.0, 0.04, 0.06, 0.14, 0.16, 9.0)] == [
        slice(0, 0), slice(0, 0), slice(0, 1), slice(0, 1), slice(1, 3), slice(1, 3),
    ]  # fmt: skip
    assert log.most == 2
    assert log_of().at(0.0) == slice(0, 0)


def test_marks_stand_at_points_and_arrows_are_as_long_as_forces():
    """An arrow of half the extent is the weight; marks that no point needs are zero."""
    sizes = MarkSizes(radius=0.1, normal=0.5, per_newton=0.2, longest=3.0)
    log = log_of([((1.0, 2.0, 3.0), (0.6, 0.0, 0.8), 10.0), ((0, 0, 0), (0, 0, 1), 100.0)])
    ball, rod, arrow, _, _, longest, *spare = mark_matrices(log, 0.0, sizes, 3)
    ends = arrow @ [0, 0, 0, 1], arrow @ [0, 0, 1, 1]
    np.testing.assert_allclose(ends[0][:3], (1, 2, 3))
    np.testing.assert_allclose((ends[1] - ends[0])[:3], 2.0 * np.array([0.6, 0.0, 0.8]), atol=1e-12)
    np.testing.assert_allclose(ball[:3, 3], (1, 2, 3))
    np.testing.assert_allclose((rod @ [0, 0, 0.5, 1])[:3], (1.3, 2.0, 3.4))
    assert np.linalg.norm(longest[:3, 2]) == pytest.approx(3.0)
    assert not np.any(spare)


def test_arrows_push_what_moves(folder):
    """A pair whose first collider is the ground is drawn the other way."""
    motion = read_motion(folder / "dog.anim.usda")
    pairs = read_contact_log(folder / "dog.npz").pairs
    turned = ["|".join(pair.split("|")[::-1]) for pair in pairs]
    assert (pair_signs(motion.scene, pairs) == -pair_signs(motion.scene, turned)).all()


def test_the_box_of_an_inertia_is_the_box_it_came_from():
    """Edges and orientation of an even box, from its mass and inertia."""
    a, b, c, mass = 0.1, 0.2, 0.3, 2.0
    inertia = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * mass / 12.0
    turn = matrices_of(np.array([0, 0, 0, 0.18257419, 0.36514837, 0.54772256, 0.73029674]))[:3, :3]
    link = Link("/x", mass=mass, com=(1.0, 2.0, 3.0), inertia=tuple(map(tuple, turn @ inertia @ turn.T)))
    edges, (place, rotation) = inertia_box(link)
    found = matrices_of(np.array([*place, *rotation]))
    np.testing.assert_allclose(sorted(edges), (a, b, c), rtol=1e-6)
    np.testing.assert_allclose(found[:3, 3], (1, 2, 3))
    axes = found[:3, :3] @ np.diag(edges)
    np.testing.assert_allclose(axes @ axes.T, turn @ np.diag([a * a, b * b, c * c]) @ turn.T, atol=1e-9)


def test_tendons_run_between_their_points(scenes):
    """The ends of every rod are the points of its links, while these move."""
    run = fajin.Simulation(fajin.read(scenes / "tendon_finger.usda"), device="cpu").run(0.2, fps=60)
    motion = motion_of(run)
    marks = MovingMarks.of(motion.scene, motion.look, motion.extent, ("tendons",), None)
    segments = [line for tendon in motion.look.tendons for line in tendon.segments]
    assert len(marks.shapes) == len(segments) >= 3
    pose = motion.track.pose[-1]
    rods = marks.matrices(0.2, pose)[0]
    links = matrices_of(np.asarray(pose[0], float))
    for rod, (link, point, other, end) in zip(rods, segments, strict=True):
        np.testing.assert_allclose((rod @ [0, 0, -0.5, 1])[:3], (links[link] @ [*point, 1])[:3], atol=1e-6)
        np.testing.assert_allclose((rod @ [0, 0, 0.5, 1])[:3], (links[other] @ [*end, 1])[:3], atol=1e-6)
    still = marks.matrices(0.0, motion.track.pose[0])[0]
    assert np.abs(rods - still).max() > 1e-3


@pytest.mark.parametrize("show", ["tendons", "inertia"])
def test_what_is_shown_is_in_the_picture(scenes, tmp_path, show):
    """The picture differs from that without, where the mark is, and nowhere near the edges."""
    for name, options in (("with", ("--show", show)), ("without", ())):
        done = fajin_here("render", scenes / "tendon_finger.usda", "-o", tmp_path / f"{name}.png", *SMALL, *options)
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "with.png").read_bytes() != (tmp_path / "without.png").read_bytes()


def test_contacts_are_in_the_picture(folder, tmp_path):
    """Red arrows at 0.8 s, none at the start."""
    from PIL import Image

    red = {}
    for time in (0.0, 0.8):
        done = fajin_here(
            *("render", folder / "dog.anim.usda", "--contact-log", folder / "dog.npz", "--time", time),
            *("-o", tmp_path / "a.png", "--size", "200x150"),
        )
        assert (done.returncode, done.stderr) == (0, "")
        pixels = np.array(Image.open(tmp_path / "a.png")).astype(int)
        red[time] = ((pixels[..., 0] > 150) & (pixels[..., 0] > 1.8 * pixels[..., 2])).sum()
    assert red[0.0] == 0
    assert red[0.8] > 40


def test_worlds_have_marks_of_their_own(scenes):
    """Tendons of two worlds that move differently are drawn at different places."""
    sim = fajin.Simulation(fajin.read(scenes / "tendon_finger.usda"), worlds=2, device="cpu")
    sim.q[1] = np.asarray(sim.q)[1] + 0.3
    motion = motion_of(sim.run(steps=1)).side_by_side()
    marks = MovingMarks.of(motion.scene, motion.look, motion.extent, ("tendons",), None)
    placed = marks.matrices(0.0, motion.track.pose[0])
    assert np.abs(placed[0] - placed[1]).max() > 1e-3
    from fajin.visual.look.camera_path import plan_camera
    from fajin.visual.raster.rasterizer import PictureStyle

    path = plan_camera(motion.look, motion.track, 1.0)
    pictures = [
        next(draw_frames(motion, path, PictureStyle((64, 64), 1), motion.track.time[:1], show=show))
        for show in ((), ("tendons",))
    ]
    assert (pictures[0] != pictures[1]).any()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--show", "contacts"), "--show contacts: must have the contacts of the motion; add --contact-log LOG.npz"),
        (("--show", "tendons"), "--show tendons: must be of a scene with tendons; leave it out"),
        (("--contact-log", "none.npz"), "none.npz: must be a file that can be read"),
        (("--contact-log", "text.npz"), "text.npz: must be an .npz file"),
        (("--contact-log", "other.npz"), "other.npz: must be of this scene, but /a is not a collider of it"),
        (("--contact-log", "short.npz"), "short.npz: must be a fajin contact log 1 whose arrays have as many rows"),
    ],
)
@pytest.mark.parametrize("command", ["render", "view"])
def test_wrong_contacts_are_one_line(folder, command, words, said):
    (folder / "text.npz").write_text("x")
    one = log_of([((0, 0, 0), (0, 0, 1), 1.0)])
    write_contact_log(one, folder / "other.npz")
    with np.load(folder / "other.npz") as file:
        np.savez(folder / "short.npz", **(dict(file) | {"force": np.zeros(2)}))
    output = {"render": "a.png", "view": "a.html"}[command]
    done = fajin_here(command, "dog.anim.usda", "-o", output, *words, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith(f"fajin: {said}")
    assert done.stderr.count("\n") == 1


def test_a_contact_log_needs_its_suffix_and_one_world(folder, scenes, tmp_path):
    done = fajin_here("simulate", scenes / "arm7.usda", "--contact-log", tmp_path / "c.csv", "-o", tmp_path / "a.usda")
    assert done.returncode == 2
    assert done.stderr == f"fajin: {tmp_path / 'c.csv'}: contact logs must be .npz; choose this suffix\n"
    sim = fajin.Simulation(fajin.read(scenes / "quadruped_standing.usda"), worlds=2, device="cpu")
    with pytest.raises(InputError, match="must be of a motion of one world; select one by --worlds"):
        with_contacts(motion_of(sim.run(steps=1)), folder / "dog.npz")


def test_choices_reach_the_page(folder, tmp_path):
    """Ticked boxes, the camera, the followed link, the cut of the time."""
    done = fajin_here(
        *("view", "dog.anim.usda", "--contact-log", "dog.npz", "-o", tmp_path / "a.html", "--show", "inertia,bones"),
        *("--hide", "floor,shadow", "--camera", "azimuth=10,distance=2", "--follow", "trunk"),
        *("--from", 0.5, "--to", 0.9),
        cwd=folder,
    )
    assert (done.returncode, done.stderr) == (0, "")
    head, raw = header((tmp_path / "a.html").read_text())
    assert head["show"] == ["visuals", "inertia", "bones", "contacts"]
    assert head["shadows"] is False
    assert head["links"][head["follow"]["link"]]["name"] == "trunk"
    eye, target = (np.array(head["camera"][name]) for name in ("eye", "target"))
    assert np.linalg.norm(eye - target) == pytest.approx(2.0, abs=1e-5)
    assert np.degrees(np.arctan2(*(eye - target)[[1, 0]])) == pytest.approx(10.0, abs=1e-3)
    time = np.frombuffer(raw, "<f8", head["time"]["count"], head["time"]["at"])
    assert (time[0], time[-1]) == pytest.approx((0.5, 0.9))
    assert any(shape["front"] for shape in head["shapes"])  # bones


@pytest.mark.parametrize("layout", ["grid", "over"])
def test_worlds_of_a_page_stand_as_the_layout_says(scenes, layout):
    """Side by side, or in one place."""
    from fajin.visual.viewer.live_page import LiveOptions, live_motion

    sim = fajin.Simulation(fajin.read(scenes / "pendulum.usda"), worlds=4, device="cpu")
    origins = live_motion(sim, LiveOptions(grid=layout == "grid")).track.origins
    assert (np.ptp(origins, axis=0).max() > 0.5) == (layout == "grid")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--show", "tensors"), "--show tensors: must be colliders, frames, joints, com, inertia, tendons, contacts,"),
        (("--hide", "sky"), "--hide sky: must be visuals, floor, shadow; correct the name"),
        (("--follow", "nose"), "--follow nose: must be the name of one link"),
        (("--camera", "zoom=3"), "--camera zoom=3: must be azimuth=DEG"),
        (("--from", 2), "--from 2 --to 1: must lie in the motion, from 0 to 1, in this order"),
        (("--from", 0.501, "--to", 0.502), "--from 0.501 --to 0.502: must contain a frame of the motion"),
    ],
)  # fmt: skip
def test_wrong_choices_of_a_page_are_one_line(folder, words, said):
    done = fajin_here("view", "dog.anim.usda", "-o", "a.html", *words, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith(f"fajin: {said}")
    assert done.stderr.count("\n") == 1


def test_states_of_a_running_scene_have_its_contacts(scenes):
    """Number of points in the head; point, normal and force at the end."""
    sim = fajin.Simulation(fajin.read(scenes / "quadruped_standing.usda"), device="cpu")
    with LiveViewer(sim) as viewer:
        sim.step(240)
        state = np.frombuffer(viewer._parts.state((0.0,)), "<f4")
    found = sim.contacts
    assert state[5] == len(found) > 3
    points = state[len(state) - 7 * MOST_POINTS :].reshape(-1, 7)
    np.testing.assert_allclose(points[: len(found), :3], found.point, atol=1e-6)
    np.testing.assert_allclose(points[: len(found), 6], found.impulse / sim.dt, rtol=1e-5)
    assert (points[: len(found), 5] > 0.9).all()
    assert not points[len(found) :].any()
    assert len(state) == HEAD_NUMBERS + 3 * len(sim.dof) + 7 * len(sim.link) + 7 * MOST_POINTS


@pytest.mark.slow
def test_a_page_draws_contacts_and_tendons_where_they_are(folder, scenes, tmp_path):
    """Instances in the page are the transforms of the pictures; boxes of what there is not are hidden."""
    motion = with_contacts(read_motion(folder / "dog.anim.usda"), folder / "dog.npz")
    sizes = MarkSizes.of(motion.scene, motion.extent)
    fajin_here("view", "dog.anim.usda", "--contact-log", "dog.npz", "-o", tmp_path / "a.html", cwd=folder)
    fajin_here("view", scenes / "tendon_finger.usda", "--show", "tendons", "-o", tmp_path / "b.html")
    with Browser() as browser:
        browser.open(tmp_path / "a.html")
        browser.run("fajin.player.seek(0.8)")
        count = browser.run("fajin.overlays.marks.count")
        expected = mark_matrices(motion.contacts, 0.8, sizes, count).reshape(count, 3, 4, 4)
        for kind in range(3):
            values = browser.run(f"[...fajin.overlays.marks.contacts[{kind}].instanceMatrix.array]")[: 16 * count]
            found = np.array(values).reshape(count, 4, 4).transpose(0, 2, 1)
            np.testing.assert_allclose(found[..., 2:], expected[:, kind][..., 2:], atol=2e-4)  # axis and place
            lengths = np.linalg.norm(expected[:, kind, :3, :3], axis=1)
            np.testing.assert_allclose(np.linalg.norm(found[:, :3, :3], axis=1), lengths, atol=2e-4)
        assert browser.run("document.querySelector('[name=contacts]').checked") is True
        assert browser.run("document.querySelector('[name=tendons]').parentElement.hidden") is True
        browser.open(tmp_path / "b.html")
        still = read_motion(scenes / "tendon_finger.usda")
        marks = MovingMarks.of(still.scene, still.look, still.extent, ("tendons",), None)
        rods = marks.matrices(0.0, still.track.pose[0])[0]
        values = browser.run("[...fajin.overlays.marks.tendons.instanceMatrix.array]")
        found = np.array(values).reshape(-1, 4, 4).transpose(0, 2, 1)
        np.testing.assert_allclose(found[..., 2:], rods[..., 2:], atol=2e-4)
        assert browser.errors == []


def test_a_contact_log_names_only_pairs_that_touch(folder):
    """Names of pairs that never touched are left out, and nothing else of the user's machine is in the file."""
    log = read_contact_log(folder / "dog.npz")
    assert sorted(np.unique(log.pair)) == list(range(len(log.pairs)))
    assert not re.search(r"/(tmp|home|Users)/", json.dumps(log.pairs))
