# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: open a scene, write edits to its layer, tune, check, simulate, film."""

import json
import tempfile
from pathlib import Path

import bpy
from bpy.props import StringProperty

from . import background, live
from .axis_document import document_of
from .film import Film
from .link_objects import SCENE
from .playback import READS_USD, play
from .process import CHECKED, INTERRUPTED, RAN_AWAY, FajinError, Job, run, run_json

SHOWN = 12  # findings in the panel


def command() -> str:
    """Return the command of the preferences."""
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences.command if addon else "fajin"


def document_of_scene(state) -> dict:
    """Return the document of the scene with its edits."""
    document = run_json(command(), "inspect", state.latest, "--json")
    if "up_axis" not in document:
        raise FajinError("fajin inspect has no up_axis: install a newer fajin")
    return document


class FajinOperator(bpy.types.Operator):
    """An operator whose errors are one line."""

    def execute(self, context):
        """Run the operator; an error of fajin is shown as its one line."""
        try:
            context.scene.fajin.message = self.act(context) or ""
        except FajinError as error:
            context.scene.fajin.message = str(error)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class FAJIN_OT_open(FajinOperator):
    """Import a USD robot, keep the paths of its prims, and list its joints."""

    bl_idname, bl_label = "fajin.open", "Open robot"
    filepath: StringProperty(subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.usd;*.usda;*.usdc;*.usdz", options={"HIDDEN"})

    def act(self, context) -> str:
        """Read first: a scene that fajin refuses is not imported."""
        state = context.scene.fajin
        was = state.source
        state.source = self.filepath
        try:
            state.fill(document_of_scene(state))
        except FajinError:
            state.source = was
            raise
        state.findings = ""
        if not READS_USD:
            return f"{len(state.joints)} degrees of freedom; this Blender is built without USD: no objects, no motion"
        before = set(bpy.data.objects)
        bpy.ops.wm.usd_import(filepath=str(Path(bpy.path.abspath(self.filepath))), import_guide=False)
        for thing in set(bpy.data.objects) - before:
            thing[SCENE] = state.source
        return f"{len(state.joints)} degrees of freedom"

    def invoke(self, context, _event):
        """Choose a file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class FAJIN_OT_reload(FajinOperator):
    """Read the scene and its layer again, after they changed elsewhere; what is edited here is kept."""

    bl_idname, bl_label = "fajin.reload", "Read again"

    def act(self, context) -> str:
        """Name the edited joints that are gone."""
        state = context.scene.fajin
        gone = state.fill_again(document_of_scene(state))
        lost = f"; no longer in the scene, with their edits: {', '.join(gone)}" if gone else ""
        return f"{len(state.joints)} degrees of freedom{lost}"


class FAJIN_OT_write(FajinOperator):
    """Write the edited values to the layer over the scene, which stays as it is."""

    bl_idname, bl_label = "fajin.write", "Write to layer"

    def act(self, context) -> str:
        """Write a document of the edits and read the result."""
        state = context.scene.fajin
        parts = state.parts()
        if not parts:
            return "nothing is edited"
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder) / "edits.json"
            document.write_text(json.dumps(document_of(parts)), encoding="utf-8")
            out = run(command(), "author", "values", bpy.path.abspath(state.source), document, "-o", state.layer)
        state.fill(document_of_scene(state))
        return out.strip().splitlines()[-1]


class FAJIN_OT_tune(FajinOperator):
    """Fill in gains that give the joint the natural frequency and damping ratio, exact at the scene's step."""

    bl_idname, bl_label = "fajin.tune", "Tune"

    def act(self, context) -> str:
        """Compute the gains by fajin; they are edits until they are written."""
        state = context.scene.fajin
        joint = state.joints[state.active]
        target = ("-w", state.natural_frequency, "-z", state.damping_ratio)
        kind = ("--type", joint.drive_type) if joint.drive_type != "none" else ()
        found = run_json(command(), "tune", state.latest, "--joint", joint.dof, *target, *kind, "--json")["joints"][0]
        joint.drive_type = found["type"]
        joint.drive_stiffness, joint.drive_damping = found["stiffness"], found["damping"]
        return f"{joint.name}: stiffness {found['stiffness']:.4g}, damping {found['damping']:.4g}; write to keep them"


class FAJIN_OT_check(FajinOperator):
    """List what fajin finds in the scene with its edits, with fixes."""

    bl_idname, bl_label = "fajin.check", "Check"

    def act(self, context) -> str:
        """Keep errors and warnings for the panel."""
        state = context.scene.fajin
        report = run_json(command(), "check", state.latest, "--json", accepted=(0, CHECKED))
        found = [one for one in report["findings"] if one["severity"] != "note"]
        lines = [f"{one['severity']}: {one['prim']}: {one['message']}; {one['fix']}" for one in found]
        state.findings = "\n".join(lines[:SHOWN])
        return f"{report['errors']} errors, {report['warnings']} warnings"


def begin_simulation(scene: bpy.types.Scene) -> None:
    """Simulate beside Blender; the motion lies beside the scene and plays at the end."""
    background.free()
    live.stop()
    state = scene.fajin
    accepted = (0, RAN_AWAY, INTERRUPTED)
    job = Job(command(), "simulate", state.latest, "-o", state.motion, accepted=accepted)
    source, motion = state.source, state.motion  # another robot may be open at the end

    def finish() -> str:
        if job.cancelled and job.status != INTERRUPTED:
            return "cancelled"
        job.result()
        if not READS_USD:
            return f"{motion.name} is written; this Blender is built without USD and cannot play it"
        if not motion.exists():  # cancelled before the first step
            return "cancelled"
        told = "; cancelled: the motion ends early" if job.status == INTERRUPTED else ""
        return f"{play(scene, source, motion)} objects move{told}"

    background.start(scene, "simulating", job, finish)


class FAJIN_OT_simulate(FajinOperator):
    """Simulate the scene with its edits to its end, and play the motion at its rate; Blender stays usable meanwhile."""

    bl_idname, bl_label = "fajin.simulate", "Simulate"

    def act(self, context) -> str:
        """Write the motion beside the scene."""
        begin_simulation(context.scene)
        return background.message()


class FAJIN_OT_film(FajinOperator):
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
        background.start(context.scene, "filming", film, lambda: told[not film.result()])
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


CLASSES = (
    FAJIN_OT_open,
    FAJIN_OT_reload,
    FAJIN_OT_write,
    FAJIN_OT_tune,
    FAJIN_OT_check,
    FAJIN_OT_simulate,
    FAJIN_OT_film,
    FAJIN_OT_cancel,
)
