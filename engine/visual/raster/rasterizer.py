"""Rasteriser: pictures of a scene in motion from any camera."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import taichi as ti

from ...compiler import start_taichi
from ...compiler.taichi_patches import fast_tracing
from ...device import DeviceError, running_or_cpu
from ..look.camera import Camera
from ..look.framing import Framing, shape_corners
from ..look.scene import OVERLAY, LookScene, Mesh, Shape
from ..look.track import Track, matrices_of
from . import shade, view, view_numbers
from .fill import FAR, FRONT, NOTHING, clear_kernel, fill_depths_kernel, fill_keys_kernel, project_kernel

if TYPE_CHECKING:
    from taichi import Ndarray

NEAR = 0.02  # distance of the near plane, by that of the target; closer planes cost precision
MOST_TEXELS = 2048  # across a shadow map
TEXELS = 0.8  # across a shadow map, by the larger side of the picture


@dataclass(frozen=True)
class PictureStyle:
    """Size, samples and background of pictures."""

    size: tuple[int, int] = (640, 480)  # width and height [pixels]
    samples: int = 2  # along each side of a pixel
    background: str = "gradient"  # gradient | white | transparent
    floor: bool = True
    shadows: bool = True


class Rasterizer:
    """A scene's triangles on the device, and the buffers of a picture.

    Args:
        scene: the scene.
        track: the motion that is drawn; it decides where the floor is and what the shadows cover.
        style: size, samples and background.
        shapes: the shapes to draw; None for the scene's visual shapes.

    Raises:
        DeviceError: Taichi runs on a device without 64-bit atomics in this process.
    """

    def __init__(
        self,
        scene: LookScene,
        track: Track,
        style: PictureStyle = PictureStyle(),  # frozen
        shapes: Sequence[Shape] | None = None,
    ):
        if start_taichi(running_or_cpu()) == "vulkan":
            raise DeviceError("device vulkan: must be cpu or cuda for pictures; draw them in another process")
        self.scene, self.track, self.style = scene, track, style
        self.shapes = tuple(scene.visuals if shapes is None else shapes)
        self.framing = Framing.of(scene, track)
        self._corners, self._link = shape_corners(scene, self.shapes)
        self._local = np.array([shape.matrix for shape in self.shapes], float).reshape(-1, 4, 4)
        self._turns = normal_turns(self._local[:, :3, :3])
        width, height = style.size
        self._across = min(int(TEXELS * max(style.size)), MOST_TEXELS)
        self._keys = ti.ndarray(ti.i64, height * width * style.samples**2)
        self._depths = ti.ndarray(ti.i32, self._across**2)
        self._picture = np.zeros((height, width, 4), np.uint8)
        self._load()

    def _load(self) -> None:
        """Copy points, triangles and surfaces to the device."""
        meshes = [self.scene.meshes[shape.mesh] for shape in self.shapes]
        counts = [len(mesh.points) for mesh in meshes]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(int)
        none = [np.zeros((0, 3))]
        self._points = _on_device(np.concatenate([m.points for m in meshes] or none), ti.f32)
        self._attributes = _on_device(np.concatenate([attributes_of(m) for m in meshes] or [np.zeros((0, 5))]), ti.f32)
        rows = [
            np.column_stack([mesh.triangles + first, np.full(len(mesh.triangles), number)])
            for number, (mesh, first) in enumerate(zip(meshes, starts, strict=False))
        ]
        self._triangles = _on_device(np.concatenate(rows or [np.zeros((0, 4))]), ti.i32)
        self._count = sum(map(len, rows))
        self._owner = _on_device(np.repeat(np.arange(len(meshes)), counts), ti.i32)
        near = [FRONT if shape.purpose == OVERLAY else 1.0 for shape in self.shapes]
        rows = zip(self.shapes, near, strict=True)
        surfaces = [
            (*s.color, s.opacity, s.metallic, s.roughness, front, -1 if m.uv is None else s.texture)
            for (s, front), m in zip(rows, meshes, strict=True)
        ]
        self._surfaces = _on_device(np.array(surfaces).reshape(-1, 8), ti.f32)
        pictures = [texture.pixels for texture in self.scene.textures]
        sizes = [0, *np.cumsum([picture.shape[0] * picture.shape[1] for picture in pictures])]
        sheets = [(start, one.shape[1], one.shape[0]) for start, one in zip(sizes, pictures, strict=False)]
        self._sheets = _on_device(np.array(sheets).reshape(-1, 3), ti.i32)
        self._texels = _on_device(np.concatenate([np.zeros((0, 3)), *(p.reshape(-1, 3) for p in pictures)]), ti.u8)
        self._seen, self._lit = (ti.ndarray(ti.f32, (max(1, starts[-1]), 3)) for _ in range(2))
        self._table = _on_device(view.srgb_table(), ti.u8)

    def move_shapes(self, first: int, matrices: np.ndarray) -> None:
        """Give the last shapes, from `first` on, other transforms (W, N, 4, 4); one that is zero is not drawn."""
        worlds = len(matrices)
        fixed = np.broadcast_to(self._local[..., :first, :, :], (worlds, first, 4, 4))
        self._local = np.concatenate([fixed, matrices], axis=1)
        flat = self._local[..., :3, :3].reshape(-1, 3, 3)
        self._turns = normal_turns(flat).reshape(worlds, -1, 3, 3)

    def draw(self, pose: np.ndarray, camera: Camera) -> np.ndarray:
        """Return a picture (h, w, 3) or, if its background is transparent, (h, w, 4), uint8.

        Args:
            pose: (W, L, 7) poses of the links of each world.
            camera: the camera.
        """
        pose = np.asarray(pose, float)
        if not np.isfinite(pose).all():
            raise ValueError("pose: must be finite; draw the frames before the state became infinite")
        links = np.concatenate([matrices_of(pose), np.broadcast_to(np.eye(4), (len(pose), 1, 4, 4))], axis=1)
        links = links[:, self._link]  # index -1 is the world
        turned = (links[..., :3, :3] @ self._turns).reshape(-1, 9)
        links[:, :, :3, 3] += self.track.origins[:, None]
        frames = _on_device(np.concatenate([(links @ self._local)[:, :, :3].reshape(-1, 12), turned], axis=1), ti.f32)
        rows, rays = view.camera_rows(camera, self.scene.up, self.style.size, self.style.samples)
        centre, radius = self.framing.ball(pose, self.track.origins)
        light = view.light_rows(self.scene.up, centre, radius, self._across)
        self._fill(frames, (rows, light), NEAR * camera.distance)
        numbers = self._view_numbers(rays, radius, camera.distance)
        self._shade(frames, numbers, light)
        return self._picture[..., : 4 if self.style.background == "transparent" else 3].copy()

    def _fill(self, frames: "Ndarray", rows: tuple[Any, Any], near: float) -> None:
        """Find the nearest triangle of each sample, for the camera and for the sun."""
        launch(clear_kernel, self._keys, NOTHING, self._depths, FAR)
        width, shapes = self.style.size[0] * self.style.samples, len(self.shapes)
        mesh = self._triangles, self._surfaces
        for world in range(self.track.worlds if shapes else 0):
            first = world * shapes
            launch(project_kernel, self._points, self._owner, frames, first, *rows, self._seen, self._lit)
            if self.style.shadows:
                launch(fill_depths_kernel, *mesh, self._lit, self._depths, self._across)
            launch(fill_keys_kernel, *mesh, self._seen, self._keys, width, world * self._count, near)

    def _view_numbers(self, rays: dict[int, np.ndarray], radius: float, distance: float) -> "Ndarray":
        """Return the numbers of `view_numbers.VIEW`."""
        top, horizon = view.BACKGROUNDS[self.style.background]
        floor = self.framing.floor if self.style.floor else -np.inf
        numbers = np.zeros(view_numbers.VIEW, np.float32)
        for place, values in (
            *rays.items(),
            (view_numbers.SUN, view.sun_direction(self.scene.up)),
            (view_numbers.FLOOR, [floor]),
            (view_numbers.FADE, [max(9.0 * radius, 3.0 * distance)]),
            (view_numbers.CELL, [0.5 * 10.0 ** np.floor(np.log10(radius))]),
            (view_numbers.BIAS, [3.2 * radius / self._across]),
            (view_numbers.TOP, top),
            (view_numbers.HORIZON, horizon),
            (view_numbers.GLASS, [self.framing.glass]),
        ):
            numbers[place : place + len(values)] = values
        return _on_device(numbers, ti.f32)

    def _shade(self, frames: "Ndarray", numbers: "Ndarray", light: Any) -> None:
        """Write the colours of the picture."""
        settings = np.zeros(view_numbers.SETTINGS, np.int32)
        settings[view_numbers.MAP_TEXELS] = self._across
        settings[view_numbers.AXIS] = "XYZ".index(self.scene.up)
        settings[view_numbers.SHAPES] = max(1, len(self.shapes))
        settings[view_numbers.TRANSPARENT] = self.style.background == "transparent"
        launch(
            shade.shade_kernel,
            self._keys,
            self._depths,
            self._points,
            self._attributes,
            self._triangles,
            frames,
            self._surfaces,
            self._texels,
            self._sheets,
            numbers,
            _on_device(settings, ti.i32),
            light,
            self.style.samples,
            self._table,
            self._picture,
        )


def attributes_of(mesh: Mesh) -> np.ndarray:
    """Return normals and texture coordinates of a mesh's points, (P, 5)."""
    uv = np.zeros((len(mesh.points), 2), np.float32) if mesh.uv is None else mesh.uv
    return np.column_stack([mesh.normals, uv])


def normal_turns(matrices: np.ndarray) -> np.ndarray:
    """Return what turns normals with shapes (S, 3, 3): cofactors, the inverse transpose but for a factor."""
    a, b, c = matrices.transpose(1, 0, 2)
    turns = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    sizes = np.linalg.norm(turns, axis=(1, 2), keepdims=True)
    return turns / np.where(sizes > 0.0, sizes, 1.0)


def launch(kernel: Callable, *arguments: object) -> None:
    """Run a kernel; its first call traces it. Constants that a trace has made do not outlive it."""
    with fast_tracing():
        kernel(*arguments)


def _on_device(array: np.ndarray, number: Any) -> "Ndarray":
    """Copy an array to the device; one without rows gets a row of zeros, because Taichi has no empty arrays."""
    kind = {ti.f32: np.float32, ti.i32: np.int32, ti.u8: np.uint8}[number]
    array = np.ascontiguousarray(array, kind)
    if not array.size:
        array = np.zeros((1, *array.shape[1:]), kind)
    there = ti.ndarray(number, array.shape)
    there.from_numpy(array)
    return there
