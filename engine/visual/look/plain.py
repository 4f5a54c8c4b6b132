"""A look scene as plain values of JSON, for the child process that reads it, and back with checks of every part."""

import base64
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ...scene.serialization import from_plain
from .scene import LookScene, Mesh, Shape, Texture
from .track import Animation

TYPES = ("<f4", "<f8", "<i4", "|u1")
"""Types of the numbers of arrays."""


def plain_of(value: Any) -> Any:
    """Return dataclasses, tuples, arrays and bytes as objects, lists and texts."""
    if is_dataclass(value):
        return {field.name: plain_of(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return list(map(plain_of, value))
    if isinstance(value, np.ndarray):
        return {"type": value.dtype.str, "shape": list(value.shape), "base64": _text(value.tobytes())}
    return {"base64": _text(value)} if isinstance(value, bytes) else value


def look_of(plain: Any) -> LookScene:
    """Return the scene that `plain_of` described, of which every index leads to an item.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, OverflowError: the value does not describe one.
    """
    look: LookScene = from_plain(LookScene, _with_arrays(plain))
    for mesh in look.meshes:
        _check_mesh(mesh)
    for texture in look.textures:
        _check_texture(texture)
    for shape in look.shapes:
        _check_shape(shape, look)
    _check(look.up in ("Y", "Z"), "its up axis")
    _check(_is(look.rest, "f", (len(look.links), 7)), "poses of links at rest")
    count = len(look.links)
    _check(all(-1 <= link.parent < i for i, link in enumerate(look.links)), "the parent of a link")
    _check(all(0 <= joint.link < count for joint in look.joints), "the link of a joint")
    ends = [end for tendon in look.tendons for first, _, second, _ in tendon.segments for end in (first, second)]
    _check(all(-1 <= end < count for end in ends), "the link of a tendon")
    return look


def animation_of_plain(plain: Any, links: int, dofs: int) -> Animation:
    """Return the motion of one world that `plain_of` described.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, OverflowError: the value does not describe one.
    """
    animation: Animation = from_plain(Animation, _with_arrays(plain))
    track, frames = animation.track, len(animation.track.time)
    _check(_is(track.time, "f", (frames,)), "times of a motion")
    _check(_is(track.pose, "f", (frames, 1, links, 7)), "poses of a motion")
    _check(_is(track.origins, "f", (1, 3)), "the place of a world")
    for values in (animation.q, animation.qd):
        _check(any(_is(values, "f", (frames, count)) for count in (0, dofs)), "states of joints")
    return animation


def _check_mesh(mesh: Mesh) -> None:
    points = len(mesh.points)
    _check(_is(mesh.points, "f", (points, 3)), "points of a mesh")
    _check(_is(mesh.normals, "f", (points, 3)), "normals of a mesh")
    _check(_is(mesh.triangles, "i", (len(mesh.triangles), 3)), "triangles of a mesh")
    _check(mesh.triangles.min(initial=0) >= 0, "triangles of a mesh")
    _check(mesh.triangles.max(initial=-1) < points, "triangles of a mesh")
    _check(mesh.uv is None or _is(mesh.uv, "f", (points, 2)), "texture coordinates of a mesh")


def _check_texture(texture: Texture) -> None:
    height, width, *_ = texture.pixels.shape
    _check(_is(texture.pixels, "u", (height, width, 3)), "pixels of a texture")
    _check(texture.type in ("image/jpeg", "image/png"), "the type of a texture")


def _check_shape(shape: Shape, look: LookScene) -> None:
    _check(_is(shape.matrix, "f", (4, 4)), "the place of a shape")
    _check(0 <= shape.mesh < len(look.meshes), "the mesh of a shape")
    _check(-1 <= shape.link < len(look.links), "the link of a shape")
    _check(-1 <= shape.texture < len(look.textures), "the texture of a shape")


def _is(array: np.ndarray, kind: str, shape: tuple[int, ...]) -> bool:
    """Return whether an array has finite numbers of a kind, in a shape."""
    return array.dtype.kind == kind and array.shape == shape and bool(np.isfinite(array).all())


def _check(sound: bool, name: str) -> None:
    """Raise ValueError if a part is not sound."""
    if not sound:
        raise ValueError(f"{name}: must be those of a scene")


def _with_arrays(plain: Any) -> Any:
    """Return plain values with arrays and bytes."""
    if isinstance(plain, list):
        return list(map(_with_arrays, plain))
    if not isinstance(plain, dict):
        return plain
    if "base64" not in plain:
        return {name: _with_arrays(value) for name, value in plain.items()}
    content = base64.b64decode(plain["base64"], validate=True)
    if "type" not in plain:
        return content
    if plain["type"] not in TYPES:
        raise ValueError(f"{str(plain['type'])[:40]}: must be one of {', '.join(TYPES)}")
    return np.frombuffer(content, plain["type"]).reshape(plain["shape"]).copy()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
