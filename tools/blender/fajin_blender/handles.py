# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes and objects by their number in the session: an undo replaces all of them, and keeps the numbers."""

import bpy


def scene_of(uid: int) -> bpy.types.Scene | None:
    """Return the scene of a number; None after another file is opened."""
    return next((scene for scene in bpy.data.scenes if scene.session_uid == uid), None)


def objects_by_uid() -> dict[int, bpy.types.Object]:
    """Return all objects by number."""
    return {thing.session_uid: thing for thing in bpy.data.objects}
