"""Data of pages: what the browser unpacks is what was recorded, within the steps of its numbers."""

import gzip
import json

import numpy as np
import pytest

import fajin
from fajin.visual.look.clustering import BUDGET, cells_for, cluster_mesh
from fajin.visual.look.pack import Buffers, code_triangles, pack_page, page_head, scene_head, track_head
from fajin.visual.look.report import correlations, ranks, short_columns
from fajin.visual.look.track import Track
from fajin.visual.motion.motion import motion_of


@pytest.fixture(scope="module")
def motion(scenes):
    """The arm for half a second."""
    return motion_of(fajin.Simulation(fajin.read(scenes / "ur10.usda"), device="cpu").run(0.5, fps=60))


def unpack(data: bytes) -> tuple[dict, "callable"]:
    """Header, and a function from a place to its array."""
    raw = gzip.decompress(data)
    length = int.from_bytes(raw[:4], "little")
    base = (4 + length + 7) & ~7

    def array(place: dict) -> np.ndarray:
        return np.frombuffer(raw, place["type"], place["count"], base + place["at"])

    return json.loads(raw[4 : 4 + length]), array


def test_arrays_lie_at_multiples_of_eight():
    """Typed arrays of a browser must be aligned."""
    buffers = Buffers()
    places = [buffers.add(np.arange(n, dtype=kind)) for n, kind in ((3, "u1"), (5, "u2"), (2, "f8"), (1, "f4"))]
    head, array = unpack(pack_page(page_head("plots", "x") | {"places": places}, buffers))
    assert all(place["at"] % 8 == 0 for place in places)
    assert [array(place).tolist() for place in head["places"]] == [list(range(n)) for n in (3, 5, 2, 1)]


def test_equal_pages_have_equal_bytes(motion):
    """No time, no order of hashing."""

    def packed():
        buffers = Buffers()
        head = page_head("motion", "x") | scene_head(motion.look, motion.track, buffers)
        return pack_page(head | track_head(motion.track, buffers), buffers)

    assert packed() == packed()


def test_tracks_decode_to_the_poses(motion):
    """Positions to 1/65535 of their link's range, quaternions to 1/32767; links that stand are numbers."""
    buffers = Buffers()
    head, array = unpack(pack_page(track_head(motion.track, buffers), buffers))
    frames = len(motion.track)
    planes = array(head["tracks"]["planes"]).reshape(2, len(head["moved"]), 7, 1, frames).astype(int)
    numbers = np.cumsum(planes[0] + 256 * planes[1], axis=-1) & 65535
    for row, link in enumerate(head["moved"]):
        pose = motion.track.pose[:, 0, link].T
        low, size = (np.array(head["tracks"][name][row][:3])[:, None] for name in ("low", "size"))
        assert (np.abs(low + numbers[row, :3, 0] / 65535 * size - pose[:3]) <= 0.51 * size / 65535 + 1e-7).all()
        turn = ((numbers[row, 3:, 0] + 32768) & 65535) - 32768
        assert np.abs(turn / 32767 - pose[3:]).max() <= 0.51 / 32767
    still = dict(map(tuple, [(link, tuple(pose)) for link, pose in head["still"]]))
    assert set(still) | set(head["moved"]) == set(range(motion.track.pose.shape[2]))
    for link, pose in still.items():
        np.testing.assert_allclose(pose, motion.track.pose[0, 0, link], atol=1e-8)


def test_triangles_decode_to_the_mesh(motion):
    """Corners counted back from the newest point give the triangles in the new order of points."""
    for mesh in motion.look.meshes[:5]:
        order, codes = code_triangles(mesh.triangles)
        newest, corners = 0, []
        for code in codes.tolist():
            corners.append(newest - code)
            newest += code == 0
        assert (order[corners] == mesh.triangles.ravel()).all()


def test_meshes_of_many_worlds_are_simplified(motion):
    """To a budget per world; a mesh keeps its place and size, normals their length."""
    assert cells_for(motion.look, 1) is None
    assert cells_for(motion.look, 4) is None
    cells = cells_for(motion.look, 1000)
    few = [cluster_mesh(motion.look.meshes[shape.mesh], cells) for shape in motion.look.visuals]
    assert sum(len(mesh.triangles) for mesh in few) <= 1.3 * BUDGET[0]
    for shape, mesh in zip(motion.look.visuals, few, strict=True):
        whole = motion.look.meshes[shape.mesh]
        size = np.ptp(whole.points, axis=0)
        assert np.abs(np.ptp(mesh.points, axis=0) - size).max() <= 1.5 * size.max() / cells
        assert np.abs(np.linalg.norm(mesh.normals, axis=1) - 1.0).max() < 1e-3


@pytest.mark.slow
def test_a_page_of_1000_worlds_is_small(motion):
    """Five seconds at 30 frames per second of worlds that are never still: at most 12 MB."""
    rng = np.random.default_rng(0)
    time = np.arange(150) / 30.0
    phase, rate = rng.uniform(0, 6, (1000, 8, 7)), rng.uniform(0.5, 3.0, (1000, 8, 7))
    pose = np.sin(rate[None] * time[:, None, None, None] + phase[None])
    pose[..., 3:] /= np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)
    buffers = Buffers()
    packed = pack_page(track_head(Track(time, pose.astype("f4"), np.zeros((1000, 3))), buffers), buffers)
    assert len(packed) <= 12e6


def test_rank_correlations():
    """Spearman's: 1 for any rising relation, the mean rank for ties, NaN for too few worlds."""
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [2.5, 0.0, 2.5, 1.0]
    x = np.array([1.0, 10.0, 100.0, 1000.0])
    found = correlations({"m": x**3, "n": -x, "few": np.array([1.0, np.nan, np.nan, 2.0])}, {"s": x})
    assert found[:2, 0].tolist() == pytest.approx([1.0, -1.0])
    assert np.isnan(found[2, 0])


def test_short_names_of_columns():
    """Of metrics and settings."""
    assert short_columns(["/World/arm/joint1:rotZ:overshoot"]) == ["joint1:rotZ:overshoot"]
    assert short_columns(["/World/arm/link1:mass*", "gravity.z"]) == ["link1:mass*", "gravity.z"]


def test_names_of_columns_differ():
    """With as much of their paths as tells them apart: four knees are four rows of a report."""
    knees = [f"/dog/{leg}/knee:rms_error" for leg in ("front_left", "rear_left")]
    assert short_columns([*knees, "/dog/trunk:mass*"]) == [
        "front_left/knee:rms_error", "rear_left/knee:rms_error", "trunk:mass*"
    ]  # fmt: skip
    pairs = ["/dog/a/foot|/ground:slip_distance", "/dog/b/foot|/ground:slip_distance"]
    assert short_columns(pairs) == ["a/foot|/ground:slip_distance", "b/foot|/ground:slip_distance"]
    assert short_columns(["/a:q", "/b/a:q"]) == ["/a:q", "b/a:q"]
    assert short_columns(["knee:q", "/a/knee:q"]) == ["knee:q", "a/knee:q"]
