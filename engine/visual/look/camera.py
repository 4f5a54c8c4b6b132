"""Cameras: where they stand and what they look at, and their description as text."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...scene import Vector

AZIMUTH, ELEVATION, FIELD = -55.0, 22.0, 35.0  # [deg]


@dataclass(frozen=True)
class Camera:
    """A camera on a sphere about its target."""

    azimuth: float = AZIMUTH  # [deg] about the up axis, from x (from z in Y-up scenes)
    elevation: float = ELEVATION  # [deg] above the floor
    distance: float = 1.0  # [m] to the target
    target: Vector = (0.0, 0.0, 0.0)  # [m]
    field: float = FIELD  # [deg] of view, across the smaller side of a picture

    def slopes(self, aspect: float) -> tuple[float, float]:
        """Return half the width and half the height of pictures of this aspect at distance 1."""
        narrow = float(np.tan(np.radians(self.field) / 2.0))
        return narrow * max(1.0, aspect), narrow * max(1.0, 1.0 / aspect)

    def axes(self, up: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return eye [m] and the directions forward, right and up, (3,) each, in a scene with this up axis."""
        a, e = np.radians(self.azimuth), np.radians(self.elevation)
        out = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        if up == "Y":  # z, x, y take the places of x, y, z
            out, right = out[[1, 2, 0]], right[[1, 2, 0]]
        return np.array(self.target) + self.distance * out, -out, right, np.cross(out, right)


def parse_camera(text: str, links: Sequence[str] = ()) -> dict[str, float | Vector | str]:
    """Return the fields that a text such as "azimuth=-55,distance=3,target=0,0,1" names.

    A target is three numbers or the name of a link.

    Raises:
        InputError: an unknown field, or a value that is not a number or a link.
    """
    fields: dict[str, float | Vector | str] = {}
    head, _, target = text.partition("target=")
    if target:
        head, rest = head.rstrip(","), ""
        words = target.split(",")
        numbers = [is_number(word) for word in words]
        size = 3 if numbers[:3] == [True] * 3 else 1
        rest = ",".join(words[size:])
        fields["target"] = (float(words[0]), float(words[1]), float(words[2])) if size == 3 else words[0]
        head = ",".join(filter(None, (head, rest)))
    for part in filter(None, head.split(",")):
        name, _, value = part.partition("=")
        if name not in ("azimuth", "elevation", "distance", "field"):
            raise InputError(
                f"--camera {part}: must be azimuth=DEG, elevation=DEG, distance=M, field=DEG or target=LINK|X,Y,Z; "
                "correct the name"
            )
        if not is_number(value):
            raise InputError(f"--camera {part}: must be a finite number; write {name}=1.5")
        fields[name] = float(value)
    if isinstance(fields.get("target"), str):
        find_link(str(fields["target"]), links, "--camera target=")
    for name, low, high in (("distance", 0.0, np.inf), ("field", 0.0, 170.0)):
        if name in fields and not low < float(fields[name]) < high:  # pyright: ignore[reportArgumentType]
            raise InputError(f"--camera {name}={fields[name]:g}: must be above {low:g}; write a greater number")
    return fields


def is_number(text: str) -> bool:
    """Return whether a text is a finite number."""
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def find_link(text: str, links: Sequence[str], option: str) -> int:
    """Return the index of the link whose path is `text`, or ends with it.

    Raises:
        InputError: no link, or several, have this name.
    """
    ends = [i for i, path in enumerate(links) if path == text or path.endswith(f"/{text.lstrip('/')}")]
    exact = [i for i in ends if links[i] == text]
    if len(exact or ends) != 1:
        known = ", ".join(path.rpartition("/")[2] for path in list(links)[:8]) or "none"
        rule = "the name of one link" if not ends else f"the name of one link, but {len(ends)} have it"
        raise InputError(f"{option}{text}: must be {rule}; the links are {known}{', …' if len(links) > 8 else ''}")
    return (exact or ends)[0]
