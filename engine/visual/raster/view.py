"""Numbers of a view: what kernels need to know of camera, sun and background."""

from typing import Any

import numpy as np

from ..look.camera import Camera
from . import shade, view_numbers
from .fill import Rows

SUN_DIRECTIONS = {"Z": (0.42, -0.36, 0.83), "Y": (-0.36, 0.83, 0.42)}
BACKGROUNDS = {  # colour at the top and at the horizon, linear
    "gradient": ((0.42, 0.56, 0.76), (0.80, 0.84, 0.88)),
    "white": ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
    "transparent": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
}
KNEE = 0.6  # linear light above which the picture is compressed towards white


def camera_rows(camera: Camera, up: str, size: tuple[int, int], samples: int) -> tuple[Any, dict[int, np.ndarray]]:
    """Return the rows that take points to (x w, y w, w) in samples, and the eye and rays of a view."""
    width, height = size
    eye, forward, right, above = camera.axes(up)
    across, down = camera.slopes(width / height)
    rows = np.zeros((3, 4))
    rows[0, :3] = (right / across + forward) * width * samples / 2.0
    rows[1, :3] = (forward - above / down) * height * samples / 2.0
    rows[2, :3] = forward
    rows[:, 3] = -rows[:, :3] @ eye
    rays = {
        view_numbers.EYE: eye,
        view_numbers.FORWARD: forward,
        view_numbers.RIGHT: right * across,
        view_numbers.UP: above * down,
        view_numbers.ANGLE: np.array([2.0 * down / height]),
    }
    return Rows(rows.tolist()), rays


def sun_direction(up: str) -> np.ndarray:
    """Return the direction (3,) towards the sun."""
    sun = np.array(SUN_DIRECTIONS[up])
    return sun / np.linalg.norm(sun)


def light_rows(up: str, centre: np.ndarray, radius: float, texels: int) -> Any:
    """Return the rows that take points to texels and depth of a shadow map over a ball."""
    sun = sun_direction(up)
    right = np.cross(np.eye(3)["XYZ".index(up)], sun)
    right /= np.linalg.norm(right)
    scale = texels / (2.0 * radius)
    rows = np.zeros((3, 4))
    rows[:, :3] = right * scale, np.cross(right, sun) * scale, -sun
    middle = rows[:, :3] @ centre
    middle[:2] = np.round(middle[:2])  # whole texels: shadows of what stands still stand still
    rows[:, 3] = np.array([texels / 2, texels / 2, 4.0 * radius]) - middle
    return Rows(rows.tolist())


def srgb_table() -> np.ndarray:
    """Return the bytes of linear light from 0 to `BRIGHTEST`; light above `KNEE` is compressed up to white."""
    x = np.linspace(0.0, shade.BRIGHTEST, shade.TABLE + 1)
    room = 1.0 - KNEE
    x = np.where(x <= KNEE, x, KNEE + room * np.tanh(np.maximum(0.0, x - KNEE) / room))
    return np.round(255.0 * np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)).astype(np.uint8)
