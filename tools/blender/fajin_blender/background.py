# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that Blender's user does not wait for: a timer looks at it, the panel shows its progress and cancels it."""

import time
from collections.abc import Callable
from typing import Protocol

import bpy

from .handles import scene_of
from .process import FajinError

POLL = 0.1  # [s]

_running: "Background | None" = None


class Work(Protocol):
    """Something that goes on by itself."""

    running: bool
    share: float  # finished, 0 to 1
    cancellable: bool  # whether it has `cancel`, which asks it to end

    def kill(self) -> None:
        """End it at once."""


class Background:
    """Work of a Blender scene, and what follows it.

    Args:
        scene: the scene whose panel shows the work.
        title: what is done, as "simulating".
        work: the work, which has begun.
        finish: takes the scene and returns the message of the panel at the end, or raises FajinError.
    """

    def __init__(self, scene: bpy.types.Scene, title: str, work: Work, finish: Callable[[bpy.types.Scene], str]):
        self.title, self.work, self._scene, self._finish = title, work, scene.session_uid, finish
        self._timer = self.tick  # one object, by which Blender knows the timer
        bpy.app.timers.register(self._timer, first_interval=POLL)

    def tick(self) -> float | None:
        """Return the seconds until the next look, or None at the end, which the panel then shows."""
        global _running
        if self is not _running:
            return None
        if self.work.running:
            redraw()
            return POLL
        _running = None
        scene = scene_of(self._scene)
        if scene is None:  # another file was opened
            return None
        try:
            scene.fajin.message = self._finish(scene)
        except FajinError as error:
            scene.fajin.message = str(error)
        redraw()
        return None

    def wait(self) -> str:
        """Wait for the end, where no loop of events calls the timer; return the message, or raise FajinError."""
        global _running
        self._forget()
        while self.work.running:
            time.sleep(POLL)
        _running = None
        return self._finish(scene_of(self._scene))

    def end(self) -> None:
        """End the work at once; nothing follows it."""
        self._forget()
        self.work.kill()

    def _forget(self) -> None:
        """Unregister the timer: Blender 4.5 as a Python module hangs at its end while one is registered."""
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)


def running() -> Background | None:
    """Return the work in progress, if there is any."""
    return _running


def free() -> None:
    """Raise FajinError while work is in progress."""
    if _running is not None:
        raise FajinError(f"{_running.title} is in progress; wait for it, or cancel it")


def start(scene: bpy.types.Scene, title: str, work: Work, finish: Callable[[bpy.types.Scene], str]) -> None:
    """Show work until its end; arguments are those of `Background`."""
    global _running
    _running = Background(scene, title, work, finish)


def message() -> str:
    """Return the message of the panel after `start`: that of the end in a Blender without windows, which waits for it.

    Raises:
        FajinError: the work has failed.
    """
    return _running.wait() if bpy.app.background else ""


def stop() -> None:
    """End the work in progress, if there is any."""
    global _running
    ended, _running = _running, None
    if ended is not None:
        ended.end()


def redraw() -> None:
    """Draw the panels again, which Blender does only when something in them changes."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
