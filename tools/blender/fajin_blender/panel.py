# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar of the 3D view: joints, and the values of the selected one with units."""

import textwrap
from typing import ClassVar

import bpy

from . import background, live
from .axis_document import FIELDS, unit_of

GROUPS = (("Limits", ("lower", "upper", "max_velocity")), ("Initial state", ("q", "qd")), ("Rotor", ("armature",)),
          ("Friction", ("friction",)))  # fmt: skip
NAME = 0.7  # share of a joint's name in its line
LINE = 0.8  # height of a line of text, of that of a button
CHARACTER = 6.0  # [px] mean width of a letter, at a resolution of 1
MARGIN = 50.0  # [px] beside a text


class FAJIN_UL_joints(bpy.types.UIList):
    """The list of degrees of freedom."""

    def draw_item(self, _context, layout, _data, item, _icon, _active, _name, _index=0, _filter=0):
        """Draw one degree of freedom: edited ones have a pencil."""
        row = layout.split(factor=NAME)
        row.label(text=item.name, icon="GREASEPENCIL" if item.dirty else "CONSTRAINT")
        row.label(text=item.drive_type if item.drive_type != "none" else item.kind)


class FAJIN_PT_panel(bpy.types.Panel):
    """The panel of a scene."""

    bl_label, bl_space_type, bl_region_type, bl_category = "fajin", "VIEW_3D", "UI", "fajin"

    waiting: ClassVar[list] = []  # name and `register` of other copies of the add-on

    def draw(self, context):
        """Draw the panel."""
        state, layout = context.scene.fajin, self.layout
        for package, _ in self.waiting:
            draw_text(layout, f"a second copy of this add-on, {package}, is enabled; disable one", "ERROR")
        row = layout.row(align=True)
        row.operator("fajin.open", icon="IMPORT")
        row.operator("fajin.find", icon="VIEWZOOM", text="")
        row.operator("fajin.install", icon="PACKAGE", text="")
        draw_text(layout, state.message)
        if work := background.running():
            draw_progress(layout, work)
        if live.running():
            draw_live(layout, state)
        elif state.document:
            row = layout.row(align=True)
            row.operator("fajin.reload", icon="FILE_REFRESH")
            row.prop(state, "show_markers", toggle=True)
            if state.joints:
                layout.template_list("FAJIN_UL_joints", "", state, "joints", state, "active")
                draw_edits(layout, state)
            draw_commands(layout, state)
            if state.joints:
                draw_joint(layout, state.joints[min(state.active, len(state.joints) - 1)])


def draw_text(layout, text: str, icon: str = "NONE") -> None:
    """Draw a text in lines that fit the sidebar."""
    column = layout.column(align=True)
    column.scale_y = LINE
    for line in text.splitlines():
        for count, part in enumerate(textwrap.wrap(line, letters()) or [""]):
            column.label(text=part, icon=icon if count == 0 or icon == "NONE" else "BLANK1")


def letters() -> int:
    """Return how many letters fit in a line of the region that is drawn."""
    region, scale = bpy.context.region, bpy.context.preferences.system.ui_scale or 1.0  # 0 without windows
    width = region.width if region else 400.0
    return max(20, int((width - MARGIN * scale) / (CHARACTER * scale)))


def draw_progress(layout, work) -> None:
    """Draw how far work is, and its button; Blender's own bar cancels what Blender renders."""
    row = layout.row(align=True)
    share = work.work.share
    row.progress(factor=share, text=f"{work.title} … {100.0 * share:.0f} %" if share < 1.0 else "writing …")
    if work.work.cancellable:
        row.operator("fajin.cancel", icon="X", text="")


def draw_live(layout, state) -> None:
    """Draw the sliders of a running simulation, and its buttons."""
    layout.label(text=f"runs: {state.live_time:.2f} s")
    row = layout.row(align=True)
    row.operator("fajin.tell", icon="PAUSE", text="Pause").what = "pause"
    row.operator("fajin.tell", icon="REW", text="Reset").what = "reset"
    row.operator("fajin.stop", icon="SNAP_FACE")
    column = layout.column(align=True)
    for slider in state.sliders:
        column.prop(slider, "share", slider=True, text=f"{slider.name}: {slider.value:.3g} {slider.unit}")


def draw_joint(layout, joint) -> None:
    """Draw the values of a joint, in SI units."""
    for title, heads in GROUPS:
        fields = [field for field in FIELDS if field.place[0] in heads and joint.has(field.place[0])]
        if fields:
            draw_fields(layout, joint, title, fields)
    if joint.has("drive"):
        layout.prop(joint, "drive_type")
        if joint.drive_type != "none":
            drive = [field for field in FIELDS if field.place[0] == "drive"]
            draw_fields(layout, joint, "", [field for field in drive if "envelope" not in field.place])
            layout.prop(joint, "has_envelope")
            if joint.has_envelope:
                draw_fields(layout, joint, "", [field for field in drive if "envelope" in field.place])
    if joint.mimic:
        draw_fields(layout, joint, joint.mimic, [field for field in FIELDS if field.place[0] == "mimic"])


def draw_fields(layout, joint, title: str, fields) -> None:
    """Draw numbers with units; a limit has a switch."""
    column = layout.column(align=True)
    if title:
        column.label(text=title)
    for field in fields:
        unit = unit_of(field, joint.rotational, joint.drive_type)
        text = f"{field.label} [{unit}]" if unit else field.label
        row = column.row(align=True)
        if field.nullable:
            row.prop(joint, field.switch, text="")
        number = row.row(align=True)
        number.enabled = not field.nullable or getattr(joint, field.switch)
        number.prop(joint, field.name, text=text)


def draw_edits(layout, state) -> None:
    """Draw what writes and reverts edits, and what tunes the selected joint."""
    row = layout.row(align=True)
    row.enabled = any(joint.dirty for joint in state.joints)
    row.operator("fajin.write", icon="FILE_TICK")
    row.operator("fajin.revert", icon="LOOP_BACK", text="")
    column = layout.column(align=True)
    column.prop(state, "natural_frequency")
    column.prop(state, "damping_ratio")
    column.operator("fajin.tune", icon="DRIVER")


def draw_commands(layout, state) -> None:
    """Draw the buttons of the whole scene."""
    row = layout.row(align=True)
    row.operator("fajin.check", icon="CHECKMARK")
    row = layout.row(align=True)
    row.operator("fajin.live", icon="PHYSICS")
    row.operator("fajin.simulate", icon="PLAY")
    row.operator("fajin.film", icon="RENDER_ANIMATION")
    draw_text(layout, state.findings)


CLASSES = (FAJIN_UL_joints, FAJIN_PT_panel)
