"""Poses between frames, and places of worlds."""

import numpy as np
from paths import ROOT

from fajin.quaternion import rotate
from fajin.visual.look.track import Track, grid_origins, matrices_of, track_of


def half_turn(angle: float) -> list[float]:
    """A pose turned about z."""
    return [0.0, 0.0, 0.0, 0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)]


def test_matrices_turn_as_quaternions_do():
    rng = np.random.default_rng(0)
    pose = rng.normal(size=(5, 4, 7))
    pose[..., 3:] /= np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)
    point = rng.normal(size=(5, 4, 3))
    found = np.einsum("...ij,...j", matrices_of(pose), np.concatenate([point, np.ones((5, 4, 1))], -1))
    np.testing.assert_allclose(found[..., :3], rotate(pose[..., 3:], point) + pose[..., :3], atol=1e-12)
    np.testing.assert_array_equal(found[..., 3], 1.0)


def test_between_frames_positions_are_linear_and_rotations_take_the_short_way():
    """The second frame has the quaternion's other sign, which is the same rotation."""
    pose = np.array([half_turn(0.0), half_turn(0.2)])
    pose[1, 3:] *= -1.0
    pose[1, 0] = 1.0
    found = Track(np.array([0.0, 1.0]), pose[:, None, None]).at(np.array([0.5])).pose[0, 0, 0]
    np.testing.assert_allclose(found, [0.5, *half_turn(0.1)[1:]], atol=1e-12)


def test_outside_its_times_a_motion_stands_still():
    pose = np.array([half_turn(0.0), half_turn(0.2)])[:, None, None]
    track = Track(np.array([1.0, 2.0]), pose).at(np.array([0.0, 1.0, 2.0, 9.0]))
    np.testing.assert_allclose(track.pose, pose[[0, 0, 1, 1]], atol=1e-12)


def test_a_single_frame_is_at_all_times():
    pose = np.array(half_turn(0.3))[None, None, None]
    np.testing.assert_allclose(Track(np.zeros(1), pose).at(np.array([-1.0, 0.0, 5.0])).pose, pose.repeat(3, 0))


def test_worlds_of_a_grid_keep_their_distance_on_the_floor():
    for up, floor in (("Z", [0, 1]), ("Y", [0, 2])):
        places = grid_origins(7, 1.5, up)
        gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)[~np.eye(7, dtype=bool)]
        assert gaps.min() == 1.5
        np.testing.assert_array_equal(np.delete(places, floor, axis=1), 0.0)
        np.testing.assert_allclose((places.min(0) + places.max(0)) / 2, 0.0)


def test_a_recording_of_one_or_more_worlds_has_a_world_axis():
    import fajin

    sim = fajin.Simulation(fajin.read(ROOT / "scenes/double_pendulum.usda"), worlds=2, device="cpu")
    recording = sim.run(steps=4)
    assert track_of(recording).pose.shape == recording.pose.shape
    one = track_of(recording.world(1))
    np.testing.assert_array_equal(one.pose[:, 0], recording.pose[:, 1])
