"""Scenes of copies as JSON: copies take the room of their poses, and every value returns with its bits."""

import json
from dataclasses import replace

import pytest
from paths import SCENES

import fajin
from fajin.scene import Articulation, Collider, Link, Scene
from fajin.scene import copied_items as module
from fajin.scene.copied_items import different_ends, identical
from fajin.scene.renaming import Renaming
from fajin.scene.serialization import as_plain, from_json, from_plain, to_json

COPIES = 40
POSE, ENDS = 7 * 26, 120
"""Most letters of a pose in JSON: seven numbers with brackets; and of the rest of a description."""


@pytest.mark.parametrize("name", ["arm7", "quadruped_standing", "stack_of_five", "gripper_mimic"])
def test_a_copy_takes_the_room_of_its_poses(name):
    """With names and poses of links; the scene returns identical."""
    one = fajin.read(SCENES / f"{name}.usda")
    scene = fajin.replicate(one, COPIES, 1.7, filtered=False)
    text = to_json(scene)
    assert identical(from_json(text), scene)
    links = sum(len(a.links) for a in one.articulations)
    bound = links * POSE + ENDS * (len(one.articulations) + len(one.colliders)) + 1500 * len(one.joints + one.signals)
    assert len(text) < 2 * len(to_json(one)) + COPIES * bound
    assert identical(from_plain(Scene, json.loads(json.dumps(as_plain(scene)))), scene)


def test_only_what_is_identical_is_a_copy():
    """Another number, another type of number and the sign of a zero are kept."""
    scene = fajin.replicate(fajin.read(SCENES / "arm7.usda"), 5, filtered=False)
    robots = list(scene.articulations)
    assert [("copy" in said) for said in as_plain(scene)["articulations"]] == [False, *[True] * 4]
    link = robots[1].links[1]
    for i, change in enumerate(({"com": (-0.0, *link.com[1:])}, {"mass": 7.0}, {"com": (0, *link.com[1:])}), 1):
        links = list(robots[i].links)
        links[1] = replace(links[1], **({"com": (0.0, 0.0, 0.0)} | change))
        robots[i] = replace(robots[i], links=tuple(links))
    mixed = replace(scene, articulations=tuple(robots))
    assert [("copy" in said) for said in as_plain(mixed)["articulations"]] == [False, False, False, False, True]
    assert identical(from_json(to_json(mixed)), mixed)


def test_a_path_is_renamed_with_all_paths_below_it():
    """Wherever a text names it, and nothing that only begins or ends with its name; unnamed parts are shared."""
    part = Articulation("/a/b", (Link("/a/b/c"), Link("/a/bc"), Link("/x/a/b")), ())
    copy = Renaming.below("/a/b").renamed(part, "/n")
    assert [copy.path, *(link.path for link in copy.links)] == ["/n", "/n/c", "/a/bc", "/x/a/b"]
    assert copy.links[1] is part.links[1]
    assert Renaming.below("/a/b").renamed("from /a/b/c:rotX to /a/b", "/n") == "from /n/c:rotX to /n"


def test_ends_that_differ():
    assert different_ends("/w/env_0/robot", "/w/env_1/robot") == ("/w/env_0", "/w/env_1")
    assert different_ends("/robot", "/w/robot") == ("", "")


BAD = {
    "a later item": [{"copy": 0, "from": "/a", "to": "/b"}],
    "no number": [{"path": "/a"}, {"copy": 0.5, "from": "/a", "to": "/b"}],
    "no text": [{"path": "/a"}, {"copy": 0, "from": "/a", "to": 3}],
    "a negative number": [{"path": "/a"}, {"copy": -1, "from": "/a", "to": "/b"}],
    "a copy of a copy": [
        {"path": "/a"},
        {"copy": 0, "from": "/a", "to": "/b"},
        {"copy": 1, "from": "/b", "to": "/c"},
    ],
    "a long text": [{"path": "/a " + "x" * 500_000}, *[{"copy": 0, "from": "/a", "to": "/b"}] * 600],
    "long names": [{"path": "/a " * 300}, *[{"copy": 0, "from": "/a", "to": "/b" * 50_000}] * 9],
    "an infinite pose": [
        {"path": "/a", "links": [{"path": "/a"}], "joints": [], "fixed_base": False},
        {"copy": 0, "from": "/a", "to": "/b", "poses": [[[float("inf"), 0, 0], [0, 0, 0, 1]]]},
    ],
    "too many poses": [
        {"path": "/a", "links": [{"path": "/a"}], "joints": [], "fixed_base": False},
        {"copy": 0, "from": "/a", "to": "/b", "poses": [[[0, 0, 0], [0, 0, 0, 1]]] * 2},
    ],
}


@pytest.mark.parametrize("name", BAD)
def test_descriptions_that_describe_nothing_are_refused(name):
    """A child process that read a hostile file may answer with anything."""
    kind = tuple[Articulation, ...] if "pose" in name else tuple[Collider, ...]
    with pytest.raises((ValueError, TypeError, KeyError)):
        from_plain(kind, BAD[name])


def test_a_short_text_does_not_become_a_scene_that_fills_the_memory(monkeypatch):
    """Copies have a bound on their links and joints."""
    monkeypatch.setattr(module, "MOST_PARTS", 3)
    robot = {"path": "/a", "links": [{"path": "/a"}], "joints": []}
    pose = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    said = [robot, *[{"copy": 0, "from": "/a", "to": "/b", "poses": [pose]}] * 4]
    assert len(from_plain(tuple[Articulation, ...], said[:4])) == 4
    with pytest.raises(ValueError, match="at most 3 links and joints"):
        from_plain(tuple[Articulation, ...], said)
