# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of motions: simulate, film, cancel."""

import bpy

from . import background, live
from .film import Film
from .operators import SceneOperator, write_edits
from .playback import READS_USD, play
from .preferences import command
from .process import INTERRUPTED, RAN_AWAY, FajinError, Job


def begin_simulation(scene: bpy.types.Scene) -> str:
    """Write what is edited, and simulate beside Blender; the motion lies beside the scene and plays at the end.

    Returns:
        the line of what is written, "" if nothing is edited.
    """
    background.free()
    live.stop()
    state = scene.fajin
    written = write_edits(state)
    accepted = (0, RAN_AWAY, INTERRUPTED)
    job = Job(command(), "simulate", state.latest, "-o", state.motion, accepted=accepted)
    source, motion = state.source, state.motion  # another robot may be open at the end
    told = f"; {written}" if written else ""

    def finish(scene: bpy.types.Scene) -> str:
        if job.cancelled and job.status != INTERRUPTED:
            return f"cancelled{told}"
        job.result()
        if not READS_USD:
            return f"{motion.name} is written; this Blender is built without USD and cannot play it"
        if not motion.exists():  # cancelled before the first step
            return f"cancelled{told}"
        end = {INTERRUPTED: "; cancelled: the motion ends early", RAN_AWAY: "; the motion runs away: check the gains"}
        return f"{play(scene, source, motion)} objects move{end.get(job.status, '')}{told}"

    background.start(scene, "simulating", job, finish)
    return written


class FAJIN_OT_simulate(SceneOperator):
    """Write edits, simulate to the end, and play the motion at its rate; Blender stays usable meanwhile."""

    bl_idname, bl_label = "fajin.simulate", "Simulate"

    def act(self, context) -> str:
        """Write the motion beside the scene."""
        written = begin_simulation(context.scene)
        return background.message() or written


class FAJIN_OT_film(SceneOperator):
    """Render the motion to a film beside the scene, with the settings of Blender's scene, as Blender renders."""

    bl_idname, bl_label = "fajin.film", "Film"

    def act(self, context) -> str:
        """Render what was simulated last."""
        background.free()
        state = context.scene.fajin
        if not state.motion.exists():
            raise FajinError(f"{state.motion.name} does not exist; simulate first")
        try:
            film = Film(context.scene, state.source, state.film)
        except RuntimeError as error:
            raise FajinError(str(error).strip().splitlines()[-1]) from None
        told = f"wrote {film.path.name}", "cancelled; no film is written"
        background.start(context.scene, "filming", film, lambda _scene: told[not film.result()])
        return background.message()


class FAJIN_OT_cancel(bpy.types.Operator):
    """Cancel what is in progress; of a simulation, the motion until now is kept."""

    bl_idname, bl_label = "fajin.cancel", "Cancel"

    def execute(self, _context):
        """Ask it to end."""
        work = background.running()
        if work and work.work.cancellable:
            work.work.cancel()
        return {"FINISHED"}


CLASSES = (FAJIN_OT_simulate, FAJIN_OT_film, FAJIN_OT_cancel)
