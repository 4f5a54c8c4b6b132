"""glTF files: structure by the rules of the format, and the places of points in the world."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from look.glb_file import parse
from paths import SCENES

import fajin
from fajin.atomic_write import OutputError
from fajin.usd.look.look_scene import read_look_scene
from fajin.visual.look.glb import glb_bytes, write_glb
from fajin.visual.look.scene import LookLink, LookScene, Mesh, Shape
from fajin.visual.look.track import Track, grid_origins, matrices_of, track_of


def local(node: dict) -> np.ndarray:
    """Transform of a node in its parent."""
    if "matrix" in node:
        return np.array(node["matrix"]).reshape(4, 4).T
    pose = np.array([*node.get("translation", (0, 0, 0)), *node.get("rotation", (0, 0, 0, 1))])
    return matrices_of(pose)


def world_points(document: dict, arrays: list, node: int = 0, above=None) -> list[np.ndarray]:
    """Points of all meshes in the world, in the order of the nodes."""
    here = (np.eye(4) if above is None else above) @ local(document["nodes"][node])
    found = []
    if "mesh" in document["nodes"][node]:
        (primitive,) = document["meshes"][document["nodes"][node]["mesh"]]["primitives"]
        points = arrays[primitive["attributes"]["POSITION"]]
        assert arrays[primitive["indices"]].max() < len(points)
        found.append(points @ here[:3, :3].T + here[:3, 3])
    for child in document["nodes"][node].get("children", []):
        found += world_points(document, arrays, child, here)
    return found


def test_points_are_where_the_scene_has_them_and_y_is_up():
    scene = read_look_scene(fajin.read(SCENES / "ur10.usda"))
    document, arrays = parse(glb_bytes(scene, Track(np.zeros(1), scene.rest[None, None])))
    found = np.concatenate(world_points(document, arrays))
    frames = matrices_of(scene.rest)
    expected = []
    for i in range(len(scene.links)):
        for shape in (shape for shape in scene.visuals if shape.link == i):
            matrix = frames[i] @ shape.matrix
            expected.append(scene.meshes[shape.mesh].points @ matrix[:3, :3].T + matrix[:3, 3])
    expected = np.concatenate(expected)
    np.testing.assert_allclose(found, np.stack([expected[:, 0], expected[:, 2], -expected[:, 1]], axis=1), atol=1e-5)
    assert "animations" not in document


def small_scene(up="Z") -> LookScene:
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.float32)
    mesh = Mesh(points, np.array([(0, 1, 2)], np.int32), np.tile(np.float32((0, 0, 1)), (3, 1)))
    shapes = tuple(Shape(f"/{i}", 0, i, np.eye(4, dtype=np.float32), (0.1, 0.2, 0.3), 0.5) for i in (0, 1, -1))
    return LookScene((mesh,), shapes, (LookLink("a", "/a"), LookLink("b", "/b")), up=up)


def small_track(worlds=1) -> Track:
    """Link a turns by two revolutions about z, link b stands still."""
    angle = np.linspace(0.0, 4.0 * np.pi, 41)
    pose = np.zeros((41, worlds, 2, 7))
    pose[..., 6] = 1.0
    pose[:, :, 0, 5], pose[:, :, 0, 6] = np.sin(angle / 2)[:, None], np.cos(angle / 2)[:, None]
    pose[20:, :, 0, 3:] *= -1.0
    return Track(3.0 + angle / 10.0, pose, grid_origins(worlds, 2.0))


def test_only_what_moves_is_animated_from_time_0_and_turns_the_short_way():
    document, arrays = parse(glb_bytes(small_scene(), small_track()))
    (animation,) = document["animations"]
    (channel,) = animation["channels"]
    assert document["nodes"][channel["target"]["node"]]["name"] == "a"
    assert channel["target"]["path"] == "rotation"
    sampler = animation["samplers"][channel["sampler"]]
    time, turn = arrays[sampler["input"]][:, 0], arrays[sampler["output"]]
    assert time[0] == 0.0
    assert (np.diff(time) > 0.0).all()
    assert (turn[1:] * turn[:-1]).sum(axis=1).min() > 0.9
    np.testing.assert_allclose(np.linalg.norm(turn, axis=1), 1.0, atol=1e-6)


def test_worlds_share_their_meshes_and_stand_side_by_side():
    document, arrays = parse(glb_bytes(small_scene("Y"), small_track(4)))
    assert len(document["meshes"]) == 1
    places = np.array([points[0] for points in world_points(document, arrays)])
    assert len(places) == 12
    assert len(np.unique(places.round(6), axis=0)) == 4
    assert document["materials"][0]["alphaMode"] == "BLEND"


def test_a_file_in_a_missing_folder_is_one_line(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        write_glb(small_scene(), small_track(), tmp_path / "none" / "a.glb")


def test_a_file_is_written(tmp_path):
    write_glb(small_scene(), small_track(), tmp_path / "a.glb")
    parse((tmp_path / "a.glb").read_bytes())
    assert [file.name for file in tmp_path.iterdir()] == ["a.glb"]


VALIDATE = """const validator = require('gltf-validator'), fs = require('fs');
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1]))).then((found) => {
  const serious = found.issues.messages.filter((one) => one.severity < 2 || one.code === 'UNUSED_OBJECT');
  console.log(JSON.stringify(serious));
});"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur10", "anymal_c", "quadruped_standing"])
def test_khronos_validator_finds_nothing(name, tmp_path):
    """Neither errors nor warnings, nor arrays that nothing uses."""
    found = shutil.which("node")
    known = found and subprocess.run([found, "-e", "require('gltf-validator')"], capture_output=True).returncode == 0
    if not known:
        pytest.skip("needs Node.js and gltf-validator: npm install -g gltf-validator, NODE_PATH=$(npm root -g)")
    run = fajin.Simulation(fajin.read(SCENES / f"{name}.usda"), device="cpu").run(0.2, fps=30)
    write_glb(read_look_scene(run.scene), track_of(run), tmp_path / "a.glb")
    done = subprocess.run([found, "-e", VALIDATE, tmp_path / "a.glb"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
