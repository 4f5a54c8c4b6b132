# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of values: open a scene, read it again, write edits to its layer, revert them, tune, check."""

import json
import tempfile
from pathlib import Path
from typing import ClassVar

import bpy
from bpy.props import StringProperty

from . import live
from .axis_document import document_of
from .link_objects import SCENE, objects_of
from .playback import READS_USD
from .preferences import command
from .process import CHECKED, FajinError, run, run_json

SHOWN = 12  # findings in the panel


def document_of_scene(state) -> dict:
    """Return the document of the scene with its edits."""
    document = run_json(command(), "inspect", state.latest, "--json")
    if "up_axis" not in document:
        raise FajinError("fajin inspect has no up_axis: install a newer fajin")
    return document


def write_edits(state) -> str:
    """Write what is edited to the layer over the scene; return the line that fajin prints, "" if nothing is edited."""
    parts = state.parts()
    if not parts:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "edits.json"
        document.write_text(json.dumps(document_of(parts)), encoding="utf-8")
        out = run(command(), "author", "values", bpy.path.abspath(state.source), document, "-o", state.layer)
    state.fill(document_of_scene(state))
    return out.strip().splitlines()[-1].replace(str(state.layer), state.layer.name)


def import_objects(scene: bpy.types.Scene, source: str) -> str:
    """Import the objects of a scene's file, unless they are there; return what to add to the panel's message."""
    if not READS_USD:
        return "; this Blender is built without USD: no objects, no motion"
    if set(objects_of(source).values()) & set(scene.objects):
        return "; its objects are here already"
    before = set(bpy.data.objects)
    try:
        path = str(Path(bpy.path.abspath(source)))
        bpy.ops.wm.usd_import(filepath=path, import_guide=False, set_frame_range=False)  # 0 to 0 without a motion
    except RuntimeError as error:
        raise FajinError(f"Blender does not import it: {str(error).strip().splitlines()[-1]}") from None
    for thing in set(bpy.data.objects) - before:
        thing[SCENE] = source
    return ""


def name_of(prim: str) -> str:
    """Return the name of a prim: its path does not fit the sidebar."""
    return prim.rpartition("/")[2] or prim


def counted(number: int, word: str) -> str:
    """Return a number with its noun."""
    return f"{number} {word}{'' if number == 1 else 's'}"


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


class SceneOperator(FajinOperator):
    """An operator of the open scene."""

    @classmethod
    def poll(cls, context) -> bool:
        """Return whether a scene is open."""
        cls.poll_message_set("no robot is open; open one")
        return bool(context.scene.fajin.document)


class FAJIN_OT_open(FajinOperator):
    """Import a USD robot, keep the paths of its prims, and list its joints."""

    bl_idname, bl_label = "fajin.open", "Open robot"
    bl_options: ClassVar[set] = {"UNDO"}
    filepath: StringProperty(subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.usd;*.usda;*.usdc;*.usdz", options={"HIDDEN"})

    def act(self, context) -> str:
        """Read first: a scene that fajin refuses is not imported, and one that is edited is not left."""
        state = context.scene.fajin
        if edited := [joint.name for joint in state.joints if joint.dirty]:
            raise FajinError(f"edits of {', '.join(edited)} are not written; write or revert them first")
        if not Path(bpy.path.abspath(self.filepath)).is_file():
            raise FajinError(f"{self.filepath or 'no file'}: must be an existing file; choose a USD scene")
        live.stop()
        was = state.source
        state.source = self.filepath
        try:
            document = document_of_scene(state)
            told = import_objects(context.scene, state.source)
        except FajinError:
            state.source = was
            raise
        state.fill(document)
        state.findings = ""
        return f"{state.summary}{told}"

    def invoke(self, context, _event):
        """Choose a file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class FAJIN_OT_reload(SceneOperator):
    """Read the scene and its layer again, after they changed elsewhere; what is edited here is kept."""

    bl_idname, bl_label = "fajin.reload", "Read again"
    bl_options: ClassVar[set] = {"UNDO"}

    def act(self, context) -> str:
        """Name the edited joints that are gone."""
        state = context.scene.fajin
        gone = state.fill_again(document_of_scene(state))
        lost = f"; no longer in the scene, with their edits: {', '.join(gone)}" if gone else ""
        return f"{state.summary}{lost}"


class FAJIN_OT_write(SceneOperator):
    """Write the edited values to the layer over the scene, which stays as it is."""

    bl_idname, bl_label = "fajin.write", "Write to layer"
    bl_options: ClassVar[set] = {"UNDO"}

    def act(self, context) -> str:
        """Write a document of the edits and read the result."""
        return write_edits(context.scene.fajin) or "nothing is edited"


class FAJIN_OT_revert(SceneOperator):
    """Put back the values that are edited and not written."""

    bl_idname, bl_label = "fajin.revert", "Revert"
    bl_options: ClassVar[set] = {"UNDO"}

    def act(self, context) -> str:
        """Name the joints."""
        edited = [joint for joint in context.scene.fajin.joints if joint.dirty]
        for joint in edited:
            joint.revert()
        return f"reverted {', '.join(joint.name for joint in edited)}" if edited else "nothing is edited"


class FAJIN_OT_tune(SceneOperator):
    """Fill in gains that give the joint the natural frequency and damping ratio, exact at the scene's step."""

    bl_idname, bl_label = "fajin.tune", "Tune"
    bl_options: ClassVar[set] = {"UNDO"}

    def act(self, context) -> str:
        """Compute the gains by fajin from what is shown; they are edits until they are written."""
        state = context.scene.fajin
        if not state.joints:
            raise FajinError("the scene has no joints")
        write_edits(state)
        joint = state.joints[state.active]
        target = ("-w", state.natural_frequency, "-z", state.damping_ratio)
        kind = ("--type", joint.drive_type) if joint.drive_type != "none" else ()
        found = run_json(command(), "tune", state.latest, "--joint", joint.dof, *target, *kind, "--json")["joints"][0]
        joint.drive_type = found["type"]
        joint.drive_stiffness, joint.drive_damping = found["stiffness"], found["damping"]
        return f"{joint.name}: stiffness {found['stiffness']:.4g}, damping {found['damping']:.4g}; write to keep them"


class FAJIN_OT_check(SceneOperator):
    """List what fajin finds in the scene with its edits, with fixes."""

    bl_idname, bl_label = "fajin.check", "Check"

    def act(self, context) -> str:
        """Keep errors and warnings for the panel."""
        state = context.scene.fajin
        write_edits(state)
        report = run_json(command(), "check", state.latest, "--json", accepted=(0, CHECKED))
        found = [one for one in report["findings"] if one["severity"] != "note"]
        lines = [f"{one['severity']}: {name_of(one['prim'])}: {one['message']}; {one['fix']}" for one in found]
        more = [f"and {len(lines) - SHOWN} more: fajin check {state.latest.name}"] if len(lines) > SHOWN else []
        state.findings = "\n".join(lines[:SHOWN] + more)
        return f"{counted(report['errors'], 'error')}, {counted(report['warnings'], 'warning')}"


CLASSES = (FAJIN_OT_open, FAJIN_OT_reload, FAJIN_OT_write, FAJIN_OT_revert, FAJIN_OT_tune, FAJIN_OT_check)
