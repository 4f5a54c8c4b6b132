"""Choices of what is drawn and from where, for pages."""

from dataclasses import dataclass
from typing import Any

from .camera import Camera
from .camera_path import followed_axes, followed_link, plan_camera
from .scene import LookScene
from .track import Track

OVERLAYS = ("colliders", "frames", "joints", "com", "inertia", "tendons", "contacts", "bones")
"""Marks that are drawn on request."""
HIDE = ("visuals", "floor", "shadow")
"""Parts that are drawn unless they are hidden."""


@dataclass(frozen=True)
class LookChoices:
    """Choices of a picture: marks beside the visual shapes, parts left out, and the camera."""

    camera: str = ""  # fields, as `parse_camera` reads them
    follow: str = ""  # a link, "none", or "": the base of a robot that travels far
    show: tuple[str, ...] = ()  # names of `OVERLAYS`
    hide: tuple[str, ...] = ()  # names of `HIDE`

    def head(self, look: LookScene, track: Track) -> dict[str, Any]:
        """Return the part of a page's header that says which of its boxes are ticked, and which link is followed."""
        shown = [name for name in HIDE if name not in self.hide] + list(self.show)
        link = followed_link(look, track, self.camera, self.follow)
        along = followed_axes(look, track, link, self.follow)
        return {"show": shown, "follow": None if link < 0 else {"world": 0, "link": link, "along": along}}

    def place_camera(self, look: LookScene, track: Track, aspect: float) -> Camera:
        """Return the camera at the start; what the choices leave open shows the whole motion."""
        return plan_camera(look, track, aspect, self.camera, (0.0, self.follow)).camera


PLAIN = LookChoices()
"""The choices of who chooses nothing."""
