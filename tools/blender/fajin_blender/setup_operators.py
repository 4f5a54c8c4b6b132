# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences and operators of the interpreter: find a fajin, or install one."""

import threading
from pathlib import Path

import bpy
from bpy.props import StringProperty

from . import interpreter
from .operators import FajinOperator
from .process import FajinError

POLL = 0.5  # [s]


def own_environment() -> Path:
    """Return the folder of the add-on's own environment, which an update of the add-on keeps."""
    try:
        folder = bpy.utils.extension_path_user(__package__, create=True)
    except ValueError:  # not installed as an extension
        folder = bpy.utils.user_resource("DATAFILES", path="fajin", create=True)
    return Path(folder) / "environment"


class FajinPreferences(bpy.types.AddonPreferences):
    """Preferences: how fajin starts, and what is installed."""

    bl_idname = __package__
    command: StringProperty(
        name="Command of fajin", default="fajin", description="How fajin starts, as ~/venv/bin/fajin"
    )
    package: StringProperty(
        name="Package", default="fajin", description="What is installed: a name on PyPI, a wheel or a folder"
    )

    def draw(self, context):
        """Draw the preferences."""
        row = self.layout.row(align=True)
        row.prop(self, "command")
        row.operator("fajin.find", icon="VIEWZOOM", text="Find")
        row = self.layout.row(align=True)
        row.prop(self, "package")
        row.operator("fajin.install", icon="IMPORT", text="Install")
        if context.scene.fajin.message:
            self.layout.label(text=context.scene.fajin.message)


def preferences() -> FajinPreferences:
    """Return the preferences of the add-on."""
    return bpy.context.preferences.addons[__package__].preferences


class FAJIN_OT_find(FajinOperator):
    """Find fajin on this machine: in $FAJIN, the add-on's environment, the active one, PATH and the home folder."""

    bl_idname, bl_label = "fajin.find", "Find fajin"

    def act(self, _context) -> str:
        """Set the command of the preferences."""
        preferences().command = interpreter.find(own_environment(), Path.home())
        return f"found {preferences().command}"


class FAJIN_OT_install(FajinOperator):
    """Install fajin in an environment of the add-on, from the network; Blender stays usable meanwhile."""

    bl_idname, bl_label = "fajin.install", "Install fajin"

    def act(self, _context) -> str:
        """Start the installation."""
        if not bpy.app.online_access:
            raise FajinError("Blender is offline; allow online access in Preferences, System")
        own, package = own_environment(), preferences().package
        if bpy.app.background:
            preferences().command = interpreter.install(own, package)
            return f"installed {preferences().command}"
        outcome: list[str | FajinError] = []
        threading.Thread(target=collect, args=(outcome, own, package), daemon=True).start()
        bpy.app.timers.register(lambda: finish(outcome), first_interval=POLL)
        return "installing fajin; this takes minutes …"


def collect(outcome: list, own: Path, package: str) -> None:
    """Append the command of an installed fajin, or the error."""
    try:
        outcome.append(interpreter.install(own, package))
    except FajinError as error:
        outcome.append(error)


def finish(outcome: list) -> float | None:
    """Set the command once it is known; return the seconds until the next look."""
    if not outcome:
        return POLL
    (found,) = outcome
    state = bpy.context.scene.fajin
    if isinstance(found, FajinError):
        state.message = str(found)
        return None
    preferences().command = found
    state.message = f"installed {found}"
    return None


CLASSES = (FajinPreferences, FAJIN_OT_find, FAJIN_OT_install)
