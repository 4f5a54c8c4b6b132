"""Shapes and motion of a USD file as plain values of JSON, for the child process that reads them."""

from typing import Any

from ...scene import Scene
from ...scene.serialization import from_plain
from ...visual.look.plain import plain_of
from ..read import plain_scene
from .animation import read_animation
from .look_scene import read_look_scene


def prepare() -> None:
    """Load what reading needs."""
    plain_scene.prepare()


def read_plain_look(path: str, scene: Any, root: str) -> Any:
    """Return what is drawn of a scene whose source is `path`."""
    return plain_of(read_look_scene(from_plain(Scene, {**scene, "source": path}), root))


def read_plain_animation(path: str, links: list[str], dof: list[str], root: str) -> Any:
    """Return the motion of links and joints that a file describes."""
    return plain_of(read_animation(path, tuple(links), tuple(dof), root))
