"""Data of a page: a JSON header, then arrays at multiples of 8 bytes; all of it gzipped.

Points are 16-bit numbers over the box of their mesh, normals 8-bit. Poses are 16-bit: positions over the range of
their link in all worlds and frames, differences along time, low bytes before high bytes; gzip likes that order.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .camera import Camera
from .clustering import cells_for, cluster_mesh
from .framing import Framing
from .overlays import COLLIDER
from .scene import GUIDE, OVERLAY, LookJoint, LookLink, LookScene, Mesh, Shape
from .track import Track, matrices_of

MOST_SHADOWED = 64  # worlds; above, there are no shadows
FRAMED = 9  # worlds that the camera shows at the start
SMALL = 4_000_000  # [bytes] data above this is compressed quickly
ASPECT = 4 / 3  # of the view that a camera is placed for; in a narrower one the field is as wide
FULL = 65535  # of 16 bits


@dataclass
class Buffers:
    """Arrays one after the other."""

    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, array: np.ndarray) -> dict[str, Any]:
        """Append an array; return its place."""
        array = np.ascontiguousarray(array)
        gap = -self.size % 8
        self.parts += [b"\0" * gap, array.tobytes()]
        place = {"at": self.size + gap, "count": int(array.size), "type": array.dtype.str[1:]}
        self.size += gap + array.nbytes
        return place


def pack_page(head: dict[str, Any], buffers: Buffers) -> bytes:
    """Return header and arrays as the data of a page."""
    text = json.dumps(head, separators=(",", ":"), allow_nan=False).encode()
    start = np.uint32(len(text)).tobytes() + text
    raw = b"".join((start, b"\0" * (-len(start) % 8), *buffers.parts))
    return gzip.compress(raw, 6 if len(raw) < SMALL else 3, mtime=0)


def page_head(kind: str, title: str, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the header that every page has; a kind of page adds to it."""
    return {"kind": kind, "title": title, "notes": list(notes), "joints": [], "panels": [], "plottedWorlds": 1}


@dataclass(frozen=True)
class Ghost:
    """A second track of the same scene, drawn translucent in one color."""

    track: Track
    color: tuple[float, float, float] = (1.0, 0.3, 0.02)
    opacity: float = 0.4


def scene_head(look: LookScene, track: Track, buffers: Buffers, camera: Camera | None = None) -> dict[str, Any]:
    """Return the part of a header that draws a scene; meshes are simplified where there are many worlds.

    Args:
        look: what is drawn.
        track: its motion; only the first frame counts here.
        buffers: receives the arrays.
        camera: the first view; None to show all links, or the first worlds of many.
    """
    worlds = track.worlds
    meshes, shapes = _drawn(look, worlds)
    seen = Track(track.time, track.pose[:, :FRAMED], track.origins[:FRAMED])
    few = track if worlds <= FRAMED else track[:: max(1, len(track) // 4)]
    framing, whole = Framing.of(look, seen), Framing.of(look, few)
    camera = camera or framing.frame(Camera(), ASPECT, look.up)
    framed = sorted({joint.link for joint in look.joints} | {i for i, one in enumerate(look.links) if one.parent < 0})
    return {
        "up": look.up,
        "worlds": worlds,
        "firstWorld": 0,
        "origins": buffers.add(np.asarray(track.origins, "f4")),
        "links": [_link(one) for one in look.links],
        "framed": framed,
        "axes": [_joint(joint) for joint in look.joints],
        "meshes": [pack_mesh(mesh, buffers) for mesh in meshes],
        "shapes": [_shape(shape, meshes[shape.mesh]) for shape in shapes],
        "textures": [
            {"type": texture.type, "data": buffers.add(np.frombuffer(texture.data, np.uint8))}
            for texture in look.textures
        ],
        "shadows": worlds <= MOST_SHADOWED,
        "camera": {
            "eye": _rounded(camera.axes(look.up)[0]),
            "target": _rounded(camera.target),
            "field": camera.field,
            "aspect": ASPECT,
        },
        "extent": _extent(whole, framing),
    }


def _extent(whole: Framing, framing: Framing) -> dict[str, Any]:
    """Return the size of a motion, and of the ball that shadows cover."""
    center, radius = (whole.low + whole.high) / 2.0, float(np.linalg.norm(whole.high - whole.low)) / 2.0
    return {
        "center": _rounded(center),
        "radius": max(radius, 1e-3),
        "shadow": float(max(min(whole.radius, framing.radius * FRAMED), 1e-3)),
        "floor": float(whole.floor),
    }


def track_head(track: Track, buffers: Buffers) -> dict[str, Any]:
    """Return the part of a header that moves links: those that move, and the poses of the others."""
    pose = np.asarray(track.pose)
    moved = [link for link in range(pose.shape[2]) if (pose[:, :, link] != pose[:1, :1, link]).any()]
    low, size = np.zeros((len(moved), 3)), np.ones((len(moved), 3))
    frames, worlds = pose.shape[:2]
    planes = np.empty((2, len(moved), 7, worlds, frames), np.uint8)
    for row, link in enumerate(moved):
        values = np.ascontiguousarray(pose[:, :, link].transpose(2, 1, 0), np.float32)
        low[row] = values[:3].min(axis=(1, 2))
        size[row] = np.maximum(values[:3].max(axis=(1, 2)) - low[row], 1e-9)
        share = (values[:3] - low[row, :, None, None].astype("f4")) / size[row, :, None, None].astype("f4")
        numbers = np.concatenate([np.rint(share * FULL), np.rint(values[3:] * 32767.0)]).astype(np.int32)
        numbers[..., 1:] -= numbers[..., :-1].copy()
        planes[0, row] = numbers & 255
        planes[1, row] = (numbers >> 8) & 255
    return {
        "time": buffers.add(np.asarray(track.time, "f8")),
        "tracks": {
            "planes": buffers.add(planes),
            "low": [[*_rounded(one, 9), 0, 0, 0, 0] for one in low],
            "size": [[*_rounded(one, 9), 1, 1, 1, 1] for one in size],
        },
        "moved": moved,
        "still": [[i, _rounded(pose[0, 0, i], 9)] for i in range(pose.shape[2]) if i not in set(moved)],
    }


def add_ghost(head: dict[str, Any], look: LookScene, track: Track, ghost: Ghost) -> Track:
    """Add a second robot to the header of a scene; return the track of the links of both."""
    count = len(look.links)
    style = {"color": list(ghost.color), "opacity": ghost.opacity, "metallic": 0.0, "ghost": True}
    copies = [shape | style | {"link": shape["link"] + count} for shape in head["shapes"]
              if not shape["guide"] and shape["link"] >= 0]  # fmt: skip
    head["shapes"] += copies
    head["links"] += [one | {"name": f"{one['name']} (ghost)"} for one in head["links"][:count]]
    return Track(track.time, np.concatenate([track.pose, ghost.track.pose], axis=2), track.origins)


def _drawn(look: LookScene, worlds: int) -> tuple[list[Mesh], list[Shape]]:
    """Return the meshes and shapes to draw, with the indices of these meshes; colliders only of a few worlds."""
    cells = cells_for(look, worlds)
    shapes = [*look.visuals]
    if worlds <= MOST_SHADOWED:
        shapes += [replace(shape, **COLLIDER) for shape in look.colliders if shape.purpose == GUIDE]
    used = sorted({shape.mesh for shape in shapes})
    number = {mesh: i for i, mesh in enumerate(used)}
    meshes = [look.meshes[i] if cells is None else cluster_mesh(look.meshes[i], cells) for i in used]
    return meshes, [replace(shape, mesh=number[shape.mesh]) for shape in shapes]


def pack_mesh(mesh: Mesh, buffers: Buffers) -> dict[str, Any]:
    """Append the arrays of a mesh; return their places."""
    order, codes = code_triangles(mesh.triangles)
    points, normals = mesh.points[order], mesh.normals[order]
    low = points.min(axis=0)
    size = np.maximum(points.max(axis=0) - low, 1e-9)
    uv = {} if mesh.uv is None else {"uv": buffers.add(mesh.uv[order].astype("f4"))}
    return {
        **uv,
        "points": buffers.add(np.rint((points - low) / size * FULL).astype("u2")),
        "normals": buffers.add(np.rint(normals * 127.0).astype("i1")),
        "triangles": buffers.add(codes.astype("<u4").view("u1").reshape(-1, 4).T),
        "low": _rounded(low, 9),
        "size": _rounded(size, 9),
    }


def code_triangles(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points in the order of their first use, and per corner how far back from the newest point its own is.

    A point that is used for the first time has code 0, so most codes are small, which gzip likes.
    """
    corners = triangles.ravel()
    used, first, number = np.unique(corners, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(used), np.int64)
    rank[order] = np.arange(len(used))
    index = rank[number.ravel()]
    newest = np.concatenate([[-1], np.maximum.accumulate(index)[:-1]]) + 1
    return used[order], newest - index


def _joint(joint: LookJoint) -> dict[str, Any]:
    place = {"position": _rounded(joint.position), "axis": _rounded(joint.axis)}
    return {"link": joint.link, "rotational": joint.rotational, **place}


def _link(link: LookLink) -> dict[str, Any]:
    box = matrices_of(np.array([*link.box_pose[0], *link.box_pose[1]]))
    box[:3, :3] *= link.box
    return {"name": link.name, "path": link.path, "com": _rounded(link.com), "box": _rounded(box.T.ravel())}


def _shape(shape: Shape, mesh: Mesh) -> dict[str, Any]:
    return {
        "path": shape.path,
        "mesh": shape.mesh,
        "link": shape.link,
        "matrix": _rounded(np.asarray(shape.matrix).T.ravel(), 8),
        "color": _rounded(shape.color, 4),
        "opacity": float(shape.opacity),
        "metallic": float(shape.metallic),
        "roughness": float(shape.roughness),
        "guide": shape.purpose == GUIDE,
        "front": shape.purpose == OVERLAY,
        "texture": -1 if mesh.uv is None or shape.purpose == GUIDE else shape.texture,
    }


def _rounded(values: Any, digits: int = 7) -> list[float]:
    return [round(float(value), digits) for value in values]
