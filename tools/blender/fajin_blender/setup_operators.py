# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of the interpreter: find a fajin, or install one."""

import threading
from pathlib import Path

import bpy

from . import interpreter
from .operators import FajinOperator
from .preferences import FajinPreferences, own_environment, preferences
from .process import FajinError

POLL = 0.5  # [s]


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
