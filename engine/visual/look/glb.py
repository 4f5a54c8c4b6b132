"""Binary glTF 2.0: a scene and its motion in one file that browsers, Blender and presentation programs play."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...atomic_write import staged_file
from .scene import LookScene, Shape, Texture
from .track import Track

FLOAT, SHORT, WORD = 5126, 5123, 5125  # glTF's component types
VERTICES, INDICES = 34962, 34963  # glTF's targets of buffer views
UNMOVED = 1e-7  # greatest range of a component that does not move
Z_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)  # glTF is Y-up: a turn of -90° about x


def write_glb(scene: LookScene, track: Track, path: str | Path) -> None:
    """Write a scene and its motion atomically: a node per link of each world, and one animation.

    Shapes of purpose guide are left out. Only links that move have channels.

    Raises:
        OutputError: the file cannot be written.
    """
    path = Path(path)
    content = glb_bytes(scene, track)
    with staged_file(path) as draft:
        draft.write_bytes(content)


def glb_bytes(scene: LookScene, track: Track) -> bytes:
    """Return a scene and its motion as the bytes of a .glb file."""
    writer = GltfWriter()
    writer.add_scene(scene, track)
    text = json.dumps(writer.document(), separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    binary = bytes(writer.binary) + bytes(-len(writer.binary) % 4)
    parts = struct.pack("<2I", len(text), 0x4E4F534A) + text + struct.pack("<2I", len(binary), 0x004E4942) + binary
    return struct.pack("<3I", 0x46546C67, 2, 12 + len(parts)) + parts


class GltfWriter:
    """The growing lists of a glTF document and its binary buffer."""

    def __init__(self):
        self.binary = bytearray()
        self.lists: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("nodes", "meshes", "materials", "textures", "images", "accessors", "bufferViews")
        }
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self._known: dict[tuple, int] = {}

    def add(self, name: str, item: dict[str, Any]) -> int:
        """Append an item to a list; return its index."""
        self.lists[name].append(item)
        return len(self.lists[name]) - 1

    def accessor(self, array: np.ndarray, kind: str, component: int = FLOAT, target: int = 0) -> int:
        """Append an array to the buffer; return the index of its accessor."""
        self.binary += bytes(-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": array.nbytes}
        self.binary += np.ascontiguousarray(array).tobytes()
        place = self.add("bufferViews", view | ({"target": target} if target else {}))
        about: dict[str, Any] = {"bufferView": place, "componentType": component, "count": len(array), "type": kind}
        if component == FLOAT and kind != "VEC4":
            about |= {end: np.atleast_1d(getattr(array, end)(axis=0)).tolist() for end in ("min", "max")}
        return self.add("accessors", about)

    def add_scene(self, scene: LookScene, track: Track) -> None:
        """Add the nodes of all worlds below a root, and their motion."""
        root = self.add("nodes", {"name": "world", "children": []})
        if scene.up == "Z":
            self.lists["nodes"][root]["rotation"] = list(Z_UP)
        time = -1
        if len(track) > 1:
            time = self.accessor(np.asarray(track.time - track.time[0], np.float32), "SCALAR")
        for world in range(track.worlds):
            pose = np.array(track.pose[:, world], np.float32)
            pose[..., :3] += track.origins[world].astype(np.float32)
            nodes = [
                self.add("nodes", {"name": link.name, "extras": {"path": link.path}, **placed(pose[0, i])})
                for i, link in enumerate(scene.links)
            ]
            self.lists["nodes"][root]["children"] += nodes
            still = self.add("nodes", {"name": "environment", "translation": track.origins[world].tolist()})
            self.lists["nodes"][root]["children"].append(still)
            for shape in scene.visuals:
                owner = self.lists["nodes"][nodes[shape.link] if shape.link >= 0 else still]
                owner.setdefault("children", []).append(self.shape(scene, shape))
            for i, node in enumerate(nodes if time >= 0 else ()):
                self.animate(node, time, pose[:, i])

    def shape(self, scene: LookScene, shape: Shape) -> int:
        """Add the node of a shape; return its index."""
        matrix = shape.matrix.T.astype(float).ravel().tolist()
        mesh = self.once(("mesh", shape.mesh, self.material(scene, shape)), lambda: self.mesh(scene, shape))
        return self.add("nodes", {"name": shape.path.rpartition("/")[2], "mesh": mesh, "matrix": matrix})

    def once(self, key: tuple, make: Callable[[], int]) -> int:
        """Return the index under a key, made once."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def material(self, scene: LookScene, shape: Shape) -> int:
        """Add the material of a shape; return its index."""
        key = ("material", *shape.color, shape.opacity, shape.metallic, shape.roughness, shape.texture)

        def add() -> int:
            """Add the material with its texture; return its index."""
            about = material_of(shape)
            if shape.texture >= 0:
                place = {"index": self.texture(scene.textures[shape.texture], shape.texture)}
                factors = about["pbrMetallicRoughness"]
                factors |= {
                    "baseColorTexture": place,
                    "baseColorFactor": [1.0, 1.0, 1.0, factors["baseColorFactor"][3]],
                }
            return self.add("materials", about)

        return self.once(key, add)

    def texture(self, texture: Texture, number: int) -> int:
        """Add a texture with its picture; return its index."""

        def add() -> int:
            self.binary += bytes(-len(self.binary) % 4)
            view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(texture.data)}
            self.binary += texture.data
            image = {"bufferView": self.add("bufferViews", view), "mimeType": texture.type, "name": texture.name}
            return self.add("textures", {"source": self.add("images", image)})

        return self.once(("texture", number), add)

    def mesh(self, scene: LookScene, shape: Shape) -> int:
        """Add a mesh with the material of a shape; return its index."""
        mesh = scene.meshes[shape.mesh]

        def geometry() -> int:
            """Add positions, normals and indices; return the index of the first accessor."""
            position = self.accessor(mesh.points, "VEC3", target=VERTICES)
            self.accessor(mesh.normals, "VEC3", target=VERTICES)
            if mesh.uv is not None:  # glTF counts from the upper row
                self.accessor(
                    np.array([0.0, 1.0], np.float32) + mesh.uv * np.array([1.0, -1.0], np.float32),
                    "VEC2",
                    target=VERTICES,
                )
            small = len(mesh.points) < 65535  # the greatest number of a type restarts primitives
            indices = mesh.triangles.reshape(-1).astype(np.uint16 if small else np.uint32)
            self.accessor(indices, "SCALAR", SHORT if small else WORD, INDICES)
            return position

        first = self.once(("geometry", shape.mesh), geometry)
        plain = mesh.uv is None
        primitive = {
            "attributes": {"POSITION": first, "NORMAL": first + 1} | ({} if plain else {"TEXCOORD_0": first + 2}),
            "indices": first + (2 if plain else 3),
            "material": self.material(scene, shape),
        }
        return self.add("meshes", {"primitives": [primitive]})

    def animate(self, node: int, time: int, pose: np.ndarray) -> None:
        """Add the motion (T, 7) of a node, if it moves."""
        rotation = pose[:, 3:] / np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
        flips = np.where((rotation[1:] * rotation[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
        rotation = rotation * np.cumprod(np.concatenate([[1.0], flips]))[:, None]  # the short way
        for name, values, kind in (("translation", pose[:, :3], "VEC3"), ("rotation", rotation, "VEC4")):
            if np.ptp(values, axis=0).max() > UNMOVED:
                output = self.accessor(values.astype(np.float32), kind)
                self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": name}})
                self.samplers.append({"input": time, "output": output, "interpolation": "LINEAR"})

    def document(self) -> dict[str, Any]:
        """Return the JSON document."""
        document = {"asset": {"version": "2.0", "generator": "fajin"}, "scene": 0, "scenes": [{"nodes": [0]}]}
        document |= {name: items for name, items in self.lists.items() if items}
        if self.binary:
            document["buffers"] = [{"byteLength": len(self.binary) + -len(self.binary) % 4}]
        if self.channels:
            document["animations"] = [{"name": "motion", "channels": self.channels, "samplers": self.samplers}]
        return document


def placed(pose: np.ndarray) -> dict[str, list[float]]:
    """Return translation and rotation of a node."""
    rotation = pose[3:].astype(float) / np.linalg.norm(pose[3:].astype(float))
    return {"translation": pose[:3].astype(float).tolist(), "rotation": rotation.tolist()}


def material_of(shape: Shape) -> dict[str, Any]:
    """Return the material of a shape."""
    color = [min(1.0, max(0.0, float(value))) for value in (*shape.color, shape.opacity)]
    factors = {
        "baseColorFactor": color,
        "metallicFactor": min(1.0, max(0.0, float(shape.metallic))),
        "roughnessFactor": min(1.0, max(0.0, float(shape.roughness))),
    }
    clear = {"alphaMode": "BLEND"} if color[3] < 1.0 else {}
    return {"pbrMetallicRoughness": factors, "doubleSided": True, **clear}
