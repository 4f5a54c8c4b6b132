"""Cameras: their description, their axes, and framing of a motion."""

from dataclasses import replace

import numpy as np
import pytest
from look.drawn import scene_of

from fajin.errors import InputError
from fajin.geometry.primitives import box_triangles
from fajin.visual.look.camera import Camera, find_link, parse_camera
from fajin.visual.look.camera_path import plan_camera
from fajin.visual.look.choices import LookChoices
from fajin.visual.look.framing import MARGIN, Framing
from fajin.visual.look.scene import LookJoint, LookLink, LookScene
from fajin.visual.look.track import Track

LINKS = ("/a/base", "/a/arm/hand", "/b/base")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", {}),
        ("azimuth=-30,elevation=10.5", {"azimuth": -30.0, "elevation": 10.5}),
        ("target=1,-2,3e0", {"target": (1.0, -2.0, 3.0)}),
        ("distance=2,target=0,0,1,field=50", {"distance": 2.0, "target": (0.0, 0.0, 1.0), "field": 50.0}),
        ("target=hand,distance=2", {"target": "hand", "distance": 2.0}),
    ],
)
def test_a_text_names_the_fields_of_a_camera(text, fields):
    assert parse_camera(text, LINKS) == fields


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("zoom=2", "--camera zoom=2: must be azimuth=DEG"),
        ("distance=far", "--camera distance=far: must be a finite number; write distance=1.5"),
        ("distance=0", "--camera distance=0: must be above 0"),
        ("azimuth=nan", "--camera azimuth=nan: must be a finite number"),
        ("target=foot", "--camera target=foot: must be the name of one link; the links are base, hand, base"),
        ("target=base", "--camera target=base: must be the name of one link, but 2 have it"),
    ],
)
def test_a_bad_camera_is_one_line(text, said):
    with pytest.raises(InputError) as error:
        parse_camera(text, LINKS)
    assert str(error.value).startswith(said)


def test_a_link_is_found_by_the_end_of_its_path():
    assert find_link("hand", LINKS, "") == 1
    assert find_link("b/base", LINKS, "") == 2
    assert find_link("/a/base", LINKS, "") == 0


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_axes_of_a_camera_are_a_right_handed_frame_above_the_floor(up):
    camera = Camera(azimuth=40.0, elevation=25.0, distance=3.0, target=(1.0, 2.0, 3.0))
    eye, forward, right, above = camera.axes(up)
    np.testing.assert_allclose(np.cross(right, above), -forward, atol=1e-12)
    np.testing.assert_allclose(eye + 3.0 * forward, (1.0, 2.0, 3.0), atol=1e-12)
    axis = "XYZ".index(up)
    assert right[axis] == pytest.approx(0.0, abs=1e-12)
    assert forward[axis] == pytest.approx(-np.sin(np.radians(25.0)))


def moving(*places) -> Track:
    """A link at places over time."""
    pose = np.zeros((len(places), 1, 1, 7))
    pose[..., 6] = 1.0
    pose[:, 0, 0, :3] = places
    return Track(np.arange(len(places)) / 10.0, pose)


@pytest.mark.parametrize("aspect", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("angles", [(-55.0, 22.0), (10.0, 80.0), (120.0, -30.0)])
def test_the_whole_motion_fits_into_the_picture_and_fills_it(aspect, angles):
    scene = scene_of((box_triangles((1.0, 0.5, 0.2)), (1, 1, 1), (0, 0, 0)))
    framing = Framing.of(scene, moving((0, 0, 0), (2, 0, 1), (3, 3, 0)))
    camera = framing.frame(Camera(*angles), aspect, "Z")
    eye, forward, right, above = camera.axes("Z")
    arm = framing.points - eye
    depth = arm @ forward
    across, down = camera.slopes(aspect)
    places = np.array([arm @ right / depth / across, arm @ above / depth / down])
    assert depth.min() > 0.0
    assert np.abs(places).max() == pytest.approx(1.0 / MARGIN, rel=1e-4)
    np.testing.assert_allclose(places.max(axis=1), -places.min(axis=1), atol=1e-4)  # in the middle


def test_a_ground_does_not_count_and_a_table_does():
    link = (box_triangles((1, 1, 1)), (1, 1, 1), (0, 0, 0))
    scene = scene_of(link, (box_triangles((3, 3, 0.1)), (1, 1, 1), (0, 0, 0)))
    scene = replace(scene, shapes=(scene.shapes[0], replace(scene.shapes[1], link=-1)))
    assert Framing.of(scene, moving((0, 0, 0))).high[0] == pytest.approx(1.5)
    scene = scene_of(link, (box_triangles((300, 300, 0.1)), (1, 1, 1), (0, 0, 0)))
    scene = replace(scene, shapes=(scene.shapes[0], replace(scene.shapes[1], link=-1)))
    assert Framing.of(scene, moving((0, 0, 0))).high[0] == pytest.approx(0.5)


def test_the_floor_is_the_scene_s_or_lies_below_everything():
    scene = scene_of((box_triangles((1, 1, 1)), (1, 1, 1), (0, 0, 0)))
    assert Framing.of(scene, moving((0, 0, 0))).floor == -100.0
    free = replace(scene, floor=None)
    assert Framing.of(free, moving((0, 0, 5), (0, 0, 2))).floor == 0.0
    assert Framing.of(free, moving((0, 0, 5), (0, 0, -2))).floor == -2.5


def test_a_base_that_stands_near_height_0_stands_on_the_floor():
    """Its arm, which a joint moves, may reach below; the floor is glass then."""
    base, arm = (box_triangles((1, 1, 1)), (1, 1, 1), (0, 0, 0.6)), (box_triangles((1, 1, 1)), (1, 1, 1), (0, 0, 0))
    scene = scene_of(base, arm)
    joint = LookJoint("elbow", "/elbow", "/elbow:rotX", 1, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    links = (*scene.links, LookLink("arm", "/arm", 0))
    shapes = (scene.shapes[0], replace(scene.shapes[1], link=1))
    scene = replace(scene, floor=None, shapes=shapes, links=links, joints=(joint,))
    pose = np.zeros((3, 1, 2, 7))
    pose[..., 6] = 1.0
    pose[:, 0, 1, 2] = (3.0, 0.0, -3.0)
    framing = Framing.of(scene, Track(np.arange(3.0), pose))
    assert framing.floor == pytest.approx(0.1)
    assert framing.glass
    pose[0, 0, 1, 2] = -3.0  # a robot that hangs on its base does not stand
    assert Framing.of(scene, Track(np.arange(3.0), pose)).floor == -3.5
    pose[0, 0, 1, 2] = 3.0
    pose[2, 0, 0, 2] = 0.5  # a base that moves does not stand
    assert Framing.of(scene, Track(np.arange(3.0), pose)).floor == -3.5


def test_frames_that_are_not_finite_do_not_count():
    scene = scene_of((box_triangles((1, 1, 1)), (1, 1, 1), (0, 0, 0)))
    framing = Framing.of(scene, moving((0, 0, 0), (np.nan, 0, 0)))
    np.testing.assert_allclose(framing.high, 0.5)


def test_a_camera_follows_a_link_at_the_same_distance():
    scene = scene_of((box_triangles((1, 1, 1)), (1, 1, 1), (0, 0, 0)))
    track = moving((0, 0, 0), (50, 0, 0))
    path = plan_camera(scene, track, 1.0, motion=(0.0, "link"))
    cameras = [path.at(time, pose, track.origins) for time, pose in zip(track.time, track.pose, strict=True)]
    np.testing.assert_allclose(np.subtract(cameras[1].target, cameras[0].target), (50, 0, 0))
    assert cameras[0].distance == cameras[1].distance < 10.0


def test_an_orbit_turns_about_the_target():
    scene = scene_of((box_triangles((1, 1, 1)), (1, 1, 1), (0, 0, 0)))
    track = moving((0, 0, 0))
    path = plan_camera(scene, track, 1.0, "azimuth=10", (30.0, ""))
    assert path.at(2.0, track.pose[0], track.origins).azimuth == 70.0
    assert path.at(2.0, track.pose[0], track.origins).target == path.camera.target


def walker(travel: float) -> tuple[LookScene, Track]:
    """A robot of two links, 1 m long, whose base moves along x; the other link swings beside it."""
    boxes = (
        (box_triangles((0.5, 0.05, 0.05)), (1, 1, 1), (0, 0, 0)),
        (box_triangles((0.05,) * 3), (1, 1, 1), (0, 0, 0)),
    )
    scene, links = scene_of(*boxes), (LookLink("base", "/base"), LookLink("leg", "/base/leg", parent=0))
    scene = replace(scene, shapes=(scene.shapes[0], replace(scene.shapes[1], link=1)))
    pose = np.zeros((11, 1, 2, 7))
    pose[..., 6] = 1.0
    pose[..., 0] = np.linspace(0.0, travel, 11)[:, None, None]
    pose[5, 0, 1, 2] = -0.4
    return replace(scene, links=links), Track(np.linspace(0.0, 1.0, 11), pose)


@pytest.mark.parametrize(
    ("travel", "text", "follow", "followed"),
    [(0.2, "", "", -1), (3.0, "", "", 0), (3.0, "", "none", -1), (3.0, "distance=2", "", -1), (0.2, "", "leg", 1)],
)
def test_a_camera_follows_a_robot_that_travels_far(travel, text, follow, followed):
    """By its size; unless the user says from where to look."""
    scene, track = walker(travel)
    assert plan_camera(scene, track, 1.0, text, (0.0, follow)).follow == followed


def test_a_camera_that_follows_sees_all_of_the_robot():
    """Also what it does later, as near as if the robot stayed in its place."""
    (scene, far), (_, still) = walker(30.0), walker(0.0)
    assert plan_camera(scene, far, 1.5).camera.distance == pytest.approx(plan_camera(scene, still, 1.5).camera.distance)


@pytest.mark.parametrize(("fall", "follow", "rise"), [(0.4, "", 0.0), (5.0, "", -5.0), (0.4, "base", -0.4)])
def test_a_camera_that_follows_by_itself_stays_level(fall, follow, rise):
    """Until the robot falls further than its size: one that fell over lies low in the picture, on its ground."""
    scene, track = walker(3.0)
    track.pose[:, 0, :, 2] -= np.linspace(0.0, fall, 11)[:, None]
    path = plan_camera(scene, track, 1.0, motion=(0.0, follow))
    first, last = (path.at(0.0, pose, track.origins).target for pose in track.pose[[0, -1]])
    np.testing.assert_allclose(np.subtract(last, first), (3.0, 0.0, rise), atol=1e-12)
    head = LookChoices(follow=follow).head(scene, track)
    assert head["follow"]["along"] == (1.0, 1.0, float(rise != 0.0))
