# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of USD robots in Blender's sidebar, edited in a layer over the scene, simulated by fajin.

Blender draws, fajin knows: values come from `fajin inspect --json`, edits go to `fajin author values`, a motion is
`fajin simulate`. Each is a subprocess, so the add-on shares no Python with fajin. The scene is never written.
"""

import atexit
import contextlib

import bpy

from . import operators, panel, playback, scene_state

CLASSES = (*scene_state.CLASSES, *operators.CLASSES, *panel.CLASSES)


def register() -> None:
    """Register classes, the hook of the importer and the scene's properties."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.utils.register_class(playback.ImportHook)
    bpy.types.Scene.fajin = scene_state.POINTER
    atexit.register(unregister_hook)


def unregister() -> None:
    """Undo `register`."""
    atexit.unregister(unregister_hook)
    unregister_hook()
    del bpy.types.Scene.fajin
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)


def unregister_hook() -> None:
    """Unregister the hook of the importer: Blender as a Python module hangs at its end while one is registered."""
    with contextlib.suppress(RuntimeError):
        bpy.utils.unregister_class(playback.ImportHook)
