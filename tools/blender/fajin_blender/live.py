# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that runs beside Blender: its objects follow it, and sliders set the targets of drives."""

import bpy

from .link_objects import PosedLinks
from .live_session import LiveSession

INTERVAL = 1.0 / 30.0  # [s] between states

_running: "Live | None" = None


class Live:
    """A running simulation of the scene in a Blender scene."""

    def __init__(self, scene: bpy.types.Scene, command: str, path: str):
        self.scene, self.links = scene, None
        self.session = LiveSession(command, path)
        bpy.app.timers.register(self.tick, first_interval=INTERVAL)

    def tick(self) -> float | None:
        """Show the newest state; return the seconds until the next call, or None at the end."""
        if self is not _running:
            return None
        try:
            state = self.scene.fajin
        except ReferenceError:  # another file was opened
            stop()
            return None
        if not self.session.running:
            state.message = self.session.error or "the simulation ended"
            stop()
            return None
        self.show(state)
        return INTERVAL

    def show(self, state) -> None:
        """Put the objects at the newest poses; the first state also gives the sliders their ends."""
        poses = dict(self.session.poses())
        if not poses:
            return
        if self.links is None:
            self.links = PosedLinks(state.source, poses, self.session.description["up_axis"])
            state.fill_sliders(self.session.description["controls"])
            state.message = f"{len(self.links)} of {len(poses)} links have an object"
        self.links.pose(poses)
        state.live_time = self.session.state["head"][0]

    def close(self) -> None:
        """End the simulation and put the objects back."""
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
        try:
            ended.scene.fajin.sliders.clear()
        except ReferenceError:  # its file is closed
            return


def send(message: dict) -> str:
    """Send a command to the running simulation; return why it is refused, or ""."""
    return _running.session.send(message) if _running else "no simulation runs"
