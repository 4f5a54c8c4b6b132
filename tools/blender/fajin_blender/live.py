# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that runs beside Blender: its objects follow it, and sliders set the targets of drives."""

import bpy

from .handles import scene_of
from .link_objects import PosedLinks
from .live_session import LiveSession

INTERVAL = 1.0 / 30.0  # [s] between states

_running: "Live | None" = None


class Live:
    """A running simulation of the scene in a Blender scene."""

    def __init__(self, scene: bpy.types.Scene, command: str, path: str):
        self._scene, self.links = scene.session_uid, None
        self.session = LiveSession(command, path)
        self._timer = self.tick  # one object, by which Blender knows the timer
        bpy.app.timers.register(self._timer, first_interval=INTERVAL)

    def tick(self) -> float | None:
        """Show the newest state; return the seconds until the next call, or None at the end."""
        if self is not _running:
            return None
        if self.scene is None:  # another file was opened
            stop()
            return None
        state = self.scene.fajin
        if not self.session.running:
            state.message = self.session.error or "the simulation ended"
            stop()
            return None
        self.show(state)
        return INTERVAL

    @property
    def scene(self) -> bpy.types.Scene | None:
        """Return the scene; None after another file is opened."""
        return scene_of(self._scene)

    def show(self, state) -> None:
        """Put the objects at the newest poses; the first state, and one after an undo, also fills the sliders."""
        poses = dict(self.session.poses())
        if not poses:
            return
        if self.links is None:
            self.links = PosedLinks(state.source, poses, self.session.description["up_axis"])
        if len(state.sliders) != len(self.session.description["controls"]):
            state.fill_sliders(self.session.description["controls"], self.session.targets())
            state.message = f"{len(self.links)} of {len(poses)} links have an object"
        self.links.pose(poses)
        state.live_time = self.session.state["head"][0]

    def close(self) -> None:
        """End the simulation and put the objects back.

        Blender 4.5 as a Python module hangs at its end while a timer is registered.
        """
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)
        self.session.close()
        if self.links is not None:
            self.links.release()


def running() -> Live | None:
    """Return the running simulation, if there is one."""
    return _running


def start(scene: bpy.types.Scene, command: str, path: str) -> None:
    """Run the scene of a file; one that runs ends."""
    global _running
    stop()
    _running = Live(scene, command, path)


def stop() -> None:
    """End the running simulation, if there is one."""
    global _running
    ended, _running = _running, None
    if ended is not None:
        ended.close()
        if ended.scene is not None:
            ended.scene.fajin.sliders.clear()


def send(message: dict) -> str:
    """Send a command to the running simulation; return why it is refused, or ""."""
    return _running.session.send(message) if _running else "no simulation runs"
