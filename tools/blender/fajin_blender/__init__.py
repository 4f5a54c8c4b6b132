# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of USD robots in Blender's sidebar, edited in a layer over the scene, simulated by fajin.

Blender draws, fajin knows: values come from `fajin inspect --json`, edits go to `fajin author values`, a motion is
`fajin simulate`. Each is a subprocess, so the add-on shares no Python with fajin. The scene is never written.
"""

import atexit
import contextlib

import bpy

from . import (
    background,
    live,
    live_operators,
    motion_operators,
    operators,
    overlay,
    panel,
    playback,
    scene_state,
    setup_operators,
)

PARTS = (scene_state, operators, motion_operators, live_operators, setup_operators, panel)
CLASSES = tuple(one for part in PARTS for one in part.CLASSES)
PANEL = "FAJIN_PT_panel"


def register() -> None:
    """Register classes, the hook of the importer, the drawing of joints and the scene's properties.

    Where another copy of the add-on is registered already, this one waits until that copy goes; its panel says so.
    """
    if first := getattr(bpy.types, PANEL, None):
        first.waiting.append((__package__, register))
        return
    for one in CLASSES:
        bpy.utils.register_class(one)
    if playback.READS_USD:
        bpy.utils.register_class(playback.ImportHook)
    bpy.types.Scene.fajin = scene_state.POINTER
    overlay.register()
    atexit.register(end)


def unregister() -> None:
    """Undo `register`, and let a copy that waits take over."""
    if getattr(bpy.types, PANEL, None) is not panel.FAJIN_PT_panel:
        waiting = getattr(bpy.types, PANEL).waiting if hasattr(bpy.types, PANEL) else []
        waiting[:] = [copy for copy in waiting if copy[0] != __package__]
        return
    atexit.unregister(end)
    end()
    overlay.unregister()
    del bpy.types.Scene.fajin
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
    waiting = panel.FAJIN_PT_panel.waiting[:]
    panel.FAJIN_PT_panel.waiting.clear()
    for _, take_over in waiting:
        take_over()


def end() -> None:
    """End what runs, and unregister the hook of the importer.

    Blender as a Python module hangs at its end while a hook is registered.
    """
    background.stop()
    live.stop()
    if playback.READS_USD:
        with contextlib.suppress(RuntimeError):
            bpy.utils.unregister_class(playback.ImportHook)
