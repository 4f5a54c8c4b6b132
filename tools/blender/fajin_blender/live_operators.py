# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of a running simulation: start, pause, reset, stop."""

import bpy
from bpy.props import EnumProperty

from . import background, live
from .operators import FajinOperator, SceneOperator, write_edits
from .preferences import command
from .process import FajinError

COMMANDS = (("pause", "Pause", "Pause, or go on"), ("reset", "Reset", "Go back to the start"))


class FAJIN_OT_live(SceneOperator):
    """Write edits, and run the scene in real time: objects follow, and sliders set the targets of drives."""

    bl_idname, bl_label = "fajin.live", "Run"

    def act(self, context) -> str:
        """Start fajin beside Blender."""
        state = context.scene.fajin
        background.free()
        write_edits(state)
        live.start(context.scene, command(), str(state.latest))
        return "fajin starts …"


class FAJIN_OT_stop(bpy.types.Operator):
    """End the running simulation; the objects go back to where they were."""

    bl_idname, bl_label = "fajin.stop", "Stop"

    def execute(self, context):
        """End it."""
        live.stop()
        context.scene.fajin.message = ""
        return {"FINISHED"}


class FAJIN_OT_tell(FajinOperator):
    """Pause or reset the running simulation."""

    bl_idname, bl_label = "fajin.tell", "Command"
    what: EnumProperty(items=COMMANDS)

    def act(self, context) -> str:
        """Send the command."""
        if refused := live.send({"do": self.what}):
            raise FajinError(refused)
        return context.scene.fajin.message


CLASSES = (FAJIN_OT_live, FAJIN_OT_stop, FAJIN_OT_tell)
