"""What is drawn crosses the border of the child process unchanged, and is checked where it arrives."""

from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import fajin
from fajin.scene.serialization import MALFORMED
from fajin.visual.look.plain import animation_of_plain, look_of, plain_of
from fajin.visual.look.track import Animation, Track
from fajin.visual.look_file import read_animation, read_look


def equal(a: Any, b: Any) -> bool:
    """Whether two values have equal parts, of the same types; a product of matrices may round otherwise elsewhere."""
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape or a.dtype.kind != "f" or not a.size:
            return a.dtype == b.dtype and np.array_equal(a, b)
        return bool((np.abs(a - b) <= 4 * np.finfo(a.dtype).eps * np.abs(a).max()).all())
    if is_dataclass(a):
        return all(equal(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("name", ["anymal_c", "tendon_finger", "box_on_slope", "whippletree"])
def test_the_child_reads_what_this_process_reads(scenes, name, monkeypatch):
    """Shapes, joints, tendons, and the motion of links."""
    scene = fajin.read(scenes / f"{name}.usda")
    here = read_look(scene)
    links = tuple(link.path for link in here.links)
    moved = read_animation(scene.source, links)
    monkeypatch.delenv("FAJIN_LIMITS")
    assert equal(here, read_look(scene))
    assert equal(moved, read_animation(scene.source, links))


def test_pictures_cross_the_border(robots, tmp_path):
    """And arrays that are missing."""
    from fajin.visual.look.scene import LookScene, Mesh, Texture

    pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    mesh = Mesh(np.eye(3, dtype="f4"), np.array([[0, 1, 2]], "i4"), np.eye(3, dtype="f4"), np.zeros((3, 2), "f4"))
    look = LookScene((mesh,), (), (), textures=(Texture("a.png", pixels, b"\x89PNG", "image/png"),))
    assert equal(look_of(plain_of(look)), look)


BROKEN = {
    "mesh beyond": lambda look: look["shapes"][0].update(mesh=99),
    "mesh before": lambda look: look["shapes"][0].update(mesh=-1),
    "link beyond": lambda look: look["shapes"][0].update(link=10**6),
    "texture": lambda look: look["shapes"][0].update(texture=0),
    "place": lambda look: look["shapes"][0].update(matrix=plain_of(np.eye(3, dtype="f4"))),
    "nan": lambda look: look["shapes"][0].update(matrix=plain_of(np.full((4, 4), np.nan, "f4"))),
    "triangles": lambda look: look["meshes"][0].update(triangles=plain_of(np.array([[0, 1, 10**6]], "i4"))),
    "negative": lambda look: look["meshes"][0].update(triangles=plain_of(np.array([[0, 1, -1]], "i4"))),
    "objects": lambda look: look["meshes"][0]["points"].update(type="|O"),
    "shape": lambda look: look["meshes"][0]["points"].update(shape=[10**9, 3]),
    "text": lambda look: look["meshes"][0]["points"].update(base64="!"),
    "joint": lambda look: look["joints"][0].update(link=-2),
    "parent": lambda look: look["links"][0].update(parent=5),
    "up": lambda look: look.update(up="X"),
    "color": lambda look: look["shapes"][0].update(color=[0.0, 0.0]),
    "unknown": lambda look: look.update(code="x"),
}


@pytest.fixture(scope="module")
def plain(scenes):
    """What a child answers of a robot."""
    return plain_of(read_look(fajin.read(scenes / "anymal_c.usda")))


@pytest.mark.parametrize("how", BROKEN)
def test_an_answer_of_another_form_is_refused(plain, how):
    """No index leads beyond an array, and no part has another type."""
    look_of(plain)
    changed = deepcopy(plain)
    BROKEN[how](changed)
    with pytest.raises(MALFORMED):
        look_of(changed)


def test_a_motion_of_another_form_is_refused():
    """A pose per link and time, and a state per degree of freedom and time."""
    track, states = Track(np.zeros(2), np.zeros((2, 1, 3, 7), "f4")), np.zeros((2, 5))
    plain = plain_of(Animation(track, states, states))
    assert len(animation_of_plain(plain, 3, 5).track) == 2
    with pytest.raises(ValueError, match="poses of a motion"):
        animation_of_plain(plain, 4, 5)
    with pytest.raises(ValueError, match="states of joints"):
        animation_of_plain(plain, 3, 4)
