# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences of the add-on: how fajin starts, and what is installed."""

import shutil
from pathlib import Path

import bpy
from bpy.props import StringProperty

from . import interpreter

DEFAULT = "fajin"


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
        name="Command of fajin", default=DEFAULT, description="How fajin starts, as ~/venv/bin/fajin"
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


def command() -> str:
    """Return the command of the preferences; where it is the default and not on PATH, find a fajin first.

    Raises:
        FajinError: none is found.
    """
    own = preferences()
    if own.command == DEFAULT and shutil.which(DEFAULT) is None:
        own.command = interpreter.find(own_environment(), Path.home())
    return own.command
