"""Rasteriser: pictures of a look scene from any camera."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import taichi as ti

from ..device import DeviceError, start
from ..device.taichi_patches import fast_tracing
from ..look.camera import Camera, shape_corners
from ..look.scene import LookScene, Shape
from ..look.track import Track, matrices_of
from . import shade
from .fill import (
    FAR,
    NOTHING,
    Rows,
    clear_kernel,
    fill_depths_kernel,
    fill_keys_kernel,
    project_kernel,
)

if TYPE_CHECKING:
    from taichi import Ndarray

MOST_TEXELS = 2048  # across a shadow map
SUN_DIRECTIONS = {"Z": (0.42, -0.36, 0.83), "Y": (0.36, 0.83, 0.42)}
BACKGROUNDS = {  # colour at the top and at the horizon, linear
    "gradient": ((0.42, 0.56, 0.76), (0.80, 0.84, 0.88)),
    "white": ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
    "transparent": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
}


class Rasterizer:
    """A scene's triangles on the device, and the buffers of a picture.

    Args:
        scene: the scene.
        worlds: number of worlds of the poses that are drawn.
        size: width and height [pixels].
        samples: samples along each side of a pixel.
        shapes: the shapes to draw; None for the scene's visual shapes.
        background: gradient | white | transparent.

    Raises:
        DeviceError: Taichi runs on a device without 64-bit atomics in this process.
    """

    def __init__(
        self,
        scene: LookScene,
        worlds: int = 1,
        size: tuple[int, int] = (640, 480),
        samples: int = 2,
        shapes: Sequence[Shape] | None = None,
        background: str = "gradient",
    ):
        if start().name == "vulkan":
            raise DeviceError("device vulkan: must be cpu or cuda for pictures; draw them in another process")
        self.scene, self.worlds, self.size, self.samples, self.background = scene, worlds, size, samples, background
        self.shapes = tuple(scene.visuals if shapes is None else shapes)
        self._corners, self._link = shape_corners(scene, self.shapes)
        self._local = np.array([shape.matrix for shape in self.shapes], float).reshape(-1, 4, 4)
        self._turns = np.linalg.inv(self._local[:, :3, :3]).transpose(0, 2, 1)
        self.floor: float | None = scene.floor
        self.shadow_radius = 0.0  # [m] of the ball that the shadow map covers; grows with what is drawn
        width, height = size
        self._texels = min(4 * max(size) // 5, MOST_TEXELS)
        self._keys = ti.ndarray(ti.i64, height * width * samples**2)
        self._depths = ti.ndarray(ti.i32, self._texels**2)
        self._picture = np.zeros((height, width, 4), np.uint8)
        self._load()

    def _load(self) -> None:
        """Copy points, triangles and surfaces to the device."""
        meshes = [self.scene.meshes[shape.mesh] for shape in self.shapes]
        counts = [len(mesh.points) for mesh in meshes]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(int)
        none = [np.zeros((0, 3))]
        self._points = _on_device(np.concatenate([m.points for m in meshes] or none), ti.f32)
        self._normals = _on_device(np.concatenate([m.normals for m in meshes] or none), ti.f32)
        triangles = [mesh.triangles + first for mesh, first in zip(meshes, starts, strict=False)]
        self._triangles = _on_device(np.concatenate(triangles or none), ti.i32)
        self._owner = _on_device(np.repeat(np.arange(len(meshes)), counts), ti.i32)
        surfaces = [(*s.color, s.opacity, s.metallic, s.roughness) for s in self.shapes]
        self._surfaces = _on_device(np.array(surfaces).reshape(-1, 6), ti.f32)
        self._seen, self._lit = (ti.ndarray(ti.f32, (max(1, starts[-1]), 3)) for _ in range(2))
        self._table = _on_device(srgb_table(), ti.u8)

    @property
    def triangles(self) -> int:
        """Return the number of triangles of all worlds."""
        return self._triangles.shape[0] * self.worlds

    def draw(self, pose: np.ndarray, origins: np.ndarray, camera: Camera) -> np.ndarray:
        """Return a picture (h, w, 3) or, if it is transparent, (h, w, 4), uint8.

        Args:
            pose: (W, L, 7) poses of the links of each world.
            origins: (W, 3) places of the worlds [m].
            camera: the camera.
        """
        placed = self._place(np.asarray(pose, float), origins)
        frames = _on_device(placed[:, :, :3].reshape(-1, 12), ti.f32)
        turned = matrices_of(np.asarray(pose, float))[:, :, :3, :3]
        still = np.broadcast_to(np.eye(3), (len(pose), 1, 3, 3))
        turned = np.concatenate([turned, still], axis=1)[:, self._link] @ self._turns
        rows = (frames, _on_device(turned.reshape(-1, 9), ti.f32))
        view, rays = camera_rows(camera, self.scene.up, self.size, self.samples)
        light = self._light(placed)
        self._fill(frames, view, light)
        self._shade(rows, rays, light)
        return self._picture[..., : 4 if self.background == "transparent" else 3].copy()

    def _fill(self, frames: "Ndarray", view: "Rows", light: "Rows") -> None:
        """Find the nearest triangle of each sample, for the camera and for the sun."""
        launch(clear_kernel, self._keys, NOTHING, self._depths, FAR)
        for world in range(self.worlds if len(self.shapes) else 0):
            launch(
                project_kernel,
                self._points,
                self._owner,
                frames,
                world * len(self.shapes),
                view,
                light,
                self._seen,
                self._lit,
            )
            launch(
                fill_depths_kernel, self._triangles, self._owner, self._surfaces, self._lit, self._depths, self._texels
            )
            number = world * self._triangles.shape[0]
            launch(
                fill_keys_kernel,
                self._triangles,
                self._owner,
                self._surfaces,
                self._seen,
                self._keys,
                self.size[0] * self.samples,
                number,
            )

    def _place(self, pose: np.ndarray, origins: np.ndarray) -> np.ndarray:
        """Return the transforms (W, S, 4, 4) of all shapes into the world."""
        links = np.concatenate([matrices_of(pose), np.broadcast_to(np.eye(4), (len(pose), 1, 4, 4))], axis=1)
        placed = links[:, self._link] @ self._local  # index -1 is the world
        placed[:, :, :3, 3] += origins[:, None]
        return placed

    def _light(self, placed: np.ndarray) -> "Rows":
        """Return the rows that take points to texels and depths of the shadow map; remember the size of a texel."""
        matrix = placed @ np.linalg.inv(self._local)
        places = np.einsum("wsij,scj->wsci", matrix[..., :3, :3], self._corners) + matrix[..., None, :3, 3]
        moving = places[:, self._link >= 0].reshape(-1, 3)
        moving = moving if len(moving) else places.reshape(-1, 3)
        low, high = (moving.min(0), moving.max(0)) if len(moving) else (-np.ones(3), np.ones(3))
        axis = "XYZ".index(self.scene.up)
        self._lowest = float(low[axis])
        low[axis] = min(low[axis], self.floor_height)
        radius = 0.55 * float(np.linalg.norm(high - low)) + 1e-3
        self.shadow_radius = radius if radius > self.shadow_radius else self.shadow_radius
        sun = np.array(SUN_DIRECTIONS[self.scene.up])
        sun /= np.linalg.norm(sun)
        right = np.cross(np.eye(3)[axis], sun)
        right /= np.linalg.norm(right)
        scale = self._texels / (2.0 * self.shadow_radius)
        rows = np.zeros((3, 4))
        rows[:, :3] = right * scale, np.cross(sun, right) * -scale, -sun
        centre = rows[:, :3] @ ((low + high) / 2.0)
        centre[:2] = np.round(centre[:2])  # whole texels: shadows of what stands still stand still
        rows[:, 3] = np.array([self._texels / 2, self._texels / 2, 4.0 * self.shadow_radius]) - centre
        self._texel = 1.0 / scale
        return Rows(rows.tolist())

    @property
    def floor_height(self) -> float:
        """Return the height of the floor [m]: that of the scene, else 0, or the lowest point below."""
        return self.floor if self.floor is not None else min(0.0, getattr(self, "_lowest", 0.0))

    def _shade(self, rows: tuple, rays: dict[int, np.ndarray], light: "Rows") -> None:
        """Write the colours of the picture."""
        top, horizon = BACKGROUNDS[self.background]
        sun = np.array(SUN_DIRECTIONS[self.scene.up])
        cell = 10.0 ** np.floor(np.log10(max(self.shadow_radius, 1e-6))) * (0.5 if self.shadow_radius else 1.0)
        view = np.zeros(shade.VIEW, np.float32)
        for place, numbers in (
            *rays.items(),
            (shade.SUN, sun / np.linalg.norm(sun)),
            (shade.FLOOR, [self.floor_height]),
            (shade.FADE, [9.0 * self.shadow_radius]),
            (shade.CELL, [cell]),
            (shade.BIAS, [1.6 * self._texel]),
            (shade.TOP, top),
            (shade.HORIZON, horizon),
        ):
            view[place : place + len(numbers)] = numbers
        launch(
            shade.shade_kernel,
            self._keys,
            self._depths,
            self._texels,
            self._points,
            self._normals,
            self._triangles,
            self._owner,
            *rows,
            self._surfaces,
            _on_device(view, ti.f32),
            light,
            "XYZ".index(self.scene.up),
            max(1, len(self.shapes)),
            self.samples,
            int(self.background == "transparent"),
            self._table,
            self._picture,
        )

    def draw_frame(self, track: Track, frame: int, camera: Camera) -> np.ndarray:
        """Return the picture of a frame of a track."""
        return self.draw(track.pose[frame], track.origins, camera)


def camera_rows(camera: Camera, up: str, size: tuple[int, int], samples: int) -> tuple["Rows", dict[int, np.ndarray]]:
    """Return the rows that take points to (x w, y w, w) in samples, and the eye and rays of a view."""
    width, height = size
    eye, forward, right, above = camera.axes(up)
    narrow = np.tan(np.radians(camera.field) / 2.0)
    across, down = narrow * max(1.0, width / height), narrow * max(1.0, height / width)
    rows = np.zeros((3, 4))
    rows[0, :3] = (right / across + forward) * width * samples / 2.0
    rows[1, :3] = (forward - above / down) * height * samples / 2.0
    rows[2, :3] = forward
    rows[:, 3] = -rows[:, :3] @ eye
    rays = {
        shade.EYE: eye,
        shade.FORWARD: forward,
        shade.RIGHT: right * across,
        shade.UP: above * down,
        shade.ANGLE: np.array([2.0 * down / height]),
    }
    return Rows(rows.tolist()), rays


def launch(kernel: Callable, *arguments: object) -> None:
    """Run a kernel; the first call traces it. Constants of a trace are no other kernel's."""
    with fast_tracing():
        kernel(*arguments)


def srgb_table() -> np.ndarray:
    """Return the bytes of linear light in steps of 1 / 4095."""
    x = np.linspace(0.0, 1.0, shade.TABLE + 1)
    return np.round(255.0 * np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)).astype(np.uint8)


def _on_device(array: np.ndarray, number) -> "Ndarray":
    """Copy an array to the device; one without rows gets a row of zeros, because Taichi has no empty arrays."""
    kind = {ti.f32: np.float32, ti.i32: np.int32, ti.u8: np.uint8}[number]
    array = np.ascontiguousarray(array, kind)
    if not array.size:
        array = np.zeros((1, *array.shape[1:]), kind)
    there = ti.ndarray(number, array.shape)
    there.from_numpy(array)
    return there
